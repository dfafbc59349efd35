import { beforeEach, expect, test } from 'vitest'
import { readCodeTerms } from '../../../test/coupon-copies.ts'
import { buildAddress, type CouponShop, createCouponShop } from '../../../test/coupon-scene.ts'
import { buildCoupon } from '../../../test/fake-coupons.ts'
import { buildProblem } from '../../../test/fake-store.ts'
import { waitForBlockedConnections } from '../../../test/locks.ts'
import { buildTea, HOUR, MINUTE, pot } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import type { Db, Tx } from '../../core/db/db.ts'
import { readCoupons } from '../sync/goods.ts'
import { enqueueDueCodes } from './codes.ts'
import { codesJob } from './codes-jobs.ts'
import { deriveCode } from './codes-rules.ts'

// Personal codes are created in the store before their messages are sent (decisions 33 and 34).

const world = createWorld()
let shop: CouponShop

beforeEach(async () => {
  world.queued.length = 0
  shop = await createCouponShop(world)
})

const isQueued = () => world.queued.some((each) => each.name === codesJob.name && getPayload(each) === shop.storeId)
const getPayload = ({ payload }: { payload: unknown }) => (payload as { storeId: string }).storeId

test('each message gets one marked code for a single, individual use, valid as long as the mail may say', async () => {
  await shop.abandoned('ada', 'bob')
  await shop.make()
  await shop.make()
  const codes = await shop.codes()
  expect(codes).toHaveLength(2)
  expect(shop.fake.allCoupons).toHaveLength(2)
  for (const { code, message_id, platform_id, state } of codes) {
    const message = (await shop.messages()).find((each) => each.id === message_id)!
    const coupon = shop.fake.allCoupons.find((each) => each.couponId === platform_id)!
    expect(state).toBe('made')
    expect(coupon).toMatchObject({
      code: code.toLowerCase(),
      type: 'percentage',
      percent: 1_000,
      usageLimit: 1,
      isIndividual: true,
      limits: { emails: [] },
      mark: `message:${message_id}`,
    })
    expect(coupon.expiresAt).toBe(new Date(message.expires_at.getTime() + 72 * HOUR).toISOString())
  }
  const events = (await shop.events()).filter((event) => event.kind === 'coupon_made')
  expect(events.map((event) => event.detail)).toEqual(
    expect.arrayContaining(codes.map(({ code }) => ({ code, couponId: shop.couponId }))),
  )
  expect(events).toHaveLength(2)
})

test('the job runs when a message is due within fifteen minutes, and not before', async () => {
  await world.db.updateTable('flow_steps').set({ coupon_id: null }).where('store_id', '=', shop.storeId).execute()
  await world.db
    .updateTable('flow_steps')
    .set({ coupon_id: shop.couponId, delay_minutes: 120 })
    .where('store_id', '=', shop.storeId)
    .where('step', '=', 2)
    .execute()
  await shop.abandoned('ada')
  await shop.passTime(0)
  world.advance(44 * MINUTE)
  await enqueueDueCodes(world.deps)
  expect(isQueued()).toBe(false)
  world.advance(MINUTE)
  await enqueueDueCodes(world.deps)
  expect(isQueued()).toBe(true)
  await world.runJobs()
  expect(await shop.codes()).toMatchObject([{ state: 'made' }])
  await enqueueDueCodes(world.deps)
  expect(isQueued()).toBe(false)
})

test('no code is created without an address, for a closed cart, an inactive flow, or while sending is paused', async () => {
  await shop.fill('nobody', [buildTea()])
  await shop.abandoned('ada', 'bob')
  await shop.order({ kind: 'purchase', email: buildAddress('ada') })
  await shop.make()
  expect(shop.fake.allCoupons).toHaveLength(1)
  await shop.abandoned('cyd')
  await world.db.updateTable('flows').set({ is_on: false }).where('store_id', '=', shop.storeId).execute()
  await shop.make()
  await world.db.updateTable('flows').set({ is_on: true }).where('store_id', '=', shop.storeId).execute()
  await world.db.updateTable('stores').set({ sending_paused_at: world.now }).where('id', '=', shop.storeId).execute()
  await shop.make()
  expect(shop.fake.allCoupons).toHaveLength(1)
  await world.db.updateTable('stores').set({ sending_paused_at: null }).where('id', '=', shop.storeId).execute()
  await shop.make()
  expect(shop.fake.allCoupons).toHaveLength(2)
})

