import fs from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { createDueCampaign } from '../../../test/campaign-scene.ts'
import { assignCouponToSteps, insertCoupon, readCodeTerms } from '../../../test/coupon-copies.ts'
import { createCouponShop } from '../../../test/discount-scene.ts'
import { buildOrder, completeOrderCheck, createStore } from '../../../test/factories.ts'
import { createShop, type Shop } from '../../../test/manual-send-scene.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  HOUR,
  type MessageScene,
  markPurchased,
} from '../../../test/message-scene.ts'
import {
  changeDuringFlight,
  createDueReminders,
  createTestChannelRules,
  expectSent,
  type PairScene,
  POOL_SIZE,
  readStoredMessage,
} from '../../../test/send-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { tables } from '../../core/database/tables.ts'
import { getDomain } from '../email/mail-headers.ts'
import { turnStatement } from './turn-sql.ts'

// Every cause of a stop reaches the turn of mails (decision 148): each table that it reads is changed by itself, after a mail was judged and directly
// before its turn, and the mail does not leave.

const world = createWorld()
beforeEach(() => {
  world.answer = acceptMail
  world.queued.length = 0
  world.sent.length = 0
})

const PERSONAL = { kind: 'personal', code: 'CART', percent: 5_000 } as const

/** Of reminders with a coupon. */
async function createCouponScene(coupon: object = {}): Promise<MessageScene> {
  const scene = await createMessageScene(world, POOL_SIZE + 1, { plan: 'starter' })
  await assignCouponToSteps(world, scene, await insertCoupon(world, scene, coupon))
  await advanceToAbandoned(world, scene.storeId, HOUR)
  return scene
}

/** Each with a code of its own, which is made for what is in the cart. */
async function createCodeScene(): Promise<MessageScene> {
  const scene = await createCouponScene({ ...PERSONAL, max_discount_minor: 300 })
  const { storeId } = scene
  const product = { product_id: '16', name: 'Earl Grey', price_minor: 2_100, currency: 'USD', is_available: true }
  await world.db
    .insertInto('products')
    .values({ store_id: storeId, ...product, seen_at: world.now })
    .execute()
  const rows = await world.db
    .selectFrom('messages as m')
    .innerJoin('carts as c', 'c.id', 'm.cart_id')
    .innerJoin('flow_steps as s', 's.id', 'm.step_id')
    .select(['m.id', 'm.shopper_id', 'm.cart_id', 'c.version', 's.coupon_id'])
    .where('m.store_id', '=', storeId)
    .where('m.step', '=', 1)
    .execute()
  const terms = await readCodeTerms(world, rows[0]!.coupon_id!)
  const codes = rows.map(({ id, shopper_id, cart_id, version, coupon_id }) => ({
    store_id: storeId,
    message_id: id,
    coupon_id: coupon_id!,
    shopper_id,
    cart_id,
    cart_version: version,
    code: `CART-${id.slice(-8).toUpperCase()}`,
    state: 'made' as const,
    terms,
    amount_minor: 300,
    expires_at: new Date(world.now.getTime() + 100 * HOUR),
    next_try_at: world.now,
    created_at: world.now,
  }))
  await world.db.insertInto('coupon_codes').values(codes).execute()
  return scene
}

/** To people in Germany, whose rule the owner has relaxed. */
async function createOverrideScene(): Promise<MessageScene> {
  const store = await createStore(world, { plan: 'starter' })
  const legalGround = 'Section 7 (3) UWG: we advertise our own similar goods, and say so at the checkout.'
  const body = { channel: 'email', country: 'DE', from: 'soft_opt_in', to: 'opt_out', legalGround }
  expect((await world.request('POST', '/api/consent/overrides', { token: store.token, body })).status).toBe(200)
  const orders = Array.from({ length: POOL_SIZE + 1 }, () => buildOrder(world, { country: 'DE' }))
  await recordOrders(world.deps, store.storeId, orders, 'sync')
  await advanceToAbandoned(world, store.storeId, HOUR)
  return { ...store, orders }
}

