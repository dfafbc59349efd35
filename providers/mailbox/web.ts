// The mailbox's web server: pages, and /api for tests. It shows hostile emails, so every response has a content
// security policy.
import { readFileSync } from 'node:fs'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Html } from './html.ts'
import type { Filter, Messages, StoredMessage } from './messages.ts'
import { listFragment, renderMailDocument, renderNotFoundPage, renderPage, type Tab, tabs } from './pages.ts'
import { readContent } from './parse.ts'
import { postOneClick } from './unsubscribe.ts'

interface Deps {
  messages: Messages
  now: () => Date
  phones?: ((scope: FastifyInstance) => void) | null
}

const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
/** Policy of the email's frame: images and inline styles, no scripts, an opaque origin. */
const MAIL_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

export function createMailboxApp(deps: Deps): FastifyInstance {
  const app = fastify({ logger: false, bodyLimit: 10_000, forceCloseConnections: true })
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, _body, done) =>
    done(null, null),
  )
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy': PAGE_POLICY,
      'x-content-type-options': 'nosniff',
      // Without a referrer browsers send `Origin: null` with the page's own forms.
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    if (isCrossSite(request)) return reply.code(403).send({ error: 'This mailbox can only be opened on this machine.' })
  })
  addAssets(app)
  addPages(app, deps)
  addApi(app, deps)
  const { phones } = deps
  if (phones) app.register(async (scope) => phones(scope), { prefix: '/phone' })
  return app
}

/** Detects requests by other sites: DNS rebinding and cross-site request forgery. */
function isCrossSite(request: FastifyRequest): boolean {
  const { headers } = request
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(headers.host ?? '')) return true
  if (request.method === 'GET' || request.method === 'HEAD') return false
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  return headers.origin !== undefined && URL.parse(headers.origin)?.host !== headers.host
}

function addAssets(app: FastifyInstance) {
  for (const [name, type] of [
    ['mailbox.css', 'text/css'],
    ['mailbox.js', 'text/javascript'],
    ['icon.svg', 'image/svg+xml'],
  ] as const) {
    const content = readFileSync(new URL(`./public/${name}`, import.meta.url))
    app.get(`/${name}`, (_request, reply) => reply.type(`${type}; charset=utf-8`).send(content))
  }
}

function addPages(app: FastifyInstance, { messages, now, phones }: Deps) {
  const sendPage = (reply: FastifyReply, content: Html) => reply.type('text/html; charset=utf-8').send(content.text)
  const readListing = (request: FastifyRequest) => {
    const filter = readFilter(request)
    return {
      list: messages.list(filter),
      counts: messages.counts(),
      filter,
      now: now(),
      version: messages.version(),
      hasPhones: !!phones,
    }
  }
  app.get('/', (request, reply) => sendPage(reply, renderPage(readListing(request), null)))
  app.get('/list', (request, reply) => {
    const { version } = readListing(request)
    const selected = Number((request.query as Record<string, string>).selected) || null
    // The page shows relative times ("2 min ago").
    const tag = `"${version}.${Math.floor(now().getTime() / 60_000)}"`
    if (request.headers['if-none-match'] === tag) return reply.code(304).send()
    return sendPage(reply.header('etag', tag), listFragment(readListing(request), selected))
  })
  app.get('/messages/:id', async (request, reply) => {
    const message = findMessage(messages, request)
    if (!message) return sendPage(reply.code(404), renderNotFoundPage())
    messages.markRead(message.id)
    const content = await readContent(message.raw)
    const requestedTab = (request.query as Record<string, string>).tab as Tab
    const tab = tabs.includes(requestedTab) ? requestedTab : content.html ? 'html' : 'text'
    return sendPage(reply, renderPage(readListing(request), { message, content, tab }))
  })
  app.get('/messages/:id/html', async (request, reply) => {
    const message = findMessage(messages, request)
    reply.headers({ 'content-security-policy': MAIL_POLICY, 'referrer-policy': 'no-referrer' })
    if (!message) return reply.code(404).type('text/plain').send('This message no longer exists.')
    const { html } = await readContent(message.raw)
    return reply.type('text/html; charset=utf-8').send(renderMailDocument(html ?? ''))
  })
  app.get('/messages/:id/raw', (request, reply) => {
    const message = findMessage(messages, request)
    if (!message) return sendPage(reply.code(404), renderNotFoundPage())
    const file = `attachment; filename="message-${message.id}.eml"`
    return reply.type('message/rfc822').header('content-disposition', file).send(message.raw)
  })
  app.post('/messages/:id/unsubscribe', async (request, reply) => {
    const message = findMessage(messages, request)
    if (!message) return sendPage(reply.code(404), renderNotFoundPage())
    await unsubscribe({ messages, now }, message)
    return reply.redirect(`/messages/${message.id}`, 303)
  })
  app.post('/messages/:id/delete', (request, reply) => {
    messages.remove(readId(request))
    return reply.redirect('/', 303)
  })
  app.post('/delete-all', (_request, reply) => {
    messages.removeAll()
    return reply.redirect('/', 303)
  })
}

function addApi(app: FastifyInstance, { messages, now }: Deps) {
  const notFound = { error: 'Message not found.' }
  app.get('/api/messages', (request) => ({
    messages: messages.list(readFilter(request)),
    ...messages.counts(),
    version: messages.version(),
  }))
  app.get('/api/messages/:id', async (request, reply) => {
    const message = findMessage(messages, request)
    if (!message) return reply.code(404).send(notFound)
    const { raw, ...summary } = message
    return { ...summary, ...(await readContent(raw)), raw: raw.toString('latin1') }
  })
  app.post('/api/messages/:id/unsubscribe', async (request, reply) => {
    const message = findMessage(messages, request)
    if (!message) return reply.code(404).send(notFound)
    const result = await unsubscribe({ messages, now }, message)
    return result ?? reply.code(409).send({ error: 'This message offers no one-click unsubscribe.' })
  })
  app.delete('/api/messages/:id', (request, reply) =>
    messages.remove(readId(request)) ? reply.send({ deleted: 1 }) : reply.code(404).send(notFound),
  )
  app.delete('/api/messages', () => ({ deleted: messages.removeAll() }))
}

async function unsubscribe({ messages, now }: Pick<Deps, 'messages' | 'now'>, message: StoredMessage) {
  const { oneClickUrl } = await readContent(message.raw)
  if (!oneClickUrl) return null
  const result = await postOneClick(oneClickUrl)
  messages.noteUnsubscribe(message.id, now().toISOString(), result.answer)
  return result
}

function readId(request: FastifyRequest): number {
  const { id } = request.params as { id: string }
  return /^\d{1,15}$/.test(id) ? Number(id) : 0
}

function findMessage(messages: Messages, request: FastifyRequest): StoredMessage | null {
  return messages.find(readId(request))
}

function readFilter(request: FastifyRequest): Filter {
  const query = request.query as Record<string, unknown>
  const limit = Number(query.limit)
  const before = Number(query.before)
  return {
    ...(typeof query.q === 'string' && query.q.trim() ? { search: query.q.slice(0, 200) } : {}),
    ...(typeof query.to === 'string' ? { to: query.to } : {}),
    ...(Number.isInteger(before) && before > 0 ? { before } : {}),
    limit: Number.isInteger(limit) && limit > 0 ? Math.min(limit, 2_000) : 100,
  }
}
