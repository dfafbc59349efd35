import type { CartView } from '../../../shared/carts/carts.ts'
import { getCurrencyExponent } from '../../../shared/core/money.ts'
import { removeSenderName } from '../../../shared/messages/clean-text.ts'
import { formatMoney, formatOffer, formatPercent } from '../../../shared/messages/mail-format.ts'
import type { MailCoupon, MailItem, MailValues } from '../../../shared/messages/mail-values.ts'

// Carts that show a mail while it is written: built-in samples, and the store's own. Pure.

export const sampleCarts = {
  three: 'Three items',
  one: 'One item',
  twelve: 'Twelve items',
  sold_out: 'One item sold out',
  no_name: 'Name unknown',
  coupon: 'With a coupon',
} as const
export type SampleCart = keyof typeof sampleCarts

export interface SampleStore {
  name: string
  currency: string
  url: string
  senderName: string
  postalAddress: string
  /** Of uploaded pictures. */
  assetsUrl: string
}

/** A product's picture without a request: soft shapes on a ground. */
const drawPicture = (ground: string, shape: string): string =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 520 520"><rect width="520" height="520" fill="${ground}"/><circle cx="260" cy="260" r="185" fill="#fff" opacity=".45"/>${shape}</svg>`,
  )}`

const goods = [
  {
    name: 'Stoneware mug',
    price: 24,
    imageUrl: drawPicture(
      '#e9ddd0',
      '<path d="M165 190h170v130a45 45 0 0 1-45 45h-80a45 45 0 0 1-45-45z" fill="#a8643f"/><path d="M335 215h20a45 45 0 0 1 0 90h-20" fill="none" stroke="#a8643f" stroke-width="22"/>',
    ),
  },
  {
    name: 'Linen tea towel',
    price: 18,
    imageUrl: drawPicture(
      '#dbe4dd',
      '<path d="M170 150h180v230l-90-34-90 34z" fill="#5f7f6d"/><path d="M170 200h180M170 225h180" stroke="#dbe4dd" stroke-width="9"/>',
    ),
  },
  {
    name: 'Beeswax candle',
    price: 32,
    imageUrl: drawPicture(
      '#f3e6c4',
      '<rect x="205" y="215" width="110" height="165" rx="14" fill="#d69b2d"/><path d="M260 145c30 34 22 60 0 60s-30-26 0-60z" fill="#e8622c"/>',
    ),
  },
] as const

export const SAMPLE_COUPON: MailCoupon = {
  code: 'SAVE10',
  amount: '10%',
  offer: '10% off',
  isFreeShipping: false,
  minimum: null,
  expires: 'December 31',
  saving: null,
  total: null,
}

interface Line {
  name: string
  quantity: number
  /** In the major unit; null: sold out. */
  price: number
  imageUrl: string | null
  isGone: boolean
}

function listLines(sample: SampleCart): Line[] {
  const line = (at: number, quantity = 1): Line => ({ ...goods[at % goods.length]!, quantity, isGone: false })
  switch (sample) {
    case 'one':
      return [line(0)]
    case 'twelve':
      return Array.from({ length: 12 }, (_, at) => line(at, (at % 3) + 1))
    case 'sold_out':
      return [line(0), { ...line(1), isGone: true }]
    default:
      return [line(0), line(1, 2), line(2)]
  }
}

export function buildSampleValues(sample: SampleCart, store: SampleStore, tag: string): MailValues {
  const lines = listLines(sample)
  const total = sumLines(lines)
  const values = buildValues(lines, sample === 'no_name' ? '' : 'Olivia', total, store.currency, store, tag)
  return sample === 'coupon' ? { ...values, coupon: buildCoupon(total, store.currency, tag) } : values
}

export function buildCartValues(cart: CartView, store: SampleStore, tag: string): MailValues {
  const lines = cart.items.map(({ product_name: name, price, quantity, image_url: imageUrl }) => ({
    name,
    price,
    quantity,
    imageUrl,
    isGone: false,
  }))
  const name = cart.customer_data.first_name ?? ''
  return buildValues(lines, name, cart.total, cart.currency, store, tag)
}

const sumLines = (lines: readonly Line[]): number =>
  lines.reduce((sum, { price, quantity, isGone }) => sum + (isGone ? 0 : price * quantity), 0)

function buildValues(
  lines: readonly Line[],
  customerName: string,
  total: number,
  currency: string,
  store: SampleStore,
  tag: string,
): MailValues {
  const money = (amount: number) => formatAmount(amount, currency, tag)
  const shopLink = URL.canParse(store.url) ? store.url : 'https://shop.example'
  return {
    customerName,
    storeName: store.name,
    items: lines.map(
      ({ name, quantity, price, imageUrl, isGone }): MailItem => ({
        name,
        quantity,
        imageUrl,
        isGone,
        unitPrice: isGone ? '' : money(price),
        lineTotal: isGone ? '' : money(price * quantity),
      }),
    ),
    cartTotal: money(total),
    isWithoutCart: false,
    coupon: null,
    entered: null,
    checkoutLink: new URL('/cart', shopLink).href,
    shopLink,
    unsubscribeLink: new URL('/unsubscribe', shopLink).href,
    preferencesLink: new URL('/preferences', shopLink).href,
    senderName: store.senderName || store.name,
    addressLines: removeSenderName(
      store.postalAddress.split('\n').filter((line) => line.trim() !== ''),
      store.senderName || store.name,
    ),
    trackers: { honeypotLink: null, pixelUrl: null },
    storeHosts: new Set(),
    assetsUrl: store.assetsUrl,
    trackLink: () => null,
  }
}

const OFF_HUNDREDTHS = 1_000

function buildCoupon(total: number, currency: string, tag: string): MailCoupon {
  const amount = formatPercent(OFF_HUNDREDTHS, tag)
  return {
    ...SAMPLE_COUPON,
    amount,
    offer: formatOffer(amount, tag),
    saving: formatAmount(total / 10, currency, tag),
    total: formatAmount(total - total / 10, currency, tag),
  }
}

const formatAmount = (amount: number, currency: string, tag: string): string =>
  formatMoney(Math.round(amount * 10 ** getCurrencyExponent(currency)), currency, tag)
