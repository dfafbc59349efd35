import { explain } from '../../../shared/delivery/reasons.ts'
import { shiftConditionValues } from '../../carts/flow-choice/public.ts'
import { NONE_UNREAD } from '../../carts/sync/public.ts'
import { type Db, type StoreDb, snapshot } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { type ChannelName, isTextChannelName } from '../../messages/channels/public.ts'
import { explainByChannel, explainSkippedChannels } from './channel-reasons.ts'
import { type Decision, type DecisionInputs, decide } from './decide.ts'
import type { DecisionContext, ForecastUsage, Texts } from './decision-inputs.ts'
import { buildInputs, loadContext, loadStoreSituation, recordOtherChannels, reserve } from './evaluate.ts'
import { type ClaimedRow, getAddress, loadClaimed } from './evaluate-sql.ts'
import { pickDecision } from './fallback.ts'
import { withVariants } from './variants.ts'

// Forecasts open messages: makes the real decision for the time at which each message will be decided. Writes nothing,
// does not ask the store and renders nothing.

export interface AwaitedMessage {
  id: string
  /** When it will be decided next. */
  wakeAt: Date
}

export interface MessageForecast {
  id: string
  channel: ChannelName
  to: string | null
  /** When it will be sent, as far as is known now. */
  at: Date
  /** Why it will not be sent; null: it is expected to be sent. */
  obstacle: Obstacle | null
  /** Why not by its step's other channels, in the form of a decision record. */
  others: Record<string, unknown>
  /** The variant of a split step; null: not split. */
  variantId: string | null
  /** A rule of its step withholds the coupon (decision 36). */
  isCouponWithheld: boolean
}

interface Obstacle {
  outcome: 'hold' | 'skip' | 'cancel'
  reason: string
}

/**
 * Forecasts these messages in time order. A message expected to be sent uses plan and cap, and counts for later steps
 * and texts. A held one is decided again when its hold ends, if that is before `until`.
 */
export async function foresee(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  messages: readonly AwaitedMessage[],
  { until, texts }: { until: Date; texts: Texts },
): Promise<MessageForecast[]> {
  const { context, rows } = await snapshot(store, async (tx) => {
    const { month: _, capSince, ...base } = await loadStoreSituation(deps, tx)
    const ids = messages.map(({ id }) => id)
    const rows = await withVariants(tx, await loadClaimed(tx, ids, base.now, capSince))
    const imagined = { ...base, texts, goods: null, isChecked: true, unread: NONE_UNREAD, isImagined: true }
    return { context: await loadContext(deps, tx, imagined, rows), rows }
  })
  const ahead: ForecastUsage = { count: 0, micros: 0, creditMicros: 0, ofShopper: new Map() }
  const ofMessage = Map.groupBy(rows, ({ id }) => id)
  const queue = messages
    .toSorted((a, b) => +a.wakeAt - +b.wakeAt)
    .flatMap(({ id, wakeAt }) => {
      const rows = ofMessage.get(id)
      return rows ? [{ rows, at: clampMoment(context, rows[0]!, wakeAt), waitedFor: [] }] : []
    })
    .toSorted((a, b) => +a.at - +b.at)
  return runQueue({ ...context, ahead, until, flows: forecastFlows(rows, context) }, queue)
}

type ForecastContext = DecisionContext & { ahead: ForecastUsage; until: Date; flows: ReturnType<typeof forecastFlows> }

/** A message to decide at a time. */
interface QueuedDecision {
  rows: readonly ClaimedRow[]
  at: Date
  /** Reasons of its earlier holds. */
  waitedFor: readonly string[]
}

/** Works through the queue, which is in time order. */
function runQueue(context: ForecastContext, queue: QueuedDecision[]): MessageForecast[] {
  const foreseen: MessageForecast[] = []
  for (let next = queue.shift(); next; next = queue.shift()) {
    const found = decideAhead(context, next)
    if ('rows' in found) {
      // After those of the same time.
      const place = queue.findIndex(({ at }) => at > found.at)
      queue.splice(place < 0 ? queue.length : place, 0, found)
    } else foreseen.push(found)
  }
  return foreseen
}

