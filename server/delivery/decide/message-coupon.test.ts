import { beforeEach, describe, expect, test } from 'vitest'
import {
  assignCouponToSteps,
  insertCoupon,
  readCodeTerms,
  readCouponCode,
  type StepCoupon,
} from '../../../test/coupon-copies.ts'
import { buildOrder } from '../../../test/factories.ts'
import { buildCoupon } from '../../../test/fake-coupons.ts'
import { buildProblem, createFakeStore } from '../../../test/fake-store.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  DAY,
  HOUR,
  listStepDecisions,
  listStepStates,
  type MessageScene,
  markPurchased,
  passTime,
  readCart,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { buildWooKeys } from '../../../test/woo-access.ts'
import { createWorld } from '../../../test/world.ts'
import { saveKeys } from '../../access/stores/access.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { sql } from '../../core/db/db.ts'

// The coupon of a message (decisions 33 to 37), from its step to the mail, with its record.

const world = createWorld()
beforeEach(() => {
  world.sent.length = 0
})

type Coupon = Parameters<typeof insertCoupon>[2]

async function createShopWithCoupon(coupon: Coupon = {}, setting: StepCoupon = {}) {
  const store = await createMessageScene(world)
  const couponId = await insertCoupon(world, store, coupon)
  await assignCouponToSteps(world, store, couponId, setting)
  return { ...store, couponId, code: await readCouponCode(world, couponId) }
}

const change = (id: string, values: object) =>
  world.db.updateTable('coupons').set(values).where('id', '=', id).execute()

/** The record of the first message's decision. */
async function readInputs({ storeId }: MessageScene) {
  const row = await world.db
    .selectFrom('decision_records as d')
    .innerJoin('messages as m', (on) => on.onRef('m.id', '=', 'd.message_id').onRef('m.store_id', '=', 'd.store_id'))
    .select('d.inputs')
    .where('d.store_id', '=', storeId)
    .where('m.step', '=', 1)
    .where('d.outcome', '<>', 'result')
    .orderBy('d.at', 'desc')
    .executeTakeFirstOrThrow()
  return row.inputs
}

const readFirst = async ({ storeId }: MessageScene) => (await readMessages(world, storeId))[0]!

