import { expect, test } from 'vitest'
import type { Contact, FoldItem } from '../../core/schema/facts.ts'
import { compareFacts, emptyFold, type Fact, foldFacts } from './fold.ts'

// Several browsers of one shopper, or of a person who typed the shopper's address. Times are minutes.

const MINUTE = 60_000
const ada: Contact = { email: 'ada@shoppers.example.com', firstName: 'Ada' }
const mallory: Contact = { email: 'ada@shoppers.example.com', firstName: 'Mallory', phone: '+15005550006' }
const tea: FoldItem = { productId: '16', variationId: null, quantity: 1 }
const pot: FoldItem = { productId: '17', variationId: null, quantity: 1 }
const junk: FoldItem = { productId: '18', variationId: null, quantity: 9_999 }

let count = 0
const fact = (minute: number, payload: Fact['payload']): Fact => ({
  id: `f${String(++count).padStart(5, '0')}`,
  at: minute * MINUTE,
  payload,
})
const cart = (minute: number, browser: string, items: FoldItem[], contact?: Contact, more: object = {}) =>
  fact(minute, {
    type: 'snapshot',
    items,
    coupons: [],
    toldBy: [`cart-${browser}`, `device-${browser}`],
    ...(contact && { contact }),
    ...more,
  })
const typed = (minute: number, browser: string, contact: Contact) =>
  fact(minute, { type: 'contact', contact, toldBy: [`cart-${browser}`, `device-${browser}`] })
const order = (minute: number, orderKind: 'draft' | 'purchase', items: FoldItem[], contact: Contact = ada) =>
  fact(minute, {
    type: 'order',
    orderId: '1',
    orderKind,
    isStaff: false,
    items,
    coupons: [],
    contact,
    currency: 'USD',
  })
const checkout = (minute: number, browser: string, items: FoldItem[]) =>
  fact(minute, { type: 'snapshot', items, coupons: [], contact: ada, browsers: [`cart-${browser}`] })

/** Summary of the newest episode. */
function summarizeLast(...facts: Fact[]) {
  const { episode } = foldFacts(emptyFold, [...facts].sort(compareFacts)).fold
  if (!episode) return null
  const { status, items, contact, lastActivityAt } = episode
  const lines = items.map(({ productId, quantity }) => `${quantity}×${productId}`).join()
  return [status, lines, contact.firstName, contact.phone, lastActivityAt / MINUTE].filter((each) => each !== undefined)
}

test('a browser that empties its cart leaves the carts of other browsers unchanged', () => {
  const victim = [cart(0, 'ada', [tea], ada)]
  expect(summarizeLast(...victim, cart(5, 'mallory', [junk], mallory), cart(6, 'mallory', []))).toEqual([
    'open',
    '1×16',
    'Ada',
    6,
  ])
  expect(summarizeLast(...victim, cart(5, 'mallory', [], mallory))).toEqual(['open', '1×16', 'Ada', 0])
  expect(summarizeLast(...victim, typed(5, 'mallory', mallory), cart(6, 'mallory', []))).toEqual([
    'open',
    '1×16',
    'Ada',
    0,
  ])
  // The contact arrived before the shopper's cart began.
  expect(
    summarizeLast(typed(0, 'mallory', { email: ada.email! }), cart(5, 'ada', [tea], ada), cart(6, 'mallory', [])),
  ).toEqual(['open', '1×16', 'Ada', 5])
  // The other browser filled its cart as a guest, before and after.
  const guest = [cart(-5, 'mallory', [junk]), cart(2, 'mallory', [junk, pot])]
  expect(summarizeLast(...guest, ...victim, typed(6, 'mallory', mallory), cart(7, 'mallory', []))).toEqual([
    'open',
    '1×16',
    'Ada',
    7,
  ])
})

test('a browser empties its own cart, also with a new cart token on the same device or by the restore link', () => {
  const begun = cart(0, 'ada', [tea], ada)
  expect(summarizeLast(begun, cart(5, 'ada', []))).toEqual(['emptied', '1×16', 'Ada', 0])
  const later = { toldBy: ['cart-next', 'device-ada'] }
  expect(summarizeLast(begun, cart(5, 'ada', [], undefined, later))).toEqual(['emptied', '1×16', 'Ada', 0])
  expect(summarizeLast(begun, cart(5, 'phone', [], undefined, { isBack: true }))).toEqual(['emptied', '1×16', 'Ada', 0])
})

