import { isTextChannelName } from '../../messages/channels/traits.ts'
import type { ClaimedRow } from './evaluate-sql.ts'

// What messages that are expected to go do to those behind them, while they are foreseen one after the other in the order of time: to the
// steps of the same flow about the same cart, and to the texts of the cart. What one takes of plan and cap is in `Ahead`. Pure.

/** Between two steps at most (docs/rules/engine.md, flows). */
const MOST_DISTANCE_MS = 12 * 3_600_000
const MINUTE_MS = 60_000

interface Course {
  /** Not before: what went ahead of it keeps it at a distance. */
  earliest: (row: ClaimedRow) => Date
  /** As it will be read then. */
  rowAt: (row: ClaimedRow, at: Date) => ClaimedRow
  /** By the channel of this row. */
  goes: (row: ClaimedRow, at: Date) => void
  /** Nothing comes of it any more. */
  closes: (row: ClaimedRow) => void
}

/** A message on its way, by all its channels. */
interface Known {
  id: string
  series: string
  delayMinutes: number
  channels: readonly string[]
  dueAt: Date
  state: 'open' | 'gone' | 'closed'
}

/** `rows`: one for each channel of each message. */
export function courseOf(rows: readonly ClaimedRow[], { capMs }: { capMs: number }): Course {
  const known = knownOf(rows)
  const bySeries = Map.groupBy(known.values(), ({ series }) => series)
  const texts = new Map<string, Date[]>()
  return {
    earliest: (row) => known.get(row.id)?.dueAt ?? row.due_at,
    rowAt(row, at) {
      const mine = known.get(row.id)
      const others = mine ? bySeries.get(mine.series)! : []
      const isOvertaken = others.some(
        (other) => mine !== undefined && isBehind(mine, other) && overtakes(other, row, at),
      )
      const sent = isTextChannelName(row.channel) ? (texts.get(textsOf(row)) ?? []) : []
      return {
        ...row,
        is_superseded: row.is_superseded || isOvertaken,
        ...capAt(row, at, capMs),
        ...textsAt(row, sent),
      }
    },
    goes(row, at) {
      if (isTextChannelName(row.channel)) texts.set(textsOf(row), [...(texts.get(textsOf(row)) ?? []), at])
      const mine = known.get(row.id)
      if (!mine) return
      Object.assign(mine, { state: 'gone', channels: [row.channel] })
      for (const other of bySeries.get(mine.series)!) {
        if (!isBehind(mine, other)) continue
        const distance = Math.min((other.delayMinutes - mine.delayMinutes) * MINUTE_MS, MOST_DISTANCE_MS)
        other.dueAt = new Date(Math.max(other.dueAt.getTime(), at.getTime() + distance))
      }
    },
    closes(row) {
      const mine = known.get(row.id)
      if (mine) mine.state = 'closed'
    },
  }
}

function knownOf(rows: readonly ClaimedRow[]): Map<string, Known> {
  const known = new Map<string, Known>()
  for (const [id, ways] of Map.groupBy(rows, (row) => row.id)) {
    const { cart_id, flow_id, delay_minutes, due_at } = ways[0]!
    if (cart_id === null || !flow_id || delay_minutes === null || delay_minutes === undefined) continue
    const channels = ways.map(({ channel }) => channel)
    known.set(id, {
      ...{ id, series: `${cart_id} ${flow_id}`, delayMinutes: delay_minutes, channels, dueAt: due_at, state: 'open' },
    })
  }
  return known
}

const isBehind = (one: Known, other: Known) => other.delayMinutes > one.delayMinutes

/** As `is_superseded` (evaluate-sql.ts): it has gone by the same channel, or may go by it and is due as well. */
const overtakes = ({ state, channels, dueAt }: Known, { channel }: ClaimedRow, at: Date) =>
  channels.includes(channel) && (state === 'gone' || (state === 'open' && dueAt <= at))

/** Of one cart and channel; without a cart, of a person. */
const textsOf = ({ shopper_id, cart_id, channel }: ClaimedRow) => `${shopper_id} ${cart_id ?? ''} ${channel}`

function textsAt({ texts_sent, text_last }: ClaimedRow, sent: readonly Date[]) {
  const last = sent.at(-1) ?? null
  return {
    texts_sent: texts_sent + sent.length,
    text_last: last && (!text_last || last > text_last) ? last : text_last,
  }
}

/** The oldest in the window has left it then; when the next one does is not known, and is far. */
function capAt({ cap_used, cap_oldest }: ClaimedRow, at: Date, capMs: number) {
  const isFreed = cap_oldest !== null && cap_oldest.getTime() + capMs <= at.getTime()
  return isFreed ? { cap_used: cap_used - 1, cap_oldest: at } : { cap_used, cap_oldest }
}
