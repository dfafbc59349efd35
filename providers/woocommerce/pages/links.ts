// /checkout-link/?products=16:2,29:1&coupon=code: replaces the cart and redirects to the checkout.
import type { FastifyReply } from 'fastify'
import { addItem, applyCoupon, priceCart } from '../cart.ts'
import { asText, rawUrlEncode, urlEncode } from '../php.ts'
import { RestError } from '../rest-error.ts'
import { buildSessionCookies, createCartToken, saveSession } from '../sessions.ts'
import { isOldVersion } from '../shop.ts'
import type { View } from './visit.ts'

const OUTDATED_LINK = 'The provided checkout link was out of date or invalid. No products were added to the cart.'

/** Versions before 10 do not have this page. */
export function followCheckoutLink(view: View): FastifyReply | null {
  const { shop, session, query, reply } = view
  if (isOldVersion(shop)) return null
  const requested = (asText(query.products) ?? '').split(',').map((part) => part.split(':').map(Number))
  const lines = requested.filter(([id]) => Number.isInteger(id) && id! > 0)
  if (!lines.length) return redirectWithError(view, OUTDATED_LINK)
  session.items = []
  session.coupons = []
  const problem = fillCart(view, lines as [number, number?][])
  if (!session.items.length) return redirectWithError(view, problem ?? OUTDATED_LINK)
  tryCoupon(view, asText(query.coupon))
  saveSession(shop, session)
  for (const cookie of buildSessionCookies(shop, session, priceCart(shop, session).hash))
    reply.header('set-cookie', cookie)
  const otherParams = Object.entries(query).filter(
    ([name, value]) => name !== 'products' && name !== 'coupon' && typeof value === 'string',
  )
  const pairs = [...otherParams, ['session', createCartToken(shop, session)] as const].map(
    ([name, value]) => `${urlEncode(name)}=${urlEncode(String(value))}`,
  )
  return reply.redirect(`${shop.home}/checkout/?${pairs.join('&')}`, 302)
}

// One valid line is enough. The first error is shown only if nothing could be added.
function fillCart({ shop, session }: View, lines: [number, number?][]): string | undefined {
  let problem: string | undefined
  for (const [id, quantity] of lines) {
    try {
      addItem(shop, session, id, Math.max(1, Math.floor(quantity ?? 1) || 1))
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      problem ??= error.message
    }
  }
  return problem
}

function tryCoupon({ shop, session }: View, code: string | undefined) {
  if (!code) return
  try {
    applyCoupon(shop, session, code)
  } catch (error) {
    // Ignores an invalid coupon.
    if (!(error instanceof RestError)) throw error
  }
}

function redirectWithError({ shop, reply }: View, message: string): FastifyReply {
  return reply.redirect(`${shop.home}/cart/?wc_error=${rawUrlEncode(message)}`, 302)
}