test('the newest of two browsers is shown with its own name, and the other returns with its own', () => {
  const both = [cart(0, 'ada', [tea], ada), cart(5, 'phone', [pot], { email: ada.email!, firstName: 'A.' })]
  expect(summarizeLast(...both)).toEqual(['open', '1×17', 'A.', 5])
  expect(summarizeLast(...both, cart(8, 'ada', [tea]))).toEqual(['open', '1×16', 'Ada', 5])
  expect(summarizeLast(...both, cart(8, 'phone', []))).toEqual(['open', '1×16', 'Ada', 8])
  expect(summarizeLast(...both, cart(8, 'phone', []), cart(9, 'ada', []))).toEqual(['emptied', '1×16', 'Ada', 8])
  expect(summarizeLast(...both, cart(8, 'ada', []), cart(9, 'phone', []))).toEqual(['emptied', '1×17', 'A.', 5])
})

test('name, phone and email typed in another browser apply to that browser’s cart only', () => {
  const victim = cart(0, 'ada', [tea], ada)
  expect(summarizeLast(victim, typed(5, 'mallory', mallory))).toEqual(['open', '1×16', 'Ada', 0])
  const facts = [victim, cart(5, 'mallory', [junk], mallory), cart(6, 'ada', [tea, pot])]
  expect(summarizeLast(...facts)).toEqual(['open', '1×16,1×17', 'Ada', 6])
  const { episode } = foldFacts(emptyFold, [...facts, typed(7, 'mallory', { email: 'm@evil.example' })]).fold
  expect(episode!.contact).toEqual(ada)
})

test('a page never replaces contents that the store reported, and a newer report of the store does', () => {
  const drafted = [cart(0, 'ada', [tea], ada), order(1, 'draft', [tea])]
  expect(summarizeLast(...drafted, cart(5, 'mallory', [junk], mallory))).toEqual(['open', '1×16', 'Ada', 0])
  const signed = cart(0, 'ada', [tea], ada, { isSigned: true })
  expect(summarizeLast(signed, cart(5, 'mallory', [junk], mallory))).toEqual(['open', '1×16', 'Ada', 0])
  expect(summarizeLast(signed, cart(5, 'phone', [pot], undefined, { isSigned: true }))).toEqual([
    'open',
    '1×17',
    'Ada',
    5,
  ])
  const report = checkout(0, 'ada', [tea])
  expect(summarizeLast(report, cart(5, 'mallory', [], mallory))).toEqual(['open', '1×16', 'Ada', 0])
  expect(summarizeLast(report, cart(5, 'ada', []))).toEqual(['emptied', '1×16', 'Ada', 0])
  expect(summarizeLast(report, checkout(5, 'phone', [pot]))).toEqual(['open', '1×17', 'Ada', 5])
})

test('a draft applies to the browser with the same contents', () => {
  const both = [cart(0, 'ada', [tea], ada), cart(5, 'mallory', [junk], mallory)]
  expect(
    summarizeLast(...both, order(6, 'draft', [tea]), cart(7, 'mallory', [junk, pot]), cart(8, 'mallory', []))!.slice(
      0,
      3,
    ),
  ).toEqual(['open', '1×16', 'Ada'])
})

test('a cart that only the store reported is emptied only by the browser that reports the same contents', () => {
  const drafted = order(0, 'draft', [tea])
  expect(summarizeLast(drafted, cart(5, 'mallory', [], mallory))!.slice(0, 2)).toEqual(['open', '1×16'])
  expect(summarizeLast(drafted, cart(5, 'ada', [tea]), cart(6, 'ada', []))!.slice(0, 2)).toEqual(['emptied', '1×16'])
})

