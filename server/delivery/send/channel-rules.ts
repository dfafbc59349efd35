import { addUsage, lockUsage } from '../../billing/billing/public.ts'
import { lockCredits, payWithCredits } from '../../billing/credits/public.ts'
import { type StoreTx, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { type ChannelName, isTextChannelName } from '../../messages/channels/public.ts'
import { getPlanLimit, isText, type Ready, TEXTS_OF_CART } from '../decide/public.ts'
import { freeProbes, noteOutcomes, openThrottle, passThrottle } from '../deliverability/public.ts'
import { getDomain } from '../email/public.ts'
import type { SendResult } from '../outcome/public.ts'
import * as spend from '../texts/public.ts'
import { listCreditUses, selectAffordable } from './credit-room.ts'
import type { SendContext } from './send-window.ts'
import type { ChannelTerms } from './turn-sql.ts'

// What the channels do differently in a turn. Mail: paused domains. SMS and WhatsApp: price, budget and cooldown since
// the last text. Push: the subscribed browsers of the cart.

export interface ChannelRules extends ChannelTerms {
  /** The channel's values for one message; its SQL reads them as `l.own`. */
  own: (ready: Ready, now: Date) => object
  /** Called in the preparation. Returns the messages that the channel lets through. */
  admit: (tx: StoreTx, ready: readonly Ready[], now: Date) => Promise<readonly Ready[]>
  /** The message probes whether a paused domain accepts mail again. */
  isProbe: (ready: Ready) => boolean
  /** Called for admitted messages that are not sent. */
  dismiss: (tx: StoreTx, ready: readonly Ready[]) => Promise<void>
  /**
   * Called in the turn before its statement, with the shoppers locked. null: a message uses nothing but the plan's
   * messages.
   */
  reserve: ((tx: StoreTx, sendable: () => Sendable) => Promise<Reservation>) | null
  /**
   * While turns go on, replies wait at most this long to be settled together, in ms. Without further replies:
   * `PATIENCE_MS` (send-window.ts).
   */
  longestWaitMs: number
  /** Called with replies once they are committed. */
  onReplies: (done: readonly SendResult[]) => Promise<unknown>
}

/**
 * The messages that may be sent at `now`. Computed once all locks are held: after a long wait, quiet hours may apply
 * (D3).
 */
export interface Sendable {
  ready: readonly Ready[]
  now: Date
}

/** Budget, usage and credits that stay locked until the turn commits. */
export interface Reservation extends Sendable {
  /** Books them for the messages that are sent. */
  book: (sending: ReadonlySet<string>) => Promise<void>
}

export function createChannelRules(deps: Pick<Deps, 'db' | 'log' | 'now'>, sender: SendContext): ChannelRules {
  if (isTextChannelName(sender.channel)) return textRules(sender)
  return sender.channel === 'push' ? pushRules : mailRules(deps, sender)
}

const plainRules: ChannelRules = {
  condition: sql`true`,
  assignments: sql``,
  own: () => ({}),
  admit: async (_, ready) => ready,
  isProbe: () => false,
  dismiss: async () => {},
  reserve: null,
  longestWaitMs: 500,
  onReplies: async () => {},
}

const pushRules: ChannelRules = {
  ...plainRules,
  // The browser reports soon that it showed the notification; the report applies once the reply is settled.
  longestWaitMs: 0,
  assignments: sql`, told_by = (select array(select jsonb_array_elements_text(c.fold -> 'episode' -> 'toldBy')) from carts c
        where c.store_id = m.store_id and c.id = m.cart_id)`,
}

function mailRules(deps: Pick<Deps, 'db' | 'log' | 'now'>, { evaluation, mail }: SendContext): ChannelRules {
  const accountId = evaluation.situation.account_id
  const throttle = openThrottle(accountId)
  return {
    ...plainRules,
    own: ({ address }) => ({ domain: getDomain(address) }),
    condition: sql`not exists (select 1 from domain_throttles d where d.account_id = ${accountId} and d.domain = l.own ->> 'domain'
          and d.paused_until is not null and d.probe_id is distinct from l.id)`,
    admit: (tx, ready, now) => passThrottle(tx, throttle, ready, now),
    isProbe: ({ row }) => throttle.probes.has(row.id),
    dismiss: (tx, ready) => freeProbes(tx, throttle, ready, new Set()),
    onReplies: (done) =>
      noteOutcomes(deps, throttle, done).finally(() => mail?.note(done.map(({ outcome }) => outcome))),
  }
}

function textRules({ evaluation: { situation, month }, channel, credits }: SendContext): ChannelRules {
  const accountId = situation.account_id
  const planLimit = getPlanLimit(situation, channel)
  const perMille = planLimit > 0 ? (credits?.perMille ?? null) : null
  return {
    ...plainRules,
    // A refusal may be an opt-out, which has to apply within a second (C2). It also gives usage and credits back.
    longestWaitMs: 0,
    own: ({ composed, isOncePerCart }, now) => {
      const cooldown = new Date(now.getTime() - situation.text_cooldown_hours * 3_600_000)
      const { segments, cost } = composed as Extract<Ready['composed'], { segments: number }>
      return { segments, ...cost, since: isOncePerCart ? new Date(0) : cooldown }
    },
    // No text for the cart since then.
    condition: sql`not exists (select ${TEXTS_OF_CART} and h.sending_at > (l.own ->> 'since')::timestamptz)`,
    assignments: sql`, segments = (l.own ->> 'segments')::int, cost_micros = (l.own ->> 'amountMicros')::bigint, cost_currency = l.own ->> 'currency'`,
    // A refused text gives its plan usage back when it is settled. Until then credits may pay for another text.
    async reserve(tx, sendable) {
      const room = await lockPlanAndCredits(tx, { accountId, month, channel })
      const budget = await spend.lockBudget(tx, accountId, month)
      const { ready: awake, now } = sendable()
      const slots = planLimit < 0 ? awake.length : Math.max(0, planLimit - room.used)
      const ready = withinBudget(budget, selectAffordable(awake, { slots, credits: room.credits, perMille }))
      return {
        ready,
        now,
        async book(sending) {
          const started = ready.filter(({ row }) => sending.has(row.id))
          if (perMille !== null && started.length > slots) {
            const uses = listCreditUses(started.slice(slots), perMille)
            // The statement counts all texts; those paid with credits use no plan message.
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

/**
 * Locks the account's usage of the month, then its credits. Every caller takes them in this order, before messages and
 * prices.
 */
export async function lockPlanAndCredits(
  tx: StoreTx,
  { accountId, month, channel }: { accountId: string; month: string; channel: ChannelName },
): Promise<{ used: number; credits: number }> {
  const used = await lockUsage(tx, accountId, month, channel)
  return { used, credits: await lockCredits(tx, accountId) }
}

/**
 * Returns the messages that the month's budget still covers, in order. The budget stays locked until `book`, so it is
 * never exceeded.
 */
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
