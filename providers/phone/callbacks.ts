import { createHmac } from 'node:crypto'
import type { Line, Text } from './texts.ts'

// The providers' callbacks with their signatures. Implemented from their documentation without their libraries, so that
// tests check Recoup against an independent implementation.

export interface Callback {
  url: string
  contentType: string
  body: string
  headers: Record<string, string>
}

export function buildStatusCallback(text: Text, line: Line, at: Date): Callback | null {
  if (!text.callback) return null
  return text.provider === 'twilio'
    ? buildTwilioCallback(text.callback, line, { ...buildTwilioIds(text, line), ...buildTwilioStatus(text) })
    : buildGraphCallback(text.callback, line, { statuses: [buildGraphStatus(text, at)] })
}

export function buildInboundCallback(text: Text, line: Line): Callback | null {
  if (!line.inboundUrl) return null
  if (text.provider === 'twilio') {
    const ids = buildTwilioIds(text, line)
    const params = { ...ids, SmsMessageSid: text.sid, From: ids.To, To: ids.From, Body: text.body, NumMedia: '0' }
    return buildTwilioCallback(line.inboundUrl, line, { ...params, NumSegments: '1' })
  }
  const from = text.phone.slice(1)
  const timestamp = String(Math.floor(Date.parse(text.at) / 1_000))
  return buildGraphCallback(line.inboundUrl, line, {
    contacts: [{ profile: { name: 'Phone sandbox' }, wa_id: from }],
    messages: [{ from, id: text.sid, timestamp, type: 'text', text: { body: text.body } }],
  })
}

function buildTwilioIds(text: Text, line: Line) {
  const renderAddress = (bare: string) => (text.channel === 'whatsapp' ? `whatsapp:${bare}` : bare)
  return {
    MessageSid: text.sid,
    SmsSid: text.sid,
    AccountSid: line.account,
    ApiVersion: '2010-04-01',
    To: renderAddress(text.phone),
    From: renderAddress(text.sender),
  }
}

function buildTwilioStatus(text: Text): Record<string, string> {
  const status = text.status === 'failed' ? 'undelivered' : text.status
  const code: Record<string, string> = text.errorCode ? { ErrorCode: String(text.errorCode) } : {}
  return { MessageStatus: status, SmsStatus: status, ...code }
}

/** Twilio: HMAC-SHA1 by the auth token over the address and each parameter's name and value, sorted by name. */
export function computeTwilioSignature(token: string, url: string, params: Readonly<Record<string, string>>): string {
  const signed = Object.keys(params)
    .sort()
    .reduce((text, name) => text + name + params[name], url)
  return createHmac('sha1', token).update(signed, 'utf8').digest('base64')
}

function buildTwilioCallback(url: string, line: Line, params: Record<string, string>): Callback {
  return {
    url,
    contentType: 'application/x-www-form-urlencoded',
    body: new URLSearchParams(params).toString(),
    headers: { 'x-twilio-signature': computeTwilioSignature(line.signingSecret, url, params) },
  }
}

function buildGraphStatus(text: Text, at: Date) {
  const error = text.errorCode && {
    errors: [{ code: text.errorCode, title: 'Message not delivered', message: 'Message not delivered' }],
  }
  return {
    id: text.sid,
    status: text.status,
    timestamp: String(Math.floor(at.getTime() / 1_000)),
    recipient_id: text.phone.slice(1),
    ...(text.reference !== null && { biz_opaque_callback_data: text.reference }),
    ...(error || { pricing: { billable: true, pricing_model: 'PMP', category: 'marketing' } }),
  }
}

function buildGraphCallback(url: string, line: Line, news: object): Callback {
  const metadata = { display_phone_number: line.sender.slice(1), phone_number_id: line.account }
  const value = { messaging_product: 'whatsapp', metadata, ...news }
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '102290129340398', changes: [{ field: 'messages', value }] }],
  })
  return {
    url,
    contentType: 'application/json',
    body,
    headers: { 'x-hub-signature-256': computeHubSignature(line, body) },
  }
}

/** Meta: HMAC-SHA256 by the app secret over the bytes of the body. */
export const computeHubSignature = ({ signingSecret }: Pick<Line, 'signingSecret'>, body: string): string =>
  `sha256=${createHmac('sha256', signingSecret).update(body, 'utf8').digest('hex')}`
