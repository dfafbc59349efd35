import { expect, test } from 'vitest'
import { campaignTexts } from '../../../shared/marketing/campaigns.ts'
import { type CouponShop, createCouponShop } from '../../../test/discount-scene.ts'
import { insertManyCarts } from '../../../test/many-carts.ts'
import { isFullRun } from '../../../test/seed.ts'
import { countStatements } from '../../../test/statements.ts'
import { createWorld } from '../../../test/world.ts'
import { resolveRecipients } from './recipients.ts'

// All matching customers, evaluated on the server (decision 39).

const world = createWorld()
const ask = (shop: CouponShop, matching: object) =>
  world.request('POST', '/api/email/discount-eligibility', { token: shop.token, body: { matching } })
const readIds = async (shop: CouponShop, matching: object) => (await ask(shop, matching)).body.eligible.sort()

test('a discount mail matches all, those with an abandoned cart or a search match, minus the excluded ones', async () => {
  const shop = await createCouponShop(world, { carts: 2, buyers: 2 })
  const [one, other] = shop.people as [string, string]
  const sorted = (...ids: string[]) => ids.sort()
  expect(await readIds(shop, {})).toEqual(sorted(...shop.people, ...shop.buyers))
  expect(await readIds(shop, { abandonedOnly: true })).toEqual(sorted(one, other))
  expect(await readIds(shop, { abandonedOnly: true, except: [one] })).toEqual([other])
  expect(await readIds(shop, { search: 'ben' })).toEqual(sorted(...shop.buyers))
  expect(await readIds(shop, { search: 'ben', abandonedOnly: true })).toEqual([])
  expect(await readIds(shop, { search: shop.orders[1]!.email! })).toEqual([other])
  expect(await readIds(shop, { registered: 'yes' })).toEqual([])
  const both = { token: shop.token, body: { matching: {}, customers: [one] } }
  expect((await world.request('POST', '/api/email/discount-eligibility', both)).status).toBe(400)
})

test('a discount mail matches the filters of a saved audience; the free plan has none', async () => {
  const shop = await createCouponShop(world, { carts: 2, buyers: 1, plan: 'starter' })
  const [one, other] = shop.people as [string, string]
  await world.db.updateTable('shoppers').set({ country: 'AT' }).where('id', '=', one).execute()
  const filters = { country: 'AT' }
  expect(await readIds(shop, { abandonedOnly: true, filters })).toEqual([one])
  expect(await readIds(shop, { abandonedOnly: true, filters, except: [one] })).toEqual([])
  expect(await readIds(shop, { abandonedOnly: true, filters: {} })).toEqual([one, other].sort())
  const free = await createCouponShop(world, { plan: 'free' })
  for (const path of ['discount-eligibility', 'send-discount-offers']) {
    const body = { matching: { abandonedOnly: true, filters }, couponId: free.couponId }
    const refused = await world.request('POST', `/api/email/${path}`, { token: free.token, body })
    expect([refused.status, refused.body.error]).toEqual([403, campaignTexts.filterPlan])
  }
})

test('a discount mail never matches customers of others (X2)', async () => {
  const [shop, other] = [await createCouponShop(world), await createCouponShop(world)]
  expect((await ask(shop, {})).body.total).toBe(2)
  expect((await ask(other, { search: shop.orders[0]!.email! })).body.total).toBe(0)
})

/** The maximum of one discount mail, or fewer outside the proof run. */
const MANY = isFullRun ? 10_000 : 999

test('a discount mail accepts up to 10,000 people in one quick request, and rejects more with an explanation', async () => {
  const shop = await createCouponShop(world, { carts: 0, buyers: 1, plan: 'growth' })
  const { storeId, flowId } = shop
  await insertManyCarts(world.db, { storeId, flowId, now: world.now, count: 10_000, isAllOpen: true })
  const send = (matching: object) =>
    world.request('POST', '/api/email/send-discount-offers', {
      token: shop.token,
      body: { matching, couponId: shop.couponId, subject: 'For you', body: 'Come {{ checkout_link }}' },
    })
  const refused = await send({})
  expect([refused.status, refused.body.fields.customers]).toEqual([
    422,
    'At most 10,000 customers can get one discount mail. Narrow the search or select fewer.',
  ])
  const filter = isFullRun ? { except: shop.buyers } : { search: '+12120000' }
  const statements = await countStatements(world.pool).during(async () => {
    const { body } = await send(filter)
    const job = await world.request('GET', `/api/carts/send/${body.jobId}`, { token: shop.token })
    expect(job.body).toMatchObject({ total: MANY, state: 'running', counts: { waiting: MANY, failed: 0 } })
    const eligibility = await ask(shop, filter)
    expect(eligibility.body.eligible).toHaveLength(MANY)
  })
  // Not one statement per person.
  expect(statements).toBeLessThan(MANY / 10)
  await assertNewestIsFound(shop)
})

/** A search matches 10,001 people, of whom the newest has no cart: that person is still included. */
async function assertNewestIsFound(shop: CouponShop) {
  const { storeId } = shop
  const newest = { phone: '+12125550100', first_seen_at: world.now }
  await world.db
    .updateTable('shoppers')
    .set(newest)
    .where('store_id', '=', storeId)
    .where('id', 'in', shop.buyers)
    .execute()
  const found = { search: '+1212', registered: undefined, except: [] }
  const readIds = (abandonedOnly: boolean) =>
    resolveRecipients(
      { deps: world.deps, store: { storeId, db: world.db }, account: { accountId: shop.accountId, db: world.db } },
      { customers: undefined, matching: { ...found, abandonedOnly } },
    )
  if (isFullRun) expect(new Set(await readIds(true)).size).toBe(10_000)
  await expect(readIds(false)).rejects.toThrow('At most 10,000 customers can get one discount mail.')
  const url = `/api/customers/abandoned?cursor=&search=${encodeURIComponent(found.search)}`
  expect((await world.request('GET', url, { token: shop.token })).body.total).toBe(10_000)
}
