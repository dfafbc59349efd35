// The shop's routes, with WooCommerce's paths.
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pictureNames } from '../pictures.ts'
import { buildExpiredCookies } from '../sessions.ts'
import type { Shop } from '../shop.ts'
import { handleAdminForm, renderAdminPage } from './admin.ts'
import { handleCartForm, renderCartPage } from './cart.ts'
import { checkoutPage } from './checkout.ts'
import { logo } from './layout.ts'
import { followCheckoutLink } from './links.ts'
import { payPage, renderReceivedPage, renderVisitsPage } from './orders.ts'
import { renderHomePage, renderProductPage, renderShopPage } from './shop.ts'
import { openView, show, type View } from './visit.ts'

type Handler = (view: View, params: Record<string, string>, form: URLSearchParams) => FastifyReply | null

export function servePages(app: FastifyInstance, shop: Shop) {
  const page = (handler: Handler) => (request: FastifyRequest, reply: FastifyReply) => {
    const view = openView(shop, request, reply)
    const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
    return handler(view, request.params as Record<string, string>, form) ?? renderNotFoundPage(view)
  }
  const post = (path: string, handler: Handler) => app.post(path, { preHandler: refuseForeignForms }, page(handler))
  app.get('/', page(renderHomePage))
  app.get('/shop/', page(renderShopPage))
  app.get(
    '/product/:slug/',
    page((view, { slug }) => renderProductPage(view, slug!)),
  )
  app.get('/cart/', page(renderCartPage))
  post('/cart/', (view, _params, form) => handleCartForm(view, form))
  app.get('/checkout/', page(checkoutPage))
  app.get('/checkout-link/', page(followCheckoutLink))
  app.get(
    '/checkout/order-received/:id/',
    page((view, { id }) => renderReceivedPage(view, Number(id))),
  )
  app.get(
    '/checkout/order-pay/:id/',
    page((view, { id }) => payPage(view, Number(id))),
  )
  post('/checkout/order-pay/:id/', (view, { id }, form) => payPage(view, Number(id), form))
  app.get('/my-visits/', page(renderVisitsPage))
  post('/forget-me/', (view) => forgetVisitor(view))
  app.get('/wp-admin/', page(renderAdminPage))
  post('/wp-admin/', (view, _params, form) => handleAdminForm(view, form))
  app.get('/wc-auth/v1/authorize', authorize(shop))
  app.setNotFoundHandler((request, reply) => renderNotFoundPage(openView(shop, request, reply)))
  serveFiles(app)
}

function serveFiles(app: FastifyInstance) {
  const read = (name: string) => readFileSync(new URL(`../assets/${name}`, import.meta.url), 'utf8')
  const files: Record<string, [string, string]> = {
    'store.css': ['text/css; charset=UTF-8', read('store.css')],
    'store.js': ['text/javascript; charset=UTF-8', read('store.js')],
    'icon.svg': ['image/svg+xml', logo.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"')],
  }
  const pictures = new Map(
    [...pictureNames.map((name) => `${name}.jpg`), 'logo.png'].map((file) => [
      file,
      readFileSync(new URL(`../pictures/${file}`, import.meta.url)),
    ]),
  )
  app.get('/assets/:name', (request, reply) => {
    const file = files[(request.params as { name: string }).name]
    return file
      ? reply.header('content-type', file[0]).header('cache-control', 'no-cache').send(file[1])
      : reply.callNotFound()
  })
  app.get('/wp-content/uploads/2026/11/:file', (request, reply) => {
    // All image sizes are the same file; the browser scales it.
    const file = (request.params as { file: string }).file.replace(/-\d+x\d+(?=\.jpg$)/, '')
    const picture = pictures.get(file)
    if (!picture) return reply.callNotFound()
    const type = file.endsWith('.png') ? 'image/png' : 'image/jpeg'
    return reply.header('content-type', type).header('cache-control', 'max-age=86400').send(picture)
  })
}

function renderNotFoundPage(view: View): FastifyReply {
  view.reply.code(404)
  const body =
    '<h1>Nothing here</h1><p>That page does not exist.</p><p><a class="button" href="/shop/">Go to the shop</a></p>'
  return show(view, { title: 'Not found', body })
}

function forgetVisitor({ shop, reply }: View): FastifyReply {
  for (const cookie of buildExpiredCookies(shop)) reply.header('set-cookie', cookie)
  return reply.redirect('/', 303)
}

// Rejects forms from other sites: like WooCommerce's, the session cookie has no SameSite attribute.
async function refuseForeignForms(request: FastifyRequest, reply: FastifyReply) {
  const { origin, host } = request.headers
  if (!origin || (URL.canParse(origin) && new URL(origin).host === host)) return
  return reply.code(403).send('This form belongs to another site.')
}

function authorize(shop: Shop) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const query = request.query as Record<string, string>
    const html = reply.header('content-type', 'text/html; charset=UTF-8')
    if (!/^https:\/\//.test(query.callback_url ?? ''))
      return html.code(401).send('Error: The callback_url needs to be over SSL.')
    const stored = ['app_name', 'user_id', 'return_url', 'callback_url', 'scope'].map(
      (name) => `${name}=${encodeURIComponent(query[name] ?? '')}`,
    )
    return html.redirect(`${shop.home}/wc-auth/v1/login/?${stored.join('&')}`, 302)
  }
}
