// The storefront's routes, with Shopify's paths.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Desk } from '../events.ts'
import { readSetup, storeName } from '../shop.ts'
import { handleAdminForm, renderAdminPage } from './admin.ts'
import { buildPermalink, handleCartForm, handleCartScript, rememberDiscount, renderCartPage, sendCart } from './cart.ts'
import { checkoutPage, handleCheckoutForm, recoverCheckout, startCheckout, thankYouPage } from './checkout.ts'
import { logo } from './layout.ts'
import { renderCollectionPage, renderHomePage, renderProductPage } from './shop.ts'
import { openView, readCookie, setCookie, show, type View } from './visit.ts'

type Handler = (view: View, params: Record<string, string>) => FastifyReply | null

export function servePages(app: FastifyInstance, desk: Desk) {
  const page = (handler: Handler) => (request: FastifyRequest, reply: FastifyReply) => {
    const view = openView(desk, request, reply)
    return requirePassword(view) ?? handler(view, request.params as Record<string, string>) ?? renderNotFoundPage(view)
  }
  const get = (path: string, handler: Handler) => app.get(path, page(handler))
  const post = (path: string, handler: Handler) => app.post(path, { preHandler: refuseForeignForms }, page(handler))
  get('/', renderHomePage)
  get('/collections/all', renderCollectionPage)
  get('/products/:handle', (view, { handle }) => renderProductPage(view, handle!))
  get('/cart', renderCartPage)
  get('/cart.js', sendCart)
  get('/cart.json', sendCart)
  get('/cart/:lines', (view, { lines }) => buildPermalink(view, lines!))
  post('/cart/add', (view) => handleCartForm(view, 'add'))
  post('/cart/change', (view) => handleCartForm(view, 'change'))
  for (const what of ['add', 'change', 'update', 'clear'])
    post(`/cart/${what}.js`, (view) => handleCartScript(view, what))
  get('/discount/:code', (view, { code }) => rememberDiscount(view, code!))
  get('/checkout', startCheckout)
  get('/checkouts/cn/:token', (view, { token }) => checkoutPage(view, token!))
  post('/checkouts/cn/:token', (view, { token }) => handleCheckoutForm(view, token!))
  get('/checkouts/cn/:token/thank-you', (view, { token }) => thankYouPage(view, token!))
  get('/:shop/checkouts/ac/:token/recover', (view, { token }) => recoverCheckout(view, token!))
  get('/password', renderPasswordPage)
  post('/password', handlePassword)
  get('/admin', renderAdminPage)
  post('/admin', handleAdminForm)
  post('/forget-me', forgetVisitor)
  app.setNotFoundHandler((request, reply) => renderNotFoundPage(openView(desk, request, reply)))
  serveFiles(app)
}

const OPEN_PATHS = ['/password', '/admin', '/forget-me']

/** A password-protected store shows only its password page. */
function requirePassword(view: View): FastifyReply | null {
  const { password } = readSetup(view.shop)
  const path = (view.request.raw.url ?? '').split('?')[0]!
  if (
    password === null ||
    OPEN_PATHS.includes(path) ||
    readCookie(view.request, 'storefront_digest') === digest(password)
  )
    return null
  return view.reply.redirect('/password', 302)
}

const digest = (password: string) => createHash('sha256').update(password).digest('hex')

const renderPasswordPage = (view: View) =>
  show(view, {
    title: 'Opening soon',
    isOutsideTheme: true,
    body: `<section class="narrow"><h1>Opening soon</h1><p>${storeName.replace('&', '&amp;')} is not open to everybody yet.</p>
<form method="post" action="/password"><label for="password">Store password</label><input id="password" name="password" type="password" autocomplete="off" required>
<button class="button wide-button" type="submit">Enter</button></form></section>`,
  })

function handlePassword(view: View): FastifyReply {
  const { password } = readSetup(view.shop)
  if (password !== null && view.form.get('password') !== password) {
    view.error = 'Password incorrect, please try again.'
    return renderPasswordPage(view)
  }
  setCookie(view, 'storefront_digest', digest(password ?? ''))
  return view.reply.redirect('/', 303)
}

function renderNotFoundPage(view: View): FastifyReply {
  view.reply.code(404)
  const body = `<h1>Page not found</h1><p>The page you requested does not exist.</p><p><a class="button" href="/collections/all">Continue shopping</a></p>`
  return show(view, { title: 'Page not found', body })
}

function forgetVisitor(view: View): FastifyReply {
  const clearedCookies = ['cart', 'discount_code', 'storefront_digest'].map(
    (name) => `${name}=; Path=/; Max-Age=0; SameSite=Lax`,
  )
  return view.reply.header('set-cookie', clearedCookies).redirect('/', 303)
}

/** Rejects form posts from other sites (CSRF). */
async function refuseForeignForms(request: FastifyRequest, reply: FastifyReply) {
  const { origin, host } = request.headers
  if (!origin || (URL.canParse(origin) && new URL(origin).host === host)) return
  return reply.code(403).send('This form belongs to another site.')
}

/** Uses the other demo store's style sheet in other colors. */
function serveFiles(app: FastifyInstance) {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
  const files: Record<string, [type: string, text: string]> = {
    'shop.css': ['text/css; charset=utf-8', read('../../woocommerce/assets/store.css') + read('../assets/shop.css')],
    'shop.js': ['text/javascript; charset=utf-8', read('../assets/shop.js')],
    'icon.svg': ['image/svg+xml', logo.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"')],
  }
  const folder = new URL('../pictures/', import.meta.url)
  const pictures = new Map(readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder))]))
  app.get('/assets/:name', (request, reply) => {
    const file = files[(request.params as { name: string }).name]
    return file ? reply.header('content-type', file[0]).send(file[1]) : reply.callNotFound()
  })
  app.get('/cdn/shop/files/:name', (request, reply) => {
    const name = (request.params as { name: string }).name
    const picture = pictures.get(name)
    if (!picture) return reply.callNotFound()
    const type = name.endsWith('.png') ? 'image/png' : 'image/jpeg'
    return reply.header('content-type', type).header('cache-control', 'max-age=86400').send(picture)
  })
}
