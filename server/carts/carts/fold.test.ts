import { describe, expect, test } from 'vitest'
import type { Contact, FoldItem, OrderKind } from '../../core/schema/facts.ts'
import { compareFacts, emptyFold, type Fact, foldFacts } from './fold.ts'

// What a shopper did, fact by fact, and the episodes it makes. Times are minutes.

const MINUTE = 60_000
const DAY = 24 * 60
const ada: Contact = { email: 'ada@shoppers.example.com' }
let count = 0

const tea = (quantity = 1): FoldItem => ({ productId: '16', variationId: null, quantity })
const pot: FoldItem = { productId: '17', variationId: null, quantity: 1 }
const fact = (minute: number, payload: Fact['payload']): Fact => ({ id: `f${++count}`, at: minute * MINUTE, payload })
const cart = (minute: number, items: FoldItem[], coupons: string[] = []) =>
  fact(minute, { type: 'snapshot', items, coupons })
const typed = (minute: number, contact: Contact) => fact(minute, { type: 'contact', contact })
const lost = (minute: number) => fact(minute, { type: 'lost' })

function order(
  minute: number,
  orderKind: OrderKind,
  more: { orderId?: string; items?: FoldItem[]; contact?: Contact; isStaff?: boolean; coupons?: string[] } = {},
) {
  const { orderId = '1', items = [tea()], contact = ada, isStaff = false, coupons = [] } = more
  return fact(minute, { type: 'order', orderId, orderKind, isStaff, items, coupons, contact, currency: 'USD' })
}

/** The episodes in short: state, start, last activity and end in minutes. */
function story(...facts: Fact[]) {
  return foldFacts(emptyFold, [...facts].sort(compareFacts)).episodes.map((episode) => [
    episode.status,
    episode.startedAt / MINUTE,
    episode.lastActivityAt / MINUTE,
    episode.endedAt === null ? null : episode.endedAt / MINUTE,
  ])
}

const last = (...facts: Fact[]) => foldFacts(emptyFold, [...facts].sort(compareFacts)).episodes.at(-1)!

describe('what is activity (S1, S7)', () => {
  test('a changed quantity, another product, a coupon and a typed address are (S1)', () => {
    expect(story(cart(0, [tea()]), cart(1, [tea(2)]))).toEqual([['open', 0, 1, null]])
    expect(story(cart(0, [tea()]), cart(1, [tea(), pot]))).toEqual([['open', 0, 1, null]])
    expect(story(cart(0, [tea()]), cart(1, [tea()], ['welcome10']))).toEqual([['open', 0, 1, null]])
    expect(story(cart(0, [tea()]), typed(1, ada))).toEqual([['open', 0, 1, null]])
  })

  test('the same lines in another order, the same address and a refreshed price are not (S1)', () => {
    expect(story(cart(0, [tea(), pot]), cart(1, [pot, tea()]))).toEqual([['open', 0, 0, null]])
    expect(story(cart(0, [tea()]), typed(1, ada), typed(2, ada))).toEqual([['open', 0, 1, null]])
    const priced = { ...tea(), name: 'Earl Grey', unitPriceMinor: 900 }
    expect(story(order(0, 'draft'), order(5, 'draft', { items: [priced] }))).toEqual([['open', 0, 0, null]])
  })

  test('a draft that says what our copy says is not, one that differs is (S7)', () => {
    const before = [cart(0, [tea()]), typed(1, ada)]
    expect(story(...before, order(9, 'draft'))).toEqual([['open', 0, 1, null]])
    expect(story(...before, order(9, 'draft', { items: [tea(3)] }))).toEqual([['open', 0, 9, null]])
    expect(story(...before, order(9, 'draft', { coupons: ['ten'] }))).toEqual([['open', 0, 9, null]])
    expect(story(...before, order(9, 'draft', { contact: { firstName: 'Ada' } }))).toEqual([['open', 0, 9, null]])
  })

  test('placing an order and its payment failing are; what the staff changes in an unpaid order is not (S1)', () => {
    expect(story(order(0, 'draft'), order(3, 'pending'), order(4, 'failed'))).toEqual([['open', 0, 4, null]])
    const edited = order(60, 'pending', { items: [tea(5)], contact: { email: 'grace@shoppers.example.com' } })
    expect(story(order(0, 'draft'), order(3, 'pending'), edited)).toEqual([['open', 0, 3, null]])
    expect(last(order(0, 'draft'), order(3, 'pending'), edited).items).toMatchObject([{ quantity: 5 }])
  })

  test('an order made by the staff is no shopper’s activity and no cart (A2)', () => {
    expect(story(order(0, 'draft', { isStaff: true }), order(1, 'pending', { isStaff: true }))).toEqual([])
    expect(story(cart(0, [tea()]), order(5, 'draft', { isStaff: true, items: [pot] }))).toEqual([['open', 0, 0, null]])
  })

  test('contact alone opens no cart, and is known when one opens', () => {
    expect(story(typed(0, ada))).toEqual([])
    expect(last(typed(0, ada), cart(1, [tea()])).contact).toEqual(ada)
  })
})

