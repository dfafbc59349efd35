// `/?recoup-restore=<token>`: a cart comes back from a message, as the plugin brings it (docs/plugin-protocol.md, "Restore").
import type { FastifyReply } from 'fastify'
import { esc } from '../shop-page.ts'
import { addItem, applyCoupon, priceCart, setQuantity, stockLimit } from './cart.ts'
import { findProduct } from './catalog.ts'
import { show, type View } from './pages/visit.ts'
import { asText } from './php.ts'
import { callAsStore } from './plugin-link.ts'
import { RestError } from './rest-error.ts'
import { type CartItem, cookiesOf, saveSession } from './sessions.ts'

interface SavedLine {
  product: string
  variation: string | null
  quantity: number
  choices?: { name: string; value: string }[]
  name: string
}

interface Saved {
  lines: SavedLine[]
  coupon: string | null
  email: string | null
  isOrdered?: boolean
}

export async function restoreCart(view: View): Promise<FastifyReply> {
  const token = asText(view.query['recoup-restore']) ?? ''
  const choice = asText(view.query['recoup-use'])
  if (!/^[\w-]{43}$/.test(token)) return endNowhere(view)
  if (choice === '0') return leave(view, '/cart/')
  const { status, body } = await callAsStore(view.shop, 'restore', { token })
  if (status === 404) return endNowhere(view)
  if (status !== 200) return leave(view, '/cart/', 'Your cart could not be restored just now. Please try again later.')
  const saved = body as unknown as Saved
  if (saved.isOrdered) return leave(view, '/shop/', 'You have already ordered this cart.')
  if (choice !== '1' && wouldLose(view, saved)) return ask(view, token, saved)
  return fill(view, token, saved)
}

/** Nothing is kept of a link that nobody made. */
function endNowhere(view: View): FastifyReply {
  view.reply.code(404)
  const words = 'This link is incomplete, has expired, or belongs to another shop.'
  const body = `<h1>This link does not work</h1><p>${words}</p><p><a class="button" href="/shop/">Go to the shop</a></p>`
  return show(view, { title: 'This link does not work', body })
}

/** The same product, and of a variation that leaves something open the same choice. */
const isOf = (line: SavedLine) => (item: CartItem) =>
  item.productId === Number(line.product) &&
  item.variationId === Number(line.variation ?? 0) &&
  (item.chosen ?? []).every(({ option }) => line.choices?.some(({ value }) => value === option))

/** The cart holds something that the saved one has not. */
const wouldLose = ({ session }: View, { lines }: Saved) =>
  session.items.some((item) => !lines.some((line) => isOf(line)(item)))

/** The answer has the email once a token: kept for the press on "Use the saved cart". */
function ask(view: View, token: string, { email }: Saved): FastifyReply {
  if (email) view.session.restoredEmail = email
  const link = (use: string, words: string) =>
    `<a class="button" href="/?recoup-restore=${esc(token)}&amp;recoup-use=${use}">${words}</a>`
  const links = `${link('1', 'Use the saved cart')} ${link('0', 'Keep this one')}`
  return leave(view, '/cart/', `There are other items in your cart. ${links}`)
}

function fill(view: View, token: string, saved: Saved): FastifyReply {
  const { shop, session } = view
  session.items = session.items.filter((item) => saved.lines.some((line) => isOf(line)(item)))
  session.back = token
  const short = saved.lines.flatMap((line) => bring(view, line))
  const email = saved.email ?? session.restoredEmail
  delete session.restoredEmail
  if (email && !session.billing.email) session.billing.email = email
  if (saved.coupon && !session.coupons.includes(saved.coupon.toLowerCase())) {
    allowing(() => applyCoupon(shop, session, saved.coupon!))
  }
  const notice = short.length
    ? `No longer available, or fewer than before: ${esc(short.join(', '))}.`
    : 'Your cart is back.'
  return leave(view, session.items.length > 0 ? '/checkout/' : '/cart/', notice)
}

/** Puts a line back as far as there is stock. Answers its name if not all of it is there. */
function bring({ shop, session }: View, line: SavedLine): string[] {
  const product = findProduct(shop, Number(line.variation ?? line.product))
  const wanted = Math.min(line.quantity, product ? stockLimit(product) : 0)
  const known = session.items.find(isOf(line))
  const choices = (line.choices ?? []).map(({ name, value }) => ({ attribute: name, value }))
  const isBack =
    wanted > 0 &&
    allowing(() =>
      known
        ? setQuantity(shop, session, known.key, Math.max(known.quantity, wanted))
        : addItem(shop, session, product!.id, wanted, choices),
    )
  return isBack && wanted === line.quantity ? [] : [line.name]
}

function allowing(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (!(error instanceof RestError)) throw error
    return false
  }
}

/** What is said is shown by the next page. */
function leave({ shop, session, reply }: View, path: string, notice?: string): FastifyReply {
  if (notice) session.notice = notice
  saveSession(shop, session)
  for (const cookie of cookiesOf(shop, session, priceCart(shop, session).hash)) reply.header('set-cookie', cookie)
  return reply.redirect(path, 302)
}
