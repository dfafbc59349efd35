import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createStore } from '../../../test/factories.ts'
import { countPropertyRuns } from '../../../test/seed.ts'
import { createWorld } from '../../../test/world.ts'
import type { FactPayload, FoldItem, OrderKind } from '../../core/schema/facts.ts'
import type { ShopperKey } from '../../shoppers/shoppers/rules.ts'
import { compareFacts, emptyFold, type Fact, foldFacts } from './fold.ts'
import { type NewFact, recordFacts } from './record.ts'

// S7: state, items, contact and last activity depend on the set of facts, not on the order of arrival.

const world = createWorld()
let storeId: string
const START = Date.UTC(2026, 2, 1)
const MINUTE = 60_000

beforeAll(async () => {
  storeId = (await createStore(world, { isFlowOn: false })).storeId
})

/** A fact without a shopper: its keys are letters until a run assigns values. */
interface Draft {
  at: number
  keys: ('one' | 'two' | 'email' | 'phone')[]
  payload: FactPayload
}

const item = fc.record({
  productId: fc.constantFrom('16', '17', '18'),
  variationId: fc.constant(null),
  quantity: fc.integer({ min: 1, max: 2 }),
  name: fc.constant('Tea'),
  unitPriceMinor: fc.constant(100),
})
const items = fc.uniqueArray(item, { selector: (each) => each.productId, maxLength: 2 })
const coupons = fc.constantFrom<string[]>([], ['welcome10'])
const contact = fc.record(
  { firstName: fc.constantFrom('Ada', 'Grace'), lastName: fc.constantFrom('L', 'H'), country: fc.constant('US') },
  { requiredKeys: [] },
)
const orderKind = fc.constantFrom<OrderKind>('draft', 'draft', 'pending', 'failed', 'cancelled', 'purchase', 'purchase')

const payload: fc.Arbitrary<FactPayload> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('snapshot' as const), items, coupons }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('contact' as const), contact }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('order' as const),
      orderId: fc.constantFrom('o1', 'o2'),
      orderKind,
      isStaff: fc.constant(false),
      items,
      coupons,
      contact,
      currency: fc.constant('USD'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'lost' as const }) },
)

/** Gaps from seconds to days; all times differ. */
const gaps = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 30, max: 3_000 }))

function drafts(keys: fc.Arbitrary<Draft['keys']>): fc.Arbitrary<Draft[]> {
  return fc
    .array(fc.record({ gap: gaps, keys, payload }), { minLength: 1, maxLength: 9 })
    .map((list) => list.map((each, index) => ({ ...each, at: START + sum(list, index) * MINUTE })))
}

const sum = (list: readonly { gap: number }[], until: number) =>
  list.slice(0, until + 1).reduce((total, each) => total + each.gap, 0)

let run = 0

/** Records the facts in this order, in groups, for a new shopper; returns the resulting carts. */
async function recordAndReadCarts(arrivals: readonly Draft[], groups: readonly number[] = []): Promise<unknown[]> {
  const mark = `${++run}-`
  const value = {
    one: `${mark}one`,
    two: `${mark}two`,
    email: `${mark}x@shoppers.example.com`,
    phone: `${mark}5550123`,
  }
  const kind = { one: 'cart', two: 'cart', email: 'email', phone: 'phone' } as const
  const facts = arrivals.map(
    (draft): NewFact => ({
      keys: draft.keys.map((key): ShopperKey => ({ kind: kind[key], value: value[key] })),
      source: 'capture',
      at: new Date(draft.at),
      uniqueKey: `${mark}${draft.at}`,
      payload: draft.payload,
    }),
  )
  let start = 0
  const shopperIds = new Set<string>()
  for (const size of [...groups, facts.length]) {
    const done = await recordFacts(world.deps, { storeId, db: world.db }, facts.slice(start, start + size))
    for (const id of done.shopperIds) shopperIds.add(id)
    start += size
  }
  const carts = await world.db
    .selectFrom('carts')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('shopper_id', 'in', [...shopperIds])
    .where('status', '<>', 'merged')
    .orderBy('started_at')
    .execute()
  return carts.map((cart) => ({
    status: cart.status,
    started: cart.started_at,
    lastActivity: cart.last_activity_at,
    ended: cart.ended_at,
    pendingUntil: cart.pending_until,
    items: cart.items,
    coupons: cart.coupons,
    name: cart.customer_name,
    abandonAt: cart.abandon_at,
    orderId: cart.fold.episode?.orderId,
    contact: cart.fold.episode?.contact,
  }))
}

