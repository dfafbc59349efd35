import { beforeAll, expect, test } from 'vitest'
import { enqueueDueCodes } from '../../server/carts/coupon-codes/codes.ts'
import { countCoupons, selectCouponPage, selectFigures, selectSteps } from '../../server/carts/coupons/list-sql.ts'
import { selectMessageCoupons } from '../../server/carts/coupons/message-sql.ts'
import { hasOwnCoupon, selectStoresToStart } from '../../server/carts/coupons/sql.ts'
import { createId } from '../../server/core/common/ids.ts'
import { transact } from '../../server/core/db/db.ts'
import { findCouponByCode } from '../../server/marketing/discount-mail/discount-mail.ts'
import { readCodeTerms } from '../../test/coupon-copies.ts'
import { insertPersonalCoupon } from '../../test/coupon-scene.ts'
import { createStore, type TestStore } from '../../test/factories.ts'
import { findPlanFaults, type PlanWatch, watchPlans } from '../../test/plans.ts'
import { createWorld } from '../../test/world.ts'

// A page of the coupon list reads only its own rows, among 20,000 coupons and 40,000 orders with coupons.

const world = createWorld()
const COUPONS = 20_000
const ORDERS = 40_000
const LARGE = ['coupons', 'order_coupons', 'orders', 'coupon_codes', 'messages']
let store: TestStore
let watch: PlanWatch

/** Discount mails that wait to be sent, each with its code. */
const MAILS = 30_000
let couponId: string

beforeAll(async () => {
  store = await createStore(world)
  const client = await world.pool.connect()
  await client.query('begin; set local session_replication_role = replica')
  await client.query(
    `insert into coupons (store_id, id, made_by, kind, platform_id, code, type, platform_type, percent, currency, is_active, seen_at,
       created_at, starts_at, is_withheld)
     select $1, md5('coupon' || n)::uuid, 'recoup', 'shared', n::text, 'CODE-' || lpad(n::text, 6, '0'), 'percentage', 'percent', 1000, 'USD',
       true, $2, $2::timestamptz - n * interval '1 minute', $2::timestamptz + interval '1 hour', n % 100 = 0
     from generate_series(1, ${COUPONS}) n`,
    [store.storeId, world.now],
  )
  await client.query(
    `insert into orders (store_id, order_id, kind, status, created_at, modified_at, purchased_at, currency, total_minor, net_minor,
       is_staff, content_hash)
     select $1, n::text, 'purchase', 'processing', $2, $2, $2, 'USD', 5000, 5000, false, n::text from generate_series(1, ${ORDERS}) n`,
    [store.storeId, world.now],
  )
  await client.query(
    `insert into order_coupons (store_id, order_id, code, discount_minor)
     select $1, n::text, 'CODE-' || lpad((1 + n % ${COUPONS})::text, 6, '0'), 500 from generate_series(1, ${ORDERS}) n`,
    [store.storeId],
  )
  await client.query('commit')
  client.release()
  await world.pool.query('analyze coupons; analyze orders; analyze order_coupons')
  watch = watchPlans(world.pool)
}, 120_000)

async function insertBacklog() {
  couponId = await insertPersonalCoupon(world, store.storeId, {})
  const terms = await readCodeTerms(world, couponId)
  const client = await world.pool.connect()
  const insert = (into: string, select: string, ...values: unknown[]) =>
    client.query(`insert into ${into} select ${select} from generate_series(1, ${MAILS}) n`, [
      store.storeId,
      world.now,
      ...values,
    ])
  await client.query('begin; set local session_replication_role = replica')
  await insert(
    'shoppers (store_id, id, email, first_seen_at, created_at)',
    `$1, md5('shopper' || n)::uuid, n || '@shoppers.example', $2::timestamptz, $2`,
  )
  await insert(
    `messages (store_id, id, shopper_id, origin_kind, origin_id, step, channel, state, due_at, expires_at, wake_at, created_at, updated_at)`,
    `$1, md5('mail' || n)::uuid, md5('shopper' || n)::uuid, 'manual', $1, 1, 'email', 'scheduled', $2::timestamptz,
       $2::timestamptz + interval '1 hour', $2::timestamptz + n * interval '1 millisecond', $2, $2`,
  )
  await insert(
    'manual_messages (store_id, message_id, coupon_id, is_immediate, created_at)',
    `$1, md5('mail' || n)::uuid, $3::uuid, true, $2::timestamptz`,
    couponId,
  )
  await insert(
    `coupon_codes (store_id, message_id, coupon_id, shopper_id, code, state, terms, expires_at, next_try_at, created_at)`,
    `$1, md5('mail' || n)::uuid, $3::uuid, md5('shopper' || n)::uuid, 'CART-' || n, 'made', $4, $2::timestamptz + interval '90 days', $2, $2`,
    couponId,
    terms,
  )
  await client.query('commit')
  client.release()
  await world.pool.query('analyze shoppers; analyze messages; analyze manual_messages; analyze coupon_codes')
  await world.db
    .insertInto('send_schedule')
    .values({ store_id: store.storeId, next_due_at: world.now })
    .onConflict((conflict) => conflict.column('store_id').doUpdateSet({ next_due_at: world.now }))
    .execute()
}