describe('how an episode ends', () => {
  test('emptied by the shopper; the next item begins a new one', () => {
    expect(story(cart(0, [tea()]), cart(5, []), cart(9, [pot]))).toEqual([
      ['emptied', 0, 0, 5],
      ['open', 9, 9, null],
    ])
    expect(story(cart(0, []))).toEqual([])
  })

  test('a purchase ends it, whoever entered the order (S3)', () => {
    expect(story(cart(0, [tea()]), order(7, 'purchase'))).toEqual([['purchased', 0, 0, 7]])
    expect(story(cart(0, [tea()]), order(7, 'purchase', { isStaff: true }))).toEqual([['purchased', 0, 0, 7]])
    expect(last(cart(0, [tea()]), order(7, 'purchase', { orderId: '9' })).orderId).toBe('9')
  })

  test('neither a cancelled nor a trashed order is a purchase; the cart lives on (S4)', () => {
    for (const kind of ['cancelled', 'trashed', 'failed'] as const) {
      expect(story(cart(0, [tea()]), order(3, 'pending'), order(9, kind))[0]![0]).toBe('open')
    }
  })

  test('a cancelled order that was paid leaves the state as it is (S3)', () => {
    expect(story(cart(0, [tea()]), order(7, 'purchase'), order(99, 'cancelled'))).toEqual([['purchased', 0, 0, 7]])
    expect(story(cart(0, [tea()]), order(7, 'purchase'), cart(30, [pot]), order(99, 'purchase'))).toEqual([
      ['purchased', 0, 0, 7],
      ['open', 30, 30, null],
    ])
  })

  test('the checkout empties the cart before its order is known: bought, not emptied (S3)', () => {
    expect(story(cart(0, [tea()]), cart(5, []), order(6, 'purchase'))).toEqual([['purchased', 0, 0, 6]])
    expect(story(cart(0, [tea()]), cart(5, []), order(66, 'purchase'))).toEqual([['emptied', 0, 0, 5]])
  })

  test('given up, then bought: the purchase still counts (S5)', () => {
    expect(story(cart(0, [tea()]), lost(30 * DAY), order(31 * DAY, 'purchase'))).toEqual([
      ['purchased', 0, 0, 31 * DAY],
    ])
  })

  test('given up, then shopping again: a new episode, and what ends is that one (S5)', () => {
    expect(story(cart(0, [tea()]), lost(DAY), cart(2 * DAY, [pot]), order(3 * DAY, 'purchase'))).toEqual([
      ['lost', 0, 0, DAY],
      ['purchased', 2 * DAY, 2 * DAY, 3 * DAY],
    ])
  })

  test('giving up what is bought already changes nothing', () => {
    expect(story(cart(0, [tea()]), order(7, 'purchase'), lost(DAY))).toEqual([['purchased', 0, 0, 7]])
  })
})

