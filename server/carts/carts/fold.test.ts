import { describe, expect, test } from 'vitest'
import type { Contact, FoldItem, OrderKind } from '../../core/schema/facts.ts'
import { compareFacts, emptyFold, type Fact, foldFacts } from './fold.ts'

// A shopper's facts and the episodes made from them. Times are minutes.

const MINUTE = 60_000
const DAY = 24 * 60
const ada: Contact = { email: 'ada@shoppers.example.com' }
let count = 0

const tea = (quantity = 1): FoldItem => ({ productId: '16', variationId: null, quantity })
const pot: FoldItem = { productId: '17', variationId: null, quantity: 1 }
const fact = (minute: number, payload: Fact['payload']): Fact => ({ id: `f${++count}`, at: minute * MINUTE, payload })
const snapshot = (minute: number, items: FoldItem[], coupons: string[] = []) =>
  fact(minute, { type: 'snapshot', items, coupons })
const contactFact = (minute: number, contact: Contact) => fact(minute, { type: 'contact', contact })
const lostFact = (minute: number) => fact(minute, { type: 'lost' })

function order(
  minute: number,
  orderKind: OrderKind,
  overrides: { orderId?: string; items?: FoldItem[]; contact?: Contact; isStaff?: boolean; coupons?: string[] } = {},
) {
  const { orderId = '1', items = [tea()], contact = ada, isStaff = false, coupons = [] } = overrides
  return fact(minute, { type: 'order', orderId, orderKind, isStaff, items, coupons, contact, currency: 'USD' })
}

/** Summary of the episodes: state, start, last activity and end in minutes. */
function summarize(...facts: Fact[]) {
  return foldFacts(emptyFold, [...facts].sort(compareFacts)).episodes.map((episode) => [
    episode.status,
    episode.startedAt / MINUTE,
    episode.lastActivityAt / MINUTE,
    episode.endedAt === null ? null : episode.endedAt / MINUTE,
  ])
}

const foldLast = (...facts: Fact[]) => foldFacts(emptyFold, [...facts].sort(compareFacts)).episodes.at(-1)!

describe('activity (S1, S7)', () => {
  test('a changed quantity, another product, a coupon and a typed address are activity (S1)', () => {
    expect(summarize(snapshot(0, [tea()]), snapshot(1, [tea(2)]))).toEqual([['open', 0, 1, null]])
    expect(summarize(snapshot(0, [tea()]), snapshot(1, [tea(), pot]))).toEqual([['open', 0, 1, null]])
    expect(summarize(snapshot(0, [tea()]), snapshot(1, [tea()], ['welcome10']))).toEqual([['open', 0, 1, null]])
    expect(summarize(snapshot(0, [tea()]), contactFact(1, ada))).toEqual([['open', 0, 1, null]])
  })

  test('reordered lines, the same address and a refreshed price do not count as activity (S1)', () => {
    expect(summarize(snapshot(0, [tea(), pot]), snapshot(1, [pot, tea()]))).toEqual([['open', 0, 0, null]])
    expect(summarize(snapshot(0, [tea()]), contactFact(1, ada), contactFact(2, ada))).toEqual([['open', 0, 1, null]])
    const priced = { ...tea(), name: 'Earl Grey', unitPriceMinor: 900 }
    expect(summarize(order(0, 'draft'), order(5, 'draft', { items: [priced] }))).toEqual([['open', 0, 0, null]])
  })

  test('only a draft that differs from our copy counts as activity (S7)', () => {
    const before = [snapshot(0, [tea()]), contactFact(1, ada)]
    expect(summarize(...before, order(9, 'draft'))).toEqual([['open', 0, 1, null]])
    expect(summarize(...before, order(9, 'draft', { items: [tea(3)] }))).toEqual([['open', 0, 9, null]])
    expect(summarize(...before, order(9, 'draft', { coupons: ['ten'] }))).toEqual([['open', 0, 9, null]])
    expect(summarize(...before, order(9, 'draft', { contact: { firstName: 'Ada' } }))).toEqual([['open', 0, 9, null]])
  })

  test('placing an order and a failed payment are activity, and staff changes to an unpaid order are not (S1)', () => {
    expect(summarize(order(0, 'draft'), order(3, 'pending'), order(4, 'failed'))).toEqual([['open', 0, 4, null]])
    const edited = order(60, 'pending', { items: [tea(5)], contact: { email: 'grace@shoppers.example.com' } })
    expect(summarize(order(0, 'draft'), order(3, 'pending'), edited)).toEqual([['open', 0, 3, null]])
    expect(foldLast(order(0, 'draft'), order(3, 'pending'), edited).items).toMatchObject([{ quantity: 5 }])
  })

  test('a staff order is neither shopper activity nor a cart (A2)', () => {
    expect(summarize(order(0, 'draft', { isStaff: true }), order(1, 'pending', { isStaff: true }))).toEqual([])
    expect(summarize(snapshot(0, [tea()]), order(5, 'draft', { isStaff: true, items: [pot] }))).toEqual([
      ['open', 0, 0, null],
    ])
  })

  test('a contact alone opens no cart, and is added to the next one', () => {
    expect(summarize(contactFact(0, ada))).toEqual([])
    expect(foldLast(contactFact(0, ada), snapshot(1, [tea()])).contact).toEqual(ada)
  })
})

