import type { DeliveryReport, TextChannelName } from '../../messages/channels/channel.ts'
import type { Keyword } from './keywords.ts'

// What Twilio posts. Pure but for the check of its signature, which is its own library's.

export interface TwilioPost {
  /** As Twilio called it: the configured public address, the path and the query. */
  url: string
  params: Record<string, string>
  signature: string
}

/** The library is loaded with the first post. */
export async function isFromTwilio(authToken: string, { url, params, signature }: TwilioPost): Promise<boolean> {
  const { validateRequest } = await import('twilio/lib/webhooks/webhooks.js')
  return validateRequest(authToken, signature, url, params)
}

export function readForm(rawBody: Buffer): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(rawBody.toString('utf8')))
}

type Status = DeliveryReport['status']

const STATUSES: Readonly<Record<string, Status>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  undelivered: 'failed',
  failed: 'failed',
  canceled: 'failed',
}

/** null: a state before it left, of which nothing follows. */
export function readTwilioStatus(params: Readonly<Record<string, string>>) {
  const status = STATUSES[params.MessageStatus ?? params.SmsStatus ?? '']
  const providerId = params.MessageSid ?? params.SmsSid
  return status && providerId ? { providerId, status, code: params.ErrorCode ?? null } : null
}

export interface InboundMessage {
  id: string
  /** E.164. */
  from: string
  text: string
  at: Date | null
  /** The provider has answered by itself. */
  isAnswered: boolean
  /** What the provider says was meant, whatever the words are. */
  keyword?: Keyword | null
  /** Nothing was written: a setting was changed. */
  isSetting?: boolean
}

/** How it came is said by the number, not by the address it was posted to: a messaging service has one address for both. */
export function readTwilioInbound(
  params: Readonly<Record<string, string>>,
): (InboundMessage & { channel: TextChannelName }) | null {
  const { MessageSid: id, From = '', Body: text = '', OptOutType } = params
  const channel = From.startsWith('whatsapp:') ? 'whatsapp' : 'sms'
  const from = From.replace(/^whatsapp:/, '')
  if (!id || !/^\+\d{6,15}$/.test(from)) return null
  const keyword = OPT_OUT_TYPES[OptOutType ?? ''] ?? null
  return { id, channel, from, text, at: null, isAnswered: OptOutType !== undefined, keyword }
}

/** Twilio's Advanced Opt-Out, which knows words in the languages that its account is set up for. */
const OPT_OUT_TYPES: Readonly<Record<string, Keyword>> = { STOP: 'stop', START: 'start', HELP: 'help' }

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** TwiML: what Twilio sends back to the person; nothing when there is nothing to say. */
export const twiml = (words: string | null): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Response>${words === null ? '' : `<Message>${words.replace(/[&<>]/g, (sign) => ENTITIES[sign]!)}</Message>`}</Response>`
