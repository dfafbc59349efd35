import { randomBytes } from 'node:crypto'
import { fillPlaceholders, type TwilioContent } from './contents.ts'
import { createSid, type Network } from './network.ts'
import type { Line } from './texts.ts'
import { evaluateTwilioMessage, isRefusal, type TwilioMessage } from './twilio-rules.ts'
import type { ApiAnswer, ApiRequest } from './web-api.ts'

// The used part of Twilio's API: messages, the account, its numbers, content templates.

export interface TwilioOptions {
  network: Network
  contents: readonly TwilioContent[]
  /** Senders of the account; null: any. */
  senders?: readonly string[] | null
}

const buildErrorUrl = (code: number) => `https://www.twilio.com/docs/errors/${code}`
const buildErrorAnswer = (status: number, code: number, message: string): ApiAnswer => ({
  status,
  body: { code, message, more_info: buildErrorUrl(code), status },
})

/** null: not a Twilio API path. */
export function handleTwilioRequest(options: TwilioOptions, request: ApiRequest): ApiAnswer | null {
  const [, account, resource] = /^\/2010-04-01\/Accounts\/(AC[0-9a-f]{32})(?:\/(.+))?\.json$/i.exec(request.path) ?? []
  const isContent = request.path === '/v1/ContentAndApprovals'
  const [, service] = /^\/v1\/Services\/(MG[0-9a-f]{32})$/i.exec(request.path) ?? []
  if (!account && !isContent && !service)
    return request.path.startsWith('/2010-04-01/') ? buildErrorAnswer(404, 20404, 'Not found') : null
  const line = authenticate(options.network, request, account)
  if (!line) return buildErrorAnswer(401, 20003, 'Authenticate')
  if (isContent) return answerContents(options.contents, line)
  if (service) return buildServiceAnswer(options, line, service)
  if (!resource)
    return request.method === 'GET' ? buildAccountAnswer(line) : buildErrorAnswer(405, 20004, 'Method not allowed')
  if (resource === 'Messages' && request.method === 'POST') return createMessage(options, line, request)
  if (resource === 'IncomingPhoneNumbers' && request.method === 'GET') return numbers(line)
  const message = /^Messages\/(SM[0-9a-f]{32})$/.exec(resource)?.[1]
  if (message && request.method === 'GET') return fetchMessage(options.network, line, message)
  return buildErrorAnswer(404, 20404, `The requested resource ${request.path} was not found`)
}

function authenticate(network: Network, { headers }: ApiRequest, account: string | undefined): Line | null {
  const [user = '', token] = Buffer.from(String(headers.authorization ?? '').slice(6), 'base64')
    .toString()
    .split(':')
  const line = network.texts.line('twilio', user)
  return line && line.token === token && (account === undefined || account === user) ? line : null
}

function createMessage({ network, contents, senders }: TwilioOptions, line: Line, { form }: ApiRequest): ApiAnswer {
  const evaluated = evaluateTwilioMessage(form, {
    senders: senders ?? null,
    isOptedOut: (phone) => network.texts.isOptedOut(line.account, phone),
    contentOf: (sid) => contents.find((content) => content.sid === sid),
  })
  if (isRefusal(evaluated)) return buildErrorAnswer(evaluated.status, evaluated.code, evaluated.message)
  const content = contents.find(({ sid }) => sid === evaluated.ContentSid)
  const filled = content ? fillPlaceholders(content, JSON.parse(evaluated.ContentVariables ?? '{}')) : null
  const isWhatsApp = evaluated.To.startsWith('whatsapp:')
  const text = network.send({
    provider: 'twilio',
    account: line.account,
    sid: createSid(line),
    channel: isWhatsApp ? 'whatsapp' : 'sms',
    sender: evaluated.From?.replace('whatsapp:', '') ?? line.sender,
    phone: evaluated.To.replace('whatsapp:', ''),
    body: filled?.body ?? evaluated.Body ?? '',
    url: filled?.url ?? null,
    callback: evaluated.StatusCallback ?? null,
    reference: null,
    isFreeText: content ? 0 : 1,
  })
  return { status: 201, body: buildMessageBody(line, text.sid, text.body, new Date(text.at), evaluated) }
}

