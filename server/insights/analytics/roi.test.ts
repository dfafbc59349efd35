import { expect, test } from 'vitest'
import { createShop, MINUTE, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { countFigures } from './figures.ts'

// ROI Tracking (A 9, decision 154): costs against attributed revenue.

const world = createWorld()
const roi = async (shop: Shop, query = '') => (await shop.get(`/api/analytics/roi?range=30d${query}`)).body

async function createWonCart(shop: Shop, email: string, totalMinor: number) {
  const message = await shop.mailed({ email }, email)
  await shop.press(message.id)
  world.advance(MINUTE)
  await shop.order({ kind: 'purchase', email, totalMinor })
  return message.id
}

const costs = (id: string, micros: number, currency: string) =>
  world.db.updateTable('messages').set({ cost_micros: micros, cost_currency: currency }).where('id', '=', id).execute()

test('ROI lists months without gaps with costs of messages and plan, and a range by channel and flow', async () => {
  // May of the year before is the thirteenth month.
  world.now = new Date('2025-05-20T15:00:00Z')
  const shop = await createShop(world, { plan: 'growth' })
  await createWonCart(shop, 'dee@shoppers.example.com', 9_900)
  world.now = new Date('2026-03-10T15:00:00Z')
  await costs(await createWonCart(shop, 'ada@shoppers.example.com', 4_000), 75_000, 'USD')
  world.now = new Date('2026-05-20T15:00:00Z')
  await costs(await createWonCart(shop, 'bo@shoppers.example.com', 2_500), 50_000, 'USD')
  await costs(await createWonCart(shop, 'cy@shoppers.example.com', 1_000), 300_000, 'EUR')
  await countFigures(world.deps)
  await shop.staySignedIn()
  const reply = await roi(shop)
  const month = (name: string, attributedRevenue: number, messageCost: number) => ({
    month: name,
    attributedRevenue,
    messageCost,
    discounts: 0,
    planPrice: 49,
  })
  expect(reply.months).toEqual([month('2026-03', 40, 0.075), month('2026-04', 0, 0), month('2026-05', 35, 0.05)])
  const part = { attributedRevenue: 35, messageCost: 0.05, discounts: 0 }
  expect(reply.channels).toEqual([{ channel: 'email', ...part }])
  expect(reply.origins).toMatchObject([{ kind: 'flow', ...part }])
  const abroad = [{ currency: 'EUR', messageCost: 0.3 }]
  expect([reply.otherCosts, reply.otherCostsByMonth]).toEqual([abroad, abroad])
})

test('costs in another currency are listed for the months even if older than the range', async () => {
  world.now = new Date('2026-03-10T15:00:00Z')
  const shop = await createShop(world, { plan: 'growth' })
  await costs(await createWonCart(shop, 'ada@shoppers.example.com', 4_000), 90_000, 'GBP')
  world.now = new Date('2026-05-20T15:00:00Z')
  await countFigures(world.deps)
  await shop.staySignedIn()
  const reply = await roi(shop)
  expect([reply.otherCosts, reply.otherCostsByMonth]).toEqual([[], [{ currency: 'GBP', messageCost: 0.09 }]])
  expect(reply.months.map(({ month }: { month: string }) => month)).toEqual(['2026-03', '2026-04', '2026-05'])
})

test('the plan costs what Stripe charges: a twelfth of a year, with extra stores', async () => {
  const shop = await createShop(world, { plan: 'growth' })
  const paid = { source: 'stripe' as const, stripe_subscription_id: 'sub_roi', cycle: 'year' as const }
  await world.db
    .updateTable('subscriptions')
    .set({ ...paid, amount_minor: 82_800, currency: 'USD', extra_stores: 3 })
    .where('account_id', '=', shop.accountId)
    .execute()
  await shop.mailed({ email: 'eve@shoppers.example.com' })
  await countFigures(world.deps)
  const reply = await roi(shop)
  expect([reply.months[0].planPrice, reply.planCurrency]).toEqual([69, 'USD'])
})

test('the plan’s price is not deducted if the currencies differ', async () => {
  const shop = await createShop(world, { plan: 'growth' })
  await world.db.updateTable('stores').set({ currency: 'EUR' }).where('id', '=', shop.storeId).execute()
  await shop.mailed({ email: 'dee@shoppers.example.com' })
  await countFigures(world.deps)
  const reply = await roi(shop)
  expect([reply.currency, reply.planCurrency, reply.months[0].planPrice]).toEqual(['EUR', 'USD', null])
})

test('ROI requires the Growth plan and shows the own account only', async () => {
  const shop = await createShop(world, { plan: 'starter' })
  const { status, body } = await shop.get('/api/analytics/roi')
  expect([status, body.error]).toEqual([403, 'ROI Tracking requires the Growth plan. Please upgrade.'])
  const otherShop = await createShop(world, { plan: 'growth' })
  expect((await otherShop.get(`/api/analytics/roi?storeId=${shop.storeId}`)).status).toBe(404)
})
