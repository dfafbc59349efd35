// Products, customers and codes of a fresh store. The order of these lists determines the ids.

import { noConsent } from './customers.ts'
import { createDiscount } from './discounts.ts'
import type { Consent, Customer } from './model.ts'
import { save, takeNextId, transact } from './records.ts'
import { formatInstant, type Shop } from './shop.ts'

type SeedProduct = {
  title: string
  type: 'Seeds' | 'Bulbs' | 'Tools' | 'Wear'
  text: string
  picture: string
  sku: string
  price: number
  was?: number
  stock?: number
  /** Option name, and its values with prices. */
  choice?: { name: string; values: [title: string, price: number, stock?: number][] }
  status?: 'DRAFT'
}

const SEED_PRODUCTS: SeedProduct[] = [
  {
    title: 'Hori Hori Garden Knife',
    type: 'Tools',
    sku: 'FF-HORI',
    price: 4200,
    picture: 'knife',
    text: 'A steel blade with a measuring scale on one side and teeth on the other. Digs, cuts and weeds.',
  },
  {
    title: 'Copper Watering Can',
    type: 'Tools',
    sku: 'FF-CAN',
    price: 6800,
    stock: 14,
    picture: 'wateringCan',
    text: 'Holds two quarts, pours without a drip and turns brown with the years.',
  },
  {
    title: 'Leather Work Gloves',
    type: 'Wear',
    sku: 'FF-GLOVE',
    price: 3400,
    picture: 'gloves',
    text: 'Goatskin, cut close, with a long cuff against thorns.',
    choice: {
      name: 'Size',
      values: [
        ['Small', 3400],
        ['Medium', 3400],
        ['Large', 3400, 3],
      ],
    },
  },
  {
    title: 'Waxed Canvas Apron',
    type: 'Wear',
    sku: 'FF-APRON',
    price: 7200,
    was: 8600,
    picture: 'apron',
    text: 'Six pockets, cross-back straps, sewn in Portland.',
    choice: {
      name: 'Color',
      values: [
        ['Moss', 7200],
        ['Rust', 7200],
      ],
    },
  },
  {
    title: 'Heirloom Tomato Seeds',
    type: 'Seeds',
    sku: 'FF-TOMATO',
    price: 450,
    picture: 'tomato',
    text: 'Five old varieties that ripen in a short summer. About forty seeds of each.',
  },
  {
    title: 'Pollinator Wildflower Mix',
    type: 'Seeds',
    sku: 'FF-WILD',
    price: 1200,
    picture: 'wildflower',
    text: 'Twenty native species, sown in fall or early spring.',
    choice: {
      name: 'Weight',
      values: [
        ['1 oz', 1200],
        ['4 oz', 3600],
      ],
    },
  },
  {
    title: 'Sugar Snap Pea Seeds',
    type: 'Seeds',
    sku: 'FF-PEA',
    price: 425,
    picture: 'pea',
    text: 'Sweet enough to be eaten on the way to the kitchen.',
  },
  {
    title: 'Parrot Tulip Bulbs',
    type: 'Bulbs',
    sku: 'FF-TULIP',
    price: 1800,
    picture: 'tulip',
    text: 'Ruffled and flamed. Plant six inches deep before the first hard frost.',
    choice: {
      name: 'Bulbs',
      values: [
        ['10 bulbs', 1800],
        ['25 bulbs', 3900],
      ],
    },
  },
  {
    title: 'Snowdrop Bulbs',
    type: 'Bulbs',
    sku: 'FF-SNOW',
    price: 1600,
    was: 2000,
    picture: 'snowdrop',
    text: 'Twenty-five bulbs of the first flower of the year.',
  },
  {
    title: 'Terracotta Pot Set',
    type: 'Tools',
    sku: 'FF-POT',
    price: 5400,
    picture: 'pot',
    text: 'Three pots that fit into each other, with saucers.',
  },
  {
    title: 'Cedar Seed Box',
    type: 'Tools',
    sku: 'FF-BOX',
    price: 4800,
    stock: 0,
    picture: 'seedBox',
    text: 'Keeps seeds dry, dark and in order. The next batch comes in spring.',
  },
  {
    title: 'Spring Catalog Preview',
    type: 'Seeds',
    sku: 'FF-DRAFT',
    price: 900,
    picture: 'tomato',
    status: 'DRAFT',
    text: 'Not for sale yet.',
  },
]