test('a purchase ends the carts of all browsers, and later contents start a new cart', () => {
  const bought = [cart(0, 'ada', [tea], ada), cart(5, 'mallory', [junk], mallory), order(6, 'purchase', [tea])]
  expect(summarizeLast(...bought)![0]).toBe('purchased')
  expect(summarizeLast(...bought, cart(60, 'ada', [pot]))!.slice(0, 2)).toEqual(['open', '1×17'])
  expect(summarizeLast(...bought, cart(60, 'ada', [pot]), cart(61, 'ada', []))![0]).toBe('emptied')
})

test('another browser’s contents are shown again within two days of its last report', () => {
  const [day, newToken] = [1_440, { toldBy: ['cart-next', 'device-ada'] }]
  const others = (minute: number) => [cart(minute, 'mallory', [junk], mallory), cart(minute + 1, 'mallory', [])]
  const expected = ['open', '1×16', 'Ada', 2.5 * day + 1]
  const begun = cart(0, 'ada', [tea], ada)
  expect(summarizeLast(begun, ...others(2.5 * day))![0]).toBe('emptied')
  // Repeated with a new cart token or at a field: no activity, and its browser still holds the cart.
  expect(summarizeLast(begun, cart(day, 'ada', [tea], undefined, newToken), ...others(2.5 * day))).toEqual(expected)
  expect(summarizeLast(begun, typed(day, 'ada', ada), ...others(2.5 * day))).toEqual(expected)
  const aside = [begun, cart(day / 2, 'phone', [pot], ada)]
  expect(summarizeLast(...aside, cart(2.5 * day, 'phone', []))![0]).toBe('emptied')
  expect(summarizeLast(...aside, typed(day, 'ada', ada), cart(2.5 * day, 'phone', []))).toEqual([
    'open',
    '1×16',
    'Ada',
    2.5 * day,
  ])
  // Shown again because another cart was emptied: its own browser has reported nothing.
  expect(summarizeLast(begun, ...others(1.9 * day), ...others(2.5 * day))![0]).toBe('emptied')
})

test('browsers that repeat their carts in turn do not count as activity, so the cart is abandoned (S1)', () => {
  const hours = Array.from({ length: 120 }, (_, hour) => [
    cart(60 * hour + 60, 'ada', [tea], ada),
    cart(60 * hour + 90, 'phone', [pot], ada),
  ])
  const begun = [cart(0, 'ada', [tea], ada), cart(1, 'phone', [pot], ada)]
  expect(summarizeLast(...begun, ...hours.flat())).toEqual(['open', '1×17', 'Ada', 1])
  expect(summarizeLast(...begun, ...hours.flat(), cart(9_000, 'ada', [tea, pot], ada))).toEqual([
    'open',
    '1×16,1×17',
    'Ada',
    9_000,
  ])
  expect(summarizeLast(...begun, cart(60, 'ada', [tea], { ...ada, phone: '+15005550006' }))!.at(-1)).toBe(60)
  // One browser that repeats its report.
  expect(summarizeLast(begun[0]!, ...hours.map(([repeated]) => repeated!))!.at(-1)).toBe(0)
})

test('only the newest browsers are remembered, up to a limit', () => {
  const many = Array.from({ length: 30 }, (_, n) => cart(n + 1, `b${n}`, [{ ...junk, quantity: n + 1 }], mallory))
  const { episode } = foldFacts(emptyFold, [cart(0, 'ada', [tea], ada), ...many]).fold
  expect(episode!.others).toHaveLength(5)
})

test('the order of arrival does not change the cart', () => {
  const facts = [
    cart(0, 'ada', [tea], ada),
    cart(2, 'mallory', [junk], mallory),
    cart(3, 'mallory', []),
    typed(4, 'phone', ada),
    cart(5, 'phone', [pot]),
    order(6, 'draft', [pot]),
    cart(7, 'ada', [tea, pot]),
    cart(8, 'phone', []),
  ]
  const whole = foldFacts(emptyFold, facts)
  for (let cut = 1; cut < facts.length; cut++) {
    const first = foldFacts(emptyFold, facts.slice(0, cut)).fold
    expect(foldFacts(first, facts.slice(cut)).fold).toEqual(whole.fold)
  }
})
