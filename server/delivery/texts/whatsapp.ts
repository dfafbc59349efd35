import type { TextTemplate } from '../../core/schema/public.ts'
import {
  describeInbound,
  estimateText,
  findTemplateProblem,
  joinLines,
  type Outcome,
  type OutgoingText,
  type ProviderTemplate,
  parseButtonPrefix,
  type TextChannel,
} from '../../messages/channels/public.ts'
import { openProviderHttp, type ProviderAnswer, type ProviderHttp, toSilenceOutcome } from './provider-http.ts'
import { toRefusalOutcome } from './text-outcome.ts'

// WhatsApp by Meta's Cloud API.

export interface WhatsAppOptions {
  phoneNumberId: string
  businessAccountId: string
  /** Webhook for shoppers' replies, which `check` compares; null: Meta cannot reach us. */
  inboundUrl?: string | null
  accessToken: string
  /** The chosen template; null: none yet. */
  template: TextTemplate | null
  /** Such as v23.0. */
  apiVersion: string
  /** Replaces https://graph.facebook.com. */
  baseUrl?: string | null
  poolSize?: number
  connectMs?: number
  answerMs?: number
}

export interface WhatsAppChannel extends TextChannel {
  listTemplates(): Promise<ProviderTemplate[]>
}

/** Messages in flight. Business numbers start at 80 messages a second. */
export const WHATSAPP_POOL = 10

const GRAPH = 'https://graph.facebook.com'

export function createWhatsAppChannel(options: WhatsAppOptions): WhatsAppChannel {
  const { template, poolSize = WHATSAPP_POOL } = options
  const http = openProviderHttp({ ...options, poolSize })
  return {
    poolSize,
    template,
    estimate: (message) => estimateText('whatsapp', message),
    async send(message) {
      const answer = await ask(http, options, `${options.phoneNumberId}/messages`, buildBody(message))
      if (!answer.isAnswered) return toSilenceOutcome(answer)
      return answer.status >= 300 ? toRefusalOutcome(readRefusal(answer)) : acceptedOutcome(answer)
    },
    check: () => checkNumber(http, options),
    listTemplates: () => listTemplates(http, options),
    close: () => http.close(),
  }
}

function ask(http: ProviderHttp, options: WhatsAppOptions, path: string, body?: object): Promise<ProviderAnswer> {
  const authorization = `Bearer ${options.accessToken}`
  return http.request({
    method: body ? 'POST' : 'GET',
    url: `${GRAPH}/${options.apiVersion}/${path}`,
    headers: body ? { authorization, 'content-type': 'application/json' } : { authorization },
    ...(body && { body: JSON.stringify(body) }),
  })
}

/** The request body. Reports about the message return our message id. */
function buildBody({ messageId, to, text, template }: OutgoingText) {
  const envelope = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: to.slice(1),
    biz_opaque_callback_data: messageId,
  }
  if (!template) return { ...envelope, type: 'text', text: { body: text, preview_url: false } }
  const { name, language, body, buttonUrlSuffix } = template
  const parameters = (texts: readonly string[]) => texts.map((word) => ({ type: 'text', text: word }))
  const components = [
    ...(body.length > 0 ? [{ type: 'body', parameters: parameters(body) }] : []),
    ...(buttonUrlSuffix === null
      ? []
      : [{ type: 'button', sub_type: 'url', index: '0', parameters: parameters([buttonUrlSuffix]) }]),
  ]
  return { ...envelope, type: 'template', template: { name, language: { code: language }, components } }
}

function acceptedOutcome(answer: Extract<ProviderAnswer, { isAnswered: true }>): Outcome {
  const { messages } = (answer.json ?? {}) as { messages?: { id?: string; message_status?: string }[] }
  const [first] = messages ?? []
  // An unreadable success response may mean that the message was accepted.
  if (!first?.id) return { kind: 'unknown', reason: 'unclear_answer', response: joinLines(answer.text) }
  return { kind: 'accepted', providerId: first.id, response: first.message_status ?? 'accepted', segments: 1 }
}

