// The phones' web server: pages, the provider APIs for Recoup, /phone/api for tests.
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Html } from '../mailbox/html.ts'
import { createSandboxContents, createSandboxTemplates } from './contents.ts'
import { handleGraphRequest } from './graph-api.ts'
import type { Network } from './network.ts'
import { listFragment, type OpenConversation, type PageView, renderPage, renderThread } from './pages.ts'
import type { Conversation, Line } from './texts.ts'
import { handleTwilioRequest } from './twilio-api.ts'
import { type ApiAnswer, type ApiRequest, readRequest } from './web-api.ts'

export interface PhoneWeb {
  network: Network
  /** Recoup's URL for template buttons. */
  publicUrl: string
}

/** Registered under /phone of the mailbox's server, whose cross-site checks apply here, too. */
export function addPhones(scope: FastifyInstance, { network, publicUrl }: PhoneWeb): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 100_000 }, (_request, body, done) => done(null, body))
  addAssets(scope)
  addPages(scope, network)
  addApi(scope, network)
  const contents = createSandboxContents(publicUrl)
  const templates = createSandboxTemplates(publicUrl)
  serveApi(scope, '/twilio', (request) => handleTwilioRequest({ network, contents }, request))
  serveApi(scope, '/graph', (request) => handleGraphRequest({ network, templates }, request))
}

function serveApi(scope: FastifyInstance, prefix: string, answer: (request: ApiRequest) => ApiAnswer | null) {
  scope.route({
    method: ['GET', 'POST'],
    url: `${prefix}/*`,
    handler: (request, reply) => {
      const url = request.url.slice(`/phone${prefix}`.length)
      const read = readRequest(request.method, url, request.headers, String(request.body ?? ''))
      const result = answer(read) ?? { status: 404, body: { message: 'Not found' } }
      return reply
        .code(result.status)
        .headers(result.headers ?? {})
        .send(result.body)
    },
  })
}

function addAssets(scope: FastifyInstance) {
  for (const [name, type] of [
    ['phone.css', 'text/css'],
    ['phone.js', 'text/javascript'],
  ] as const) {
    const content = readFileSync(new URL(`./public/${name}`, import.meta.url))
    scope.get(`/${name}`, (_request, reply) => reply.type(`${type}; charset=utf-8`).send(content))
  }
}

type ConversationKey = Pick<Conversation, 'phone' | 'channel' | 'sender'>

function addPages(scope: FastifyInstance, network: Network) {
  const sendPage = (reply: FastifyReply, content: Html) => reply.type('text/html; charset=utf-8').send(content.text)
  /** Changes with the displayed data, including relative times ("2 min ago"). */
  const sendFragment = (request: FastifyRequest, reply: FastifyReply, content: () => Html) => {
    const tag = `"${network.texts.version()}.${Math.floor(network.now().getTime() / 60_000)}"`
    if (request.headers['if-none-match'] === tag) return reply.code(304).send()
    return sendPage(reply.header('etag', tag), content())
  }
  scope.get('/', (request, reply) => {
    const query = request.query as Partial<ConversationKey> & { trouble?: string }
    const view = show(network, query)
    if (view.open) network.open(view.open.phone, view.open.channel, view.open.sender)
    if (view.open && query.trouble) view.open.trouble = 'Recoup did not accept this message. It is not retried.'
    return sendPage(reply, renderPage({ ...view, conversations: network.texts.conversations() }))
  })
  scope.get('/list', (request, reply) =>
    sendFragment(request, reply, () => listFragment(show(network, request.query as Partial<ConversationKey>))),
  )
  scope.get('/thread', (request, reply) => {
    const { open } = show(network, request.query as Partial<ConversationKey>)
    if (!open) return reply.code(404).send('')
    network.open(open.phone, open.channel, open.sender)
    return sendFragment(request, reply, () => renderThread(open))
  })
  scope.post('/reply', async (request, reply) => {
    const { body = '', ...place } = readForm(request)
    const answered = await answer(network, { ...(place as unknown as ConversationKey), body })
    const trouble = answered ? '' : '&trouble=1'
    return reply.redirect(`/phone?${buildConversationUrl(place as unknown as ConversationKey)}${trouble}`, 303)
  })
  scope.post('/off', (request, reply) => {
    const { isOff, ...place } = readForm(request)
    network.setOff(String(place.phone), isOff === 'true')
    return reply.redirect(`/phone?${buildConversationUrl(place as unknown as ConversationKey)}`, 303)
  })
  scope.post('/delete-all', (_request, reply) => {
    network.texts.removeAll()
    return reply.redirect('/phone', 303)
  })
}

const readForm = (request: FastifyRequest) =>
  Object.fromEntries(new URLSearchParams(String(request.body ?? ''))) as Record<string, string>

const buildConversationUrl = ({ phone = '', channel = 'sms', sender = '' }: ConversationKey) =>
  new URLSearchParams({ phone, channel, sender }).toString()

/** Without channel and sender this opens the number's newest conversation. */
function show(network: Network, { phone, channel, sender }: Partial<ConversationKey>): PageView {
  const all = network.texts.conversations()
  const number = phone?.replace(/[^\d+]/g, '')
  const place = all.find(
    (each) => each.phone === number && (!channel || each.channel === channel) && (!sender || each.sender === sender),
  )
  const conversations = number && !place ? all.filter((each) => each.phone.includes(number)) : all
  return { conversations, open: place ? loadConversation(network, place) : null, now: network.now() }
}

function loadConversation(network: Network, place: Conversation): OpenConversation {
  const { phone, channel, sender, account } = place
  return {
    phone,
    channel,
    sender,
    trouble: null,
    texts: network.texts.thread(phone, channel, sender),
    isOff: network.isOff(phone),
    isOptedOut: channel === 'sms' && network.texts.isOptedOut(account, phone),
  }
}

/** Sends a reply; returns whether the business's server accepted it. */
async function answer(
  network: Network,
  { phone, channel, sender, body }: ConversationKey & { body: string },
): Promise<boolean> {
  const place = network.texts
    .conversations()
    .find((each) => each.phone === phone && each.channel === channel && each.sender === sender)
  const line = place && network.texts.line(place.provider, place.account)
  if (!line || !body.trim()) return false
  const answered = await network.answer(line, { phone, channel, body: body.trim().slice(0, 1_000) })
  return answered !== null && answered.status < 300
}

function addApi(scope: FastifyInstance, network: Network) {
  scope.put('/api/lines', (request) => {
    network.texts.saveLine(JSON.parse(String(request.body)) as Line)
    return { saved: true }
  })
  scope.get('/api/texts', (request) => {
    const { phone } = request.query as { phone?: string }
    const places = network.texts.conversations().filter((each) => !phone || each.phone === phone)
    return { texts: places.flatMap((each) => network.texts.thread(each.phone, each.channel, each.sender)) }
  })
  scope.post('/api/reply', async (request) => ({
    isTaken: await answer(network, JSON.parse(String(request.body)) as ConversationKey & { body: string }),
  }))
  scope.delete('/api/texts', () => {
    network.texts.removeAll()
    return { deleted: true }
  })
}
