import { beforeEach, describe, expect, test } from 'vitest'
import type { AudienceCount } from '../../../shared/marketing/audience.ts'
import { contentWithoutCart, createCampaign, runTick } from '../../../test/campaign-scene.ts'
import { createCouponShop } from '../../../test/discount-scene.ts'
import { assignArm, insertExperiment } from '../../../test/experiment-scene.ts'
import { createShop, type Shop } from '../../../test/manual-send-scene.ts'
import { DAY, markPurchased } from '../../../test/message-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { sql } from '../../core/db/db.ts'

// Audience size, and how many members would get a message now.

const world = createWorld()
beforeEach(() => {
  world.sent.length = 0
  world.answer = acceptMail
})

const ask = (shop: Shop, targetAudience: object, more: object = {}) =>
  world.request('POST', '/api/campaigns/audience', { token: shop.token, body: { targetAudience, ...more } })

/** Also checks that the figures add up. */
async function count(shop: Shop, targetAudience: object = {}, more: object = {}): Promise<AudienceCount> {
  const { status, body } = await ask(shop, { mode: 'matching', ...targetAudience }, more)
  expect(status, JSON.stringify(body)).toBe(200)
  const sum = body.reasons.reduce((all: number, each: { count: number }) => all + each.count, body.eligible)
  expect(sum).toBe(body.judged ?? body.total)
  return body
}
const reasons = ({ reasons }: AudienceCount) => Object.fromEntries(reasons.map(({ reason, count }) => [reason, count]))
const suppress = (shop: Shop, index: number) =>
  world.request('POST', '/api/suppressions', { token: shop.token, body: { address: shop.orders[index]!.email } })

