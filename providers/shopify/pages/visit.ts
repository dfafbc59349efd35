// One page view with its cart.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findCart } from '../carts.ts'
import type { Desk } from '../events.ts'
import type { Cart } from '../model.ts'
import { buildFullToken } from '../payloads.ts'
import { type Page, renderPage } from './layout.ts'

export interface View extends Desk {
  request: FastifyRequest
  reply: FastifyReply
  query: URLSearchParams
  form: URLSearchParams
  cart: Cart | undefined
  error?: string
  notice?: string
}

export function openView(desk: Desk, request: FastifyRequest, reply: FastifyReply): View {
  const query = new URLSearchParams((request.raw.url ?? '').split(/\?(.*)/s)[1] ?? '')
  const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
  return { ...desk, request, reply, query, form, cart: findCart(desk.shop, readCookie(request, 'cart')) }
}

export function show(view: View, page: Page): FastifyReply {
  const { reply } = view
  reply.header('content-type', 'text/html; charset=utf-8').header('cache-control', 'no-store')
  return reply.send(renderPage(view, page))
}

export function readCookie({ headers }: FastifyRequest, name: string): string | undefined {
  for (const part of (headers.cookie ?? '').split(/;\s*/)) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at) === name) return decode(part.slice(at + 1))
  }
  return undefined
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const FORTNIGHT_S = 14 * 86_400

export function setCookie(view: View, name: string, value: string, seconds = FORTNIGHT_S) {
  view.reply.header('set-cookie', `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${seconds}; SameSite=Lax`)
}

/** Sets the browser's cart cookie. */
export function setCartCookie(view: View, cart: Cart) {
  view.cart = cart
  setCookie(view, 'cart', buildFullToken(cart))
}
