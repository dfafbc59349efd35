import { beforeEach, describe, expect, test } from 'vitest'
import {
  callCampaigns,
  campaignContent,
  contentWithoutCart,
  createCampaign,
  formatStoreDate,
  listCampaignStates,
  readCampaign,
  readCampaignMessages,
  runTick,
} from '../../../test/campaign-scene.ts'
import { createDemoCoupons } from '../../../test/demo-coupons.ts'
import { type CouponShop, createCouponShop, insertCoupon } from '../../../test/discount-scene.ts'
import { insertExperiment, readAssignments } from '../../../test/experiment-scene.ts'
import { createShop, type Shop } from '../../../test/manual-send-scene.ts'
import { DAY, findLink, HOUR, MINUTE, markPurchased, readMessages } from '../../../test/message-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { enqueueDueCodes } from '../../carts/coupon-codes/codes.ts'
import { createId } from '../../core/common/ids.ts'
import { transact } from '../../core/db/db.ts'
import { closeAttemptedSteps } from '../../messages/messages/sql.ts'
import { lockAllKeys, resolveShoppers } from '../../shoppers/shoppers/shoppers.ts'
import { runCampaigns } from './runs.ts'

// Campaign messages on the common send path, with changes to people and campaign on the way.

const world = createWorld()
const demo = createDemoCoupons(world)
beforeEach(() => {
  world.answer = acceptMail
  world.sent.length = 0
})

const start = (days = 0, timeOfDay = '00:00') => ({ startDate: formatStoreDate(world, days), timeOfDay })

/** A run whose rows exist and are not due yet. */
async function planned(shop: Shop, body: object = {}) {
  const { id } = await createCampaign(world, shop, { schedule: { ...start(), delay: 48 }, ...body })
  await runTick(world, shop)
  return id
}

const suppress = (shop: Shop, email: string) =>
  callCampaigns(world, shop, 'GET', '').then(() =>
    world.request('POST', '/api/suppressions', { token: shop.token, body: { address: email } }),
  )

