import { setImmediate as breathe } from 'node:timers/promises'
import type { z } from 'zod'
import type { AudienceCount, countAudience } from '../../../shared/marketing/audience.ts'
import { readStore } from '../../access/stores/public.ts'
import { formatMonth } from '../../billing/billing/public.ts'
import { requireFound } from '../../core/common/public.ts'
import type { Db, StoreDb, StoreTx } from '../../core/db/public.ts'
import type { ComposedText } from '../../delivery/compose/public.ts'
import * as load from '../../delivery/decide/public.ts'
import { dryRun, type ForecastUsage, getPlanLimit, isText, type Texts } from '../../delivery/decide/public.ts'
import { replaceText, toPrice } from '../../delivery/preview/preview.ts'
import { loadTextChannels } from '../../delivery/send/public.ts'
import { readBudgetRow } from '../../delivery/texts/public.ts'
import type { Deps } from '../../deps.ts'
import { countMatching, toStoredFilters } from '../audiences/public.ts'
import { findProblem, Tally } from '../manual-sends/public.ts'
import * as sql from './audience-count-sql.ts'
import { parsePeople } from './campaign-input.ts'
import { countNewcomers } from './plan-sql.ts'

// Counts an audience and who of it would get a message now. It runs the send decision (D2) on hypothetical messages
// that share plan volume and frequency cap. Nothing is written.
// A very large audience is sampled: the newest members are evaluated. SMS and WhatsApp prices are scaled up from a
// sample of rendered messages.

/** One evaluation takes about a millisecond. */
const MAX_EVALUATED = 1_000
const MAX_RENDERED = 40
const CHUNK = 500
const NO_LIMIT = 2_147_483_647
const QUIET_DAYS = 90
const PACE_DAYS = 30
/** A lower pace shows how little there was to send, not how fast sending is. */
const MIN_PER_MINUTE = 60
const DAY_MS = 86_400_000

type CountInput = z.output<typeof countAudience.body>

export async function readAudienceCount(
  deps: Pick<Deps, 'channels' | 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  input: CountInput,
): Promise<AudienceCount> {
  const { total, meant } = await findMembers(deps, store, input)
  const { tally, remaining } = await evaluateMembers(deps, store, input, meant)
  const people = meant.flatMap((each) => each?.shopper_id ?? [])
  const checkedCount = meant.length < total ? meant.length : null
  const eligible = tally.eligible.length
  const expected = checkedCount === null ? eligible : Math.round((total * eligible) / checkedCount)
  return {
    total,
    eligible,
    judged: checkedCount,
    left: remaining,
    price: await estimatePrice(deps, store, { request: input, expected, eligible: filterEligible(meant, tally) }),
    reasons: tally.reasons().map(({ reason, explanation, ids }) => ({ reason, explanation, count: ids.length })),
    minutes: await estimateMinutes(deps, store, input, checkedCount === null ? eligible : total),
    quietPercent: await readQuietPercent(deps, store, people),
  }
}

/** null: no customer has the address. */
type AudienceMember = sql.AudienceMember | null

async function findMembers(
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  input: CountInput,
): Promise<{ total: number; meant: AudienceMember[] }> {
  const { targetAudience: audience, type: channel, campaignId = null } = input
  const now = deps.now()
  if (audience.type === 'specific_customers' || audience.mode === 'selected') {
    const isOfCarts = audience.type === 'abandoned_carts'
    const meant = await sql.findChosenMembers(store, parsePeople(audience), { campaignId, isOfCarts })
    return { total: meant.length, meant }
  }
  const filters = toStoredFilters(audience.filters, requireFound(await readStore(store), 'Store').currency)
  const total = campaignId
    ? await countNewcomers(store, { campaignId, channel, filters }, { now, max: NO_LIMIT })
    : await countMatching(store, { channel, filters, now })
  const newest = await sql.listNewestMatching(store, { channel, filters, campaignId, now }, MAX_EVALUATED)
  // A cart may have been added between the two queries.
  const meant = newest.slice(0, total)
  return { total: newest.length < MAX_EVALUATED ? meant.length : total, meant }
}

async function evaluateMembers(
  deps: Pick<Deps, 'channels' | 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  input: CountInput,
  meant: readonly AudienceMember[],
) {
  const { type: channel } = input
  const texts = await loadTextChannels(deps, store, [channel])
  const tally = new Tally(channel)
  const ahead = { count: 0, micros: 0, creditMicros: 0, ofShopper: new Map<string, number>() }
  let remaining: number | null = null
  for (let start = 0; start === 0 || start < meant.length; start += CHUNK) {
    const chunk = meant.slice(start, start + CHUNK)
    const { situation, rows } = await buildHypotheticalRows(
      deps,
      store,
      { request: input, texts, chunk },
      { ahead, isRendered: false },
    )
    if (start === 0) {
      const limit = getPlanLimit(situation, channel)
      remaining = limit < 0 ? null : Math.max(0, limit - (situation.used[channel] ?? 0))
    }
    const known = new Map(rows.map((each) => [each.row.shopper_id, each]))
    for (const [index, each] of chunk.entries()) {
      const ready = each && known.get(each.shopper_id)
      const missing = each && input.targetAudience.type === 'abandoned_carts' ? 'cart_missing' : 'customer_missing'
      tally.add(
        each?.shopper_id ?? `${start + index}`,
        ready ? findProblem(ready.row, ready.decision) : { reason: missing, until: null },
      )
    }
    await breathe()
  }
  return { tally, remaining }
}

