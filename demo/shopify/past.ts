// A store that has been open for a while: customers, their orders, and checkouts that were left. Drawn from a fixed seed, written once,
// telling nobody.

import { linesOf, token } from './carts.ts'
import { meetCustomer } from './customers.ts'
import type { Desk } from './events.ts'
import type { Address, Checkout, Customer, FinancialStatus } from './model.ts'
import { insertOrder } from './orders.ts'
import { price } from './pricing.ts'
import { find, listAll, nextId, ofOwner, save, transact } from './records.ts'
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
const places = [
  ['Portland', 'OR', '97202'],
  ['Eugene', 'OR', '97401'],
  ['Olympia', 'WA', '98501'],
  ['Boise', 'ID', '83702'],
  ['Sacramento', 'CA', '95814'],
] as const

/** The same numbers in every installation (mulberry32). */
function dice(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (most: number) => Math.floor(next() * most)
  return { next, below, pick: <T>(list: readonly T[]): T => list[below(list.length)]! }
}

type Dice = ReturnType<typeof dice>

/** `days` of it, up to an hour ago. */
export function seedPast(desk: Desk, days: number) {
  const { shop } = desk
  transact(shop.db, () => {
    const chance = dice(20_260_415)
    const goods = listAll(shop.db, 'product')
      .filter(({ status }) => status === 'ACTIVE')
      .flatMap(({ id }) => ofOwner(shop.db, 'variant', id))
      .filter(({ stock }) => stock === null || stock > 5)
    const until = shop.now() - 60 * minute
    for (let back = days; back >= 0; back--) {
      const trips = 2 + chance.below(3)
      for (let at = 0; at < trips; at++) {
        const moment = until - back * day - chance.below(20 * 60) * minute
        const lines = [chance.pick(goods), ...(chance.next() < 0.35 ? [chance.pick(goods)] : [])]
        trip(desk, chance, moment, new Set(lines.map(({ id }) => id)))
      }
    }
  })
}

/** Somebody comes, fills a cart and either pays, or leaves, or comes back later and pays. */
function trip(desk: Desk, chance: Dice, at: number, variants: Set<number>) {
  const { shop } = desk
  const customer = somebody(desk, chance, at)
  const lines = linesOf(
    shop,
    [...variants].map((variantId) => ({ variantId, quantity: 1 + Number(chance.next() < 0.2) })),
  )
  const fate = chance.next()
  const left = checkoutOf(shop, customer, lines, at)
  if (fate < 0.42) {
    save(shop.db, 'checkout', left)
    return
  }
  const isRecovered = fate < 0.52
  const paidAt = at + (isRecovered ? 3 + chance.below(40) : 0.1) * 60 * minute
  if (paidAt > shop.now() - 30 * minute) {
    save(shop.db, 'checkout', left)
    return
  }
  const done = save(shop.db, 'checkout', { ...left, completedAt: paidAt, updatedAt: paidAt })
  const order = insertOrder(shop, {
    ...{ createdAt: paidAt, customerId: customer.id, email: customer.email, phone: customer.phone, lines: done.lines },
    ...{ checkoutToken: done.token, cartToken: done.cartToken, codes: done.codes, reductions: done.reductions },
    ...{ subtotalMinor: done.subtotalMinor, discountMinor: done.discountMinor, shippingMinor: done.shippingMinor },
    ...{ totalMinor: done.totalMinor, address: done.address, acceptsEmail: done.acceptsEmail },
    ...statusAt(chance, shop.now() - paidAt, done.totalMinor, paidAt),
  })
  save(shop.db, 'checkout', { ...done, orderId: order.id })
}

function statusAt(chance: Dice, ageMs: number, totalMinor: number, paidAt: number) {
  if (chance.next() < 0.04)
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

/** One in five was here before. Half of the new ones agree to mail. */
function somebody(desk: Desk, chance: Dice, at: number): Customer {
  const { shop } = desk
  const known = listAll(shop.db, 'customer').filter(({ createdAt }) => createdAt < at - 10 * day)
  if (known.length && chance.next() < 0.2) return chance.pick(known)
  const [first, last] = [chance.pick(firstNames), chance.pick(lastNames)]
  const number = chance.below(90) + 10
  const email = `${first}.${last}${number}@example.com`.toLowerCase()
  const phone = chance.next() < 0.3 ? `+150355501${number}` : null
  const met = meetCustomer(
    desk,
    { email, phone, firstName: first, lastName: last, address: home(chance, first, last) },
    at,
  )!
  if (chance.next() >= 0.5) return met
  return save(shop.db, 'customer', { ...met, emailConsent: { state: 'SUBSCRIBED', level: 'SINGLE_OPT_IN', at } })
}

function home(chance: Dice, firstName: string, lastName: string): Address {
  const [city, provinceCode, zip] = chance.pick(places)
  const street = `${10 + chance.below(900)} ${chance.pick(['Alder', 'Birch', 'Cedar', 'Dogwood'])} St`
  return { firstName, lastName, address1: street, address2: '', city, provinceCode, zip, countryCode: 'US', phone: '' }
}

function checkoutOf(shop: Shop, customer: Customer, lines: ReturnType<typeof linesOf>, at: number): Checkout {
  const { db } = shop
  const { refused: _, ...sums } = price(shop, {
    lines,
    codes: [],
    shipping: 'standard',
    customer,
    email: customer.email,
  })
  return {
    ...{ id: nextId(db, 'checkout'), createdAt: at, updatedAt: at + 4 * minute, token: token(), cartToken: token() },
    ...{ key: token(), completedAt: null, customerId: customer.id, email: customer.email, phone: customer.phone },
    ...{ locale: 'en', codes: [], shipping: 'standard', orderId: null, acceptsSms: false },
    address: find(db, 'customer', customer.id)?.address ?? null,
    acceptsEmail: customer.emailConsent.state === 'SUBSCRIBED',
    lines: lines.map((line) => ({ ...line, id: nextId(db, 'line') })),
    ...sums,
  }
}