describe('end of an episode', () => {
  test('a cart emptied by the shopper ends, and the next item opens a new one', () => {
    expect(summarize(snapshot(0, [tea()]), snapshot(5, []), snapshot(9, [pot]))).toEqual([
      ['emptied', 0, 0, 5],
      ['open', 9, 9, null],
    ])
    expect(summarize(snapshot(0, []))).toEqual([])
  })

  test('a purchase ends the episode, even if staff entered the order (S3)', () => {
    expect(summarize(snapshot(0, [tea()]), order(7, 'purchase'))).toEqual([['purchased', 0, 0, 7]])
    expect(summarize(snapshot(0, [tea()]), order(7, 'purchase', { isStaff: true }))).toEqual([['purchased', 0, 0, 7]])
    expect(foldLast(snapshot(0, [tea()]), order(7, 'purchase', { orderId: '9' })).orderId).toBe('9')
  })

  test('a cancelled or trashed order does not count as a purchase and leaves the cart open (S4)', () => {
    for (const kind of ['cancelled', 'trashed', 'failed'] as const) {
      expect(summarize(snapshot(0, [tea()]), order(3, 'pending'), order(9, kind))[0]![0]).toBe('open')
    }
  })

  test('cancelling a paid order leaves the state unchanged (S3)', () => {
    expect(summarize(snapshot(0, [tea()]), order(7, 'purchase'), order(99, 'cancelled'))).toEqual([
      ['purchased', 0, 0, 7],
    ])
    expect(summarize(snapshot(0, [tea()]), order(7, 'purchase'), snapshot(30, [pot]), order(99, 'purchase'))).toEqual([
      ['purchased', 0, 0, 7],
      ['open', 30, 30, null],
    ])
  })

  test('a cart emptied by the checkout before its order arrives is purchased, not emptied (S3)', () => {
    expect(summarize(snapshot(0, [tea()]), snapshot(5, []), order(6, 'purchase'))).toEqual([['purchased', 0, 0, 6]])
    expect(summarize(snapshot(0, [tea()]), snapshot(5, []), order(66, 'purchase'))).toEqual([['emptied', 0, 0, 5]])
  })

  test('a purchase after the cart was lost still counts (S5)', () => {
    expect(summarize(snapshot(0, [tea()]), lostFact(30 * DAY), order(31 * DAY, 'purchase'))).toEqual([
      ['purchased', 0, 0, 31 * DAY],
    ])
  })

  test('activity after the cart was lost opens a new episode, and a purchase ends that one (S5)', () => {
    expect(
      summarize(snapshot(0, [tea()]), lostFact(DAY), snapshot(2 * DAY, [pot]), order(3 * DAY, 'purchase')),
    ).toEqual([
      ['lost', 0, 0, DAY],
      ['purchased', 2 * DAY, 2 * DAY, 3 * DAY],
    ])
  })

  test('marking a purchased cart as lost changes nothing', () => {
    expect(summarize(snapshot(0, [tea()]), order(7, 'purchase'), lostFact(DAY))).toEqual([['purchased', 0, 0, 7]])
  })
})

describe('around a purchase', () => {
  test('a page report of the bought items opens no cart; a report of other items opens one', () => {
    expect(summarize(snapshot(0, [tea()]), order(7, 'purchase'), snapshot(8, [tea()]))).toHaveLength(1)
    expect(summarize(snapshot(0, [tea()]), order(7, 'purchase'), snapshot(8, [pot]))).toHaveLength(2)
    expect(summarize(snapshot(0, [tea()]), order(7, 'purchase'), snapshot(23, [tea()]))).toHaveLength(2)
  })

  test('a late purchase closes the episode at its own time, and later contents open the next (S7)', () => {
    const facts = [snapshot(0, [tea()]), snapshot(10, [tea(), pot]), snapshot(60, [pot])]
    expect(summarize(...facts)).toEqual([['open', 0, 60, null]])
    expect(summarize(...facts, order(20, 'purchase'))).toEqual([
      ['purchased', 0, 10, 20],
      ['open', 60, 60, null],
    ])
  })

  test('a purchase without a cart creates none', () => {
    expect(summarize(order(0, 'purchase'))).toEqual([])
  })
})

