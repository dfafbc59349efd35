import type { CartView, RestorableCart } from '../../../shared/carts/carts.ts'
import { type Child, h, type IconName, icon } from './dom.ts'
import { buildMoney, buildPicture } from './parts.ts'
import { getText } from './restore-copy.ts'
import { computeTotal, describeDifference, describeOutcome, isOmitted, type RestoredReply } from './rules.ts'

// The items of the restore page, before and after the press.

const buildCell = (...children: Child[]) => h('td', { class: 'number' }, ...children)

/** Items of the abandoned cart. Shows before the press which ones will not be restored unchanged. */
export function buildItemsTable(cart: RestorableCart | CartView, locale: string): HTMLElement {
  const withCoupon = computeTotal(cart)
  const coupon = 'coupon' in cart ? cart.coupon : null
  const buildAmount = (label: string, ...amount: Child[]) =>
    h('tr', {}, h('th', { scope: 'row' }, label), h('td'), h('td'), buildCell(...amount))
  const saving = coupon && coupon.saving !== null && ['−', buildMoney(coupon.saving, cart.currency, locale)]
  return h(
    'table',
    { class: 'restorable' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', {}, getText('product', locale)),
        (['quantity', 'price', 'total'] as const).map((id) => h('th', { class: 'number' }, getText(id, locale))),
      ),
    ),
    h(
      'tbody',
      {},
      cart.items.map((item) => buildItem(item, cart.currency, locale)),
    ),
    h(
      'tfoot',
      {},
      buildAmount(getText('total', locale), buildMoney(cart.total, cart.currency, locale)),
      coupon && buildAmount(getText('coupon', locale, { code: coupon.code }), saving),
      withCoupon !== null &&
        buildAmount(getText('totalWithCoupon', locale), buildMoney(withCoupon, cart.currency, locale)),
    ),
  )
}

function buildItem(item: (RestorableCart | CartView)['items'][number], currency: string, locale: string): HTMLElement {
  const note = 'outcome' in item && describeDifference(item, currency, locale)
  const product = h(
    'div',
    {},
    h('div', { class: 'product', dir: 'auto' }, item.product_name),
    h('div', { class: 'restorable-each hint' }, `${item.quantity} × `, buildMoney(item.price, currency, locale)),
    note &&
      h(
        'div',
        { class: 'hint' },
        note,
        item.outcome === 'choose_again' && buildChooseAgain(item.url, item.product_name, locale),
      ),
  )
  return h(
    'tr',
    {},
    h('td', {}, h('div', { class: 'with-picture' }, buildPicture(item.image_url), product)),
    buildCell(String(item.quantity)),
    buildCell(buildMoney(item.price, currency, locale)),
    buildCell(buildMoney(item.price * item.quantity, currency, locale)),
  )
}

const buildChooseAgain = (url: string | null, name: string, locale: string): Child =>
  url && [
    ' ',
    h(
      'a',
      { href: url, rel: 'noreferrer', 'aria-label': getText('chooseNamedInShop', locale, { name }) },
      getText('chooseInShop', locale),
    ),
  ]

const signs: Record<RestoredReply['items'][number]['outcome'], IconName> = {
  ok: 'check',
  quantity_clamped: 'info',
  price_changed: 'info',
  gone: 'cross',
  choose_again: 'cross',
}

export const buildRestoredItems = ({ items }: RestoredReply, currency: string, locale: string): HTMLElement =>
  h(
    'ul',
    { class: 'restored' },
    items.map((item) => {
      const note = describeOutcome(item, currency, locale)
      return h(
        'li',
        {},
        icon(signs[item.outcome]),
        h(
          'div',
          {},
          h('div', { class: 'product' }, item.product_name),
          !isOmitted(item) &&
            h('div', { class: 'hint' }, `${item.quantity} × `, buildMoney(item.price, currency, locale)),
          note &&
            h(
              'div',
              {},
              note,
              item.outcome === 'choose_again' && buildChooseAgain(item.url, item.product_name, locale),
            ),
        ),
      )
    }),
  )