test('a capped percentage becomes a fixed amount of its cart and follows changes of the cart (decision 33)', async () => {
  shop = await createCouponShop(world, { percent: 5_000, max_discount_minor: 2_000, min_spend_minor: 1_000 })
  await shop.abandoned('ada')
  await shop.make()
  expect(shop.fake.allCoupons).toMatchObject([{ type: 'fixed', amountMinor: 1_050, minSpendMinor: 1_000 }])
  const cart = await shop.cart()
  expect(await shop.codes()).toMatchObject([{ amount_minor: 1_050, cart_version: cart.version }])
  await shop.fill('ada', [buildTea(5)])
  await world.db.updateTable('messages').set({ wake_at: world.now }).where('store_id', '=', shop.storeId).execute()
  await shop.make()
  expect(shop.fake.allCoupons).toMatchObject([{ type: 'fixed', amountMinor: 2_000 }])
  expect(await shop.codes()).toMatchObject([
    { state: 'made', amount_minor: 2_000, cart_version: (await shop.cart()).version },
  ])
})

test('a capped percentage excludes sold-out items (decision 134)', async () => {
  shop = await createCouponShop(world, { percent: 5_000, max_discount_minor: 5_000 })
  shop.fake.deletedKeys.add(`${pot.productId}:`)
  const soldOut = { product_id: pot.productId, name: 'Teapot', price_minor: 6_800, is_available: false }
  await world.db
    .insertInto('products')
    .values({ store_id: shop.storeId, currency: 'USD', seen_at: world.now, ...soldOut })
    .execute()
  await shop.fill('ada', [buildTea(), pot])
  await shop.type('ada', { email: buildAddress('ada') })
  world.advance(HOUR)
  await shop.passTime(0)
  await world.db.updateTable('messages').set({ wake_at: world.now }).where('store_id', '=', shop.storeId).execute()
  await shop.make()
  expect(shop.fake.allCoupons).toMatchObject([{ type: 'fixed', amountMinor: 1_050 }])
})

test('editing a coupon’s terms updates the codes of unsent messages', async () => {
  await shop.abandoned('ada')
  await shop.make()
  await world.db.updateTable('coupons').set({ percent: 1_500 }).where('id', '=', shop.couponId).execute()
  await shop.make()
  expect(shop.fake.allCoupons).toMatchObject([{ percent: 1_500 }])
  expect(shop.fake.allCoupons).toHaveLength(1)
})

test('no code is created with terms that are being replaced, and one that was is updated in the same run', async () => {
  await shop.abandoned('ada')
  const edit = (db: Db | Tx, percent: number) =>
    db.updateTable('coupons').set({ percent }).where('id', '=', shop.couponId).execute()
  const requestedDrafts: unknown[] = []
  const { createCoupons } = shop.fake
  shop.fake.createCoupons = (drafts) => {
    requestedDrafts.push(...drafts.map(({ percent }) => percent))
    return createCoupons(drafts)
  }
  let making: ReturnType<typeof shop.make> | undefined
  await world.db.transaction().execute(async (tx) => {
    await edit(tx, 1_500)
    making = shop.make()
    await waitForBlockedConnections(world, 1)
    shop.fake.afterCoupon = async () => {
      shop.fake.afterCoupon = async () => {}
      await edit(world.db, 2_000)
    }
  })
  await making
  expect(requestedDrafts).toEqual([1_500])
  expect(shop.fake.allCoupons).toMatchObject([{ percent: 2_000 }])
  expect(await shop.codes()).toMatchObject([{ state: 'made', terms: await readCodeTerms(world, shop.couponId) }])
})

