// One page view: its session, and cart changes that the URL requests before rendering.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addItem, priceCart } from '../cart.ts'
import { buildFullName, findProduct, listVariations, type Product } from '../catalog.ts'
import { asText, type PhpQuery, parsePhpQuery } from '../php.ts'
import { RestError } from '../rest-error.ts'
import {
  buildSessionCookies,
  createSession,
  findSessionByCookie,
  findSessionByToken,
  type Session,
  saveSession,
} from '../sessions.ts'
import type { Shop } from '../shop.ts'
import { type Page, renderName, renderPage } from './layout.ts'

export type View = {
  shop: Shop
  session: Session
  query: PhpQuery
  request: FastifyRequest
  reply: FastifyReply
  notice?: string
  error?: string
}

export function openView(shop: Shop, request: FastifyRequest, reply: FastifyReply): View {
  const session = findSessionByCookie(shop, request.headers.cookie) ?? createSession(shop)
  const query = parsePhpQuery(request.raw.url!.split(/\?(.*)/s)[1] ?? '')
  const view: View = { shop, session, query, request, reply }
  copyCart(view)
  addFromLink(view)
  return view
}

export function show(view: View, page: Omit<Page, 'count'>): FastifyReply {
  const { shop, session, reply } = view
  if (session.notice) {
    view.notice = session.notice
    delete session.notice
    saveSession(shop, session)
  }
  const cart = priceCart(shop, session)
  if (session.items.length || session.orderIds.length) {
    for (const cookie of buildSessionCookies(shop, session, cart.hash)) reply.header('set-cookie', cookie)
  }
  const messages = { notice: page.notice ?? view.notice, error: page.error ?? view.error }
  reply
    .header('content-type', 'text/html; charset=UTF-8')
    .header('cache-control', 'no-cache, must-revalidate, max-age=0')
  return reply.send(renderPage(shop, { ...page, ...messages, count: cart.count }))
}

// ?session=TOKEN copies another browser's cart into this browser's session.
function copyCart({ shop, session, query }: View) {
  const token = asText(query.session)
  const source = token ? findSessionByToken(shop, token) : undefined
  if (!source || source.id === session.id || !source.items.length) return
  const { items, coupons, billing, shipping, rateId } = source
  Object.assign(session, { items, coupons, billing, shipping, rateId })
  saveSession(shop, session)
}

// The classic link adds to the cart. The draft changes when the checkout is opened again.
function addFromLink(view: View) {
  const { shop, session, query } = view
  const requested = asText(query['add-to-cart'])
  if (!requested || !/^\d+$/.test(requested)) return
  try {
    const product = findProduct(shop, Number(asText(query.variation_id) ?? requested))
    addItem(
      shop,
      session,
      product?.id ?? Number(requested),
      Math.max(1, Number(asText(query.quantity)) || 1),
      readChoices(shop, query, product),
    )
    saveSession(shop, session)
    const parent = product?.parentId ? findProduct(shop, product.parentId) : undefined
    if (product)
      view.notice = `“${renderName(buildFullName(product, parent))}” has been added to your cart. <a href="/cart/">View cart</a>`
  } catch (error) {
    if (!(error instanceof RestError)) throw error
    view.error = renderName(error.message)
  }
}

function readChoices(shop: Shop, query: PhpQuery, product: Product | undefined) {
  if (!product || product.type === 'simple') return []
  if (product.type === 'variable' && !listVariations(shop, product).length) return []
  const chosen = Object.entries(query).filter(([name]) => name.startsWith('attribute_'))
  return chosen.map(([attribute, value]) => ({ attribute, value: asText(value) ?? '' }))
}
