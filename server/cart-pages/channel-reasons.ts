import { type MessageView, wayOf } from '../../shared/carts.ts'
import { explain } from '../../shared/reasons.ts'
import { isOfChannel } from '../decide/fallback.ts'

// Why a message that may go by several channels has left by none of them. Pure.

type Channel = MessageView['channel']

interface Refusal {
  channel: Channel
  reason: string
}

interface Decided {
  outcome: MessageView['decisions'][number]['outcome']
  reason: string
  inputs: unknown
}

/** “By email: … By SMS: …”, the channel that is looked at first. null: one reason says it all. */
export function reasonsByChannel(channel: Channel, reason: string | null, last: Decided | undefined): string | null {
  if (!last || last.reason !== reason) return null
  const { outcome } = last
  if ((outcome !== 'hold' && outcome !== 'skip') || !isOfChannel({ outcome, reason })) return null
  const others = othersOf(last.inputs)
  if (others.length === 0) return null
  return [{ channel, reason }, ...others].map(sentenceOf).join(' ')
}

const sentenceOf = ({ channel, reason }: Refusal) => `By ${wayOf[channel]}: ${explain(reason, channel)}`

/** As decisions record them (server/decide/evaluate.ts). */
const othersOf = (inputs: unknown): readonly Refusal[] => (inputs as { otherChannels?: Refusal[] }).otherChannels ?? []