const handle = () => ({ storeId: store.storeId, db: world.db })

async function expectCheap(work: () => Promise<unknown>) {
  const plans = await watch.during(work)
  expect(plans.length).toBeGreaterThan(0)
  expect(findPlanFaults(plans, { large: LARGE, rows: 500 }).join('\n')).toBe('')
}

test('a page from either end, and a search', async () => {
  for (const isFromEnd of [false, true]) {
    await expectCheap(() => selectCouponPage(handle(), { search: '' }, { offset: 100, limit: 50, isFromEnd }))
  }
  await expectCheap(() =>
    selectCouponPage(handle(), { search: 'CODE-0001' }, { offset: 0, limit: 50, isFromEnd: false }),
  )
  await expectCheap(() => countCoupons(handle(), { search: 'CODE-0001' }))
})

test('the figures and steps of a page', async () => {
  const ids = (await selectCouponPage(handle(), { search: '' }, { offset: 0, limit: 50, isFromEnd: false })).map(
    ({ id }) => id,
  )
  await expectCheap(async () => {
    const figures = await selectFigures(handle(), ids)
    expect(figures.map(({ orders }) => orders)).toEqual(ids.map(() => 2))
  })
  await expectCheap(() => selectSteps(handle(), ids))
})

test('whether an order uses a coupon created here, and the progress of creating coupons', async () => {
  await expectCheap(() => transact(handle(), (tx) => hasOwnCoupon(tx, ['CODE-000007', 'NOBODYS'])))
  await expectCheap(() => selectStoresToStart(world.db, world.now))
})

test('the coupon of a message whose recipient ordered with others, and the coupon of a code', async () => {
  const { shopper_id } = await insertBuyer()
  const { id, code } = (await selectCouponPage(handle(), { search: '' }, { offset: 7, limit: 1, isFromEnd: false }))[0]!
  await expectCheap(async () => {
    const [found] = await selectMessageCoupons(handle(), [
      { messageId: createId(), couponId: id, shopperId: shopper_id },
    ])
    expect(found).toMatchObject({ used_before: 0, last_used_at: world.now })
  })
  await expectCheap(async () => {
    expect(await findCouponByCode(handle(), code.toLowerCase())).toMatchObject({ id })
  })
})

/** Uses of a hundred of the orders. */
async function insertBuyer() {
  const shopper_id = createId()
  const { storeId } = store
  const at = { first_seen_at: world.now, created_at: world.now }
  await world.db
    .insertInto('shoppers')
    .values({ store_id: storeId, id: shopper_id, ...at })
    .execute()
  const ids = Array.from({ length: 100 }, (_, n) => String(1_000 + n))
  await world.db
    .updateTable('orders')
    .set({ shopper_id })
    .where('store_id', '=', storeId)
    .where('order_id', 'in', ids)
    .execute()
  return { shopper_id }
}

test('the search for stores that need codes, among 30,000 due mails with codes, reads the first due ones', async () => {
  await insertBacklog()
  const look = () => enqueueDueCodes(world.deps)
  const plans = await watch.during(look)
  const large = [...LARGE, 'manual_messages', 'shoppers']
  expect(findPlanFaults(plans, { large, rows: 2_500 }).join('\n')).toBe('')
  expect(world.queued).toEqual([])
  await world.db.updateTable('coupons').set({ percent: 1_500 }).where('id', '=', couponId).execute()
  await look()
  expect(world.queued).toHaveLength(1)
})
