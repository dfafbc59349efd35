import { isTextChannelName } from '../../messages/channels/traits.ts'
import type { ClaimedRow } from './evaluate-sql.ts'

// The effect of forecast sends on later messages: on the later steps of the same flow and cart, and on the cart's
// texts. The forecast runs in time order. Usage of plan and cap is in `Reservation`. Pure.

/** The longest enforced distance between two steps (docs/rules/engine.md, flows). */
const MOST_DISTANCE_MS = 12 * 3_600_000
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
export function forecastFlows(rows: readonly ClaimedRow[], { capMs }: { capMs: number }): FlowForecast {
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
      const sent = isTextChannelName(row.channel) ? (texts.get(textKeyOf(row)) ?? []) : []
      return {
        ...row,
        is_superseded: row.is_superseded || isOvertaken,
        ...capAt(row, at, capMs),
        ...textsAt(row, sent),
      }
    },
    markSent(row, at) {
      if (isTextChannelName(row.channel)) texts.set(textKeyOf(row), [...(texts.get(textKeyOf(row)) ?? []), at])
      const mine = steps.get(row.id)
      if (!mine) return
      Object.assign(mine, { state: 'gone', channels: [row.channel] })
      for (const other of bySeries.get(mine.series)!) {
        if (!isLaterStep(mine, other)) continue
        const distance = Math.min((other.delayMinutes - mine.delayMinutes) * MINUTE_MS, MOST_DISTANCE_MS)
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
      ...{ id, series: `${cart_id} ${flow_id}`, delayMinutes: delay_minutes, channels, dueAt: due_at, state: 'open' },
    })
  }
  return steps
}

const isLaterStep = (one: ForecastStep, other: ForecastStep) => other.delayMinutes > one.delayMinutes

/** Mirrors `is_superseded` (evaluate-sql.ts): the other step was sent by this channel, or may be and is due too. */
const overtakes = ({ state, channels, dueAt }: ForecastStep, { channel }: ClaimedRow, at: Date) =>
  channels.includes(channel) && (state === 'gone' || (state === 'open' && dueAt <= at))

/** Texts count per cart and channel, or per shopper without a cart. */
const textKeyOf = ({ shopper_id, cart_id, channel }: ClaimedRow) => `${shopper_id} ${cart_id ?? ''} ${channel}`

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