describe('an open message', () => {
  test('is not sent after a purchase, an unsubscribe, a suppression or an emptied cart', async () => {
    const shop = await createShop(world, 5)
    const id = await planned(shop)
    const [buyer, , suppressed, emptied] = shop.orders
    await recordOrders(world.deps, shop.storeId, [markPurchased(world, buyer!)], 'sync')
    await suppress(shop, suppressed!.email!)
    await world.db.updateTable('carts').set({ status: 'emptied' }).where('email', '=', emptied!.email).execute()
    await runTick(world, shop, 2 * DAY)
    expect(world.sent).toHaveLength(2)
    expect(await listCampaignStates(world, id)).toEqual([
      '1 cancelled(emptied)',
      '1 cancelled(purchased)',
      '1 sent',
      '1 sent',
      '1 skipped(suppressed_manual)',
    ])
    const out = await world.request('POST', findLink(world.sent[0]!.html, '/u/'))
    expect(out.status).toBe(200)
    await callCampaigns(world, shop, 'PATCH', `/${id}/play`)
    await runTick(world, shop, MINUTE)
    expect(world.sent).toHaveLength(2)
  })

  test('waits while the shopper is back in the shop, and keeps its due time afterwards (S2)', async () => {
    const shop = await createShop(world, 1)
    const id = await planned(shop)
    const [before] = await readCampaignMessages(world, id)
    await world.db
      .updateTable('carts')
      .set({ status: 'active', abandon_at: new Date(world.now.getTime() + 50 * HOUR), last_activity_at: world.now })
      .where('store_id', '=', shop.storeId)
      .execute()
    await runTick(world, shop, 2 * DAY)
    const [after] = await readCampaignMessages(world, id)
    expect([after!.state, after!.reason, after!.due_at]).toEqual(['held', 'cart_active', before!.due_at])
    await runTick(world, shop, 3 * HOUR)
    expect(await listCampaignStates(world, id)).toEqual(['1 sent'])
  })

  test('stays open after a pause in the middle of a batch, and counts add up throughout (D5, D6)', async () => {
    const shop = await createShop(world, 30)
    const { id } = await createCampaign(world, shop)
    const sums: unknown[] = []
    let pausing: Promise<unknown> | null = null
    world.answer = async (mail) => {
      const { counts, status } = await readCampaign(world, shop, id)
      const { planned: all, ...parts } = counts
      sums.push([status === 'paused', all, Object.values(parts).reduce((sum, part) => sum + part, 0)])
      if (world.sent.length >= 5) pausing ??= callCampaigns(world, shop, 'PATCH', `/${id}/pause`)
      await pausing
      return acceptMail(mail)
    }
    await runTick(world, shop)
    // At most as many as were in flight already (D10).
    expect(world.sent.length).toBeLessThanOrEqual(10)
    expect(sums.every((each) => (each as number[])[1] === 30 && (each as number[])[2] === 30)).toBe(true)
    const was = world.sent.length
    await runTick(world, shop, MINUTE)
    expect(world.sent).toHaveLength(was)
    const { counts } = await readCampaign(world, shop, id)
    expect(counts).toMatchObject({ planned: 30, sent: was, held: 30 - was, inFlight: 0 })
    await callCampaigns(world, shop, 'PATCH', `/${id}/play`)
    await runTick(world, shop, MINUTE)
    expect([world.sent.length, new Set(world.sent.map(({ to }) => to)).size]).toEqual([30, 30])
    expect((await readCampaign(world, shop, id)).status).toBe('completed')
  })

  test('deferred by the mail server is closed when the campaign is cancelled', async () => {
    const shop = await createShop(world, 1)
    const { id } = await createCampaign(world, shop)
    world.answer = async () => {
      await world.db
        .updateTable('campaigns')
        .set({ status: 'cancelled', next_run_at: null })
        .where('id', '=', id)
        .execute()
      return { kind: 'retry', reason: 'smtp_451', response: '451 later' } as never
    }
    await runTick(world, shop)
    expect(await listCampaignStates(world, id)).toEqual(['1 cancelled(campaign_cancelled)'])
  })

  test('has the edited text', async () => {
    const shop = await createShop(world, 12)
    const { id } = await createCampaign(world, shop, { schedule: { ...start(), spreadHours: 10 } })
    await runTick(world, shop)
    await runTick(world, shop, 5 * HOUR)
    const before = world.sent.length
    const body = {
      name: 'S',
      targetAudience: { mode: 'matching' },
      content: { subject: 'New', body: 'Words {{ checkout_link }}' },
      schedule: { ...start(), spreadHours: 10 },
    }
    expect((await callCampaigns(world, shop, 'PUT', `/${id}`, body)).status).toBe(200)
    await runTick(world, shop, 6 * HOUR)
    expect(world.sent).toHaveLength(12)
    const subjects = world.sent.map(({ subject }) => subject)
    expect(subjects).toEqual(subjects.map((_, index) => (index < before ? campaignContent.subject : 'New')))
  })

  test('with an unknown result is not sent again and does not keep the campaign open (D4)', async () => {
    const shop = await createShop(world, 2)
    const { id } = await createCampaign(world, shop)
    world.answer = async (mail) =>
      mail.to === shop.orders[0]!.email ? ({ kind: 'unknown', response: 'timeout' } as never) : acceptMail(mail)
    await runTick(world, shop)
    expect(await readCampaign(world, shop, id)).toMatchObject({
      status: 'completed',
      counts: { planned: 2, sent: 1, unknown: 1 },
    })
    await callCampaigns(world, shop, 'PATCH', `/${id}/play`)
    await runTick(world, shop, HOUR)
    expect(world.sent).toHaveLength(2)
  })
})

