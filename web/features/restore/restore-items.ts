import type { CartView, RestorableCart } from '../../../shared/carts/carts.ts'
import { type Child, h, type IconName, icon } from './dom.ts'
import { buildMoney, buildPicture } from './parts.ts'
import { computeTotal, describeDifference, describeOutcome, isOmitted, type RestoredReply } from './rules.ts'

// The items of the restore page, before and after the press.

const buildCell = (...children: Child[]) => h('td', { class: 'number' }, ...children)

/** Items of the abandoned cart. Shows before the press which ones will not be restored unchanged. */
export function buildItemsTable(cart: RestorableCart | CartView): HTMLElement {
  const withCoupon = computeTotal(cart)
  const coupon = 'coupon' in cart ? cart.coupon : null
  const buildAmount = (label: string, ...amount: Child[]) =>
    h('tr', {}, h('th', { scope: 'row' }, label), h('td'), h('td'), buildCell(...amount))
  const saving = coupon && coupon.saving !== null && ['−', buildMoney(coupon.saving, cart.currency)]
  return h(
    'table',
    { class: 'restorable' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', {}, 'Product'),
        ['Qty', 'Price', 'Total'].map((title) => h('th', { class: 'number' }, title)),
      ),
    ),
    h(
      'tbody',
      {},
      cart.items.map((item) => buildItem(item, cart.currency)),
    ),
    h(
      'tfoot',
      {},
      buildAmount('Total', buildMoney(cart.total, cart.currency)),
      coupon && buildAmount(`Coupon ${coupon.code}`, saving),
      withCoupon !== null && buildAmount('Total with the coupon', buildMoney(withCoupon, cart.currency)),
    ),
  )
}

function buildItem(item: (RestorableCart | CartView)['items'][number], currency: string): HTMLElement {
  const note = 'outcome' in item && describeDifference(item, currency)
  const product = h(
    'div',
    {},
    h('div', { class: 'product', dir: 'auto' }, item.product_name),
    h('div', { class: 'restorable-each hint' }, `${item.quantity} × `, buildMoney(item.price, currency)),
    note &&
      h(
        'div',
        { class: 'hint' },
        note,
        item.outcome === 'choose_again' && buildChooseAgain(item.url, item.product_name),
      ),
  )
  return h(
    'tr',
    {},
    h('td', {}, h('div', { class: 'with-picture' }, buildPicture(item.image_url), product)),
    buildCell(String(item.quantity)),
    buildCell(buildMoney(item.price, currency)),
    buildCell(buildMoney(item.price * item.quantity, currency)),
  )
}

const buildChooseAgain = (url: string | null, name: string): Child =>
  url && [
    ' ',
    h('a', { href: url, rel: 'noreferrer', 'aria-label': `Choose ${name} in the shop` }, 'Choose in the shop'),
  ]

const signs: Record<RestoredReply['items'][number]['outcome'], IconName> = {
  ok: 'check',
  quantity_clamped: 'info',
  price_changed: 'info',
  gone: 'cross',
  choose_again: 'cross',
}

export const buildRestoredItems = ({ items }: RestoredReply, currency: string): HTMLElement =>
  h(
    'ul',
    { class: 'restored' },
    items.map((item) => {
      const note = describeOutcome(item, currency)
      return h(
        'li',
        {},
        icon(signs[item.outcome]),
        h(
          'div',
          {},
          h('div', { class: 'product' }, item.product_name),
          !isOmitted(item) && h('div', { class: 'hint' }, `${item.quantity} × `, buildMoney(item.price, currency)),
          note && h('div', {}, note, item.outcome === 'choose_again' && buildChooseAgain(item.url, item.product_name)),
        ),
      )
    }),
  )
