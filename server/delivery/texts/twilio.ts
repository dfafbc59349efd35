import type { Twilio } from 'twilio'
import type RequestClient from 'twilio/lib/base/RequestClient.js'
import type { TextTemplate } from '../../core/schema/text-channels.ts'
import { oneLine } from '../../messages/channels/bounce-rules.ts'
import type { Cost, Outcome, OutgoingText, TextChannel, TextChannelName } from '../../messages/channels/channel.ts'
import { describeInbound } from '../../messages/channels/inbound-check.ts'
import { chooseSender, estimateText, type Sender } from '../../messages/channels/senders.ts'
import { findTemplateProblem, type ProviderTemplate, parseButtonPrefix } from '../../messages/channels/templates.ts'
import { openProviderHttp, outcomeOfSilence, type ProviderAnswer, type ProviderHttp } from './provider-http.ts'
import { outcomeOfRefusal } from './text-outcome.ts'

// Twilio: SMS, and WhatsApp by content templates. Twilio's client builds the requests. We send them ourselves, because
// after a failure it must be known whether the body was sent. The client is loaded with the first message, since most
// servers never send one.

export interface TwilioOptions {
  channel: TextChannelName
  accountSid: string
  authToken: string
  senders: readonly Sender[]
  /** The chosen WhatsApp template; null: none yet. Unused for SMS. */
  template?: TextTemplate | null
  /** Webhook for shoppers' replies, which `check` compares; null: Twilio cannot reach us. */
  inboundUrl?: string | null
  /** Webhook for reports about a message; null: Twilio cannot reach us. */
  statusUrl: (messageId: string) => string | null
  /** Replaces api.twilio.com and its other hosts. */
  baseUrl?: string | null
  poolSize?: number
  connectMs?: number
  answerMs?: number
}

export interface TwilioChannel extends TextChannel {
  listTemplates(): Promise<ProviderTemplate[]>
  /** The final price; null: not known yet. */
  priceOf(providerId: string): Promise<Cost | null>
}

export const TWILIO_POOL = 10

export function createTwilioChannel(options: TwilioOptions): TwilioChannel {
  const { channel, poolSize = TWILIO_POOL } = options
  const http = openProviderHttp({ ...options, poolSize })
  let client: Promise<Twilio> | null = null
  const twilio = () => (client ??= loadClient(options, http))
  return {
    poolSize,
    ...(channel === 'whatsapp' && { template: options.template ?? null }),
    estimate: (message) => estimateText(channel, message),
    async send(message) {
      const from = chooseSender(options.senders, message.to)
      if (!from) return noSender()
      try {
        const sent = await (await twilio()).messages.create(messageParams(options, message, from))
        return acceptedOutcome(sent)
      } catch (error) {
        return outcomeOfError(error)
      }
    },
    check: async () => checkAccount(options, await twilio()),
    listTemplates: async () => listContents(await twilio()),
    async priceOf(providerId) {
      const { price, priceUnit } = await (await twilio()).messages(providerId).fetch()
      return price === null || price === undefined ? null : costOf(price, priceUnit)
    },
    close: () => http.close(),
  }
}

/** Thrown by our request client, so that the kind of failure survives Twilio's library. */
class ProviderTrouble extends Error {
  readonly answer: ProviderAnswer
  constructor(answer: ProviderAnswer) {
    super('the provider did not accept')
    this.answer = answer
  }
}

async function loadClient({ accountSid, authToken }: TwilioOptions, http: ProviderHttp): Promise<Twilio> {
  const { default: twilio } = await import('twilio')
  class OurRequests extends twilio.RequestClient {
    override async request<Data>(asked: RequestClient.RequestOptions) {
      const answer = await http.request(requestOf(asked))
      if (!answer.isAnswered || answer.status >= 300 || answer.json === null) throw new ProviderTrouble(answer)
      return { statusCode: answer.status, body: answer.json as Data, headers: {} }
    }
  }
  return twilio(accountSid, authToken, { httpClient: new OurRequests(), lazyLoading: true })
}

function requestOf({ method, uri, username, password, headers, params, data }: RequestClient.RequestOptions) {
  const url = new URL(uri)
  for (const [name, value] of Object.entries(params ?? {})) url.searchParams.set(name, String(value))
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  return {
    method: method === 'post' ? ('POST' as const) : ('GET' as const),
    url: url.href,
    headers: { ...(headers as Record<string, string>), authorization },
    ...(method === 'post' && { body: formOf(data as Record<string, unknown>) }),
  }
}

function formOf(data: Record<string, unknown>): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(data)) {
    if (value !== undefined && value !== null) for (const each of [value].flat()) form.append(name, String(each))
  }
  return form.toString()
}

function messageParams(options: TwilioOptions, message: OutgoingText, from: string) {
  const address = (bare: string) => (options.channel === 'whatsapp' ? `whatsapp:${bare}` : bare)
  const statusCallback = options.statusUrl(message.messageId)
  return {
    to: address(message.to),
    ...(from.startsWith('MG') ? { messagingServiceSid: from } : { from: address(from) }),
    ...(message.template ? contentParams(message.template) : { body: message.text }),
    ...(statusCallback && { statusCallback }),
  }
}