/** To people in Germany, who opted in by a file that was imported. */
async function createImportScene(): Promise<MessageScene> {
  const store = await createStore(world, { plan: 'starter' })
  const orders = Array.from({ length: POOL_SIZE + 1 }, () => buildOrder(world, { country: 'DE' }))
  const [store_id, id] = [store.storeId, createId()]
  const file = {
    file_name: 'a.csv',
    delimiter: ',',
    columns: ['email'],
    row_count: POOL_SIZE + 1,
    uploaded_at: world.now,
  }
  await world.db
    .insertInto('consent_imports')
    .values({ store_id, id, ...file, state: 'done' })
    .execute()
  const consent = { channel: 'email' as const, status: 'granted' as const, source: 'import', at: world.now }
  const rows = orders.map(({ email }) => ({
    store_id,
    id: createId(),
    ...consent,
    import_ids: [id],
    address_hash: world.deps.secrets.addressHash(email!),
  }))
  await world.db.insertInto('consents').values(rows).execute()
  await recordOrders(world.deps, store.storeId, orders, 'sync')
  await advanceToAbandoned(world, store.storeId, HOUR)
  return { ...store, orders }
}

/** Of a campaign about carts. */
const createCampaignShop = async (): Promise<Shop> => createDueCampaign(world, await createShop(world, POOL_SIZE + 1))

/** A coupon to chosen customers. */
async function createDiscountMail(): Promise<Shop> {
  const shop = await createCouponShop(world, { carts: POOL_SIZE + 1, buyers: 0 })
  const texts = { subject: 'For you', body: 'Here you are: {{ cart_items }} {{ checkout_link }}' }
  const body = { customers: shop.people, couponId: shop.couponId, ...texts }
  const reply = await world.request('POST', '/api/email/send-discount-offers', { token: shop.token, body })
  expect(reply.status).toBe(200)
  await completeOrderCheck(world, shop.storeId)
  return shop
}

interface Beside {
  orderId: string
  shopperId: string
}

/** Another shopper, who bought at the time of the decision, or long before. */
async function createBuyerScene(ageMs: number): Promise<MessageScene & { buyer: Beside }> {
  const scene = await createDueReminders(world)
  const order = markPurchased(world, buildOrder(world))
  const at = new Date(world.now.getTime() - ageMs).toISOString()
  const early = { ...order, createdAt: at, modifiedAt: at, paidAt: at }
  const { shopperIds } = await recordOrders(world.deps, scene.storeId, [early], 'sync')
  return { ...scene, buyer: { orderId: order.orderId, shopperId: shopperIds[0]! } }
}

const shareDevice = (storeId: string, shopperIds: readonly string[]) =>
  world.db
    .insertInto('shopper_keys')
    .values(
      shopperIds.map((shopper_id) => ({ store_id: storeId, kind: 'device' as const, value: 'a tablet', shopper_id })),
    )
    .execute()

const row = (id: string) => world.db.updateTable('messages').where('id', '=', id)
type Changed = 'coupon_codes' | 'products' | 'campaigns' | 'consent_imports' | 'consent_overrides' | 'flow_steps'
const of = (table: Changed, storeId: string) => world.db.updateTable(table).where('store_id', '=', storeId)
const coupons = (storeId: string) => world.db.updateTable('coupons').where('store_id', '=', storeId)
const storeRow = (storeId: string) => world.db.updateTable('stores').where('id', '=', storeId)

type Case<T extends MessageScene> = [
  table: string,
  what: string,
  scene: () => Promise<T>,
  change: (six: PairScene<T>) => Promise<unknown>,
]

