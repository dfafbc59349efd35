import crypto from 'node:crypto'
import type { TextTemplate } from '../../server/core/schema/text-channels.ts'
import * as hooks from '../../server/delivery/inbound/hooks.ts'
import type { Deps } from '../../server/deps.ts'
import type {
  Cost,
  Outcome,
  OutgoingText,
  TextChannel,
  TextChannelName,
} from '../../server/messages/channels/channel.ts'
import type { Authorized } from '../../server/messages/channels/send-authorization.ts'
import { findPrice } from './people.ts'
import { POOL_SIZE } from './pool.ts'

// SMS by Twilio and WhatsApp by Meta: channels, prices, and their signed calls to us.

const plain = { authToken: 'the token of SMS', accessToken: '', appSecret: 'the secret of WhatsApp', verifyToken: '' }
export const SMS = { channel: 'sms', provider: 'twilio', identity: { accountSid: 'AC0123' }, plain } as const
export const WHATSAPP = { channel: 'whatsapp', provider: 'meta', identity: { phoneNumberId: '4711' }, plain } as const

export interface TextTerms {
  template: 'marketing' | 'utility'
  /** Final price of a message, once the provider reports it. */
  finalCost: (providerId: string) => Cost | null
}

type Put = (text: Authorized<OutgoingText>) => Promise<Outcome>

const buildTemplate = (category: TextTerms['template']): TextTemplate => ({
  name: `cart_${category}`,
  language: 'en',
  category,
  text: 'Hello {{1}}, your cart: {{2}}',
  variables: ['customer_name', 'checkout_link'],
  buttonUrlPrefix: null,
})

export function getTextChannel(name: TextChannelName, { template, finalCost }: TextTerms, send: Put): TextChannel {
  return {
    poolSize: POOL_SIZE,
    ...(name === 'whatsapp' ? { template: buildTemplate(template) } : {}),
    estimate: ({ to, text }) => {
      const segments = name === 'sms' ? Math.ceil(text.length / 153) : 1
      return { segments, cost: { amountMicros: segments * findPrice(to), currency: 'USD' } }
    },
    send,
    check: async () => ({ isOk: true }),
    ...(name === 'sms' ? { priceOf: async (providerId: string) => finalCost(providerId) } : {}),
    close: async () => {},
  }
}

export interface InboundMessage {
  id: string
  channel: TextChannelName
  from: string
  keyword: string
  sentAt: number
  isForged: boolean
}

export interface DeliveryReport {
  channel: TextChannelName
  messageId: string
  providerId: string
  status: 'sent' | 'delivered' | 'read' | 'failed'
  code: string | null
  at: number
  isForged: boolean
}

export async function deliverInbound(deps: Deps, accountId: string, inbound: InboundMessage): Promise<void> {
  if (inbound.channel === 'sms') {
    const form = { MessageSid: inbound.id, From: inbound.from, Body: inbound.keyword }
    await hooks.takeTwilioInbound(deps, buildTwilioCall(deps, accountId, 'inbound', form, inbound.isForged))
    return
  }
  const message = {
    id: inbound.id,
    from: inbound.from.slice(1),
    timestamp: formatSeconds(inbound.sentAt),
    text: { body: inbound.keyword },
  }
  await hooks.takeMetaNews(deps, buildMetaCall(accountId, { messages: [message] }, inbound.isForged))
}

export async function deliverReport(deps: Deps, accountId: string, report: DeliveryReport): Promise<void> {
  const { messageId, providerId, status, code, isForged } = report
  if (report.channel === 'sms') {
    const form = {
      MessageSid: providerId,
      MessageStatus: status === 'failed' ? 'undelivered' : status,
      ...(code ? { ErrorCode: code } : {}),
    }
    const call = buildTwilioCall(deps, accountId, `status/${messageId}`, form, isForged)
    await hooks.takeTwilioStatus(deps, { ...call, messageId })
    return
  }
  const inbound = { id: providerId, status, timestamp: formatSeconds(report.at), biz_opaque_callback_data: messageId }
  const errors = code ? { errors: [{ code: Number(code) }] } : {}
  await hooks.takeMetaNews(deps, buildMetaCall(accountId, { statuses: [{ ...inbound, ...errors }] }, isForged))
}

const formatSeconds = (ms: number) => String(Math.floor(ms / 1_000))

/** A forger knows the URL and the whole call, but not the token. */
function buildTwilioCall(
  deps: Deps,
  accountId: string,
  pathPart: string,
  form: Record<string, string>,
  isForged: boolean,
) {
  const hookKey = `sms-${accountId}`
  const path = `/api/webhooks/twilio/${hookKey}/${pathPart}`
  const params: Record<string, string> = { ...form, AccountSid: SMS.identity.accountSid }
  const signed =
    deps.config.publicUrl +
    path +
    Object.keys(params)
      .sort()
      .map((name) => name + params[name])
      .join('')
  const token = isForged ? 'a guess' : plain.authToken
  const signature = crypto.createHmac('sha1', token).update(signed).digest('base64')
  return { hookKey, path, rawBody: Buffer.from(new URLSearchParams(params).toString()), signature }
}

function buildMetaCall(accountId: string, news: object, isForged: boolean) {
  const hookKey = `whatsapp-${accountId}`
  const value = { metadata: { phone_number_id: WHATSAPP.identity.phoneNumberId }, ...news }
  const rawBody = Buffer.from(JSON.stringify({ entry: [{ changes: [{ field: 'messages', value }] }] }))
  const secret = isForged ? 'a guess' : plain.appSecret
  const signature = `sha256=${crypto.createHmac('sha256', secret).update(rawBody).digest('hex')}`
  return { hookKey, path: `/api/webhooks/whatsapp/${hookKey}`, rawBody, signature }
}