describe('a coupon for everybody', () => {
  test('is shown in the mail with saving and total, and stored with the message', async () => {
    const store = await createShopWithCoupon({ ends_at: new Date('2026-12-01T05:00:00Z') })
    await passTime(world, store.storeId, HOUR)
    const { text, html } = world.sent[0]!
    const { value_minor: value } = await readCart(world, store.storeId)
    const money = (minor: number) => `$${(minor / 100).toFixed(2)}`
    const saving = Math.ceil(value / 10 - 0.5)
    expect(text).toContain(`Coupon ${store.code}: −${money(saving)} (valid until November 30, 2026)`)
    expect(text).toContain(`Total with the coupon: ${money(value - saving)}`)
    expect(html).toContain(store.code)
    expect(html).toContain(money(value - saving))
    expect(await readFirst(store)).toMatchObject({ state: 'sent', coupon_id: store.couponId, coupon_code: store.code })
    expect(await readInputs(store)).toMatchObject({ coupon: store.code, couponIncluded: true })
  })

  test('is available as variables that a template tests with `if`', async () => {
    const store = await createShopWithCoupon({
      type: 'fixed',
      platform_type: 'fixed_cart',
      percent: null,
      amount_minor: 500,
    })
    const body =
      '{% if coupon_code %}{{ coupon_amount }} off with {{ coupon_code }}, now {{ discounted_total }}{% else %}Pay {{ discounted_total }}{% endif %} {{ checkout_link }}'
    await world.db
      .updateTable('templates')
      .set({ body, design: null, version: 7 })
      .where('store_id', '=', store.storeId)
      .execute()
    await passTime(world, store.storeId, HOUR)
    const { value_minor: value } = await readCart(world, store.storeId)
    expect(world.sent[0]!.text).toContain(`$5.00 off with ${store.code}, now $${((value - 500) / 100).toFixed(2)}`)
    await assignCouponToSteps(world, store, null)
    await passTime(world, store.storeId, DAY)
    expect(world.sent[1]!.text).toContain(`Pay $${(value / 100).toFixed(2)}`)
  })

  test('is removed with its whole paragraph when a rule withholds it (decision 37)', async () => {
    const store = await createShopWithCoupon({}, { coupon_fallback: 'without', coupon_above_minor: 900_000_000 })
    const body =
      'Hi\n\nUse {{ coupon_code }} for {{ coupon_amount }} off, until {{ coupon_expires }}.\n\n{{ checkout_link }}'
    await world.db
      .updateTable('templates')
      .set({ subject: '{{ coupon_amount }} off', body, design: null, version: 7 })
      .where('store_id', '=', store.storeId)
      .execute()
    await passTime(world, store.storeId, HOUR)
    expect(world.sent[0]!.text).toMatch(/^Hi\n\nReturn to your cart:/)
    expect(world.sent[0]!.html).not.toContain('until')
    expect(world.sent[0]!.subject).toMatch(/^Your cart at /)
  })

  const endings: [string, object, string][] = [
    ['deleted', { gone_at: new Date() }, 'gone'],
    ['switched off', { is_active: false }, 'inactive'],
    ['expired', { ends_at: new Date('2026-03-02T16:30:00Z') }, 'expired'],
    ['used up', { usage_limit: 5, usage_count: 5 }, 'used_up'],
    ['given a minimum the cart misses', { min_spend_minor: 900_000_000 }, 'min_spend'],
  ]

  test.each(endings)('%s between planning and send: the message is sent without it', async (_, ending, why) => {
    const store = await createShopWithCoupon({}, { coupon_fallback: 'without' })
    await advanceToAbandoned(world, store.storeId, HOUR)
    await change(store.couponId, ending)
    await passTime(world, store.storeId, 1_000)
    expect(await listStepDecisions(world, store.storeId)).toEqual(['send ok', 'result accepted'])
    expect(await readInputs(store)).toMatchObject({ couponIncluded: false, couponReason: `coupon_invalid:${why}` })
    expect(world.sent[0]!.text).not.toContain(store.code)
    expect(world.sent[0]!.text).toContain('Total: $')
    expect(await readFirst(store)).toMatchObject({ coupon_id: null, coupon_code: null })
  })

  test.each(endings)('%s between planning and send: the message is not sent', async (_, ending, why) => {
    const store = await createShopWithCoupon({}, { coupon_fallback: 'skip' })
    await advanceToAbandoned(world, store.storeId, HOUR)
    await change(store.couponId, ending)
    await passTime(world, store.storeId, 1_000)
    expect((await listStepStates(world, store.storeId))[0]).toBe(`skipped(coupon_invalid:${why})`)
    expect(await readInputs(store)).toMatchObject({ coupon: store.code, couponIncluded: false })
    expect(world.sent).toEqual([])
  })
})

