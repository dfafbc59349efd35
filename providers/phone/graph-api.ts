import { evaluateGraphMessage, fillTemplate, isGraphRefusal, type WhatsAppTemplate } from './graph-rules.ts'
import { createSid, type Network } from './network.ts'
import type { Line } from './texts.ts'
import type { ApiAnswer, ApiRequest } from './web-api.ts'

// The used part of WhatsApp's Cloud API (Meta's Graph API): messages, the phone number, the account's templates.

export interface GraphOptions {
  network: Network
  templates: readonly WhatsAppTemplate[]
}

/** Meta removes versions two years after their release. */
const OLDEST_VERSION = 21

const buildErrorAnswer = (status: number, code: number, message: string, details?: string): ApiAnswer => ({
  status,
  body: {
    error: {
      message: `(#${code}) ${message}`,
      type: 'OAuthException',
      code,
      ...(details && { error_data: { messaging_product: 'whatsapp', details } }),
      fbtrace_id: 'AXsgnV2Cm3ZMGF3dF_cfYIn',
    },
  },
})

/** null: not a Graph API path. */
export function handleGraphRequest(options: GraphOptions, request: ApiRequest): ApiAnswer | null {
  const [, version, id, edge] = /^\/v(\d+)\.\d+\/(\d+)(?:\/(\w+))?$/.exec(request.path) ?? []
  if (!version || !id) return null
  if (Number(version) < OLDEST_VERSION)
    return buildErrorAnswer(400, 2635, 'You are calling a deprecated version of the API.')
  const token = /^Bearer (.+)$/.exec(String(request.headers.authorization ?? ''))?.[1]
  if (!token) return buildErrorAnswer(401, 190, 'An access token is required to request this resource.')
  const line = options.network.texts.line('meta', edge === 'message_templates' ? toAccountId(id) : id)
  if (line?.token !== token) return buildErrorAnswer(401, 190, 'Error validating access token')
  if (edge === 'messages' && request.method === 'POST') return createMessage(options, line, request)
  if (edge === 'message_templates' && request.method === 'GET') return answerTemplates(options.templates)
  if (!edge && request.method === 'GET') return answerPhoneNumber(line)
  return buildErrorAnswer(
    400,
    100,
    `Unsupported ${request.method.toLowerCase()} request. Object with ID '${id}' does not support this`,
  )
}

/** Each business account has one number here; its id is the number's id prefixed with 9. */
const toAccountId = (businessId: string) => businessId.slice(1)

function createMessage({ network, templates }: GraphOptions, line: Line, { json }: ApiRequest): ApiAnswer {
  const evaluated = evaluateGraphMessage(json ?? {}, templates)
  if (isGraphRefusal(evaluated))
    return buildErrorAnswer(evaluated.status, evaluated.code, evaluated.message, evaluated.details)
  const phone = `+${evaluated.to.replace(/^\+/, '')}`
  const isTemplate = evaluated.type === 'template'
  const existing = isTemplate
    ? templates.find(
        ({ name, language }) => name === evaluated.template.name && language === evaluated.template.language.code,
      )
    : undefined
  const filled = isTemplate && existing ? fillTemplate(existing, evaluated.template) : null
  const { sid } = network.send({
    provider: 'meta',
    account: line.account,
    sid: createSid(line),
    channel: 'whatsapp',
    sender: line.sender,
    phone,
    body: filled?.body ?? (evaluated.type === 'text' ? evaluated.text.body : ''),
    url: filled?.url ?? null,
    callback: line.inboundUrl,
    reference: evaluated.biz_opaque_callback_data ?? null,
    isFreeText: isTemplate ? 0 : 1,
  })
  const contacts = [{ input: evaluated.to, wa_id: phone.slice(1) }]
  const messages = [{ id: sid, message_status: 'accepted' }]
  return { status: 200, body: { messaging_product: 'whatsapp', contacts, messages } }
}

function answerPhoneNumber(line: Line): ApiAnswer {
  const body = {
    id: line.account,
    display_phone_number: line.sender,
    verified_name: 'Phone sandbox',
    quality_rating: 'GREEN',
    ...(line.inboundUrl && { webhook_configuration: { application: line.inboundUrl } }),
  }
  return { status: 200, body }
}

function answerTemplates(templates: readonly WhatsAppTemplate[]): ApiAnswer {
  const data = templates.map(({ id, name, language, category, status, body, footer, button }) => ({
    id,
    name,
    language,
    category,
    status,
    components: [
      { type: 'BODY', text: body },
      ...(footer ? [{ type: 'FOOTER', text: footer }] : []),
      ...(button ? [{ type: 'BUTTONS', buttons: [{ type: 'URL', ...button }] }] : []),
    ],
  }))
  return { status: 200, body: { data, paging: { cursors: { before: 'MAZDZD', after: 'MjQZD' } } } }
}