const shuffle = (list: Draft[]) =>
  fc.record({
    facts: fc.constant(list),
    arrivals: fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
    groups: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 6 }),
  })

const toFacts = (list: readonly Draft[]): Fact[] =>
  list.map((draft, index) => ({ id: String(index), at: draft.at, payload: draft.payload }))

test('folding in two steps gives the same result as folding in one', () => {
  fc.assert(
    fc.property(drafts(fc.constant(['one'])), fc.nat(9), (list, cut) => {
      const facts = toFacts(list).sort(compareFacts)
      const whole = foldFacts(emptyFold, facts)
      const half = foldFacts(emptyFold, facts.slice(0, cut))
      expect(foldFacts(half.fold, facts.slice(cut)).fold).toEqual(whole.fold)
    }),
    countPropertyRuns(300, 5_000),
  )
})

test('the order of arrival of a shopper’s facts does not change the carts', async () => {
  await fc.assert(
    fc.asyncProperty(drafts(fc.constant(['one'])).chain(shuffle), async ({ facts, arrivals, groups }) => {
      expect(await recordAndReadCarts(arrivals, groups)).toEqual(await recordAndReadCarts(facts))
    }),
    countPropertyRuns(20, 300),
  )
})

test('the time at which two browsers turn out to be one shopper does not change the carts', async () => {
  const keys = fc.constantFrom<Draft['keys']>(['one'], ['two'], ['one', 'email'], ['two', 'email'], ['two', 'phone'])
  const joining: Draft[] = [
    { at: START + 7, keys: ['one', 'email'], payload: { type: 'contact', contact: {} } },
    { at: START + 9, keys: ['two', 'email'], payload: { type: 'contact', contact: {} } },
    { at: START + 11, keys: ['two', 'phone'], payload: { type: 'contact', contact: {} } },
  ]
  await fc.assert(
    fc.asyncProperty(
      drafts(keys)
        .map((list) => [...joining, ...list])
        .chain(shuffle),
      async ({ facts, arrivals, groups }) => {
        expect(await recordAndReadCarts(arrivals, groups)).toEqual(await recordAndReadCarts(facts))
      },
    ),
    countPropertyRuns(20, 300),
  )
})

test('of carts that began at the same moment, the last one is continued (S6)', async () => {
  const mark = `${++run}-`
  const posts = (minute: number, bodies: FoldItem[][]) =>
    Array.from({ length: 40 }, (_, shopper) =>
      bodies.map(
        (items, n): NewFact => ({
          keys: [{ kind: 'cart', value: `${mark}${shopper}` }],
          source: 'capture',
          at: new Date(START + minute * MINUTE),
          uniqueKey: `${mark}${shopper}-${minute}-${n}`,
          payload: { type: 'snapshot', items, coupons: [] },
        }),
      ),
    ).flat()
  const tea = { productId: '16', variationId: null, quantity: 1, name: 'Tea', unitPriceMinor: 100 }
  // Filled, emptied and filled again within a millisecond; the ids decide the order.
  await recordFacts(world.deps, { storeId, db: world.db }, posts(0, [[tea], [], [{ ...tea, quantity: 2 }]]))
  const { shopperIds } = await recordFacts(world.deps, { storeId, db: world.db }, posts(1, [[{ ...tea, quantity: 3 }]]))
  const live = await world.db
    .selectFrom('carts')
    .select(['shopper_id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('store_id', '=', storeId)
    .where('shopper_id', 'in', shopperIds)
    .where('status', '=', 'active')
    .groupBy('shopper_id')
    .execute()
  expect(live.map(({ count }) => Number(count))).toEqual(Array(40).fill(1))
})