function decideAhead(context: ForecastContext, queued: QueuedDecision): MessageForecast | QueuedDecision {
  const { flows, until } = context
  const { rows, waitedFor } = queued
  const earliest = flows.earliest(rows[0]!)
  if (earliest > queued.at) {
    return earliest <= until
      ? { ...queued, at: earliest }
      : buildObstacle(rows[0]!, earliest, { outcome: 'hold', reason: HELD_BEHIND })
  }
  const drafts = rows.map((known) => {
    const row = flows.rowAt(withAwaitedSteps(known, waitedFor), queued.at)
    const inputs = buildInputs(contextAt(context, row, queued.at), row)
    return { row, inputs, decision: decide(inputs) }
  })
  const { row, inputs, decision } = pickDecision(drafts)
  const end = waitEnd(decision, inputs, until)
  if (end && !waitedFor.includes(decision.reason)) {
    return { rows, at: end, waitedFor: [...waitedFor, decision.reason] }
  }
  const others = recordOtherChannels(drafts, row)
  const isCouponWithheld = inputs.coupon?.outcome === 'left_out' && inputs.coupon.reason.startsWith('coupon_withheld')
  if (decision.outcome !== 'send' && !end) {
    if (decision.outcome !== 'hold') flows.markClosed(row)
    const { outcome, reason } = decision
    const at = decision.outcome === 'hold' ? decision.until : queued.at
    return { ...buildObstacle(row, at, { outcome, reason }), others, isCouponWithheld }
  }
  reserve(context, context.ahead, { row, composed: null, plan: inputs.plan })
  flows.markSent(row, queued.at)
  return { ...buildExpected(row, queued.at), others, isCouponWithheld }
}

const buildExpected = (row: ClaimedRow, at: Date): MessageForecast => ({
  id: row.id,
  channel: row.channel,
  to: row.channel === 'push' ? null : getAddress(row),
  at,
  obstacle: null,
  others: {},
  variantId: row.variant_id,
  isCouponWithheld: false,
})

const buildObstacle = (row: ClaimedRow, at: Date, obstacle: Obstacle): MessageForecast => ({
  ...buildExpected(row, at),
  obstacle,
})

/**
 * The reason of a message that waits for an earlier step. Never recorded, as the real message gets another due time
 * instead.
 */
export const HELD_BEHIND = 'kept_behind'

/** Returns the obstacle as a sentence. For an expected send: why not by the channels before, or ''. */
export function explainForecast({ channel, obstacle, others }: MessageForecast): string {
  if (!obstacle) return explainSkippedChannels({ outcome: 'send', reason: '', inputs: others })
  if (obstacle.reason === HELD_BEHIND) {
    return 'An earlier message about this cart is sent first. This one follows after the usual delay.'
  }
  const last = { ...obstacle, inputs: others }
  return explainByChannel(channel, obstacle.reason, { last }) ?? explain(obstacle.reason, channel)
}

/** After waiting for an active cart, the cart counts as abandoned. */
const withAwaitedSteps = (row: ClaimedRow, waitedFor: readonly string[]): ClaimedRow =>
  waitedFor.includes('cart_active') ? { ...row, cart_status: 'abandoned' } : row

/** A message held until its age limit is decided as of now: then its reason shows, not "too old". */
function clampMoment({ now }: DecisionContext, { expires_at }: ClaimedRow, wakeAt: Date): Date {
  return wakeAt <= now || wakeAt >= expires_at ? now : wakeAt
}

/** Sets the clock, including the one for conditions on day and hour. */
function contextAt(context: DecisionContext, { cart_id, conditions }: ClaimedRow, at: Date): DecisionContext {
  const known = conditions && cart_id !== null ? context.facts.get(cart_id) : undefined
  const facts = known ? new Map([[cart_id!, shiftConditionValues(known, at)]]) : context.facts
  return { ...context, now: at, facts }
}

/** End of the hold, if that is before `until` and the age limit; else null. */
function waitEnd(decision: Decision, { message }: DecisionInputs, until: Date): Date | null {
  const isInTime = decision.outcome === 'hold' && decision.until <= until && decision.until < message.expiresAt
  return isInTime ? decision.until : null
}

// The effect of forecast sends on later messages: on the later steps of the same flow and cart, and on the cart's
// texts. The forecast runs in time order. Usage of plan and cap is in `Reservation`. Pure.

/** The longest enforced distance between two steps (docs/rules/engine.md, flows). */
const MAX_DISTANCE_MS = 12 * 3_600_000
const MINUTE_MS = 60_000