const day = 86_400_000

export function seedStore(shop: Shop) {
  transact(shop.db, () => {
    const opened = shop.now() - 220 * day
    for (const [at, product] of SEED_PRODUCTS.entries()) addProduct(shop, product, opened + at * 3_600_000)
    seedCodes(shop)
    seedCustomers(shop)
  })
}

function addProduct(shop: Shop, product: SeedProduct, at: number) {
  const { db } = shop
  const id = takeNextId(db, 'product')
  const handle = product.title.toLowerCase().replaceAll(' ', '-')
  const dates = { createdAt: at, updatedAt: at }
  const text = {
    handle,
    title: product.title,
    description: product.text,
    productType: product.type,
    picture: product.picture,
  }
  save(db, 'product', {
    id,
    ...dates,
    ...text,
    status: product.status ?? 'ACTIVE',
    optionName: product.choice?.name ?? null,
  })
  const values = product.choice?.values ?? [['Default Title', product.price, product.stock] as const]
  for (const [index, [title, priceMinor, stock]] of values.entries()) {
    const sku = product.choice ? `${product.sku}-${index + 1}` : product.sku
    const price = { priceMinor, compareAtMinor: product.was ?? null, stock: stock ?? product.stock ?? null }
    save(db, 'variant', {
      id: takeNextId(db, 'variant'),
      ...dates,
      productId: id,
      title,
      sku,
      ...price,
      position: index + 1,
      picture: null,
    })
  }
}

function seedCodes(shop: Shop) {
  const add = (code: string, title: string, more: Parameters<typeof createDiscount>[1]) =>
    createDiscount(shop, {
      code,
      title,
      startsAt: formatInstant(shop.now() - 90 * day),
      context: { all: 'ALL' },
      ...more,
    })
  const percent = (percentage: number) => ({ value: { percentage }, items: { all: true } })
  add('SPROUT10', 'Ten percent off a first order', { customerGets: percent(0.1), appliesOncePerCustomer: true })
  add('GARDEN15', 'Fifteen dollars off from $75', {
    customerGets: { value: { discountAmount: { amount: '15.00', appliesOnEachItem: false } }, items: { all: true } },
    minimumRequirement: { subtotal: { greaterThanOrEqualToSubtotal: '75.00' } },
  })
  add('AUTUMN', 'Autumn sale, over', { customerGets: percent(0.2), endsAt: formatInstant(shop.now() - 20 * day) })
}

const buildConsent = (at: number): Consent => ({ state: 'SUBSCRIBED', level: 'SINGLE_OPT_IN', at })

function seedCustomers(shop: Shop) {
  const now = shop.now()
  const add = (first: string, last: string, since: number, more: Partial<Customer> = {}) => {
    const at = now - since * day
    const name = { firstName: first, lastName: last, email: `${first}.${last}@example.com`.toLowerCase() }
    const none = {
      emailConsent: noConsent,
      smsConsent: noConsent,
      whatsAppConsent: noConsent,
      address: null,
      phone: null,
    }
    const sums = { ordersCount: 0, spentMinor: 0, lastOrderId: null, locale: 'en' }
    const dates = { createdAt: at, updatedAt: at }
    save(shop.db, 'customer', { id: takeNextId(shop.db, 'customer'), ...dates, ...name, ...none, ...sums, ...more })
  }
  add('Nora', 'Lindqvist', 190, { phone: '+15035550111', emailConsent: buildConsent(now - 190 * day) })
  add('Mateo', 'Rivera', 140, {
    phone: '+15035550112',
    emailConsent: buildConsent(now - 30 * day),
    smsConsent: buildConsent(now - 30 * day),
  })
  add('Priya', 'Raman', 75, { emailConsent: { state: 'UNSUBSCRIBED', level: 'SINGLE_OPT_IN', at: now - 10 * day } })
  add('Walter', 'Oakes', 21, {
    phone: '+15035550114',
    emailConsent: { ...buildConsent(now - 21 * day), level: 'CONFIRMED_OPT_IN' },
    whatsAppConsent: buildConsent(now - 21 * day),
  })
}