describe('a restricted coupon (decision 36)', () => {
  test.each(['without', 'skip'] as const)('who bought before gets no coupon for first orders: %s', async (fallback) => {
    const store = await createShopWithCoupon({}, { coupon_fallback: fallback, coupon_first_order_only: true })
    const before = new Date(world.now.getTime() - 30 * DAY).toISOString()
    const { email } = store.orders[0]!
    const order = buildOrder(world, { email, createdAt: before, modifiedAt: before })
    await recordOrders(
      world.deps,
      store.storeId,
      [{ ...markPurchased(world, order), createdAt: before, modifiedAt: before, paidAt: before }],
      'sync',
    )
    await passTime(world, store.storeId, HOUR)
    const reason = 'coupon_withheld:first_order'
    if (fallback === 'skip') expect((await listStepStates(world, store.storeId))[0]).toBe(`skipped(${reason})`)
    else expect(await readInputs(store)).toMatchObject({ couponIncluded: false, couponReason: reason })
    expect(world.sent.length).toBe(fallback === 'skip' ? 0 : 1)
  })

  test('is included for a shopper who requested a quote before and never paid (S4)', async () => {
    const store = await createShopWithCoupon({}, { coupon_first_order_only: true })
    const before = new Date(world.now.getTime() - 30 * DAY).toISOString()
    const times = { createdAt: before, modifiedAt: before, paidAt: null }
    const order = { ...times, status: 'quote', amount: 'if_counted' } as const
    const quote = { ...markPurchased(world, buildOrder(world, { email: store.orders[0]!.email })), ...order }
    await recordOrders(world.deps, store.storeId, [quote], 'sync')
    await passTime(world, store.storeId, HOUR)
    expect(await readInputs(store)).toMatchObject({ couponIncluded: true })
  })

  test.each([
    ['paid orders', { orders_count: 2, spent_minor: 4_200 }, 'coupon_withheld:first_order'],
    ['only unpaid orders', { orders_count: 1, spent_minor: 0 }, undefined],
    ['no order', { orders_count: 0, spent_minor: 0 }, undefined],
  ])('who has %s by the store’s own count, regardless of the readable orders (decision 135)', async (_, counted, reason) => {
    const store = await createShopWithCoupon({}, { coupon_first_order_only: true })
    const { storeId } = store
    const cart = world.db.selectFrom('carts').select('shopper_id').where('store_id', '=', storeId)
    const { shopper_id } = await cart.executeTakeFirstOrThrow()
    const record = { store_id: storeId, customer_id: '71', seen_at: world.now, ...counted }
    await world.db.insertInto('customers').values(record).execute()
    const key = { store_id: storeId, kind: 'customer' as const, value: '71', shopper_id }
    await world.db.insertInto('shopper_keys').values(key).execute()
    await passTime(world, storeId, HOUR)
    expect(await readInputs(store)).toMatchObject({ couponIncluded: reason === undefined })
    expect((await readInputs(store))!.couponReason).toBe(reason)
  })

  test('is withheld after a recent use of our coupon; a store’s coupon counts only if a message contained it', async () => {
    const store = await createShopWithCoupon({}, { coupon_pause_days: 90 })
    const before = new Date(world.now.getTime() - 80 * DAY)
    const { email } = store.orders[0]!
    const at = before.toISOString()
    const order = buildOrder(world, { email, createdAt: at, modifiedAt: at })
    await recordOrders(
      world.deps,
      store.storeId,
      [{ ...markPurchased(world, order), createdAt: at, modifiedAt: at, paidAt: at }],
      'sync',
    )
    const used = (code: string) =>
      world.db
        .insertInto('order_coupons')
        .values({ store_id: store.storeId, order_id: order.orderId, code, discount_minor: 100 })
        .execute()
    await used('OF-THE-STORE')
    await insertCoupon(world, store, { made_by: 'store', code: 'OF-THE-STORE' })
    await passTime(world, store.storeId, HOUR)
    expect(await readInputs(store)).toMatchObject({ couponIncluded: true })
    await used(store.code)
    await passTime(world, store.storeId, DAY)
    expect(world.sent.length).toBe(2)
    expect(world.sent[1]!.text).not.toContain(store.code)
  })

  test('is included only for carts above the minimum value', async () => {
    const store = await createShopWithCoupon({}, { coupon_above_minor: 90_000_000 })
    await passTime(world, store.storeId, HOUR)
    expect(await readInputs(store)).toMatchObject({ couponIncluded: false, couponReason: 'coupon_withheld:above' })
  })
})

