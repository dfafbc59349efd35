import type { DeliveryReport, TextChannelName } from '../../messages/channels/public.ts'
import type { Keyword } from './keywords.ts'

// Parses Twilio's webhook calls. Pure, except that Twilio's library checks the signature.

export interface TwilioPost {
  /** The URL as Twilio called it: configured public URL, path and query. */
  url: string
  params: Record<string, string>
  signature: string
}

/** Checks the signature. Loads Twilio's library on first use. */
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

/** null: a status before the send, which has no consequences. */
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
  /** The provider has already replied. */
  isAnswered: boolean
  /** The keyword according to the provider; it outranks the text. */
  keyword?: Keyword | null
  /** A changed setting, not a message. */
  isSetting?: boolean
}

/** The number prefix identifies the channel, since a messaging service has one URL for both. */
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

/** Keywords of Twilio's Advanced Opt-Out, which recognizes words in the languages set up in the Twilio account. */
const OPT_OUT_TYPES: Readonly<Record<string, Keyword>> = { STOP: 'stop', START: 'start', HELP: 'help' }

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** TwiML with the reply that Twilio sends; empty without one. */
export const twiml = (text: string | null): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Response>${text === null ? '' : `<Message>${text.replace(/[&<>]/g, (sign) => ENTITIES[sign]!)}</Message>`}</Response>`
