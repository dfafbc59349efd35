import { analyticsChannels } from '../../../shared/carts/reach.ts'
import type { Pagination } from '../../../shared/core/paging.ts'
import { type AnalyticsDetails, hourBounds, type TopProduct } from '../../../shared/insights/analytics.ts'
import type { StoresQuery } from '../../../shared/insights/dashboard.ts'
import { readPages } from '../../access/http/public.ts'
import { describePage, type StoreDb, sql } from '../../core/db/public.ts'
import { buildFrame, demandAdvanced, eachStore, type RangeQuery, resolveScopes } from './analytics.ts'
import {
  buildCartFigures,
  buildSources,
  channelFigures,
  computeShare,
  filterChannel,
  presentProduct,
  sum,
} from './analytics-rules.ts'
import { CARTS, type CartSums, sumOrders } from './analytics-sql.ts'
import { type MessageSums, type OriginKey, sumMessages, sumOrigins } from './messages-sql.ts'
import { ensureRange } from './product-ranges.ts'
import { listProducts, listProductsAfter, type ProductSums } from './product-ranges-sql.ts'
import type { RangeDays } from './ranges.ts'

// Additional figures of Advanced Analytics (decision 99).

export async function readDetails(rangeQuery: RangeQuery): Promise<AnalyticsDetails> {
  await demandAdvanced(rangeQuery)
  const asking = await resolveScopes(rangeQuery)
  const { scopes, currency } = asking
  const [orders, messages, shares, origins, frame] = await Promise.all([
    eachStore(scopes, ({ store, days }) => sumOrders(store, days)),
    eachStore(scopes, ({ store, days }) => sumMessages(store, days)),
    eachStore(scopes, ({ store, days }) => cartShares(store, days)),
    eachStore(scopes, ({ store, days }) => sumOrigins(store, days)),
    buildFrame(asking),
  ])
  const listShares = (dimension: CartDimension) =>
    sumByKey(
      shares.filter((row) => row.dimension === dimension),
      currency,
    )
  return {
    sources: buildSources(orders, currency),
    channels: analyticsChannels.flatMap((channel) => {
      const own = filterChannel(messages, channel)
      return own.length > 0 ? [{ channel, ...channelFigures(own, currency) }] : []
    }),
    hours: hourBounds.map((fromHour) => buildHour(messages, fromHour, currency)),
    countries: listShares('country'),
    devices: listShares('device'),
    shoppers: listShares('shopper'),
    origins: buildOrigins(origins, currency),
    ...frame,
  }
}

/** Sorted by number of carts, descending. */
function sumByKey(rows: readonly (CartSums & { key: string })[], currency: string) {
  return [...Map.groupBy(rows, ({ key }) => key)]
    .map(([key, own]) => {
      const [abandoned, recovered] = [sum(own, (row) => row.abandoned), sum(own, (row) => row.recovered)]
      return {
        key,
        abandoned,
        recovered,
        recoveryRate: computeShare(recovered, abandoned),
        revenueOpportunity: buildCartFigures(own, currency).revenueOpportunity,
      }
    })
    .filter(({ abandoned }) => abandoned > 0)
    .sort((a, b) => b.abandoned - a.abandoned || (a.key < b.key ? -1 : 1))
}

function buildHour(messages: readonly (MessageSums & { from_hour: number })[], fromHour: number, currency: string) {
  const own = messages.filter(({ from_hour }) => from_hour === fromHour)
  const { accepted, conversionRate, attributedRevenue, revenuePerEmail } = channelFigures(own, currency)
  return { fromHour, accepted, conversionRate, attributedRevenue, revenuePerMessage: revenuePerEmail }
}

/** Sorted by revenue, descending. */
function buildOrigins(rows: readonly (MessageSums & OriginKey)[], currency: string): AnalyticsDetails['origins'] {
  const groups = Map.groupBy(rows, (row) => `${row.origin_kind} ${row.origin_id} ${row.step_id} ${row.channel}`)
  return [...groups.values()]
    .map((own) => {
      const { origin_kind: kind, origin_id, step_id, channel } = own[0]!
      return {
        kind,
        channel,
        name: formatOriginName(own[0]!),
        id: kind === 'manual' ? null : origin_id,
        stepId: kind === 'flow' || kind === 'push' ? step_id : null,
        ...channelFigures(own, currency),
      }
    })
    .sort((a, b) => b.attributedRevenue - a.attributedRevenue || b.accepted - a.accepted)
}

/** Names a step by its current position, or a removed step by its former name, since its position may be reused. */
export function formatOriginName({ origin_kind, name, step, removed_step }: OriginKey): string {
  if (origin_kind === 'manual') return 'Sent by hand'
  if (origin_kind === 'campaign') return name ?? 'A deleted campaign'
  const place = step === null ? 'a deleted step' : `step ${step}`
  return `${name ?? 'A deleted flow'}, ${removed_step === null ? place : `${removed_step} (removed)`}`
}

/** Yields all products of the chosen store in list order. */
export async function* pagesOfProducts(rangeQuery: RangeQuery): AsyncGenerator<readonly ProductSums[]> {
  const { scopes, currency } = await resolveScopes({ ...rangeQuery, query: { stores: 'one' } })
  const [{ store, days }] = scopes as [(typeof scopes)[number]]
  await ensureRange(store, days)
  yield* readPages<ProductSums>((page) => listProductsAfter(store, days, { currency, ...page }))
}

type ProductsQuery = Pick<StoresQuery, 'stores'> & { search: string; page: number; limit: number }

/** Reads products of the chosen store only, even if the figures cover several. */
export async function readProducts(
  productsQuery: RangeQuery & { query: ProductsQuery },
): Promise<{ products: TopProduct[]; pagination: Pagination } & Awaited<ReturnType<typeof buildFrame>>> {
  await demandAdvanced(productsQuery)
  const asking = await resolveScopes({ ...productsQuery, query: { stores: 'one' } })
  const [{ store, days }] = asking.scopes as [(typeof asking.scopes)[number]]
  const { search, page, limit } = productsQuery.query
  const filter = { currency: asking.currency, search: search.trim(), limit, offset: (page - 1) * limit }
  await ensureRange(store, days)
  const [{ products, total }, frame] = await Promise.all([listProducts(store, days, filter), buildFrame(asking)])
  return {
    products: products.map((row) => presentProduct(row, asking.currency)),
    pagination: describePage({ page, limit }, total),
    ...frame,
  }
}

type CartDimension = 'country' | 'device' | 'shopper'

/** Sums carts per currency and key of each of three dimensions. */
async function cartShares({ db, storeId }: StoreDb, { first, last }: RangeDays) {
  const { rows } = await sql<CartSums & { dimension: CartDimension; key: string }>`
    select dimension, key, currency, ${CARTS} from cart_figures
    where store_id = ${storeId} and dimension in ('country', 'device', 'shopper') and day >= ${first}::date and day <= ${last}::date
    group by dimension, key, currency`.execute(db)
  return rows
}
