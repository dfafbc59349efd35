import { type MessageView, wayOf } from '../../../shared/carts.ts'
import { explain } from '../../../shared/reasons.ts'
import { isOfChannel } from './fallback.ts'

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

/**
 * “By email: … By SMS: …”, the channel that is looked at first. `more`: what is said of that one beside its reason. null: one reason says
 * it all.
 */
export function reasonsByChannel(
  channel: Channel,
  reason: string | null,
  { last, more = '' }: { last: Decided | undefined; more?: string },
): string | null {
  if (!last || last.reason !== reason) return null
  const { outcome } = last
  if ((outcome !== 'hold' && outcome !== 'skip') || !isOfChannel({ outcome, reason })) return null
  const others = othersOf(last.inputs)
  if (others.length === 0) return null
  return [`${sentenceOf({ channel, reason })} ${more}`.trim(), ...others.map(sentenceOf)].join(' ')
}

/** Of a message that left: why by none of the channels before; '' where there were none. */
export const passedOver = ({ outcome, inputs }: Decided): string =>
  outcome === 'send' ? othersOf(inputs).map(sentenceOf).join(' ') : ''

/** What a decision was about; the message may have another channel since. null: of before this was recorded. */
export const channelOf = ({ inputs }: Pick<Decided, 'inputs'>): Channel | null => {
  const { channel } = inputs as { channel?: unknown }
  return typeof channel === 'string' && Object.hasOwn(wayOf, channel) ? (channel as Channel) : null
}

const sentenceOf = ({ channel, reason }: Refusal) => `By ${wayOf[channel]}: ${explain(reason, channel)}`

/** As decisions record them (server/delivery/decide/evaluate.ts). */
const othersOf = (inputs: unknown): readonly Refusal[] => (inputs as { otherChannels?: Refusal[] }).otherChannels ?? []
