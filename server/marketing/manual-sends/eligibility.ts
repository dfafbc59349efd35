import { setImmediate as breathe } from 'node:timers/promises'
import type { z } from 'zod'
import { consentReasons } from '../../../shared/carts/reach.ts'
import { explain } from '../../../shared/delivery/reasons.ts'
import { type cartEligibility, MAX_CARTS } from '../../../shared/delivery/reminders.ts'
import { formatMonth } from '../../billing/billing/public.ts'
import { parseFilter, readCartPages } from '../../carts/carts/public.ts'
import type { Db, StoreDb } from '../../core/db/public.ts'
import * as load from '../../delivery/decide/public.ts'
import { dryRun, type ForecastUsage, isText, type Texts } from '../../delivery/decide/public.ts'
import { findTemplate, replaceText, toPrice } from '../../delivery/preview/preview.ts'
import { loadTextChannels } from '../../delivery/send/public.ts'
import { readBudgetRow } from '../../delivery/texts/public.ts'
import type { Deps } from '../../deps.ts'
import { countFiltered } from './reach.ts'
import { findProblem, Tally } from './tally.ts'

// Counts which carts would get a message now, and why others would not. It runs the send decision on hypothetical
// messages (D2, D11) that share plan volume, budget and cap. Nothing is written.
// Only SMS and WhatsApp are rendered, because their price depends on the text; a mail is rendered when it is sent.

export type EligibilityInput = z.output<typeof cartEligibility.body>
type Answer = z.infer<typeof cartEligibility.reply>
type Reason = Answer['reasons'][number]

const CHUNK = 500

export async function readEligibility(
  deps: Pick<Deps, 'channels' | 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  input: EligibilityInput,
): Promise<Answer> {
  const cartIds = await resolveCartIds(deps, store, input)
  const texts = await loadTextChannels(deps, store, [input.channel])
  const tally = new Tally(input.channel)
  const ahead = { count: 0, micros: 0, creditMicros: 0, ofShopper: new Map<string, number>() }
  for (let start = 0; start < cartIds.length; start += CHUNK) {
    await addChunk(deps, store, { tally, texts, request: input, ahead, cartIds: cartIds.slice(start, start + CHUNK) })
    await breathe()
  }
  const price = input.channel === 'email' ? null : await estimatePrice(deps, store, tally)
  return { total: cartIds.length, eligible: tally.eligible, reasons: tally.reasons().map(presentReason), price }
}

/**
 * Whether an active cart will get an email once it is abandoned, and if not, why. It runs the send decision as of that
 * time, without rendering.
 */
export async function forecastEmail(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  cartId: string,
) {
  const channel = 'email'
  const templateId = await findTemplate(store, { channel })
  const { rows } = await dryRun(
    deps,
    store,
    new Map(),
    async (tx, base) => {
      const imagined = await load.loadImagined(tx, { cartIds: [cartId], channel, templateId, ...base })
      return imagined.map((row) => (row.cart_status === 'active' ? { ...row, cart_status: 'abandoned' as const } : row))
    },
    { isRendered: false },
  )
  const decision = rows[0]?.decision
  if (!decision) return null
  const isPossible = decision.outcome === 'send'
  return {
    isPossible,
    reason: isPossible ? null : decision.reason,
    explanation: isPossible ? '' : explain(decision.reason, channel),
  }
}

async function resolveCartIds(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  input: EligibilityInput,
): Promise<string[]> {
  if (input.cartIds) return [...new Set(input.cartIds)]
  const filter = parseFilter(input)
  const ids: string[] = []
  for await (const page of readCartPages(store, filter, await countFiltered(deps, store, filter), 1_000)) {
    ids.push(...page.map((cart) => cart.id))
    if (ids.length >= MAX_CARTS) break
  }
  return ids.slice(0, MAX_CARTS)
}

interface Chunk {
  tally: Tally
  texts: Texts
  request: EligibilityInput
  ahead: ForecastUsage
  cartIds: string[]
}

async function addChunk(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  { tally, texts, request: input, ahead, cartIds }: Chunk,
): Promise<void> {
  const { channel } = input
  const smsText = { body: channel === 'sms' ? input.body : undefined }
  const templateId = await findTemplate(store, { channel })
  const { rows } = await dryRun(
    deps,
    store,
    texts,
    async (tx, base) =>
      (await load.loadImagined(tx, { cartIds, channel, templateId, ...base })).map((row) => replaceText(row, smsText)),
    { isRendered: channel !== 'email', ahead },
  )
  for (const { row, decision, composed, country } of rows) {
    const problem = findProblem(row, decision)
    tally.add(row.cart_id, problem)
    if (input.cartIds && country && consentReasons.includes(decision.reason))
      tally.name(decision.reason, row.cart_id, country)
    if (!problem && composed && isText(composed)) tally.pay(composed)
  }
  const known = new Set(rows.map(({ row }) => row.cart_id))
  for (const cartId of cartIds) if (!known.has(cartId)) tally.add(cartId, { reason: 'cart_missing', until: null })
}

const presentReason = ({
  reason,
  explanation,
  ids,
  until,
  countries,
}: ReturnType<Tally['reasons']>[number]): Reason => ({
  reason,
  explanation,
  count: ids.length,
  cartIds: ids,
  until: until?.toISOString() ?? null,
  mayOverride: reason === 'holdout',
  ...(countries && { countries }),
})

async function estimatePrice(deps: Pick<Deps, 'now'>, store: StoreDb<Db>, tally: Tally): Promise<Answer['price']> {
  const budget = await readBudgetRow(store, formatMonth(deps.now()))
  const cost = tally.cost() ?? { amountMicros: 0, currency: budget?.currency ?? 'USD' }
  const remaining = budget && {
    amountMicros: Math.max(0, budget.monthlyMicros - budget.spentMicros),
    currency: budget.currency,
  }
  return { total: toPrice(cost), segments: tally.segments, budgetLeft: remaining ? toPrice(remaining) : null }
}