/** Each changes one table. */
const CASES: Case<MessageScene & { buyer?: Beside }>[] = [
  [
    'accounts',
    'the account is suspended',
    () => createDueReminders(world),
    ({ accountId }) =>
      world.db
        .updateTable('accounts')
        .set({ suspended_at: world.now, suspended_reason: 'spam' })
        .where('id', '=', accountId)
        .execute(),
  ],
  [
    'campaigns',
    'its campaign is paused',
    createCampaignShop,
    ({ storeId }) => of('campaigns', storeId).set({ status: 'paused' }).execute(),
  ],
  [
    'consent_imports',
    'the import that its consent came with is undone (C5)',
    createImportScene,
    ({ storeId }) => of('consent_imports', storeId).set({ standing: 'undone' }).execute(),
  ],
  [
    'consent_imports',
    'the import that its consent came with is doubted (C5)',
    createImportScene,
    ({ storeId }) => of('consent_imports', storeId).set({ standing: 'doubted' }).execute(),
  ],
  [
    'consent_overrides',
    'the relaxed rule that it rests on has ended (C6)',
    createOverrideScene,
    ({ storeId }) => of('consent_overrides', storeId).set({ ended_at: world.now }).execute(),
  ],
  [
    'consents',
    'its consent is withdrawn (C5)',
    createCampaignShop,
    ({ storeId, waiting }) => {
      const addressHash = world.deps.secrets.addressHash(waiting.to_address!)
      const withdrawal = { channel: 'email' as const, status: 'withdrawn' as const, source: 'test', at: world.now }
      return world.db
        .insertInto('consents')
        .values({ store_id: storeId, id: createId(), address_hash: addressHash, ...withdrawal })
        .execute()
    },
  ],
  [
    'coupon_codes',
    'its code is used',
    createCodeScene,
    ({ storeId }) => of('coupon_codes', storeId).set({ used_at: world.now }).execute(),
  ],
  [
    'coupons',
    'its coupon is switched off',
    createCouponScene,
    ({ storeId }) => coupons(storeId).set({ is_active: false }).execute(),
  ],
  [
    'coupons',
    'its coupon is another than it says',
    createCouponScene,
    ({ storeId }) => coupons(storeId).set({ percent: 500 }).execute(),
  ],
  [
    'domain_throttles',
    'its domain is left alone',
    () => createDueReminders(world),
    ({ accountId, waiting }) =>
      world.pool.query(
        `insert into domain_throttles (account_id, domain, kind, weight, since, paused_until, answer, updated_at)
         values ($1, $2, 'deferred', 9, $3, $4, '421', $3)`,
        [accountId, getDomain(waiting.to_address!), world.now, new Date(world.now.getTime() + HOUR)],
      ),
  ],
  [
    'flow_steps',
    'its step has no coupon any more',
    createCouponScene,
    ({ storeId }) => of('flow_steps', storeId).set({ coupon_id: null }).execute(),
  ],
  [
    'manual_messages',
    'it was asked for with another coupon',
    createDiscountMail,
    ({ storeId }) =>
      world.db.updateTable('manual_messages').set({ coupon_id: createId() }).where('store_id', '=', storeId).execute(),
  ],
  [
    'messages',
    'its time is over (D7)',
    () => createDueReminders(world),
    ({ waiting }) => row(waiting.id).set({ expires_at: world.now }).execute(),
  ],
  [
    'messages',
    'it is due later',
    () => createDueReminders(world),
    ({ waiting }) =>
      row(waiting.id)
        .set({ due_at: new Date(world.now.getTime() + 1) })
        .execute(),
  ],
  [
    'orders',
    'another shopper with its device buys (S3)',
    async () => {
      const scene = await createBuyerScene(3 * HOUR)
      const shoppers = world.db.selectFrom('shoppers').select('id').where('store_id', '=', scene.storeId)
      await shareDevice(
        scene.storeId,
        (await shoppers.execute()).map(({ id }) => id),
      )
      return scene
    },
    ({ storeId, buyer }) =>
      world.db
        .updateTable('orders')
        .set({ purchased_at: world.now })
        .where('store_id', '=', storeId)
        .where('order_id', '=', buyer!.orderId)
        .execute(),
  ],
  [
    'plan_usage',
    'the plan has no room',
    () => createDueReminders(world),
    ({ accountId }) =>
      world.db.updateTable('plan_usage').set({ used: 1_000_000 }).where('account_id', '=', accountId).execute(),
  ],
  [
    'products',
    'what its code was made for is sold out (decision 134)',
    createCodeScene,
    ({ storeId }) => of('products', storeId).set({ is_available: false }).execute(),
  ],
  [
    'shopper_keys',
    'its device turns out to be the buyer’s (S3)',
    () => createBuyerScene(0),
    ({ storeId, waiting, buyer }) => shareDevice(storeId, [waiting.shopper_id, buyer!.shopperId]),
  ],
  [
    'stores',
    'the store sends nothing for now',
    () => createDueReminders(world),
    ({ storeId }) => storeRow(storeId).set({ sending_paused_at: world.now }).execute(),
  ],
  [
    'stores',
    'the store rests',
    () => createDueReminders(world),
    ({ storeId }) => storeRow(storeId).set({ rests_since: world.now }).execute(),
  ],
]

