import { beforeAll, expect, test } from 'vitest'
import { type NewFact, recordFacts } from '../../server/carts/carts/record.ts'
import { createStore } from '../../test/factories.ts'
import { findPlanFaults, type PlanWatch, watchPlans } from '../../test/plans.ts'
import { createWorld } from '../../test/world.ts'

// One cart has 5,000 posts of one page and of one plugin queue, with numbers beyond 32 bits (S7): the next post reads
// few of them.

const POSTS = 5_000
const FIRST = 5_000_000_000

const world = createWorld()
let storeId: string
let watch: PlanWatch

const buildPagePost = (seq: number, at: Date): NewFact => ({
  keys: [{ kind: 'cart', value: 'cart-1' }],
  source: 'capture',
  at,
  uniqueKey: `capture:cart-1:page:${seq}`,
  payload: {
    type: 'snapshot',
    items: [{ productId: '16', variationId: null, quantity: 1 }],
    coupons: [],
    page: 'page',
    seq,
  },
})

const buildQueuePost = (seq: number, at: Date): NewFact => {
  const fact = buildPagePost(seq, at)
  return { ...fact, source: 'plugin', uniqueKey: `plugin:cart-1:page:${seq}` }
}

beforeAll(async () => {
  storeId = (await createStore(world)).storeId
  const start = new Date(world.now.getTime() - POSTS * 1_000)
  await recordFacts(world.deps, { storeId, db: world.db }, [buildPagePost(FIRST, start)])
  for (const source of ['capture', 'plugin'])
    await world.pool.query(
      `insert into facts (store_id, id, shopper_id, kind, source, at, unique_key, payload, received_at)
       select f.store_id, gen_random_uuid(), f.shopper_id, f.kind, $2, f.at + n * interval '1 second', $2 || ':cart-1:page:' || $3::bigint + n,
         f.payload || jsonb_build_object('seq', $3::bigint + n), f.at
       from facts f, generate_series(1, $4::int) n where f.store_id = $1 and f.payload ->> 'seq' = $3::bigint::text and f.source = 'capture'`,
      [storeId, source, FIRST, POSTS - 10],
    )
  await world.pool.query('vacuum analyze facts')
  watch = watchPlans(world.pool, { repeated: true })
}, 60_000)

test.each([
  ['a page', buildPagePost, [FIRST + POSTS]],
  ['a shop’s queue', buildQueuePost, [FIRST + POSTS, FIRST + POSTS + 1]],
] as const)('the next post of %s reads only its neighbours (S7)', async (_, post, seqs) => {
  const facts = seqs.map((seq) => post(seq, world.now))
  const plans = await watch.during(() => recordFacts(world.deps, { storeId, db: world.db }, facts))
  expect(plans.some(({ text }) => text.includes('"shopperId" uuid, page text'))).toBe(true)
  expect(findPlanFaults(plans, { large: ['facts'], rows: 500 }).join('\n')).toBe('')
})