const filterEligible = (meant: readonly AudienceMember[], { eligible }: Tally): AudienceMember[] => {
  const ids = new Set(eligible)
  return meant.filter((each) => each && ids.has(each.shopper_id))
}

interface PricedAudience {
  request: CountInput
  /** Expected number of recipients. */
  expected: number
  eligible: readonly AudienceMember[]
}

/** Renders real messages: names and totals differ from cart to cart, and so does the number of segments. */
async function estimatePrice(
  deps: Pick<Deps, 'channels' | 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  { request: input, expected, eligible }: PricedAudience,
): Promise<AudienceCount['price']> {
  const { type: channel, body = '' } = input
  const hasText = channel === 'whatsapp' || (channel === 'sms' && body.trim() !== '')
  if (!hasText || eligible.length === 0) return null
  const texts = await loadTextChannels(deps, store, [channel])
  const chunk = { request: input, texts, chunk: eligible.slice(0, MAX_RENDERED) }
  const { rows } = await buildHypotheticalRows(deps, store, chunk, { isRendered: true })
  const composedTexts = rows.flatMap(({ composed }) => (composed && isText(composed) ? [composed] : []))
  if (composedTexts.length === 0) return null
  const each = (of: (text: ComposedText) => number) =>
    composedTexts.reduce((sum, text) => sum + of(text), 0) / composedTexts.length
  const { currency } = composedTexts[0]!.cost
  const microsEach = each(({ cost }) => cost.amountMicros)
  const budget = await readBudgetRow(store, formatMonth(deps.now()))
  const remaining = budget
    ? { amountMicros: Math.max(0, budget.monthlyMicros - budget.spentMicros), currency: budget.currency }
    : null
  return {
    people: expected,
    sampled: composedTexts.length,
    segments: Math.round(expected * each(({ segments }) => segments)),
    total: toPrice({ amountMicros: Math.round(expected * microsEach), currency }),
    budgetLeft: remaining && toPrice(remaining),
    covered: remaining && countCoveredByBudget(remaining, { microsEach, currency, expected }),
  }
}

/** A price in another currency than the budget's costs nothing of the budget (decision 21). */
function countCoveredByBudget(
  remaining: { amountMicros: number; currency: string },
  { microsEach, currency, expected }: { microsEach: number; currency: string; expected: number },
): number {
  if (microsEach === 0) return expected
  return remaining.currency === currency ? Math.min(expected, Math.floor(remaining.amountMicros / microsEach)) : 0
}

interface Chunk {
  request: CountInput
  texts: Texts
  chunk: readonly AudienceMember[]
}

function buildHypotheticalRows(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  { request: input, texts, chunk }: Chunk,
  how: { isRendered: boolean; ahead?: ForecastUsage },
) {
  const message = input.type === 'sms' ? { body: input.body } : {}
  const { type: channel, couponId = null, couponFallback: fallback } = input
  const coupon = couponId && {
    id: couponId,
    fallback,
    isFirstOrderOnly: false,
    pauseDays: null,
    aboveMinor: null,
  }
  const isOfCarts = input.targetAudience.type === 'abandoned_carts'
  const read = async (tx: StoreTx, base: { now: Date; capSince: Date }): Promise<load.ClaimedRow[]> => {
    const common = { channel, templateId: null, ...base }
    const rows = isOfCarts
      ? await load.loadImagined(tx, { cartIds: chunk.flatMap((each) => each?.cart_id ?? []), ...common })
      : await load.loadImaginedFor(tx, {
          shopperIds: chunk.flatMap((each) => each?.shopper_id ?? []),
          offer: { couponId: null, cartUrl: null },
          ...common,
        })
    const campaign = { isRunning: true, end: null, frequency: 'once', isRepeated: false } as const
    return rows.map((row) => ({
      ...replaceText(row, message),
      manual: null,
      campaign,
      coupon: coupon || null,
      // A purchase does not end a campaign message without a cart.
      matching_order: row.cart_id === null ? null : row.matching_order,
    }))
  }
  return dryRun(deps, store, texts, read, how)
}

async function estimateMinutes(
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  { type }: CountInput,
  count: number,
): Promise<number | null> {
  const since = new Date(deps.now().getTime() - PACE_DAYS * DAY_MS)
  const perMinute = await sql.busiestMinute(store, type, since)
  return perMinute < MIN_PER_MINUTE ? null : Math.ceil(count / perMinute)
}

async function readQuietPercent(
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  people: readonly string[],
): Promise<number> {
  if (people.length === 0) return 0
  const since = new Date(deps.now().getTime() - QUIET_DAYS * DAY_MS)
  return Math.round((100 * (await sql.countQuiet(store, people, since))) / people.length)
}