describe('a pending payment (S4)', () => {
  const pendingUntil = (...facts: Fact[]) => foldLast(...facts).pending?.until

  test('holds for a day from the order, however often it is reported', () => {
    expect(pendingUntil(order(3, 'pending'))).toBe((3 + DAY) * MINUTE)
    expect(pendingUntil(order(3, 'pending'), order(50, 'pending'))).toBe((3 + DAY) * MINUTE)
  })

  test('ends when it fails, is cancelled or trashed, and another attempt starts a new 24 hours', () => {
    for (const kind of ['failed', 'cancelled', 'trashed'] as const) {
      expect(pendingUntil(order(3, 'pending'), order(9, kind))).toBeUndefined()
    }
    expect(pendingUntil(order(3, 'pending'), order(9, 'failed'), order(20, 'pending'))).toBe((20 + DAY) * MINUTE)
  })

  test('is unaffected by the failure of another order', () => {
    expect(pendingUntil(order(3, 'pending'), order(9, 'failed', { orderId: '2' }))).toBe((3 + DAY) * MINUTE)
  })

  test('keeps the cart open when the checkout empties it, until a day has passed (S4)', () => {
    expect(summarize(snapshot(0, [tea()]), order(3, 'pending'), snapshot(4, []))).toEqual([['open', 0, 3, null]])
    expect(summarize(snapshot(0, [tea()]), order(3, 'pending'), snapshot(DAY + 4, []))[0]![0]).toBe('emptied')
  })
})

describe('contents and contacts', () => {
  test('a report with ids only keeps the names and prices that the store reported (X5)', () => {
    const updated = { ...tea(), name: 'Earl Grey', unitPriceMinor: 900 }
    expect(foldLast(order(0, 'draft', { items: [updated] }), snapshot(5, [tea(4)])).items).toEqual([
      { ...updated, quantity: 4 },
    ])
  })

  test('newer values replace older ones per field, and missing values remove nothing', () => {
    const facts = [
      snapshot(0, [tea()]),
      contactFact(1, { ...ada, firstName: 'Ada' }),
      contactFact(2, { firstName: 'A.', email: '' }),
    ]
    expect(foldLast(...facts).contact).toEqual({ ...ada, firstName: 'A.' })
  })

  test('toldBy lists the browsers that reported the current contents, and a different report resets it (decision 72)', () => {
    const reportBy = (minute: number, browser: string, items: FoldItem[]) =>
      fact(minute, { type: 'snapshot', items, coupons: [], toldBy: [browser] })
    expect(foldLast(reportBy(0, 'a', [tea()]), reportBy(1, 'b', [tea()])).toldBy).toEqual(['a', 'b'])
    expect(foldLast(reportBy(0, 'a', [tea()]), reportBy(1, 'b', [tea(), pot])).toldBy).toEqual(['b'])
    expect(foldLast(reportBy(0, 'a', [tea()]), reportBy(1, 'b', [pot]), reportBy(2, 'a', [tea()])).toldBy).toEqual([
      'a',
    ])
    expect(foldLast(reportBy(0, 'a', [tea()]), order(1, 'draft')).toldBy).toEqual(['a'])
    expect(foldLast(reportBy(0, 'a', [tea()]), order(1, 'draft', { items: [pot] })).toldBy).toBeUndefined()
    expect(
      foldLast(reportBy(0, 'a', [tea()]), order(1, 'draft', { items: [pot] }), reportBy(2, 'a', [pot])).toldBy,
    ).toEqual(['a'])
    expect(foldLast(reportBy(0, 'a', [tea()]), order(1, 'purchase'), reportBy(60, 'b', [pot])).toldBy).toEqual(['b'])
    const crowd = Array.from({ length: 60 }, (_, n) => reportBy(n, `browser ${n}`, [tea()]))
    expect(foldLast(...crowd).toldBy).toEqual(crowd.slice(20).map((_, n) => `browser ${n + 20}`))
  })
})
