import { analyticsChannels } from '../../../shared/carts/reach.ts'
import { analyticsTexts, type Roi } from '../../../shared/insights/analytics.ts'
import { loadMonthlyPrice, requireFeature } from '../../billing/billing/public.ts'
import { buildFrame, eachStore, type RangeQuery, resolveScopes } from './analytics.ts'
import { filterChannel, sum, toDecimal } from './analytics-rules.ts'
import { formatOriginName } from './details.ts'
import { type MessageSums, type OriginKey, sumMessages, sumMonths, sumOrigins } from './messages-sql.ts'
import { buildTrendBuckets } from './ranges.ts'

// ROI Tracking (decision 154): costs of messages, discounts and the plan compared with the revenue attributed to
// messages.

/** Used if no plan has a price. */
const PLAN_CURRENCY = 'USD'

export async function readRoi(rangeQuery: RangeQuery): Promise<Roi> {
  const { account, now } = rangeQuery
  await requireFeature(account, now, { feature: 'roi_tracking', sentence: analyticsTexts.roiPlan })
  const asking = await resolveScopes(rangeQuery)
  const { scopes, currency } = asking
  const [messages, origins, months, paid, frame] = await Promise.all([
    eachStore(scopes, ({ store, days }) => sumMessages(store, days)),
    eachStore(scopes, ({ store, days }) => sumOrigins(store, days)),
    eachStore(scopes, ({ store, row }) => {
      const buckets = buildTrendBuckets('1y', now, row.time_zone)
      return sumMonths(store, { first: buckets[0]!.first, last: buckets.at(-1)!.last })
    }),
    loadMonthlyPrice(account, now),
    buildFrame(asking),
  ])
  const price = paid?.currency === currency ? toDecimal(paid.amountMinor, currency) : null
  return {
    months: groupByMonth(months, frame.lastDay.slice(0, 7)).map(([month, own]) => ({
      month,
      ...sumAmounts(own, currency),
      planPrice: price,
    })),
    channels: analyticsChannels.flatMap((channel) => {
      const own = filterChannel(messages, channel)
      return own.length > 0 ? [{ channel, ...sumAmounts(own, currency) }] : []
    }),
    origins: buildOrigins(origins, currency),
    otherCosts: otherCosts(messages, currency),
    otherCostsByMonth: otherCosts(months, currency),
    planCurrency: paid?.currency ?? PLAN_CURRENCY,
    ...frame,
  }
}

/** All months from the first with a message to the current one, which may differ by store time zone. */
function groupByMonth<T extends { month: string }>(
  rows: readonly T[],
  now: string,
): [month: string, own: readonly T[]][] {
  const byMonth = Map.groupBy(rows, ({ month }) => month)
  const [first, last] = [[...byMonth.keys()].sort()[0], [...byMonth.keys(), now].sort().at(-1)!]
  if (first === undefined) return []
  const begins = Temporal.PlainYearMonth.from(first)
  const { months } = begins.until(Temporal.PlainYearMonth.from(last), { largestUnit: 'months' })
  return Array.from({ length: months + 1 }, (_, place) => {
    const month = begins.add({ months: place }).toString()
    return [month, byMonth.get(month) ?? []]
  })
}

function sumAmounts(rows: readonly MessageSums[], currency: string) {
  const own = rows.filter((row) => row.currency === currency)
  return {
    attributedRevenue: toDecimal(
      sum(own, (row) => row.attributed_minor),
      currency,
    ),
    messageCost: sum(own, (row) => row.cost_micros) / 1_000_000,
    discounts: toDecimal(
      sum(own, (row) => row.discount_minor),
      currency,
    ),
  }
}

/** Merges the steps of a flow. Sorted by revenue, descending. */
function buildOrigins(rows: readonly (MessageSums & OriginKey)[], currency: string): Roi['origins'] {
  return [...Map.groupBy(rows, (row) => `${row.origin_kind} ${row.origin_id}`).values()]
    .map((own) => {
      const { origin_kind: kind, origin_id, name } = own[0]!
      const id = kind === 'manual' ? null : origin_id
      return {
        kind,
        id,
        name: kind === 'flow' || kind === 'push' ? (name ?? 'A deleted flow') : formatOriginName(own[0]!),
        ...sumAmounts(own, currency),
      }
    })
    .sort((a, b) => b.attributedRevenue - a.attributedRevenue)
}

function otherCosts(rows: readonly MessageSums[], currency: string) {
  const others = rows.filter((row) => row.currency !== '' && row.currency !== currency && row.cost_micros !== 0)
  return [...Map.groupBy(others, (row) => row.currency)].map(([code, own]) => ({
    currency: code,
    messageCost: sum(own, (row) => row.cost_micros) / 1_000_000,
  }))
}
