import { recordCapture } from '../server/carts/capture/capture.ts'
import { emptyFold, type Fact, foldFacts } from '../server/carts/carts/fold.ts'
import { recordFacts } from '../server/carts/carts/record.ts'
import { createId } from '../server/core/common/ids.ts'
import type { Bench, Figure } from './figures.ts'
import type { AppInstance, Lab } from './lab.ts'
import { computeMedian, measureMs } from './measure.ts'

// Method: one cart has 10,000 facts (a page left open for months, or a robot). Measured: the pure fold of all facts; an
// older fact, which requires reading and folding all facts again; the next fact in order, which continues from the
// stored state; and the next post of the capture script, including the response. The last two should not depend on the
// number of facts.

export const bench: Bench = { name: 'fold', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await lab.open()
  try {
    const many = await openCartWithFacts(instance, lab.sized(10_000))
    const few = await openCartWithFacts(instance, 10)
    const facts = await readFacts(instance, many.storeId)
    const pureMs = await repeatTimed(5, async () => foldFacts(emptyFold, facts))
    const lateMs = await repeatTimed(5, (n) => addFact(instance, many, new Date(many.start + 500 + n)))
    const nextMs = await repeatTimed(20, () => addFact(instance, many, new Date()))
    const nextOfFewMs = await repeatTimed(20, () => addFact(instance, few, new Date()))
    const postMs = await repeatTimed(20, (n) => postCart(instance, many, n))
    const postOfFewMs = await repeatTimed(20, (n) => postCart(instance, few, n))
    const count = facts.length.toLocaleString('en-US')
    return [
      { name: `pure fold of ${count} facts`, value: pureMs, unit: 'ms' },
      { name: 'late fact: read and fold all anew', value: lateMs, unit: 'ms' },
      {
        name: 'next fact of that cart',
        value: nextMs,
        unit: 'ms',
        ceiling: { name: 'cart of 10 facts', value: nextOfFewMs },
      },
      {
        name: 'next capture post of that cart',
        value: postMs,
        unit: 'ms',
        ceiling: { name: 'cart of 10 facts', value: postOfFewMs },
      },
    ]
  } finally {
    await instance.close()
  }
}

interface LongCart {
  storeId: string
  cart: string
  page: string
  start: number
}

export async function openCartWithFacts(instance: AppInstance, count: number): Promise<LongCart> {
  const { storeId } = await instance.store()
  const cart = `cart-${createId()}`
  const long = { storeId, cart, page: `page-${cart}`, start: Date.now() - count * 1_000 - 60_000 }
  await addFact(instance, long, new Date(long.start))
  const shopper = await instance.db
    .selectFrom('shoppers')
    .select('id')
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  await instance.pool.query(
    `insert into facts (store_id, id, shopper_id, kind, source, at, unique_key, payload, received_at)
    select $1, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || substr(md5(n::text), 1, 20))::uuid, $2,
      'snapshot', 'capture', at, 'capture:' || n, jsonb_build_object('type', 'snapshot', 'items', jsonb_build_array(
        jsonb_build_object('productId', '16', 'variationId', null, 'quantity', 1 + n % 7)), 'coupons', '[]'::jsonb,
        'page', $5::text, 'seq', n), at
    from generate_series(1, $3::int) n, lateral (select $4::timestamptz + n * interval '1 second' as at) t`,
    [storeId, shopper.id, count, new Date(long.start), long.page],
  )
  await addFact(instance, long, new Date(long.start + 1))
  await instance.pool.query('vacuum analyze facts')
  return long
}

export async function addFact(instance: AppInstance, { storeId, cart }: LongCart, at: Date): Promise<void> {
  await recordFacts(instance.deps, { storeId, db: instance.deps.db }, [
    {
      keys: [{ kind: 'cart', value: cart }],
      source: 'capture',
      at,
      uniqueKey: createId(),
      payload: { type: 'snapshot', items: [{ productId: '16', variationId: null, quantity: 1 }], coupons: [] },
    },
  ])
}

async function postCart(instance: AppInstance, long: LongCart, n: number): Promise<void> {
  const store = { id: long.storeId, url: 'https://shop.example.com', home_url: 'https://shop.example.com' }
  const items = [{ id: '16', quantity: 10 + n }]
  await recordCapture(instance.deps, store, { cart: long.cart, page: long.page, seq: 20_000 + n, items }, 'client')
}

async function readFacts(instance: AppInstance, storeId: string): Promise<Fact[]> {
  const rows = await instance.db
    .selectFrom('facts')
    .select(['id', 'at', 'payload'])
    .where('store_id', '=', storeId)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ id: row.id, at: row.at.getTime(), payload: row.payload }))
}

async function repeatTimed(times: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const timings: number[] = []
  for (let n = 0; n < times; n++) timings.push(await measureMs(() => work(n)))
  return computeMedian(timings)
}
