import type { ChannelName } from '../channels/channel.ts'
import { type Db, type StoreDb, snapshot } from '../core/db.ts'
import type { Deps } from '../deps.ts'
import { factsAt } from '../flow-choice/facts.ts'
import { NONE_UNREAD } from '../sync/goods.ts'
import { type Decision, type DecisionInputs, decide } from './decide.ts'
import { type Ahead, addressOf, type Context, type Texts } from './decision-inputs.ts'
import { contextOf, goAhead, inputsOf, recordOfOthers, situationOf } from './evaluate.ts'
import { type ClaimedRow, loadClaimed } from './evaluate-sql.ts'
import { decisive } from './fallback.ts'
import { withVariants } from './variants.ts'

// What will become of open messages, as far as it is known before they are due: by the decision itself, asked for the moment at which each is
// looked at. Nothing is written down, the store is not asked, and nothing is rendered.

export interface Awaited {
  id: string
  /** When it is looked at next. */
  wakeAt: Date
}

export interface Foreseen {
  id: string
  channel: ChannelName
  to: string | null
  /** When it goes, as things stand. */
  at: Date
  /** null: nothing is known against it. */
  obstacle: Obstacle | null
  /** It is to have no coupon, by a rule of its step (decision 36). */
  isCouponWithheld: boolean
}

interface Obstacle {
  outcome: 'hold' | 'skip' | 'cancel'
  reason: string
  /** With `otherChannels`, as a decision records them. */
  inputs: Record<string, unknown>
}

/** What is known of these messages until then, in the order in which they are looked at: those before take their part of plan and cap first. */
export async function foresee(
  deps: Deps,
  store: StoreDb<Db>,
  messages: readonly Awaited[],
  { until, texts }: { until: Date; texts: Texts },
): Promise<Foreseen[]> {
  const { context, rows } = await snapshot(store, async (tx) => {
    const { month: _, capSince, ...base } = await situationOf(deps, tx)
    const ids = messages.map(({ id }) => id)
    const rows = await withVariants(tx, await loadClaimed(tx, ids, base.now, capSince))
    const imagined = { ...base, texts, goods: null, unread: NONE_UNREAD, isImagined: true }
    return { context: await contextOf(deps, tx, imagined, rows), rows }
  })
  const ahead: Ahead = { count: 0, micros: 0, creditMicros: 0, ofShopper: new Map() }
  const ofMessage = Map.groupBy(rows, ({ id }) => id)
  return messages
    .toSorted((a, b) => +a.wakeAt - +b.wakeAt)
    .flatMap(({ id, wakeAt }) => {
      const ways = ofMessage.get(id)
      return ways ? [foreseeOne({ ...context, ahead }, ways, { wakeAt, until })] : []
    })
}

function foreseeOne(
  context: Context & { ahead: Ahead },
  ways: readonly ClaimedRow[],
  { wakeAt, until }: { wakeAt: Date; until: Date },
): Foreseen {
  const at = momentOf(context, ways[0]!, wakeAt)
  const drafts = ways.map((row) => {
    const inputs = inputsOf(contextAt(context, row, at), row)
    return { row, inputs, decision: decide(inputs) }
  })
  const { row, inputs, decision } = decisive(drafts)
  if (decision.outcome === 'send') goAhead(context, context.ahead, { row, composed: null, plan: inputs.plan })
  return {
    ...{ id: row.id, channel: row.channel, to: row.channel === 'push' ? null : addressOf(row) },
    at: decision.outcome === 'hold' ? decision.until : at,
    obstacle:
      decision.outcome === 'send' || endsInTime(decision, inputs, until)
        ? null
        : { outcome: decision.outcome, reason: decision.reason, inputs: recordOfOthers(drafts, row) },
    isCouponWithheld: inputs.coupon?.outcome === 'left_out' && inputs.coupon.reason.startsWith('coupon_withheld'),
  }
}

/** What waits to its end is looked at for what it waits for, not for being too late then. */
function momentOf({ now }: Context, { expires_at }: ClaimedRow, wakeAt: Date): Date {
  return wakeAt <= now || wakeAt >= expires_at ? now : wakeAt
}

/** Day and hour of conditions are those of that moment. */
function contextAt(context: Context, { cart_id, conditions }: ClaimedRow, at: Date): Context {
  const known = conditions && cart_id !== null ? context.facts.get(cart_id) : undefined
  const facts = known ? new Map([[cart_id!, factsAt(known, at)]]) : context.facts
  return { ...context, now: at, facts }
}

/** It waits for something that ends before. */
const endsInTime = (decision: Decision, { message }: DecisionInputs, until: Date): boolean =>
  decision.outcome === 'hold' && decision.until <= until && decision.until < message.expiresAt
