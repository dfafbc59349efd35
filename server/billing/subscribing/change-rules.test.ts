import { expect, it } from 'vitest'
import type { PlanChoice } from '../payments/catalogue-rules.ts'
import { buildItems, buildPhases, classifyChange, describeLosses, readAmounts } from './change-rules.ts'
import type { LiveSubscription } from './stripe-schemas.ts'

// Decision 85: kinds of changes.

/** "starter month 2": plan, cycle, extra stores. */
function choice(text: string): PlanChoice {
  const [plan, cycle, stores] = text.split(' ') as [PlanChoice['plan'], PlanChoice['cycle'], string]
  return { plan, cycle, extraStores: Number(stores) }
}

it.each([
  ['starter month 0', 'starter month 0', 'none'],
  ['growth year 3', 'growth year 3', 'none'],
  ['starter month 0', 'growth month 0', 'now'],
  ['starter year 0', 'growth month 0', 'now'],
  ['starter month 5', 'growth month 0', 'now'],
  ['starter month 0', 'starter year 0', 'now'],
  ['starter month 3', 'starter year 0', 'now'],
  ['starter month 0', 'starter month 1', 'now'],
  ['growth year 1', 'growth year 2', 'now'],
  ['growth month 0', 'starter month 0', 'period_end'],
  ['growth month 0', 'starter year 0', 'period_end'],
  ['growth month 0', 'starter month 20', 'period_end'],
  ['starter year 0', 'starter month 0', 'period_end'],
  ['starter month 2', 'starter month 1', 'period_end'],
  ['starter year 2', 'starter month 1', 'period_end'],
])('%s to %s: %s', (from, to, kind) => {
  expect(classifyChange(choice(from), choice(to))).toBe(kind)
})

it.each([
  ['starter month 0', 'growth month 0', []],
  ['starter month 2', 'growth month 0', ['More than 3 stores.']],
  ['starter year 1', 'starter month 1', []],
  ['starter month 2', 'starter month 0', ['More than 2 stores.']],
  ['growth month 0', 'starter month 5', 'features'],
  ['growth month 0', 'starter month 0', 'all'],
])('%s to %s loses the listed features', (from, to, lost) => {
  const features = [
    'SMS and WhatsApp in flows.',
    'Scheduled and repeating SMS campaigns, and WhatsApp campaigns.',
    'Analytics export.',
    'Dashboard and analytics for all stores together.',
    'ROI tracking.',
    'More than 5,000 emails a month.',
    'More than 100 SMS a month.',
    'More than 100 WhatsApp messages a month.',
  ]
  const expected = lost === 'features' ? features : lost === 'all' ? [...features, 'More than 2 stores.'] : lost
  expect(describeLosses(choice(from), choice(to))).toEqual(expected)
})

const item = (id: string, key: string, quantity = 1, price = `price_${key}`) => ({
  id,
  price: { id: price, lookup_key: `recoup_${key}`, metadata: {}, unit_amount: 1 },
  quantity,
  current_period_start: 1,
  current_period_end: 2,
})
const prices = new Map(
  ['starter_month', 'starter_year', 'growth_month', 'growth_year', 'extra_store_month', 'extra_store_year'].map(
    (key) => [`recoup_${key}`, `price_${key}`],
  ),
)

