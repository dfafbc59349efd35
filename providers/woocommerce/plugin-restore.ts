// `/?recoup-restore=<token>` restores a cart from a message, like the plugin (docs/plugin-protocol.md, "Restore").
import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../shop-page.ts'
import { addItem, applyCoupon, getStockLimit, priceCart, setQuantity } from './cart.ts'
import { findProduct } from './catalog.ts'
import { show, type View } from './pages/visit.ts'
import { asText } from './php.ts'
import { callAsStore } from './plugin-link.ts'
import { RestError } from './rest-error.ts'
import { buildSessionCookies, type CartItem, saveSession } from './sessions.ts'

interface SavedLine {
  product: string
  variation: string | null
  quantity: number
  choices?: { name: string; value: string }[]
  name: string
}

interface SavedCart {
  lines: SavedLine[]
  coupon: string | null
  email: string | null
  isOrdered?: boolean
}

export async function restoreCart(view: View): Promise<FastifyReply> {
  const token = asText(view.query['recoup-restore']) ?? ''
  const choice = asText(view.query['recoup-use'])
  if (!/^[\w-]{43}$/.test(token)) return notFound(view)
  if (choice === '0') return redirectWithNotice(view, '/cart/')
  const { status, body } = await callAsStore(view.shop, 'restore', { token })
  if (status === 404) return notFound(view)
  if (status !== 200)
    return redirectWithNotice(view, '/cart/', 'Your cart could not be restored just now. Please try again later.')
  const saved = body as unknown as SavedCart
  if (saved.isOrdered) return redirectWithNotice(view, '/shop/', 'You have already ordered this cart.')
  if (choice !== '1' && wouldLose(view, saved)) return askWhichCart(view, token, saved)
  return fillCart(view, token, saved)
}

/** Answers 404 for an unknown link and stores nothing. */
function notFound(view: View): FastifyReply {
  view.reply.code(404)
  const message = 'This link is incomplete, has expired, or belongs to another shop.'
  const body = `<h1>This link does not work</h1><p>${message}</p><p><a class="button" href="/shop/">Go to the shop</a></p>`
  return show(view, { title: 'This link does not work', body })
}

/** Same product and, for a variation with open attributes, the same choices. */
const isSameItem = (line: SavedLine) => (item: CartItem) =>
  item.productId === Number(line.product) &&
  item.variationId === Number(line.variation ?? 0) &&
  (item.chosen ?? []).every(({ option }) => line.choices?.some(({ value }) => value === option))

/** Whether the cart holds items that the saved one does not. */
const wouldLose = ({ session }: View, { lines }: SavedCart) =>
  session.items.some((item) => !lines.some((line) => isSameItem(line)(item)))

/** Recoup returns the email once per token. The session keeps it until "Use the saved cart" is pressed. */
function askWhichCart(view: View, token: string, { email }: SavedCart): FastifyReply {
  if (email) view.session.restoredEmail = email
  const link = (use: string, label: string) =>
    `<a class="button" href="/?recoup-restore=${escapeHtml(token)}&amp;recoup-use=${use}">${label}</a>`
  const links = `${link('1', 'Use the saved cart')} ${link('0', 'Keep this one')}`
  return redirectWithNotice(view, '/cart/', `There are other items in your cart. ${links}`)
}

function fillCart(view: View, token: string, saved: SavedCart): FastifyReply {
  const { shop, session } = view
  session.items = session.items.filter((item) => saved.lines.some((line) => isSameItem(line)(item)))
  session.back = token
  const short = saved.lines.flatMap((line) => addLine(view, line))
  const email = saved.email ?? session.restoredEmail
  delete session.restoredEmail
  if (email && !session.billing.email) session.billing.email = email
  if (saved.coupon && !session.coupons.includes(saved.coupon.toLowerCase())) {
    tryRun(() => applyCoupon(shop, session, saved.coupon!))
  }
  const notice = short.length
    ? `No longer available, or fewer than before: ${escapeHtml(short.join(', '))}.`
    : 'Your cart is back.'
  return redirectWithNotice(view, session.items.length > 0 ? '/checkout/' : '/cart/', notice)
}

/** Restores a line up to the available stock. Returns its name if some is missing. */
function addLine({ shop, session }: View, line: SavedLine): string[] {
  const product = findProduct(shop, Number(line.variation ?? line.product))
  const quantity = Math.min(line.quantity, product ? getStockLimit(product) : 0)
  const existing = session.items.find(isSameItem(line))
  const choices = (line.choices ?? []).map(({ name, value }) => ({ attribute: name, value }))
  const isBack =
    quantity > 0 &&
    tryRun(() =>
      existing
        ? setQuantity(shop, session, existing.key, Math.max(existing.quantity, quantity))
        : addItem(shop, session, product!.id, quantity, choices),
    )
  return isBack && quantity === line.quantity ? [] : [line.name]
}

function tryRun(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (!(error instanceof RestError)) throw error
    return false
  }
}

/** Redirects; the next page shows the notice. */
function redirectWithNotice({ shop, session, reply }: View, path: string, notice?: string): FastifyReply {
  if (notice) session.notice = notice
  saveSession(shop, session)
  for (const cookie of buildSessionCookies(shop, session, priceCart(shop, session).hash))
    reply.header('set-cookie', cookie)
  return reply.redirect(path, 302)
}
