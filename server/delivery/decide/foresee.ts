import { explain } from '../../../shared/reasons.ts'
import type { ChannelName } from '../../messages/channels/channel.ts'
import { type Db, type StoreDb, snapshot } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { factsAt } from '../../carts/flow-choice/facts.ts'
import { NONE_UNREAD } from '../../carts/sync/goods.ts'
import { passedOver, reasonsByChannel } from './channel-reasons.ts'
import { courseOf } from './course.ts'
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
  /** Why not by the other channels of its step, as a decision records it. */
  others: Record<string, unknown>
  /** Of a split step: which words it has; null: there is no choice. */
  variantId: string | null
  /** It is to have no coupon, by a rule of its step (decision 36). */
  isCouponWithheld: boolean
}

interface Obstacle {
  outcome: 'hold' | 'skip' | 'cancel'
  reason: string
}

/**
 * What is known of these messages until then. They are looked at in the order of time: what is expected to go takes its part of plan and cap,
 * and is there for the steps and texts behind it; what waits for something that ends before is looked at again then.
 */
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
    const imagined = { ...base, texts, goods: null, isChecked: true, unread: NONE_UNREAD, isImagined: true }
    return { context: await contextOf(deps, tx, imagined, rows), rows }
  })
  const ahead: Ahead = { count: 0, micros: 0, creditMicros: 0, ofShopper: new Map() }
  const ofMessage = Map.groupBy(rows, ({ id }) => id)
  const queue = messages
    .toSorted((a, b) => +a.wakeAt - +b.wakeAt)
    .flatMap(({ id, wakeAt }) => {
      const ways = ofMessage.get(id)
      return ways ? [{ ways, at: momentOf(context, ways[0]!, wakeAt), waitedFor: [] }] : []
    })
    .toSorted((a, b) => +a.at - +b.at)
  return inOrder({ ...context, ahead, until, course: courseOf(rows, context) }, queue)
}

type Foreseeing = Context & { ahead: Ahead; until: Date; course: ReturnType<typeof courseOf> }

/** One that is looked at next, at its moment. */
interface Look {
  ways: readonly ClaimedRow[]
  at: Date
  /** Why it was held when it was looked at before. */
  waitedFor: readonly string[]
}

/** `queue`: in the order of time. */
function inOrder(context: Foreseeing, queue: Look[]): Foreseen[] {
  const foreseen: Foreseen[] = []
  for (let next = queue.shift(); next; next = queue.shift()) {
    const found = foreseeOne(context, next)
    if ('ways' in found) {
      // Behind those of the same moment.
      const place = queue.findIndex(({ at }) => at > found.at)
      queue.splice(place < 0 ? queue.length : place, 0, found)
    } else foreseen.push(found)
  }
  return foreseen
}

function foreseeOne(context: Foreseeing, look: Look): Foreseen | Look {
  const { course, until } = context
  const { ways, waitedFor } = look
  const earliest = course.earliest(ways[0]!)
  if (earliest > look.at) {
    return earliest <= until
      ? { ...look, at: earliest }
      : obstacleOf(ways[0]!, earliest, { outcome: 'hold', reason: KEPT_BEHIND })
  }
  const drafts = ways.map((known) => {
    const row = course.rowAt(awaitedOf(known, waitedFor), look.at)
    const inputs = inputsOf(contextAt(context, row, look.at), row)
    return { row, inputs, decision: decide(inputs) }
  })
  const { row, inputs, decision } = decisive(drafts)
  const end = waitEnd(decision, inputs, until)
  if (end && !waitedFor.includes(decision.reason)) {
    return { ways, at: end, waitedFor: [...waitedFor, decision.reason] }
  }
  const others = recordOfOthers(drafts, row)
  const isCouponWithheld = inputs.coupon?.outcome === 'left_out' && inputs.coupon.reason.startsWith('coupon_withheld')
  if (decision.outcome !== 'send' && !end) {
    if (decision.outcome !== 'hold') course.closes(row)
    const { outcome, reason } = decision
    const at = decision.outcome === 'hold' ? decision.until : look.at
    return { ...obstacleOf(row, at, { outcome, reason }), others, isCouponWithheld }
  }
  goAhead(context, context.ahead, { row, composed: null, plan: inputs.plan })
  course.goes(row, look.at)
  return { ...expectedOf(row, look.at), others, isCouponWithheld }
}

const expectedOf = (row: ClaimedRow, at: Date): Foreseen => ({
  ...{ id: row.id, channel: row.channel, to: row.channel === 'push' ? null : addressOf(row), at },
  ...{ obstacle: null, others: {}, variantId: row.variant_id, isCouponWithheld: false },
})

const obstacleOf = (row: ClaimedRow, at: Date, obstacle: Obstacle): Foreseen => ({ ...expectedOf(row, at), obstacle })

/** Why a message that goes behind another waits; never recorded, as its row gets another time instead. */
export const KEPT_BEHIND = 'kept_behind'

/** What stands against it, in a sentence; of what is expected to go, why not by the channels before; '': nothing. */
export function foreseenText({ channel, obstacle, others }: Foreseen): string {
  if (!obstacle) return passedOver({ outcome: 'send', reason: '', inputs: others })
  if (obstacle.reason === KEPT_BEHIND) {
    return 'An earlier message about this cart goes first, and this one keeps its distance to it.'
  }
  const last = { ...obstacle, inputs: others }
  return reasonsByChannel(channel, obstacle.reason, { last }) ?? explain(obstacle.reason, channel)
}

/** Its shopper has left the cart by then. */
const awaitedOf = (row: ClaimedRow, waitedFor: readonly string[]): ClaimedRow =>
  waitedFor.includes('cart_active') ? { ...row, cart_status: 'abandoned' } : row

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

/** When what it waits for ends, where that is before. */
function waitEnd(decision: Decision, { message }: DecisionInputs, until: Date): Date | null {
  const isInTime = decision.outcome === 'hold' && decision.until <= until && decision.until < message.expiresAt
  return isInTime ? decision.until : null
}
