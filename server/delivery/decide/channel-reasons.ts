import { channelLabels, type MessageView } from '../../../shared/carts/carts.ts'
import { explain } from '../../../shared/delivery/reasons.ts'
import { isChannelSpecific } from './fallback.ts'

// Explains why a message with several channels was sent by none of them, or not by the first ones. Pure.

type Channel = MessageView['channel']

interface Refusal {
  channel: Channel
  reason: string
}

interface DecisionRecord {
  outcome: MessageView['decisions'][number]['outcome']
  reason: string
  inputs: unknown
}

/**
 * Returns “By email: … By SMS: …”, starting with `channel`; `more` is added to that channel's sentence. null: the
 * reason does not differ by channel.
 */
export function explainByChannel(
  channel: Channel,
  reason: string | null,
  { last, more = '' }: { last: DecisionRecord | undefined; more?: string },
): string | null {
  if (!last || last.reason !== reason) return null
  const { outcome } = last
  if ((outcome !== 'hold' && outcome !== 'skip') || !isChannelSpecific({ outcome, reason })) return null
  const others = readOtherRefusals(last.inputs)
  if (others.length === 0) return null
  return [`${formatRefusal({ channel, reason })} ${more}`.trim(), ...others.map(formatRefusal)].join(' ')
}

/** For a sent message: why not by the channels before. '' if it was the first one. */
export const explainSkippedChannels = ({ outcome, inputs }: DecisionRecord): string =>
  outcome === 'send' ? readOtherRefusals(inputs).map(formatRefusal).join(' ') : ''

/**
 * The channel of a decision; the message's may have changed since. null: the record is from before channels were
 * recorded.
 */
export const readChannel = ({ inputs }: Pick<DecisionRecord, 'inputs'>): Channel | null => {
  const { channel } = inputs as { channel?: unknown }
  return typeof channel === 'string' && Object.hasOwn(channelLabels, channel) ? (channel as Channel) : null
}

const formatRefusal = ({ channel, reason }: Refusal) => `By ${channelLabels[channel]}: ${explain(reason, channel)}`

/** Recorded by `recordOtherChannels` (evaluate.ts). */
const readOtherRefusals = (inputs: unknown): readonly Refusal[] =>
  (inputs as { otherChannels?: Refusal[] }).otherChannels ?? []