describe('the control group', () => {
  test('of the store gets no message, and a shopper keeps the group of the first draw (F1)', async () => {
    const shop = await createShop(world, 40)
    await insertExperiment(world, shop.storeId, 5_000)
    const { id } = await createCampaign(world, shop)
    await runTick(world, shop)
    const arms = await readAssignments(world, shop.storeId)
    const control = arms.filter(({ arm }) => arm === 'control')
    expect([arms.length, control.length > 5, control.length < 35]).toEqual([40, true, true])
    expect((await readCampaign(world, shop, id)).counts).toMatchObject({
      skipped: control.length,
      sent: 40 - control.length,
    })
    expect(world.sent.map(({ to }) => to).sort()).toEqual(
      arms
        .filter(({ arm }) => arm === 'treated')
        .map(({ email }) => email)
        .sort(),
    )
  })
})

/** Creates the rows, due in an hour. */
async function planForLater(id: string): Promise<void> {
  await runCampaigns(world.deps)
  await world.runJobs()
  const at = new Date(world.now.getTime() + HOUR)
  await world.db.updateTable('messages').set({ due_at: at, wake_at: at }).where('origin_id', '=', id).execute()
}

describe('merged shoppers', () => {
  const join = (shop: CouponShop, one: string, other: string) =>
    transact({ storeId: shop.storeId, db: world.db }, async (tx) => {
      const keys = [one, other].map((value) => ({ kind: 'email' as const, value }))
      await lockAllKeys(tx, keys)
      await resolveShoppers(tx, [keys], world.now)
    })
  const chosen = (shop: CouponShop) => ({
    content: contentWithoutCart,
    targetAudience: {
      type: 'specific_customers',
      customerEmails: [...shop.orders, ...shop.buyerOrders].map(({ email }) => email),
    },
    schedule: { ...start(), spreadHours: 1 },
  })

  test('with a cart each get one message of a run', async () => {
    const shop = await createCouponShop(world, { carts: 2, buyers: 0 })
    const id = await planned(shop)
    await join(shop, shop.orders[0]!.email!, shop.orders[1]!.email!)
    await runTick(world, shop, 2 * DAY)
    await runTick(world, shop, MINUTE)
    expect(world.sent).toHaveLength(1)
    expect(await listCampaignStates(world, id)).toEqual(['1 cancelled(merged)', '1 sent'])
  })

  test('one without a cart get the message about the cart', async () => {
    const shop = await createCouponShop(world, { carts: 1, buyers: 1 })
    await world.db
      .updateTable('orders')
      .set({ purchased_at: new Date(world.now.getTime() - 60 * DAY) })
      .where('shopper_id', '=', shop.buyers[0]!)
      .execute()
    const { id } = await createCampaign(world, shop, chosen(shop))
    await planForLater(id)
    world.sent.length = 0
    await join(shop, shop.orders[0]!.email!, shop.buyerOrders[0]!.email!)
    await runTick(world, shop, HOUR)
    expect(world.sent.map(({ to }) => to)).toEqual([shop.orders[0]!.email])
    expect(await listCampaignStates(world, id)).toEqual(['1 cancelled(merged)', '1 sent'])
  })

  test('without carts get one message', async () => {
    const shop = await createCouponShop(world, { carts: 0, buyers: 2 })
    const { id } = await createCampaign(world, shop, chosen(shop))
    await planForLater(id)
    world.sent.length = 0
    await join(shop, shop.buyerOrders[0]!.email!, shop.buyerOrders[1]!.email!)
    await runTick(world, shop, HOUR)
    expect(world.sent).toHaveLength(1)
    expect((await listCampaignStates(world, id)).filter((each) => each === '1 cancelled(merged)')).toHaveLength(1)
  })

  test.each([
    ['sent', 'skipped'],
    ['failed', 'scheduled'],
  ] as const)('a later run adds nothing about a cart joined to one whose message of an earlier run was %s: %s', async (before, after) => {
    const shop = await createCouponShop(world, { carts: 2, buyers: 0 })
    const id = await planned(shop)
    const [one, other] = (await readMessages(world, shop.storeId)).filter(({ origin_id }) => origin_id === id)
    const set = (messageId: string, values: object) =>
      world.db.updateTable('messages').set(values).where('id', '=', messageId).execute()
    await set(one!.id, { state: before, sending_at: world.now, cart_abandoned_at: world.now })
    await set(other!.id, { step: 2, step_id: createId() })
    await transact({ storeId: shop.storeId, db: world.db }, (tx) =>
      closeAttemptedSteps(tx, one!.cart_id!, other!.cart_id!, world.now),
    )
    const now = (await readMessages(world, shop.storeId)).find((each) => each.id === other!.id)
    expect(now!.state).toBe(after)
  })
})