function buildMessageBody(line: Line, sid: string, body: string, at: Date, fields: Partial<TwilioMessage>) {
  const uri = `/2010-04-01/Accounts/${line.account}/Messages/${sid}`
  const date = at.toUTCString().replace('GMT', '+0000')
  return {
    account_sid: line.account,
    api_version: '2010-04-01',
    body,
    date_created: date,
    date_sent: null,
    date_updated: date,
    direction: 'outbound-api',
    error_code: null,
    error_message: null,
    from: fields.From ?? null,
    messaging_service_sid: fields.MessagingServiceSid ?? null,
    num_media: '0',
    // Set when the service selects a sender from its pool.
    num_segments: fields.MessagingServiceSid ? '0' : String(countSegments(body)),
    price: null,
    price_unit: 'USD',
    sid,
    status: fields.MessagingServiceSid ? 'accepted' : 'queued',
    to: fields.To ?? null,
    subresource_uris: { media: `${uri}/Media.json` },
    uri: `${uri}.json`,
  }
}

/** Approximate number of segments, which determines the sandbox's price. */
const countSegments = (body: string): number =>
  /^[\x20-\x7e\n]*$/.test(body)
    ? Math.ceil(body.length / (body.length > 160 ? 153 : 160))
    : Math.ceil(body.length / (body.length > 70 ? 67 : 70))

function fetchMessage(network: Network, line: Line, sid: string): ApiAnswer {
  const text = network.texts.find('sid', sid)
  if (!text || text.account !== line.account)
    return buildErrorAnswer(404, 20404, 'The requested resource was not found')
  const base = buildMessageBody(line, sid, text.body, new Date(text.at), { To: text.phone, From: text.sender })
  const price = text.status === 'queued' ? null : (-0.0079 * countSegments(text.body)).toFixed(5)
  const status = text.status === 'failed' ? 'undelivered' : text.status
  return { status: 200, body: { ...base, status, price, error_code: text.errorCode } }
}

function buildAccountAnswer(line: Line): ApiAnswer {
  const body = {
    sid: line.account,
    friendly_name: 'Phone sandbox',
    status: 'active',
    type: 'Trial',
    owner_account_sid: line.account,
  }
  return { status: 200, body }
}

function numbers(line: Line): ApiAnswer {
  const number = {
    sid: `PN${randomBytes(16).toString('hex')}`,
    phone_number: line.sender,
    friendly_name: line.sender,
    sms_url: line.inboundUrl,
  }
  const capabilities = { sms: true, mms: false, voice: false, fax: false }
  const page = { page: 0, page_size: 50, next_page_uri: null, uri: '' }
  return { status: 200, body: { ...page, incoming_phone_numbers: [{ ...number, capabilities }] } }
}

function buildServiceAnswer({ senders }: TwilioOptions, line: Line, sid: string): ApiAnswer {
  if (senders && !senders.includes(sid)) return buildErrorAnswer(404, 20404, 'The requested resource was not found')
  const body = {
    sid,
    account_sid: line.account,
    friendly_name: 'Phone sandbox',
    inbound_request_url: line.inboundUrl,
    inbound_method: 'POST',
    use_inbound_webhook_on_number: false,
  }
  return { status: 200, body }
}

function answerContents(contents: readonly TwilioContent[], line: Line): ApiAnswer {
  const meta = {
    page: 0,
    page_size: 50,
    url: '',
    first_page_url: '',
    previous_page_url: null,
    next_page_url: null,
    key: 'contents',
  }
  const rows = contents.map(({ sid, friendlyName, language, variables, types, approval }) => ({
    sid,
    friendly_name: friendlyName,
    language,
    types,
    account_sid: line.account,
    variables: Object.fromEntries(variables.map((name) => [name, `example ${name}`])),
    approval_requests: approval,
    date_created: '2026-01-05T10:00:00Z',
    date_updated: '2026-01-05T10:00:00Z',
  }))
  return { status: 200, body: { meta, contents: rows } }
}
