// The phones' web side: pages for people, the providers' interfaces for Recoup, /phone/api for tests.
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Html } from '../mailbox/html.ts'
import { sandboxContents, sandboxTemplates } from './contents.ts'
import { answerAsGraph } from './graph-api.ts'
import type { Network } from './network.ts'
import { listFragment, type Opened, page, type Shown, threadFragment } from './pages.ts'
import type { Conversation, Line } from './texts.ts'
import { answerAsTwilio } from './twilio-api.ts'
import { type ApiAnswer, type ApiRequest, readRequest } from './web-api.ts'

export interface PhoneWeb {
  network: Network
  /** Where Recoup is, for the buttons of its templates. */
  publicUrl: string
}

/** To be registered under /phone of the mailbox's server, whose guards against other sites' pages hold here too. */
export function addPhones(scope: FastifyInstance, { network, publicUrl }: PhoneWeb): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 100_000 }, (_request, body, done) => done(null, body))
  addAssets(scope)
  addPages(scope, network)
  addApi(scope, network)
  const contents = sandboxContents(publicUrl)
  const templates = sandboxTemplates(publicUrl)
  serveApi(scope, '/twilio', (request) => answerAsTwilio({ network, contents }, request))
  serveApi(scope, '/graph', (request) => answerAsGraph({ network, templates }, request))
}

function serveApi(scope: FastifyInstance, prefix: string, answer: (request: ApiRequest) => ApiAnswer | null) {
  scope.route({
    method: ['GET', 'POST'],
    url: `${prefix}/*`,
    handler: (request, reply) => {
      const url = request.url.slice(`/phone${prefix}`.length)
      const read = readRequest(request.method, url, request.headers, String(request.body ?? ''))
      const given = answer(read) ?? { status: 404, body: { message: 'Not found' } }
      return reply
        .code(given.status)
        .headers(given.headers ?? {})
        .send(given.body)
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

type Place = Pick<Conversation, 'phone' | 'channel' | 'sender'>

function addPages(scope: FastifyInstance, network: Network) {
  const sendPage = (reply: FastifyReply, content: Html) => reply.type('text/html; charset=utf-8').send(content.text)
  /** Changes with what is shown; the time of day is part of it ("2 min ago"). */
  const sendFragment = (request: FastifyRequest, reply: FastifyReply, content: () => Html) => {
    const tag = `"${network.texts.version()}.${Math.floor(network.now().getTime() / 60_000)}"`
    if (request.headers['if-none-match'] === tag) return reply.code(304).send()
    return sendPage(reply.header('etag', tag), content())
  }
  scope.get('/', (request, reply) => {
    const query = request.query as Partial<Place> & { trouble?: string }
    const shown = show(network, query)
    if (shown.open) network.open(shown.open.phone, shown.open.channel, shown.open.sender)
    if (shown.open && query.trouble) shown.open.trouble = 'Recoup did not accept this message. It is not retried.'
    return sendPage(reply, page({ ...shown, conversations: network.texts.conversations() }))
  })
  scope.get('/list', (request, reply) =>
    sendFragment(request, reply, () => listFragment(show(network, request.query as Partial<Place>))),
  )
  scope.get('/thread', (request, reply) => {
    const { open } = show(network, request.query as Partial<Place>)
    if (!open) return reply.code(404).send('')
    network.open(open.phone, open.channel, open.sender)
    return sendFragment(request, reply, () => threadFragment(open))
  })
  scope.post('/reply', async (request, reply) => {
    const { body = '', ...place } = formOf(request)
    const answered = await answer(network, { ...(place as unknown as Place), body })
    const trouble = answered ? '' : '&trouble=1'
    return reply.redirect(`/phone?${addressOf(place as unknown as Place)}${trouble}`, 303)
  })
  scope.post('/off', (request, reply) => {
    const { isOff, ...place } = formOf(request)
    network.setOff(String(place.phone), isOff === 'true')
    return reply.redirect(`/phone?${addressOf(place as unknown as Place)}`, 303)
  })
  scope.post('/delete-all', (_request, reply) => {
    network.texts.removeAll()
    return reply.redirect('/phone', 303)
  })
}

const formOf = (request: FastifyRequest) =>
  Object.fromEntries(new URLSearchParams(String(request.body ?? ''))) as Record<string, string>

const addressOf = ({ phone = '', channel = 'sms', sender = '' }: Place) =>
  new URLSearchParams({ phone, channel, sender }).toString()

/** A number alone opens its newest conversation. */
function show(network: Network, { phone, channel, sender }: Partial<Place>): Shown {
  const all = network.texts.conversations()
  const wanted = phone?.replace(/[^\d+]/g, '')
  const place = all.find(
    (each) => each.phone === wanted && (!channel || each.channel === channel) && (!sender || each.sender === sender),
  )
  const conversations = wanted && !place ? all.filter((each) => each.phone.includes(wanted)) : all
  return { conversations, open: place ? openedOf(network, place) : null, now: network.now() }
}

function openedOf(network: Network, place: Conversation): Opened {
  const { phone, channel, sender, account } = place
  return {
    ...{ phone, channel, sender, trouble: null },
    texts: network.texts.thread(phone, channel, sender),
    isOff: network.isOff(phone),
    isOptedOut: channel === 'sms' && network.texts.isOptedOut(account, phone),
  }
}

/** Whether the business's server took it. */
async function answer(network: Network, { phone, channel, sender, body }: Place & { body: string }): Promise<boolean> {
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
    isTaken: await answer(network, JSON.parse(String(request.body)) as Place & { body: string }),
  }))
  scope.delete('/api/texts', () => {
    network.texts.removeAll()
    return { deleted: true }
  })
}