describe('by channel and coupon', () => {
  test('an SMS has the text without a subject, and Starter sends a single one', async () => {
    const shop = await createShop(world, 2)
    world.texts.length = 0
    const { id } = await createCampaign(world, shop, {
      type: 'sms',
      content: { body: 'Hi {{ customer_name }} {{ checkout_link }}', subject: 'x' },
    })
    await runTick(world, shop)
    expect(world.texts.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Hi Ada /),
      expect.stringMatching(/^Hi Ada /),
    ])
    expect(await readCampaign(world, shop, id)).toMatchObject({ status: 'completed', content: { subject: '' } })
  })

  test('a WhatsApp message uses its approved template', async () => {
    const shop = await createShop(world, 1, { plan: 'growth' })
    world.texts.length = 0
    await createCampaign(world, shop, { type: 'whatsapp', content: { body: 'ignored' } })
    await runTick(world, shop)
    expect(world.texts.map(({ template }) => template?.name)).toEqual(['cart_reminder'])
  })

  test('a downgrade holds messages of a run that need the larger plan', async () => {
    const shop = await createShop(world, 1, { plan: 'growth' })
    const { id } = await createCampaign(world, shop, {
      type: 'sms',
      content: { body: 'Hi {{ checkout_link }}' },
      schedule: { ...start(), frequency: 'daily' },
    })
    await runCampaigns(world.deps)
    await world.db
      .updateTable('subscriptions')
      .set({ plan: 'starter' })
      .where('account_id', '=', shop.accountId)
      .execute()
    await runTick(world, shop)
    expect(await listCampaignStates(world, id)).toEqual(['1 held(plan_required)'])
  })

  test('each message has its own pre-created coupon code', async () => {
    const shop = await createCouponShop(world, { carts: 2, buyers: 0 })
    await demo.connect(shop)
    const couponId = await insertCoupon(world, shop, { kind: 'personal', platform_id: null, code: 'RUN' })
    const coupon = { couponId, fallback: 'skip', firstOrderOnly: false, pauseDays: null, aboveAmount: null }
    const { id } = await createCampaign(world, shop, {
      content: { subject: 'For you', body: 'Code {{ coupon_code }} {{ checkout_link }}', coupon },
    })
    await runCampaigns(world.deps)
    await world.runJobs()
    await enqueueDueCodes(world.deps)
    await demo.work(shop)
    expect(await listCampaignStates(world, id)).toEqual(['1 sent', '1 sent'])
    const codes = (await readCampaignMessages(world, id)).map(({ coupon_code }) => coupon_code)
    expect(new Set(codes).size).toBe(2)
    expect(codes.every((code) => code?.startsWith('RUN-'))).toBe(true)
    // An order with the code is attributed to the campaign.
    const [row] = await readCampaignMessages(world, id)
    const used = {
      ...shop.orders[0]!,
      orderId: 'a1',
      kind: 'purchase' as const,
      status: 'processing',
      paidAt: world.now.toISOString(),
    }
    await recordOrders(world.deps, shop.storeId, [used], 'sync')
    await world.db
      .updateTable('orders')
      .set({ message_id: row!.id, net_minor: 4_200 })
      .where('order_id', '=', 'a1')
      .execute()
    expect((await readCampaign(world, shop, id)).revenue).toEqual([{ amount: 42, currency: 'USD' }])
  })
})