describe('around a purchase', () => {
  test('the page’s echo of what was just bought is no new cart, other contents are', () => {
    expect(story(cart(0, [tea()]), order(7, 'purchase'), cart(8, [tea()]))).toHaveLength(1)
    expect(story(cart(0, [tea()]), order(7, 'purchase'), cart(8, [pot]))).toHaveLength(2)
    expect(story(cart(0, [tea()]), order(7, 'purchase'), cart(23, [tea()]))).toHaveLength(2)
  })

  test('a purchase known late closes the episode at its time, and what came later opens the next (S7)', () => {
    const facts = [cart(0, [tea()]), cart(10, [tea(), pot]), cart(60, [pot])]
    expect(story(...facts)).toEqual([['open', 0, 60, null]])
    expect(story(...facts, order(20, 'purchase'))).toEqual([
      ['purchased', 0, 10, 20],
      ['open', 60, 60, null],
    ])
  })

  test('a purchase without a cart makes none', () => {
    expect(story(order(0, 'purchase'))).toEqual([])
  })
})

describe('a payment that is pending (S4)', () => {
  const pendingUntil = (...facts: Fact[]) => last(...facts).pending?.until

  test('is waited for a day from the moment it was placed, however often we hear of it', () => {
    expect(pendingUntil(order(3, 'pending'))).toBe((3 + DAY) * MINUTE)
    expect(pendingUntil(order(3, 'pending'), order(50, 'pending'))).toBe((3 + DAY) * MINUTE)
  })

  test('no longer once it failed, was cancelled or trashed; another try begins another day', () => {
    for (const kind of ['failed', 'cancelled', 'trashed'] as const) {
      expect(pendingUntil(order(3, 'pending'), order(9, kind))).toBeUndefined()
    }
    expect(pendingUntil(order(3, 'pending'), order(9, 'failed'), order(20, 'pending'))).toBe((20 + DAY) * MINUTE)
  })

  test('is untouched by another order’s failure', () => {
    expect(pendingUntil(order(3, 'pending'), order(9, 'failed', { orderId: '2' }))).toBe((3 + DAY) * MINUTE)
  })

  test('the checkout empties the cart meanwhile: still one open cart; a day later it is the shopper (S4)', () => {
    expect(story(cart(0, [tea()]), order(3, 'pending'), cart(4, []))).toEqual([['open', 0, 3, null]])
    expect(story(cart(0, [tea()]), order(3, 'pending'), cart(DAY + 4, []))[0]![0]).toBe('emptied')
  })
})

describe('what is known of lines and people', () => {
  test('a browser names ids only; names and prices the store told for the line stay (X5)', () => {
    const told = { ...tea(), name: 'Earl Grey', unitPriceMinor: 900 }
    expect(last(order(0, 'draft', { items: [told] }), cart(5, [tea(4)])).items).toEqual([{ ...told, quantity: 4 }])
  })

  test('newer words win field by field, and nothing said takes nothing away', () => {
    const facts = [cart(0, [tea()]), typed(1, { ...ada, firstName: 'Ada' }), typed(2, { firstName: 'A.', email: '' })]
    expect(last(...facts).contact).toEqual({ ...ada, firstName: 'A.' })
  })

  test('whose browser knows the contents: each that told of just these, none of what an order or another browser changed (decision 72)', () => {
    const by = (minute: number, browser: string, items: FoldItem[]) =>
      fact(minute, { type: 'snapshot', items, coupons: [], toldBy: [browser] })
    expect(last(by(0, 'a', [tea()]), by(1, 'b', [tea()])).toldBy).toEqual(['a', 'b'])
    expect(last(by(0, 'a', [tea()]), by(1, 'b', [tea(), pot])).toldBy).toEqual(['b'])
    expect(last(by(0, 'a', [tea()]), by(1, 'b', [pot]), by(2, 'a', [tea()])).toldBy).toEqual(['a'])
    expect(last(by(0, 'a', [tea()]), order(1, 'draft')).toldBy).toEqual(['a'])
    expect(last(by(0, 'a', [tea()]), order(1, 'draft', { items: [pot] })).toldBy).toBeUndefined()
    expect(last(by(0, 'a', [tea()]), order(1, 'draft', { items: [pot] }), by(2, 'a', [pot])).toldBy).toEqual(['a'])
    expect(last(by(0, 'a', [tea()]), order(1, 'purchase'), by(60, 'b', [pot])).toldBy).toEqual(['b'])
    const crowd = Array.from({ length: 60 }, (_, n) => by(n, `browser ${n}`, [tea()]))
    expect(last(...crowd).toldBy).toEqual(crowd.slice(20).map((_, n) => `browser ${n + 20}`))
  })
})