interface FlowForecast {
  /** The due time, moved by earlier steps that the forecast has sent. */
  earliest: (row: ClaimedRow) => Date
  /** The row as it will be read at that time. */
  rowAt: (row: ClaimedRow, at: Date) => ClaimedRow
  /** The message is sent by the channel of this row. */
  markSent: (row: ClaimedRow, at: Date) => void
  /** The message will not be sent. */
  markClosed: (row: ClaimedRow) => void
}

/** An open message of a flow, with all its channels. */
interface ForecastStep {
  id: string
  series: string
  delayMinutes: number
  channels: readonly string[]
  dueAt: Date
  state: 'open' | 'gone' | 'closed'
}

/** Takes one row per message and channel. */
function forecastFlows(rows: readonly ClaimedRow[], { capMs }: { capMs: number }): FlowForecast {
  const steps = toForecastSteps(rows)
  const bySeries = Map.groupBy(steps.values(), ({ series }) => series)
  const texts = new Map<string, Date[]>()
  return {
    earliest: (row) => steps.get(row.id)?.dueAt ?? row.due_at,
    rowAt(row, at) {
      const mine = steps.get(row.id)
      const others = mine ? bySeries.get(mine.series)! : []
      const isOvertaken = others.some(
        (other) => mine !== undefined && isLaterStep(mine, other) && overtakes(other, row, at),
      )
      const sent = isTextChannelName(row.channel) ? (texts.get(buildTextKey(row)) ?? []) : []
      return {
        ...row,
        is_superseded: row.is_superseded || isOvertaken,
        ...capAt(row, at, capMs),
        ...textsAt(row, sent),
      }
    },
    markSent(row, at) {
      if (isTextChannelName(row.channel)) texts.set(buildTextKey(row), [...(texts.get(buildTextKey(row)) ?? []), at])
      const mine = steps.get(row.id)
      if (!mine) return
      Object.assign(mine, { state: 'gone', channels: [row.channel] })
      for (const other of bySeries.get(mine.series)!) {
        if (!isLaterStep(mine, other)) continue
        const distance = Math.min((other.delayMinutes - mine.delayMinutes) * MINUTE_MS, MAX_DISTANCE_MS)
        other.dueAt = new Date(Math.max(other.dueAt.getTime(), at.getTime() + distance))
      }
    },
    markClosed(row) {
      const mine = steps.get(row.id)
      if (mine) mine.state = 'closed'
    },
  }
}

function toForecastSteps(rows: readonly ClaimedRow[]): Map<string, ForecastStep> {
  const steps = new Map<string, ForecastStep>()
  for (const [id, perChannel] of Map.groupBy(rows, (row) => row.id)) {
    const { cart_id, flow_id, delay_minutes, due_at } = perChannel[0]!
    if (cart_id === null || !flow_id || delay_minutes === null || delay_minutes === undefined) continue
    const channels = perChannel.map(({ channel }) => channel)
    steps.set(id, {
      id,
      series: `${cart_id} ${flow_id}`,
      delayMinutes: delay_minutes,
      channels,
      dueAt: due_at,
      state: 'open',
    })
  }
  return steps
}

const isLaterStep = (one: ForecastStep, other: ForecastStep) => other.delayMinutes > one.delayMinutes

/** Mirrors `is_superseded` (evaluate-sql.ts): the other step was sent by this channel, or may be and is due too. */
const overtakes = ({ state, channels, dueAt }: ForecastStep, { channel }: ClaimedRow, at: Date) =>
  channels.includes(channel) && (state === 'gone' || (state === 'open' && dueAt <= at))

/** Texts count per cart and channel, or per shopper without a cart. */
const buildTextKey = ({ shopper_id, cart_id, channel }: ClaimedRow) => `${shopper_id} ${cart_id ?? ''} ${channel}`

function textsAt({ texts_sent, text_last }: ClaimedRow, sent: readonly Date[]) {
  const last = sent.at(-1) ?? null
  return {
    texts_sent: texts_sent + sent.length,
    text_last: last && (!text_last || last > text_last) ? last : text_last,
  }
}

/** Drops the oldest message from the cap's window once it is out of it. When the next one drops out is unknown. */
function capAt({ cap_used, cap_oldest }: ClaimedRow, at: Date, capMs: number) {
  const isFreed = cap_oldest !== null && cap_oldest.getTime() + capMs <= at.getTime()
  return isFreed ? { cap_used: cap_used - 1, cap_oldest: at } : { cap_used, cap_oldest }
}
