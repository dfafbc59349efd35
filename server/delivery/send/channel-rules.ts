import { addUsage, lockUsage } from '../../billing/billing/usage.ts'
import type { ChannelName } from '../../messages/channels/channel.ts'
import { isTextChannelName } from '../../messages/channels/traits.ts'
import { type StoreTx, sql } from '../../core/db/db.ts'
import { lockCredits, payWithCredits } from '../../billing/credits/credits.ts'
import { isText } from '../decide/composing.ts'
import { planLimitOf } from '../decide/decision-inputs.ts'
import type { Ready } from '../decide/evaluate.ts'
import { TEXTS_OF_CART } from '../decide/fragments.ts'
import { noteOutcomes, openThrottle, passThrottle, unsent } from '../deliverability/throttles.ts'
import type { Deps } from '../../deps.ts'
import { domainOf } from '../email/mail-headers.ts'
import type { Finished } from '../outcome/outcome.ts'
import * as spend from '../texts/spend.ts'
import { payable, usesOf } from './credit-room.ts'
import type { Sender } from './send-window.ts'
import type { ChannelTerms } from './turn-sql.ts'

// What the channels do differently in a turn. Mail: paused domains. SMS and WhatsApp: price, budget and the distance to the text before. Push: the
// subscribed browsers of the cart.

export interface ChannelRules extends ChannelTerms {
  /** The channel's own values in the row; its SQL reads them as l.own. */
  own: (ready: Ready, now: Date) => object
  /** In the preparation: those that may go on. */
  admit: (tx: StoreTx, ready: readonly Ready[], now: Date) => Promise<readonly Ready[]>
  /** It tests whether a paused domain takes mail again. */
  isProbe: (ready: Ready) => boolean
  /** These were admitted, and are not sent. */
  dismiss: (tx: StoreTx, ready: readonly Ready[]) => Promise<void>
  /** In the turn, before its statement, with its people locked; null: its place in the plan is all that a message takes. */
  reserve: ((tx: StoreTx, sendable: () => Sendable) => Promise<Reservation>) | null
  /** While turns go on, answers wait no longer than this to be settled together, ms; without news from the provider `PATIENCE_MS` (send-window.ts). */
  longestWaitMs: number
  /** What came back, once it is committed. */
  learn: (done: readonly Finished[]) => Promise<unknown>
}

/** What may be sent at this moment. Asked when all is locked: waiting may have made it night, or the order pull too old (D3). */
export interface Sendable {
  ready: readonly Ready[]
  now: Date
}

/** What messages take stays locked until the turn is committed. */
export interface Reservation extends Sendable {
  /** Takes it for those that are sent. */
  book: (sending: ReadonlySet<string>) => Promise<void>
}

export function rulesOf(deps: Deps, sender: Sender): ChannelRules {
  if (isTextChannelName(sender.channel)) return textRules(sender)
  return sender.channel === 'push' ? pushRules : mailRules(deps, sender)
}

const plainRules: ChannelRules = {
  condition: sql`true`,
  written: sql``,
  own: () => ({}),
  admit: async (_, ready) => ready,
  isProbe: () => false,
  dismiss: async () => {},
  reserve: null,
  longestWaitMs: 500,
  learn: async () => {},
}

const pushRules: ChannelRules = {
  ...plainRules,
  // Its browser tells soon that it has shown it, which counts once the answer is settled.
  longestWaitMs: 0,
  written: sql`, told_by = (select array(select jsonb_array_elements_text(c.fold -> 'episode' -> 'toldBy')) from carts c
        where c.store_id = m.store_id and c.id = m.cart_id)`,
}

function mailRules(deps: Deps, { evaluation, mail }: Sender): ChannelRules {
  const accountId = evaluation.situation.account_id
  const throttle = openThrottle(accountId)
  return {
    ...plainRules,
    own: ({ address }) => ({ domain: domainOf(address) }),
    condition: sql`not exists (select 1 from domain_throttles d where d.account_id = ${accountId} and d.domain = l.own ->> 'domain'
          and d.paused_until is not null and d.probe_id is distinct from l.id)`,
    admit: (tx, ready, now) => passThrottle(tx, throttle, ready, now),
    isProbe: ({ row }) => throttle.probes.has(row.id),
    dismiss: (tx, ready) => unsent(tx, throttle, ready, new Set()),
    learn: (done) => noteOutcomes(deps, throttle, done).finally(() => mail?.note(done.map(({ outcome }) => outcome))),
  }
}

function textRules({ evaluation: { situation, month }, channel, credits }: Sender): ChannelRules {
  const accountId = situation.account_id
  const planLimit = planLimitOf(situation, channel)
  const perMille = planLimit > 0 ? (credits?.perMille ?? null) : null
  return {
    ...plainRules,
    // A refusal may be an opt-out, which counts within a second (C2), and it gives places and credits back.
    longestWaitMs: 0,
    own: ({ composed, isOncePerCart }, now) => {
      const cooldown = new Date(now.getTime() - situation.text_cooldown_hours * 3_600_000)
      const { segments, cost } = composed as Extract<Ready['composed'], { segments: number }>
      return { segments, ...cost, since: isOncePerCart ? new Date(0) : cooldown }
    },
    // No text of the channel may have been sent for the cart since.
    condition: sql`not exists (select ${TEXTS_OF_CART} and h.sending_at > (l.own ->> 'since')::timestamptz)`,
    written: sql`, segments = (l.own ->> 'segments')::int, cost_micros = (l.own ->> 'amountMicros')::bigint, cost_currency = l.own ->> 'currency'`,
    // The place of a refused text comes back when it is settled, beside the next turn: until then credits may pay for another one.
    async reserve(tx, sendable) {
      const room = await lockRoom(tx, { accountId, month, channel })
      const budget = await spend.lockBudget(tx, accountId, month)
      const { ready: awake, now } = sendable()
      const slots = planLimit < 0 ? awake.length : Math.max(0, planLimit - room.used)
      const ready = withinBudget(budget, payable(awake, { slots, credits: room.credits, perMille }))
      return {
        ready,
        now,
        async book(sending) {
          const started = ready.filter(({ row }) => sending.has(row.id))
          if (perMille !== null && started.length > slots) {
            const uses = usesOf(started.slice(slots), perMille)
            // The statement has counted them all.
            await addUsage(tx, accountId, month, channel, -uses.length)
            await payWithCredits(tx, accountId, uses, now)
          }
          const costs = started.flatMap(({ composed }) => (isText(composed) ? [composed.cost] : []))
          await spend.bookSpend(tx, accountId, month, costs)
        },
      }
    },
  }
}

/** What an account's texts take. Before any message, and before any price is settled: whoever moves these takes them in this order. */
export async function lockRoom(
  tx: StoreTx,
  { accountId, month, channel }: { accountId: string; month: string; channel: ChannelName },
): Promise<{ used: number; credits: number }> {
  const used = await lockUsage(tx, accountId, month, channel)
  return { used, credits: await lockCredits(tx, accountId) }
}

/** Those the month's budget still pays for, in their order. Its counter stays locked until what is sent is booked (exact with any number of senders). */
function withinBudget(budget: { micros: number; currency: string } | null, ready: readonly Ready[]): Ready[] {
  if (!budget) return [...ready]
  let micros = budget.micros
  return ready.filter(({ composed }) => {
    const cost = isText(composed) ? composed.cost : null
    if (!cost || cost.amountMicros === 0) return true
    if (cost.currency !== budget.currency || cost.amountMicros > micros) return false
    micros -= cost.amountMicros
    return true
  })
}