/** Content variables: those of the body, then the button's. */
function contentParams({ name, body, buttonUrlSuffix }: NonNullable<OutgoingText['template']>) {
  const words = buttonUrlSuffix === null ? body : [...body, buttonUrlSuffix]
  const variables = Object.fromEntries(words.map((word, index) => [String(index + 1), word]))
  return { contentSid: name, contentVariables: JSON.stringify(variables) }
}

type Sent = Awaited<ReturnType<Twilio['messages']['create']>>

function acceptedOutcome(sent: Sent): Outcome {
  if (!sent.sid) return { kind: 'unknown', reason: 'unclear_answer', response: 'Twilio gave no id' }
  const segments = Number(sent.numSegments)
  const outcome = { kind: 'accepted', providerId: sent.sid, response: sent.status ?? 'queued' } as const
  return {
    ...outcome,
    ...(segments > 0 && { segments }),
    ...(sent.price && { cost: costOf(sent.price, sent.priceUnit) }),
  }
}

/** Twilio reports charges as negative numbers. */
const costOf = (price: string, unit: string | null): Cost => ({
  amountMicros: Math.round(Math.abs(Number(price)) * 1_000_000),
  currency: (unit ?? 'USD').toUpperCase(),
})

const noSender = (): Outcome => ({
  kind: 'rejected',
  reason: '21603',
  response: 'No sender is set for the country of this number',
  isRecipientFault: false,
})

function outcomeOfError(error: unknown): Outcome {
  if (!(error instanceof ProviderTrouble)) throw error
  const { answer } = error
  if (!answer.isAnswered) return outcomeOfSilence(answer)
  // An unreadable success response may mean that the message was accepted.
  if (answer.status < 300) return { kind: 'unknown', reason: 'unclear_answer', response: oneLine(answer.text) }
  return outcomeOfRefusal(refusalOf(answer))
}

function refusalOf(answer: Extract<ProviderAnswer, { isAnswered: true }>) {
  const { code, message } = (answer.json ?? {}) as { code?: unknown; message?: unknown }
  return {
    status: answer.status,
    code: typeof code === 'number' ? code : null,
    message: typeof message === 'string' ? message : answer.text,
    retryAfterMs: answer.retryAfterMs,
  }
}

/** Checks that the account is active and owns the sender numbers. */
async function checkAccount({ accountSid, senders, channel, inboundUrl }: TwilioOptions, twilio: Twilio) {
  try {
    const account = await twilio.api.v2010.accounts(accountSid).fetch()
    const name = `Account “${account.friendlyName}”, ${account.status}`
    if (account.status !== 'active') return { isOk: false as const, response: name }
    const words: string[] = []
    for (const { sender } of senders) {
      const found = await findSender(twilio, channel, sender)
      if (found === 'unknown') return { isOk: false as const, response: `${sender} does not belong to this account` }
      if (found && inboundUrl) words.push(describeInbound(sender, found.told, inboundUrl))
    }
    return { isOk: true as const, detail: [name, ...words].join('. ') }
  } catch (error) {
    const outcome = outcomeOfError(error)
    return { isOk: false as const, response: 'response' in outcome ? outcome.response : outcome }
  }
}

/** The configured webhook for replies; null: not available for sender names, short codes and WhatsApp numbers. */
async function findSender(twilio: Twilio, channel: TextChannelName, sender: string) {
  if (sender.startsWith('MG')) {
    const service = await twilio.messaging.v1.services(sender).fetch().catch(unlessMissing)
    if (!service) return 'unknown' as const
    return { told: service.useInboundWebhookOnNumber ? 'where each of its numbers says' : service.inboundRequestUrl }
  }
  if (channel !== 'sms' || !sender.startsWith('+')) return null
  const [own] = await twilio.incomingPhoneNumbers.list({ phoneNumber: sender, limit: 1 })
  if (!own) return 'unknown' as const
  // An application's URLs take precedence over the number's.
  return { told: own.smsApplicationSid ? `the application ${own.smsApplicationSid}` : own.smsUrl }
}

function unlessMissing(error: unknown): null {
  if (error instanceof ProviderTrouble && error.answer.isAnswered && error.answer.status === 404) return null
  throw error
}

async function listContents(twilio: Twilio): Promise<ProviderTemplate[]> {
  const contents = await twilio.content.v1.contentAndApprovals.list({ limit: 500 })
  return contents.map((content) => {
    const [type = '', shape] = Object.entries(content.types as Record<string, ContentShape>)[0] ?? []
    const { category = '', status = 'unsubmitted' } = content.approvalRequests as { category?: string; status?: string }
    const text = shape?.body ?? ''
    const button = shape?.actions?.find(({ url }) => url) ?? null
    const hasMedia = !['twilio/text', 'twilio/call-to-action', 'twilio/quick-reply'].includes(type)
    const about = { status: status.toLowerCase(), category: category.toLowerCase(), text, hasMedia, button }
    return {
      name: content.sid,
      title: content.friendlyName,
      language: content.language,
      category: categoryOf(about.category),
      status: about.status,
      text,
      buttonUrlPrefix: parseButtonPrefix(button),
      problem: findTemplateProblem({ ...about, buttonPlace: (places) => places + 1 }),
    }
  })
}

interface ContentShape {
  body?: string
  actions?: { url: string }[]
}

const categoryOf = (name: string) => (name === 'utility' || name === 'authentication' ? name : 'marketing')