describe('a personal code (decision 34)', () => {
  const personal = { kind: 'personal', code: 'CART', valid_hours: 72 } as const
  async function createCode(store: MessageScene & { couponId: string }, changes: object = {}) {
    const message = await readFirst(store)
    const terms = await readCodeTerms(world, store.couponId)
    await world.db
      .insertInto('coupon_codes')
      .values({
        store_id: store.storeId,
        message_id: message.id,
        coupon_id: store.couponId,
        shopper_id: message.shopper_id,
        cart_id: message.cart_id,
        code: `CART-${createId().slice(-8).toUpperCase()}`,
        state: 'made',
        terms,
        expires_at: new Date(world.now.getTime() + 100 * HOUR),
        next_try_at: world.now,
        created_at: world.now,
        ...changes,
      })
      .execute()
    return message.id
  }

  test('holds the message until it exists, then shows its expiry', async () => {
    const store = await createShopWithCoupon(personal)
    await passTime(world, store.storeId, HOUR)
    expect((await listStepStates(world, store.storeId))[0]).toBe('held(coupon_pending)')
    await createCode(store, { state: 'wanted' })
    await passTime(world, store.storeId, 2 * 60_000)
    expect((await listStepStates(world, store.storeId))[0]).toBe('held(coupon_pending)')
    await world.db
      .updateTable('coupon_codes')
      .set({ state: 'made', code: 'CART-7K3M9QXY' })
      .where('store_id', '=', store.storeId)
      .execute()
    await passTime(world, store.storeId, 2 * 60_000)
    expect(world.sent[0]!.text).toContain('Coupon CART-7K3M9QXY')
    expect(await readFirst(store)).toMatchObject({ state: 'sent', coupon_code: 'CART-7K3M9QXY' })
  })

  test('wakes the message when it is created between the decision and its hold', async () => {
    const store = await createShopWithCoupon(personal)
    await advanceToAbandoned(world, store.storeId, HOUR)
    const id = await createCode(store, { state: 'wanted' })
    await sql`create function made_meanwhile() returns trigger language plpgsql as $$ begin
        update coupon_codes set state = 'made' where store_id = new.store_id and message_id = new.id; return new; end $$`.execute(
      world.db,
    )
    await sql`create trigger made_meanwhile after update on messages for each row when (new.reason = 'coupon_pending')
      execute function made_meanwhile()`.execute(world.db)
    await passTime(world, store.storeId, 1_000)
    await sql`drop function made_meanwhile cascade`.execute(world.db)
    const row = await world.db
      .selectFrom('messages')
      .select(['state', 'wake_at'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    // Woken at once, it is decided on again within the same round, or is due.
    expect(row.state === 'sent' || row.wake_at <= world.now).toBe(true)
    await passTime(world, store.storeId, 1_000)
    expect(await readFirst(store)).toMatchObject({ state: 'sent' })
  })

  test('holds the message when the store refuses it, with the store’s error in the record', async () => {
    const store = await createShopWithCoupon(personal)
    await advanceToAbandoned(world, store.storeId, HOUR)
    await createCode(store, { state: 'failed', refusal: 'The coupon code is not allowed' })
    await passTime(world, store.storeId, 1_000)
    expect((await listStepStates(world, store.storeId))[0]).toBe('held(coupon_failed)')
    expect(await readInputs(store)).toMatchObject({ couponRefusal: 'The coupon code is not allowed' })
  })

  test('for another cart version holds the message while its amount is capped', async () => {
    const store = await createShopWithCoupon({ ...personal, max_discount_minor: 300 })
    await advanceToAbandoned(world, store.storeId, HOUR)
    await createCode(store, { amount_minor: 300, cart_version: 900_000 })
    await passTime(world, store.storeId, 1_000)
    expect((await listStepStates(world, store.storeId))[0]).toBe('held(coupon_pending)')
    const { version } = await readCart(world, store.storeId)
    await world.db
      .updateTable('coupon_codes')
      .set({ cart_version: version })
      .where('store_id', '=', store.storeId)
      .execute()
    await passTime(world, store.storeId, 2 * 60_000)
    expect(world.sent[0]!.text).toContain('−$3.00')
  })

  test('with edited terms holds the message until the store has the new ones', async () => {
    const store = await createShopWithCoupon(personal)
    await advanceToAbandoned(world, store.storeId, HOUR)
    await createCode(store)
    await change(store.couponId, { percent: 2_000 })
    await passTime(world, store.storeId, 1_000)
    expect((await listStepStates(world, store.storeId))[0]).toBe('held(coupon_pending)')
    const terms = await readCodeTerms(world, store.couponId)
    await world.db.updateTable('coupon_codes').set({ terms }).where('store_id', '=', store.storeId).execute()
    await passTime(world, store.storeId, 2 * 60_000)
    expect(world.sent[0]!.text).toContain('−$8.40')
  })

  test.each([
    ['used', { used_at: new Date() }, 'used_up'],
    ['taken out of the store', { state: 'deleted' }, 'gone'],
    ['about to expire', { expires_at: new Date('2026-03-03T01:00:00Z') }, 'expired'],
  ])('%s is like any coupon that is not valid', async (_, changes, why) => {
    const store = await createShopWithCoupon(personal, { coupon_fallback: 'skip' })
    await advanceToAbandoned(world, store.storeId, HOUR)
    await createCode(store, changes)
    await passTime(world, store.storeId, 1_000)
    expect((await listStepStates(world, store.storeId))[0]).toBe(`skipped(coupon_invalid:${why})`)
  })
})

describe('before a batch is decided on, its coupons are read from the store', () => {
  async function createShopWithStore(setting: StepCoupon = {}) {
    const store = await createShopWithCoupon({ platform_id: '71' }, setting)
    const fake = createFakeStore()
    fake.allCoupons.push(buildCoupon({ couponId: '71', code: store.code.toLowerCase(), percent: 1_000 }))
    world.storeClient = () => fake
    const { accountId, storeId } = store
    const keys = buildWooKeys()
    await world.db.transaction().execute((db) => saveKeys(world.deps, { accountId, db }, storeId, keys))
    await advanceToAbandoned(world, storeId, HOUR)
    return { ...store, fake }
  }

  test('a deleted coupon is left out', async () => {
    const store = await createShopWithStore()
    store.fake.allCoupons.length = 0
    await sendDueMessages(world, store.storeId)
    expect(await readInputs(store)).toMatchObject({ couponIncluded: false, couponReason: 'coupon_invalid:gone' })
    const copy = await world.db
      .selectFrom('coupons')
      .select('gone_at')
      .where('id', '=', store.couponId)
      .executeTakeFirst()
    expect(copy?.gone_at).toEqual(world.now)
  })

  test('a used-up coupon is not sent', async () => {
    const store = await createShopWithStore({ coupon_fallback: 'skip' })
    Object.assign(store.fake.allCoupons[0]!, { usageLimit: 3, usageCount: 3 })
    await sendDueMessages(world, store.storeId)
    expect((await listStepStates(world, store.storeId))[0]).toBe('skipped(coupon_invalid:used_up)')
  })

  test('a changed coupon is shown with its new terms', async () => {
    const store = await createShopWithStore()
    Object.assign(store.fake.allCoupons[0]!, { percent: 2_000 })
    await sendDueMessages(world, store.storeId)
    const { value_minor: value } = await readCart(world, store.storeId)
    expect(world.sent[0]!.text).toContain(
      `Total with the coupon: $${((value - Math.ceil(value / 5 - 0.5)) / 100).toFixed(2)}`,
    )
  })

  test('a store without a response holds messages with a coupon', async () => {
    const store = await createShopWithStore()
    store.fake.couponsById = async () => {
      throw buildProblem('timeout')
    }
    await sendDueMessages(world, store.storeId)
    expect((await listStepStates(world, store.storeId))[0]).toBe('held(coupon_unread:timeout)')
    expect(world.sent).toEqual([])
  })

  test('no request is made for messages without a coupon', async () => {
    const store = await createShopWithStore()
    await assignCouponToSteps(world, store, null)
    store.fake.couponsById = async () => {
      throw new Error('asked for coupons')
    }
    await sendDueMessages(world, store.storeId)
    expect(world.sent.length).toBe(1)
  })
})
