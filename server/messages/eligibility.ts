import { setImmediate as breathe } from 'node:timers/promises'
import type { z } from 'zod'
import { CartBadge } from '../../shared/carts.ts'
import { explain } from '../../shared/reasons.ts'
import { type cartEligibility, MOST_CARTS, type SendChannel } from '../../shared/reminders.ts'
import { countCarts, pagesOfCarts } from '../carts/list-sql.ts'
import type { Cost } from '../channels/channel.ts'
import { type Db, type StoreDb, snapshot } from '../db.ts'
import type { Deps } from '../deps.ts'
import { textsFor } from './deliver.ts'
import { isText, judgeImagined } from './judge.ts'
import { type Ahead, monthOf, type Texts } from './judge-inputs.ts'
import * as load from './judge-sql.ts'
import { priceOf, templateFor, withOwnWords } from './preview.ts'
import { readBudget } from './spend-sql.ts'

// Who of many carts would get a message now, and who not and why: the decision itself, about messages that do not exist (D2, D11).
// They would go together: what one takes of plan, budget and cap the next ones do not find. Nothing is written. Rendering is asked of texts, whose price depends on it; a mail is rendered when it is sent.

export type Wanted = z.output<typeof cartEligibility.body>
type Answer = z.infer<typeof cartEligibility.reply>
type Reason = Answer['reasons'][number]

const CHUNK = 500

export async function readEligibility(deps: Deps, store: StoreDb<Db>, wanted: Wanted): Promise<Answer> {
  const cartIds = await cartIdsOf(store, wanted)
  const texts = await textsFor(deps, store, [wanted.channel])
  const tally = new Tally(wanted.channel)
  const ahead = { count: 0, micros: 0, ofShopper: new Map<string, number>() }
  for (let start = 0; start < cartIds.length; start += CHUNK) {
    await addChunk(deps, store, { tally, texts, wanted, ahead, cartIds: cartIds.slice(start, start + CHUNK) })
    await breathe()
  }
  const price = wanted.channel === 'email' ? null : await priceFor(deps, store, tally)
  return { total: cartIds.length, eligible: tally.eligible, reasons: tally.reasons(), price }
}

async function cartIdsOf(store: StoreDb<Db>, { cartIds, status, search }: Wanted): Promise<string[]> {
  if (cartIds) return [...new Set(cartIds)]
  const badge = CartBadge.options.find((each) => each.toLowerCase() === status?.trim().toLowerCase()) ?? null
  const filter = { badge, search: search?.trim() ?? '' }
  const ids: string[] = []
  for await (const page of pagesOfCarts(store, filter, await countCarts(store, filter), 1_000)) {
    ids.push(...page.map((cart) => cart.id))
    if (ids.length >= MOST_CARTS) break
  }
  return ids.slice(0, MOST_CARTS)
}

interface Chunk {
  tally: Tally
  texts: Texts
  wanted: Wanted
  ahead: Ahead
  cartIds: string[]
}

async function addChunk(
  deps: Deps,
  store: StoreDb<Db>,
  { tally, texts, wanted, ahead, cartIds }: Chunk,
): Promise<void> {
  const { channel } = wanted
  const words = { body: channel === 'sms' ? wanted.body : undefined }
  const templateId = await templateFor(store, { channel })
  const { rows } = await snapshot(store, (tx) =>
    judgeImagined(
      deps,
      tx,
      texts,
      async (base) =>
        (await load.loadImagined(tx, { cartIds, channel, templateId, ...base })).map((row) => withOwnWords(row, words)),
      { isRendered: channel !== 'email', ahead },
    ),
  )
  for (const { row, decision, composed } of rows) {
    const until = decision.outcome === 'hold' && decision.until < row.expires_at ? decision.until : null
    const isEligible = decision.outcome === 'send'
    tally.add(row.cart_id, isEligible ? null : { reason: decision.reason, until: until ?? lifted(decision) })
    if (isEligible && composed && isText(composed)) tally.pay(composed)
  }
  const known = new Set(rows.map(({ row }) => row.cart_id))
  for (const cartId of cartIds) if (!known.has(cartId)) tally.add(cartId, { reason: 'cart_missing', until: null })
}

/** Reasons that end by themselves, even if later than a message by hand may wait. */
const TIMED = [
  'quiet_hours',
  'cooldown',
  'frequency_cap',
  'receiver_paused',
  'plan_limit',
  'budget',
  'purchase_in_progress',
]

const lifted = (decision: { reason: string; until?: Date }): Date | null =>
  TIMED.includes(decision.reason) ? (decision.until ?? null) : null

class Tally {
  readonly eligible: string[] = []
  readonly #channel: SendChannel
  readonly #reasons = new Map<string, { cartIds: string[]; until: Date | null }>()
  readonly #costs = new Map<string, number>()
  segments = 0

  constructor(channel: SendChannel) {
    this.#channel = channel
  }

  add(cartId: string, problem: { reason: string; until: Date | null } | null): void {
    if (!problem) {
      this.eligible.push(cartId)
      return
    }
    const known = this.#reasons.get(problem.reason) ?? { cartIds: [], until: problem.until }
    known.cartIds.push(cartId)
    if (problem.until && (!known.until || problem.until > known.until)) known.until = problem.until
    this.#reasons.set(problem.reason, known)
  }

  pay({ segments, cost }: { segments: number; cost: Cost }): void {
    this.segments += segments
    this.#costs.set(cost.currency, (this.#costs.get(cost.currency) ?? 0) + cost.amountMicros)
  }

  /** One channel has one price list and so one currency; null when nothing is eligible. */
  cost(): Cost | null {
    const [first] = this.#costs
    return first ? { currency: first[0], amountMicros: first[1] } : null
  }

  /** The most frequent first. */
  reasons(): Reason[] {
    const sorted = [...this.#reasons].sort(([, a], [, b]) => b.cartIds.length - a.cartIds.length)
    return sorted.map(([reason, { cartIds, until }]) => ({
      reason,
      explanation: explain(reason, this.#channel),
      count: cartIds.length,
      cartIds,
      until: until?.toISOString() ?? null,
      mayOverride: reason === 'holdout',
    }))
  }
}

async function priceFor(deps: Deps, store: StoreDb<Db>, tally: Tally): Promise<Answer['price']> {
  const budget = await readBudget(store, monthOf(deps.now()))
  const cost = tally.cost() ?? { amountMicros: 0, currency: budget?.currency ?? 'USD' }
  const left = budget && {
    amountMicros: Math.max(0, budget.monthlyMicros - budget.spentMicros),
    currency: budget.currency,
  }
  return { total: priceOf(cost), segments: tally.segments, budgetLeft: left ? priceOf(left) : null }
}