function readRefusal(answer: Extract<ProviderAnswer, { isAnswered: true }>) {
  const { error } = (answer.json ?? {}) as {
    error?: { code?: number; message?: string; error_data?: { details?: string } }
  }
  const details = error?.error_data?.details
  // The message starts with the code, which is shown separately.
  const message = error?.message?.replace(/^\(#\d+\) /, '') ?? answer.text
  return {
    status: answer.status,
    code: error?.code ?? null,
    message: [message, details].filter(Boolean).join(': '),
    retryAfterMs: answer.retryAfterMs,
  }
}

interface GraphNumber {
  display_phone_number?: string
  verified_name?: string
  webhook_configuration?: { phone_number?: string; whatsapp_business_account?: string; application?: string }
}

async function checkNumber(http: ProviderHttp, options: WhatsAppOptions) {
  const { inboundUrl } = options
  const fields = 'display_phone_number,verified_name,quality_rating,webhook_configuration'
  const answer = await ask(http, options, `${options.phoneNumberId}?fields=${fields}`)
  if (!answer.isAnswered) return { isOk: false as const, response: answer.response }
  if (answer.status >= 300) return { isOk: false as const, response: readErrorText(answer) }
  const number = answer.json as GraphNumber
  const detail = `“${number.verified_name ?? ''}”, ${number.display_phone_number ?? ''}`
  const { phone_number, whatsapp_business_account, application } = number.webhook_configuration ?? {}
  // The most specific setting applies.
  const override = phone_number || whatsapp_business_account || application
  const sentence = inboundUrl ? describeInbound(number.display_phone_number ?? 'it', override, inboundUrl) : ''
  return { isOk: true as const, detail: [detail, ...(sentence ? [sentence] : [])].join('. ') }
}

function readErrorText(answer: Extract<ProviderAnswer, { isAnswered: true }>): string {
  const { code, message } = readRefusal(answer)
  return joinLines(code === null ? `HTTP ${answer.status} ${message}` : `${code} ${message}`)
}

interface GraphTemplate {
  name: string
  language: string
  category: string
  status: string
  components: { type: string; format?: string; text?: string; buttons?: { type: string; url?: string }[] }[]
}

/** Reads all pages. Throws with the provider's message. */
async function listTemplates(http: ProviderHttp, options: WhatsAppOptions): Promise<ProviderTemplate[]> {
  const found: GraphTemplate[] = []
  let after = ''
  for (let page = 0; page < 10; page += 1) {
    const fields = `fields=name,language,category,status,components&limit=100${after && `&after=${after}`}`
    const answer = await ask(http, options, `${options.businessAccountId}/message_templates?${fields}`)
    if (!answer.isAnswered) throw new Error(answer.response)
    if (answer.status >= 300) throw new Error(readErrorText(answer))
    const list = answer.json as { data?: GraphTemplate[]; paging?: { next?: string; cursors?: { after?: string } } }
    found.push(...(list.data ?? []))
    if (!list.paging?.next || !list.paging.cursors?.after) break
    after = encodeURIComponent(list.paging.cursors.after)
  }
  return found.map(toTemplate)
}

function toTemplate({ name, language, category, status, components }: GraphTemplate): ProviderTemplate {
  const part = (type: string) => components.find((each) => each.type === type)
  const text = part('BODY')?.text ?? ''
  const urls = part('BUTTONS')?.buttons?.filter((each) => each.type === 'URL') ?? []
  const button = urls[0]?.url ? { url: urls[0].url } : null
  const header = part('HEADER')
  const hasMedia = header !== undefined && (header.format !== 'TEXT' || /\{\{/.test(header.text ?? ''))
  const about = { status: status.toLowerCase(), category: category.toLowerCase(), text, hasMedia, button }
  return {
    name,
    title: name,
    language,
    text,
    status: about.status,
    category: about.category === 'utility' || about.category === 'authentication' ? about.category : 'marketing',
    buttonUrlPrefix: parseButtonPrefix(button),
    problem: findTemplateProblem({ ...about, buttonPlace: () => 1 }),
  }
}
