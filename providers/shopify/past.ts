// Generates a store's past: customers, orders and abandoned checkouts. Uses a fixed seed, runs once and sends no
// webhooks.

import { createToken, resolveLines } from './carts.ts'
import { upsertCustomer } from './customers.ts'
import type { Desk } from './events.ts'
import type { Address, Checkout, Customer, FinancialStatus } from './model.ts'
import { insertOrder } from './orders.ts'
import { priceLines } from './pricing.ts'
import { find, listAll, listByOwner, save, takeNextId, transact } from './records.ts'
import type { Shop } from './shop.ts'

const day = 86_400_000
const minute = 60_000

const firstNames =
  'Alma Bruno Celia Dario Edith Felix Gwen Hugo Iris Jonas Kira Leon Mabel Noel Opal Paul Quinn Rosa Silas Tessa Umar Vera Wyatt Yara Zeno'.split(
    ' ',
  )
const lastNames =
  'Abbott Barlow Castell Dunne Eriksen Fenner Gallo Hartley Ito Jessop Keller Lang Moreau Nash Okafor Pruitt Quist Ruiz Sato Tully'.split(
    ' ',
  )
const CITIES = [
  ['Portland', 'OR', '97202'],
  ['Eugene', 'OR', '97401'],
  ['Olympia', 'WA', '98501'],
  ['Boise', 'ID', '83702'],
  ['Sacramento', 'CA', '95814'],
] as const

/** Seeded random numbers, equal in every installation (mulberry32). */
function createRandom(seed: number) {
  let state = seed
  const drawNext = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (maxQuantity: number) => Math.floor(drawNext() * maxQuantity)
  return { next: drawNext, below, pick: <T>(list: readonly T[]): T => list[below(list.length)]! }
}

type Random = ReturnType<typeof createRandom>

/** Generates `days` of past, up to an hour ago. */
export function seedPast(desk: Desk, days: number) {
  const { shop } = desk
  transact(shop.db, () => {
    const random = createRandom(20_260_415)
    const items = listAll(shop.db, 'product')
      .filter(({ status }) => status === 'ACTIVE')
      .flatMap(({ id }) => listByOwner(shop.db, 'variant', id))
      .filter(({ stock }) => stock === null || stock > 5)
    const until = shop.now() - 60 * minute
    for (let back = days; back >= 0; back--) {
      const trips = 2 + random.below(3)
      for (let at = 0; at < trips; at++) {
        const moment = until - back * day - random.below(20 * 60) * minute
        const lines = [random.pick(items), ...(random.next() < 0.35 ? [random.pick(items)] : [])]
        createTrip(desk, random, moment, new Set(lines.map(({ id }) => id)))
      }
    }
  })
}

/** A shopper fills a cart and pays at once, pays later, or abandons it. */
function createTrip(desk: Desk, random: Random, at: number, variants: Set<number>) {
  const { shop } = desk
  const customer = pickCustomer(desk, random, at)
  const lines = resolveLines(
    shop,
    [...variants].map((variantId) => ({ variantId, quantity: 1 + Number(random.next() < 0.2) })),
  )
  const fate = random.next()
  const checkout = buildCheckout(shop, customer, lines, at)
  if (fate < 0.42) {
    save(shop.db, 'checkout', checkout)
    return
  }
  const isRecovered = fate < 0.52
  const paidAt = at + (isRecovered ? 3 + random.below(40) : 0.1) * 60 * minute
  if (paidAt > shop.now() - 30 * minute) {
    save(shop.db, 'checkout', checkout)
    return
  }
  const done = save(shop.db, 'checkout', { ...checkout, completedAt: paidAt, updatedAt: paidAt })
  const order = insertOrder(shop, {
    createdAt: paidAt,
    customerId: customer.id,
    email: customer.email,
    phone: customer.phone,
    lines: done.lines,
    checkoutToken: done.token,
    cartToken: done.cartToken,
    codes: done.codes,
    reductions: done.reductions,
    subtotalMinor: done.subtotalMinor,
    discountMinor: done.discountMinor,
    shippingMinor: done.shippingMinor,
    totalMinor: done.totalMinor,
    address: done.address,
    acceptsEmail: done.acceptsEmail,
    ...drawStatus(random, shop.now() - paidAt, done.totalMinor, paidAt),
  })
  save(shop.db, 'checkout', { ...done, orderId: order.id })
}

function drawStatus(random: Random, ageMs: number, totalMinor: number, paidAt: number) {
  if (random.next() < 0.04)
    return {
      financialStatus: 'REFUNDED' as FinancialStatus,
      refundedMinor: totalMinor,
      updatedAt: paidAt + 2 * 60 * minute,
    }
  if (ageMs < 3 * day) return { financialStatus: 'PAID' as FinancialStatus }
  const closedAt = paidAt + 2 * day
  return {
    financialStatus: 'PAID' as FinancialStatus,
    fulfillmentStatus: 'FULFILLED' as const,
    closedAt,
    updatedAt: closedAt,
  }
}

/** One in five shoppers returns. Half of the new ones consent to emails. */
function pickCustomer(desk: Desk, random: Random, at: number): Customer {
  const { shop } = desk
  const candidates = listAll(shop.db, 'customer').filter(({ createdAt }) => createdAt < at - 10 * day)
  if (candidates.length && random.next() < 0.2) return random.pick(candidates)
  const [first, last] = [random.pick(firstNames), random.pick(lastNames)]
  const number = random.below(90) + 10
  const email = `${first}.${last}${number}@example.com`.toLowerCase()
  const phone = random.next() < 0.3 ? `+150355501${number}` : null
  const met = upsertCustomer(
    desk,
    { email, phone, firstName: first, lastName: last, address: drawAddress(random, first, last) },
    at,
  )!
  if (random.next() >= 0.5) return met
  return save(shop.db, 'customer', { ...met, emailConsent: { state: 'SUBSCRIBED', level: 'SINGLE_OPT_IN', at } })
}

function drawAddress(random: Random, firstName: string, lastName: string): Address {
  const [city, provinceCode, zip] = random.pick(CITIES)
  const street = `${10 + random.below(900)} ${random.pick(['Alder', 'Birch', 'Cedar', 'Dogwood'])} St`
  return { firstName, lastName, address1: street, address2: '', city, provinceCode, zip, countryCode: 'US', phone: '' }
}

function buildCheckout(shop: Shop, customer: Customer, lines: ReturnType<typeof resolveLines>, at: number): Checkout {
  const { db } = shop
  const { refused: _, ...sums } = priceLines(shop, {
    lines,
    codes: [],
    shipping: 'standard',
    customer,
    email: customer.email,
  })
  return {
    id: takeNextId(db, 'checkout'),
    createdAt: at,
    updatedAt: at + 4 * minute,
    token: createToken(),
    cartToken: createToken(),
    key: createToken(),
    completedAt: null,
    customerId: customer.id,
    email: customer.email,
    phone: customer.phone,
    locale: 'en',
    codes: [],
    shipping: 'standard',
    orderId: null,
    acceptsSms: false,
    address: find(db, 'customer', customer.id)?.address ?? null,
    acceptsEmail: customer.emailConsent.state === 'SUBSCRIBED',
    lines: lines.map((line) => ({ ...line, id: takeNextId(db, 'line') })),
    ...sums,
  }
}