test('codes of an edited coupon are updated a hundred at a time, retried after a lost answer, and settled one by one', async () => {
  await shop.abandoned('ada', 'bob', 'cyd')
  await shop.make()
  const batches: number[] = []
  const { updateCoupons } = shop.fake
  let refusedId: string | null = null
  shop.fake.updateCoupons = async (changes) => {
    batches.push(changes.length)
    const answers = await updateCoupons(changes)
    const refusal = { refusal: 'refused' as const, detail: 'Not this one.' }
    return answers.map((answer, at) => (changes[at]!.id === refusedId ? refusal : answer))
  }
  await world.db.updateTable('coupons').set({ percent: 1_500 }).where('id', '=', shop.couponId).execute()
  shop.fake.afterCoupon = async () => {
    throw buildProblem('timeout')
  }
  expect((await shop.make()).kind).toBe('failed')
  expect((await shop.codes()).map(({ state }) => state)).toEqual(['wanted', 'wanted', 'wanted'])
  shop.fake.afterCoupon = async () => {}
  const [first, second] = await shop.codes()
  // One is gone from the store, one is refused.
  shop.fake.allCoupons = shop.fake.allCoupons.filter(({ couponId }) => couponId !== first!.platform_id)
  refusedId = second!.platform_id
  await shop.make()
  refusedId = null
  expect(batches).toEqual([3, 3])
  expect(shop.fake.allCoupons).toHaveLength(3)
  const codes = await shop.codes()
  expect(codes.map(({ state }) => state).sort()).toEqual(['failed', 'made', 'made'])
  world.advance(10 * MINUTE)
  await shop.make()
  expect(shop.fake.allCoupons.map(({ percent }) => percent)).toEqual([1_500, 1_500, 1_500])
  expect((await shop.codes()).map(({ state }) => state)).toEqual(['made', 'made', 'made'])
})

test('a coupon tied to the email is for the recipient only', async () => {
  shop = await createCouponShop(world, { is_tied_to_email: true })
  await shop.abandoned('ada')
  await shop.make()
  expect(shop.fake.allCoupons).toMatchObject([{ limits: { emails: [buildAddress('ada')] } }])
})

test('a request without an answer is repeated, and a code found in the store counts as created', async () => {
  await shop.abandoned('ada', 'bob')
  shop.fake.afterCoupon = async () => {
    throw buildProblem('timeout')
  }
  expect((await shop.make()).kind).toBe('failed')
  expect(shop.fake.allCoupons).toHaveLength(2)
  expect(await shop.codes()).toMatchObject([{ state: 'wanted' }, { state: 'wanted' }])
  shop.fake.afterCoupon = async () => {}
  await shop.make()
  expect(shop.fake.allCoupons).toHaveLength(2)
  const codes = await shop.codes()
  expect(codes).toMatchObject([{ state: 'made' }, { state: 'made' }])
  expect(codes.map((each) => each.platform_id).sort()).toEqual(shop.fake.allCoupons.map((each) => each.couponId).sort())
})

test('a code from an earlier attempt with other terms is corrected before use', async () => {
  shop = await createCouponShop(world, { percent: 5_000, max_discount_minor: 2_000 })
  await shop.abandoned('ada')
  shop.fake.afterCoupon = async () => {
    throw buildProblem('timeout')
  }
  await shop.make()
  shop.fake.afterCoupon = async () => {}
  await shop.fill('ada', [buildTea(2)])
  await world.db.updateTable('messages').set({ wake_at: world.now }).where('store_id', '=', shop.storeId).execute()
  await shop.make()
  expect(shop.fake.allCoupons).toMatchObject([{ amountMinor: 2_000 }])
  expect(await shop.codes()).toMatchObject([{ state: 'made', amount_minor: 2_000 }])
})

test('a code already in use, in the store or here, is replaced by the next', async () => {
  await shop.abandoned('ada')
  const { id: messageId } = await shop.firstMessage()
  const key = { storeId: shop.storeId, messageId, couponId: shop.couponId, prefix: 'CART' }
  const [first, second, third] = [0, 1, 2].map((n) => deriveCode(world.deps.secrets, key, n)) as [
    string,
    string,
    string,
  ]
  shop.fake.allCoupons.push(buildCoupon({ couponId: '7', code: second.toLowerCase() }))
  const other = {
    store_id: shop.storeId,
    message_id: shop.accountId,
    coupon_id: shop.couponId,
    shopper_id: shop.userId,
  }
  await world.db
    .insertInto('coupon_codes')
    .values({ ...other, code: first, terms: '', expires_at: world.now, next_try_at: world.now, created_at: world.now })
    .execute()
  await shop.make()
  const createdCode = (await shop.codes()).find((each) => each.message_id === messageId)
  expect(createdCode).toMatchObject({ code: third, state: 'made' })
  expect(shop.fake.allCoupons.map((each) => each.code)).toEqual([second, third].map((code) => code.toLowerCase()))
})