describe('the audience count', () => {
  test('predicts who a run reaches and why it skips the others', async () => {
    const shop = await createShop(world, 5)
    await suppress(shop, 0)
    const other = shop.orders[1]!.email!
    await sql`delete from consents where store_id = ${shop.storeId} and address_hash = ${world.deps.secrets.addressHash(other)}`.execute(
      world.db,
    )
    const counted = await count(shop)
    expect(counted).toMatchObject({ total: 5, eligible: 3, judged: null, minutes: null })
    expect(reasons(counted)).toEqual({ suppressed_manual: 1, no_consent: 1 })
    expect(counted.reasons.every(({ explanation }) => explanation.length > 10)).toBe(true)
    const messages = await world.db.selectFrom('messages').select('id').where('store_id', '=', shop.storeId).execute()
    expect(messages).toEqual([])
    await createCampaign(world, shop)
    await runTick(world, shop)
    expect(world.sent).toHaveLength(counted.eligible)
  })

  test('applies the filters and skips carts that already had the campaign', async () => {
    const shop = await createShop(world, 3)
    await sql`update carts set value_minor = 9000 where store_id = ${shop.storeId} and id = ${shop.cartIds[0]!}`.execute(
      world.db,
    )
    expect((await count(shop, { filters: { minCartValue: 90 } })).total).toBe(1)
    const { id } = await createCampaign(world, shop, {
      targetAudience: { mode: 'selected', customerEmails: [shop.orders[1]!.email] },
    })
    await runTick(world, shop)
    expect(await count(shop, {}, { campaignId: id })).toMatchObject({ total: 2, eligible: 2 })
    expect(await count(shop)).toMatchObject({ total: 3, eligible: 3 })
  })

  test('includes chosen people with a cart, without a cart, and unknown addresses', async () => {
    const shop = await createShop(world, 2)
    const [first, second] = shop.orders.map(({ email }) => email!)
    world.advance(1_000)
    await recordOrders(world.deps, shop.storeId, [markPurchased(world, shop.orders[1]!)], 'webhook')
    const customerEmails = [first, first!.toUpperCase(), second, 'nobody@elsewhere.example']
    const ofCarts = await count(shop, { mode: 'selected', customerEmails })
    expect([ofCarts.total, ofCarts.eligible, reasons(ofCarts)]).toEqual([
      3,
      1,
      { cart_missing: 1, customer_missing: 1 },
    ])
    const ofPeople = await count(shop, { type: 'specific_customers', customerEmails })
    expect([ofPeople.total, ofPeople.eligible, reasons(ofPeople)]).toEqual([3, 2, { customer_missing: 1 }])
  })

  test('skips chosen people who already had the campaign, with or without a cart', async () => {
    const shop = await createCouponShop(world, { carts: 2, buyers: 1 })
    const customerEmails = [...shop.orders, ...shop.buyerOrders].map(({ email }) => email!)
    const [first, , buyer] = customerEmails
    for (const [type, remaining] of [
      ['specific_customers', 1],
      // People without a cart are counted with that as the reason.
      ['abandoned_carts', 2],
    ] as const) {
      const { id } = await createCampaign(world, shop, {
        content: contentWithoutCart,
        targetAudience: { type, mode: 'selected', customerEmails: [first, buyer] },
      })
      await runTick(world, shop)
      const all = { type, mode: 'selected', customerEmails }
      expect([type, (await count(shop, all, { campaignId: id })).total]).toEqual([type, remaining])
      expect((await count(shop, all)).total).toBe(3)
    }
  })

  test('is zero without blockers for an empty audience', async () => {
    const shop = await createShop(world)
    expect(await count(shop, { filters: { minCartValue: 1_000_000 } })).toMatchObject({
      total: 0,
      eligible: 0,
      reasons: [],
      judged: null,
      quietPercent: 0,
    })
  })

  test('respects the remaining monthly plan volume', async () => {
    const shop = await createShop(world, 4)
    const { left: remaining } = await count(shop)
    await sql`insert into plan_usage (account_id, month, channel, used)
      select ${shop.accountId}, date_trunc('month', ${world.now}::timestamptz at time zone 'utc')::date, 'email', ${remaining! - 1}
      on conflict (account_id, month, channel) do update set used = plan_usage.used + excluded.used`.execute(world.db)
    const counted = await count(shop)
    expect([counted.left, counted.eligible, reasons(counted)]).toEqual([1, 1, { plan_limit: 3 }])
  })

  test('quotes the SMS price that a run then costs, and how far the budget goes', async () => {
    const shop = await createShop(world, 4)
    world.texts.length = 0
    const sms = (body: string) => count(shop, {}, { type: 'sms', body })
    expect((await count(shop, {}, { type: 'sms' })).price).toBe(null)
    expect((await sms('Broken {{ nonsense')).price).toBe(null)
    expect((await count(shop)).price).toBe(null)
    const long = `Hi {{ customer_name }} {{ checkout_link }} ${'and more words '.repeat(12)}`
    const short = (await sms('Hi {{ checkout_link }}')).price!
    const { price } = await sms(long)
    expect(price).toMatchObject({ people: 4, sampled: 4, budgetLeft: null, covered: null })
    expect(short.segments).toBe(4)
    expect(price!.segments).toBeGreaterThan(4)
    const each = price!.total.amount / 4
    const budget = { monthly: Math.floor(each * 2.5 * 100) / 100 }
    const saved = await world.request('PUT', '/api/account/sending-budget', { token: shop.token, body: budget })
    expect(saved.status, JSON.stringify(saved.body)).toBe(200)
    expect((await sms(long)).price).toMatchObject({ budgetLeft: { amount: budget.monthly }, covered: 2 })
    expect(world.texts).toEqual([])
    await createCampaign(world, shop, { type: 'sms', content: { body: long } })
    await runTick(world, shop)
    expect(world.texts).toHaveLength(2)
    const spent = await world.request('GET', '/api/account/sending-budget', { token: shop.token })
    expect(spent.body.spent).toBeCloseTo(each * 2, 6)
  })

  test('includes the control group of the store', async () => {
    const shop = await createShop(world, 3)
    await insertExperiment(world, shop.storeId, 5_000)
    await assignArm(world, shop.storeId, 'control', { email: shop.orders[0]!.email! })
    for (const { email } of shop.orders.slice(1)) await assignArm(world, shop.storeId, 'treated', { email: email! })
    const counted = await count(shop)
    expect([counted.eligible, reasons(counted)]).toEqual([2, { holdout: 1 }])
  })

  test('reports how many members have neither clicked nor bought in 90 days', async () => {
    const shop = await createShop(world, 4)
    expect((await count(shop)).quietPercent).toBe(100)
    const readOrder = (index: number, days: number) => {
      const at = new Date(world.now.getTime() - days * DAY)
      return sql`insert into orders (store_id, order_id, shopper_id, kind, status, created_at, modified_at, purchased_at, currency, total_minor,
          net_minor)
        select ${shop.storeId}, ${createId()}, c.shopper_id, 'purchase', 'processing', ${at}, ${at}, ${at}, 'USD', 1, 1 from carts c
        where c.store_id = ${shop.storeId} and c.id = ${shop.cartIds[index]!}`.execute(world.db)
    }
    await readOrder(0, 80)
    await readOrder(1, 100)
    expect((await count(shop)).quietPercent).toBe(75)
  })

  test('estimates the minutes of a run from the busiest minute of the store', async () => {
    const shop = await createShop(world, 3)
    const at = new Date(world.now.getTime() - 2 * DAY)
    await sql`insert into messages (store_id, id, shopper_id, cart_id, origin_kind, origin_id, step, channel, state, due_at, expires_at, wake_at,
        sending_at, created_at, updated_at)
      select ${shop.storeId}, gen_random_uuid(), c.shopper_id, c.id, 'manual', gen_random_uuid(), 1, 'email', 'sent', ${at}, ${at}, ${at}, ${at},
        ${at}, ${at} from carts c, generate_series(1, 60) where c.store_id = ${shop.storeId} and c.id = ${shop.cartIds[0]!}`.execute(
      world.db,
    )
    expect((await count(shop)).minutes).toBe(1)
  })

  test('evaluates the newest members of a very large audience and reports on those', async () => {
    const shop = await createShop(world, 2)
    await sql`with people as (insert into shoppers (store_id, id, email, created_at, first_seen_at)
        select ${shop.storeId}, gen_random_uuid(), n || '@many.example', ${world.now}, ${world.now} from generate_series(1, 1200) n
        returning id, email)
      insert into carts (store_id, id, shopper_id, email, status, started_at, last_activity_at, lost_at, opening_fact_id, last_fact_at,
        last_fact_id, customer_name, items, item_count, value_minor, currency, search, fold, created_at)
      select c.store_id, gen_random_uuid(), p.id, p.email, c.status, c.started_at, c.last_activity_at, c.lost_at, c.opening_fact_id, c.last_fact_at,
        c.last_fact_id, c.customer_name, c.items, c.item_count, c.value_minor, c.currency, c.search, c.fold, c.created_at
      from people p join carts c on c.store_id = ${shop.storeId} and c.id = ${shop.cartIds[0]!}`.execute(world.db)
    const counted = await count(shop)
    expect([counted.total, counted.judged]).toEqual([1_202, 1_000])
  })
})