it.each([
  [
    'another plan',
    [item('a', 'starter_month')],
    'growth month 0',
    [{ id: 'a', price: 'price_growth_month', quantity: 1 }],
  ],
  [
    'stores are added',
    [item('a', 'starter_month')],
    'starter month 2',
    [
      { id: 'a', price: 'price_starter_month', quantity: 1 },
      { price: 'price_extra_store_month', quantity: 2 },
    ],
  ],
  [
    'removed stores keep their item, because a pending change cannot delete it',
    [item('a', 'starter_month'), item('b', 'extra_store_month', 2)],
    'growth month 0',
    [
      { id: 'a', price: 'price_growth_month', quantity: 1 },
      { id: 'b', price: 'price_extra_store_month', quantity: 0 },
    ],
  ],
  [
    'the cycle changes for all items',
    [item('b', 'extra_store_month', 2), item('a', 'starter_month')],
    'starter year 2',
    [
      { id: 'a', price: 'price_starter_year', quantity: 1 },
      { id: 'b', price: 'price_extra_store_year', quantity: 2 },
    ],
  ],
  [
    'a subscriber keeps an older price',
    [item('a', 'starter_month', 1, 'price_old')],
    'starter month 1',
    [
      { id: 'a', price: 'price_old', quantity: 1 },
      { price: 'price_extra_store_month', quantity: 1 },
    ],
  ],
])('items: %s', (_, items, to, lines) => {
  expect(buildItems(prices, items, choice(to))).toEqual(lines)
})

const preview = (due: number, amounts: number[], { tax = 0, discount = 0 } = {}) => ({
  amount_due: due,
  total: due,
  currency: 'usd',
  parent: null,
  lines: amounts.map((amount) => ({
    amount,
    discount_amounts: amount > 0 && discount ? [{ amount: discount }] : null,
    period: { start: 1, end: 2 },
  })),
  total_taxes: tax ? [{ amount: tax }] : null,
})

it.each([
  ['charge minus credit', preview(2_032, [-1_287, 3_319]), { dueNow: 2_032, credit: 1_287, charge: 3_319, tax: 0 }],
  [
    'with tax',
    preview(2_438, [-1_287, 3_319], { tax: 406 }),
    { dueNow: 2_438, credit: 1_287, charge: 3_319, tax: 406 },
  ],
  [
    'a discount is in the charge',
    preview(1_000, [1_500], { discount: 500 }),
    { dueNow: 1_000, credit: 0, charge: 1_000, tax: 0 },
  ],
  ['the balance pays a part', preview(500, [-1_287, 3_319]), { dueNow: 500, credit: 2_819, charge: 3_319, tax: 0 }],
  ['more credit than charge', preview(0, [-15_000, 4_900]), { dueNow: 0, credit: 15_000, charge: 4_900, tax: 0 }],
])('amounts: %s', (_, text, amounts) => {
  expect(readAmounts(text)).toEqual(amounts)
})

const own = (more: Partial<LiveSubscription> = {}): LiveSubscription => ({
  id: 'sub_1',
  status: 'active',
  created: 1,
  currency: 'usd',
  trial_end: null,
  cancel_at: null,
  metadata: {},
  cancel_at_period_end: false,
  default_payment_method: null,
  schedule: null,
  pending_update: null,
  latest_invoice: null,
  discounts: [],
  items: [item('a', 'growth_month'), item('b', 'extra_store_month', 0)],
  ...more,
})

it.each([
  ['has the current plan, then the next one', own(), {}, {}],
  ['continues a trial', own({ status: 'trialing', trial_end: 90 }), { trial_end: 90 }, {}],
  ['does not name a past trial', own({ trial_end: 5 }), {}, {}],
  [
    'continues a discount',
    own({ discounts: ['di_1'] }),
    { discounts: [{ discount: 'di_1' }] },
    { discounts: [{ discount: 'di_1' }] },
  ],
])('a schedule: %s', (_, subscription, first, second) => {
  const lines = [
    { id: 'a', price: 'price_starter_year', quantity: 1 },
    { id: 'b', price: 'price_extra_store_year', quantity: 0 },
  ]
  expect(buildPhases(subscription, { start: 10, end: 90 }, { lines, cycle: 'year' })).toEqual([
    { items: [{ price: 'price_growth_month', quantity: 1 }], start_date: 10, end_date: 90, ...first },
    {
      items: [{ price: 'price_starter_year', quantity: 1 }],
      duration: { interval: 'year', interval_count: 1 },
      ...second,
    },
  ])
})