/** Tables whose case is in send-checks.test.ts, by its name there. */
const ELSEWHERE: Record<string, string> = {
  carts: 'its cart has changed',
  flows: 'its flow is off',
  instance: 'the instance is paused; it is sent once the instance is confirmed as live (D7)',
  messages: 'the shopper has had as many messages as the cap allows (T1)',
  suppressions: 'a suppression of the address (C1)',
  sync_state: 'the mirror is too old',
}

describe('a decided mail that waits for its slot is not sent when', () => {
  test.each(CASES)('%s: %s', async (_, __, scene, change) => {
    const after = await changeDuringFlight(world, await scene(), change)
    expect(world.sent).toHaveLength(POOL_SIZE)
    expect(world.sent.map(({ messageId }) => messageId)).not.toContain(after.waiting.id)
    const { sending_at } = await readStoredMessage(world, after.waiting.id)
    expect(sending_at).toBeNull()
    await expectSent(world, after)
  })

  test('nothing is changed (control case): the message is sent in each of these stores', async () => {
    for (const scene of [
      createCouponScene,
      createCodeScene,
      createImportScene,
      createOverrideScene,
      createCampaignShop,
      createDiscountMail,
      () => createBuyerScene(0),
    ]) {
      world.sent.length = 0
      world.answer = acceptMail
      await changeDuringFlight(world, (await scene()) as MessageScene, async () => {})
      expect(world.sent).toHaveLength(POOL_SIZE + 1)
    }
  })
})

test.each([
  'email',
  'sms',
  'whatsapp',
  'push',
] as const)('the cases cover every table that the turn of %s reads', (channel) => {
  const limits = {
    claim: createId(),
    workerId: createId(),
    now: world.now,
    localCopySince: world.now,
    accountId: createId(),
    capSince: world.now,
    capMax: 3,
    month: '2026-03-01',
    channel,
    planLimit: -1,
  }
  const terms = createTestChannelRules(world, channel, limits.accountId)
  const { sql } = turnStatement(createId(), { answered: [], candidates: [] }, limits, terms).compile(world.db)
  const named = Object.keys(tables).filter((table) =>
    new RegExp(`(?:\\b(?:from|join|update|into)|,)\\s+"?${table}"?(?=\\s|\\)|$)`).test(sql),
  )
  const isChecked = (table: string) => channel === 'email' || table !== 'domain_throttles'
  const known = [...new Set([...CASES.map(([table]) => table), ...Object.keys(ELSEWHERE)])].filter(isChecked)
  const what = 'A table that the turn reads may stop a mail: add the case in which it alone changes.'
  expect(named.sort(), what).toEqual(known.sort())
})

test('the cases listed for send-checks.test.ts exist', () => {
  const text = fs.readFileSync(path.join(import.meta.dirname, 'send-checks.test.ts'), 'utf8')
  expect(Object.values(ELSEWHERE).filter((name) => !text.includes(`'${name}'`))).toEqual([])
})