test('a refusal is stored with the store’s reason, and the store is asked again later', async () => {
  await shop.abandoned('ada')
  shop.fake.couponRefusal = () => 'Coupons are closed today.'
  await shop.make()
  expect(await shop.codes()).toMatchObject([{ state: 'failed', refusal: 'Coupons are closed today.' }])
  shop.fake.couponRefusal = () => null
  await shop.make()
  expect(await shop.codes()).toMatchObject([{ state: 'failed' }])
  world.advance(31_000)
  await shop.make()
  expect(await shop.codes()).toMatchObject([{ state: 'made', refusal: null }])
})

test('a key without write access is reported with each code concerned', async () => {
  await shop.abandoned('ada')
  shop.fake.problem = buildProblem('read_only_key')
  await shop.make()
  const [code] = await shop.codes()
  expect(code).toMatchObject({ state: 'failed', refusal: expect.stringMatching(/read/i) })
})

test('an unreachable store is not called for a while, and its codes stay queued', async () => {
  await shop.abandoned('ada')
  shop.fake.problem = buildProblem('unreachable')
  await shop.make()
  await enqueueDueCodes(world.deps)
  expect(isQueued()).toBe(false)
  expect(await shop.codes()).toMatchObject([{ state: 'wanted' }])
  world.advance(5_001)
  await enqueueDueCodes(world.deps)
  expect(isQueued()).toBe(true)
  shop.fake.problem = null
  await world.runJobs()
  expect(await shop.codes()).toMatchObject([{ state: 'made' }])
})

test('only one run per store creates codes at a time', async () => {
  await shop.abandoned('ada')
  let second: Promise<unknown> | undefined
  shop.fake.afterCoupon = async () => {
    second ??= shop.make()
    expect(await second).toEqual({ kind: 'busy' })
  }
  await shop.make()
  expect(shop.fake.allCoupons).toHaveLength(1)
})

test('a message held for its code is checked as soon as the code is created or refused', async () => {
  await shop.abandoned('ada')
  const { id } = await shop.firstMessage()
  const hold = (reason: string) =>
    world.db
      .updateTable('messages')
      .set({ state: 'held', reason, wake_at: new Date(world.now.getTime() + MINUTE) })
      .where('id', '=', id)
      .execute()
  await hold('coupon_pending')
  await shop.make()
  expect((await shop.firstMessage()).wake_at).toEqual(world.now)
  const schedule = await world.db
    .selectFrom('send_schedule')
    .select('next_due_at')
    .where('store_id', '=', shop.storeId)
    .executeTakeFirstOrThrow()
  expect(schedule.next_due_at).toEqual(world.now)
})

test('a code deleted by the owner is created again when it must change', async () => {
  await shop.abandoned('ada')
  await shop.make()
  shop.fake.allCoupons = []
  await world.db.updateTable('coupons').set({ percent: 2_000 }).where('id', '=', shop.couponId).execute()
  await shop.make()
  expect(shop.fake.allCoupons).toMatchObject([{ percent: 2_000, code: (await shop.codes())[0]!.code.toLowerCase() }])
  expect(await shop.codes()).toMatchObject([{ state: 'made', platform_id: shop.fake.allCoupons[0]!.couponId }])
})

test('a code whose end the store rounds to seconds counts as current and is not written again', async () => {
  world.advance(123)
  await shop.abandoned('ada')
  await shop.make()
  const inSeconds = shop.fake.allCoupons.map((coupon) => ({
    ...coupon,
    expiresAt: `${coupon.expiresAt!.slice(0, 19)}Z`,
  }))
  shop.fake.couponsById = async () => ({ rows: inSeconds, skipped: [] })
  const { id } = await shop.firstMessage()
  expect(await readCoupons(world.deps, { storeId: shop.storeId, db: world.db }, [id])).toEqual(new Map())
  await enqueueDueCodes(world.deps)
  expect(isQueued()).toBe(false)
  expect(await shop.codes()).toMatchObject([{ state: 'made', attempts: 1 }])
})
