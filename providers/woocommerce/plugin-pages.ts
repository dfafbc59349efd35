// The plugin's endpoints: Recoup's wake, the shopper's restore link, the owner's connect screen.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { escapeHtml } from '../shop-page.ts'
import { isEqualInConstantTime } from './auth.ts'
import { openView, show } from './pages/visit.ts'
import { asText } from './php.ts'
import { beginConnect, finishConnect, scheduleBeat } from './plugin.ts'
import { hmac, readLink, VERSION } from './plugin-link.ts'
import { restoreCart } from './plugin-restore.ts'
import { readSeconds, type Shop } from './shop.ts'
import { readMeta, writeMeta } from './sqlite.ts'

const WINDOW_S = 300
const MAX_BYTES = 1_024
const MAX_PER_MINUTE = 60

export function servePlugin(app: FastifyInstance, shop: Shop) {
  app.post('/', async (request, reply) => {
    const { rest_route: route } = request.query as Record<string, string>
    return route === '/recoup/v1/wake' ? handleWake(shop, request, reply) : reply.callNotFound()
  })
  // Registered before the pages: these query parameters select the plugin's pages.
  app.addHook('preHandler', async (request, reply) => {
    const [path, question = ''] = request.raw.url!.split('?', 2)
    if (path === '/' && request.method === 'GET' && question.includes('recoup-restore=')) {
      return restoreCart(openView(shop, request, reply))
    }
    if (path === '/wp-admin/' && /(^|&)page=recoup(&|$)/.test(question)) return pluginScreen(shop, request, reply)
  })
}

/** The plugin's screen: the connect button and its result. */
async function pluginScreen(shop: Shop, request: FastifyRequest, reply: FastifyReply) {
  const view = openView(shop, request, reply)
  if (request.method === 'POST') {
    const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
    const recoup = URL.parse(form.get('recoup') ?? '')
    return recoup
      ? reply.redirect(beginConnect(shop, recoup.origin), 303)
      : reply.redirect('/wp-admin/?page=recoup', 303)
  }
  const [state, code, error] = ['state', 'code', 'error'].map((name) => asText(view.query[`recoup_${name}`]) ?? '')
  const notice = state ? escapeHtml(await finishConnect(shop, { state, code: code!, error: error! })) : undefined
  const link = readLink(shop)
  const body = `<h1>Recoup</h1>${
    link
      ? `<p>Connected to ${escapeHtml(link.recoup)}.</p>`
      : `<form method="post" action="/wp-admin/?page=recoup"><label for="recoup">Recoup address</label>
<input id="recoup" name="recoup" type="url" required><button class="button">Connect</button></form>`
  }`
  return show(view, { title: 'Recoup', body, ...(notice && { notice }) })
}

/** Checks a wake as the plugin does and sends a beat right after. */
async function handleWake(shop: Shop, request: FastifyRequest, reply: FastifyReply) {
  const body = typeof request.body === 'string' ? request.body : ''
  if (body.length > MAX_BYTES) return reply.code(413).send(JSON.stringify({ code: 'too_large' }))
  const [store, time, nonce, signature] = ['store', 'time', 'nonce', 'signature'].map((name) =>
    String(request.headers[`x-recoup-${name}`] ?? ''),
  ) as [string, string, string, string]
  const link = readLink(shop)
  const text = ['v1', 'recoup', 'wake', store, time, nonce, body].join('\n')
  const isFormed = /^\d{1,12}$/.test(time) && /^[0-9a-f]{32}$/.test(nonce)
  if (!link || !isFormed || store !== link.store || !isEqualInConstantTime(hmac(link.secret, text), signature)) {
    return reply
      .code(401)
      .type('application/json')
      .send(JSON.stringify({ code: 'unauthenticated' }))
  }
  const [status, answer] = checkWake(shop, { time, nonce, body })
  const answerText = JSON.stringify(answer)
  reply.header('x-recoup-signature', hmac(link.secret, ['v1', 'answer', nonce, String(status), answerText].join('\n')))
  if (status === 200) scheduleBeat(shop)
  return reply.code(status).type('application/json').send(answerText)
}

function checkWake(shop: Shop, { time, nonce, body }: { time: string; nonce: string; body: string }): [number, object] {
  const now = readSeconds(shop)
  if (Math.abs(now - Number(time)) > WINDOW_S) return [401, { code: 'clock', now }]
  const nonces = JSON.parse(readMeta(shop.db, 'plugin-nonces') ?? '{}') as Record<string, number>
  const recent = Object.fromEntries(Object.entries(nonces).filter(([, at]) => at > now - 2 * WINDOW_S))
  if (recent[nonce]) return [409, { code: 'replayed' }]
  if (Object.values(recent).filter((at) => at > now - 60).length >= MAX_PER_MINUTE)
    return [429, { code: 'rate_limited' }]
  writeMeta(shop.db, 'plugin-nonces', JSON.stringify({ ...recent, [nonce]: now }))
  return isObject(body) ? [200, { plugin: VERSION, home: `${shop.home}/` }] : [400, { code: 'invalid' }]
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}
