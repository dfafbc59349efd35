import { expect, test } from 'vitest'
import { type Audience, audienceTexts, MAX_AUDIENCES } from '../../../shared/marketing/audience.ts'
import { campaignTexts } from '../../../shared/marketing/campaigns.ts'
import { createStore } from '../../../test/factories.ts'
import { createShop } from '../../../test/manual-send-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'

// Saved filter sets.

const world = createWorld()
const filters = { minCartValue: 12.5, maxAbandonTime: 48, badge: 'No Response', country: 'AT', mailedBefore: 'no' }

interface Caller {
  token: string
}
const create = ({ token }: Caller, body: object) => world.request('POST', '/api/audiences', { token, body })
const list = async ({ token }: Caller): Promise<Audience[]> =>
  (await world.request('GET', '/api/audiences', { token })).body.audiences

test('a saved audience is listed by name with its amounts, and can be deleted', async () => {
  const shop = await createStore(world, { plan: 'starter' })
  const created = await create(shop, { name: '  Vienna ', filters })
  expect([created.status, created.body.audience]).toEqual([200, { id: expect.any(String), name: 'Vienna', filters }])
  await create(shop, { name: 'all', filters: {} })
  expect((await list(shop)).map(({ name }) => name)).toEqual(['all', 'Vienna'])
  expect((await list(shop))[1]).toEqual(created.body.audience)
  const forget = () => world.request('DELETE', `/api/audiences/${created.body.audience.id}`, { token: shop.token })
  expect([(await forget()).status, (await forget()).status]).toEqual([200, 404])
  expect((await list(shop)).map(({ name }) => name)).toEqual(['all'])
})

test('a name is unique in a store, ignoring case, even for concurrent requests', async () => {
  const [shop, other] = [await createStore(world, { plan: 'starter' }), await createStore(world, { plan: 'starter' })]
  const replies = await Promise.all(['Vienna', 'VIENNA'].map((name) => create(shop, { name, filters })))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
  const refused = replies.find(({ status }) => status === 409)!
  expect(refused.body).toMatchObject({ error: audienceTexts.nameTaken, fields: { name: audienceTexts.nameTaken } })
  expect((await create(other, { name: 'Vienna', filters })).status).toBe(200)
})

test('a store saves at most a hundred, even for concurrent requests, and another after a deletion', async () => {
  const shop = await createStore(world, { plan: 'starter' })
  const { storeId } = shop
  const audiences = Array.from({ length: MAX_AUDIENCES - 1 }, (_, n) => ({
    store_id: storeId,
    id: createId(),
    name: `No. ${n}`,
  }))
  await world.db
    .insertInto('audiences')
    .values(audiences.map((each) => ({ ...each, filters: '{}', created_at: world.now })))
    .execute()
  const replies = await Promise.all(['Vienna', 'Graz'].map((name) => create(shop, { name, filters })))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(replies.find(({ status }) => status === 409)!.body.error).toBe(audienceTexts.tooManyKept)
  expect(await list(shop)).toHaveLength(MAX_AUDIENCES)
  await world.request('DELETE', `/api/audiences/${audiences[0]!.id}`, { token: shop.token })
  expect((await create(shop, { name: 'Linz', filters })).status).toBe(200)
})

test('the free plan saves none, and invalid filters are rejected', async () => {
  const [free, shop] = [await createStore(world, { plan: 'free' }), await createStore(world, { plan: 'starter' })]
  const gated = await create(free, { name: 'Vienna', filters })
  expect([gated.status, gated.body.code, gated.body.error]).toEqual([403, 'plan_required', campaignTexts.filterPlan])
  for (const body of [
    { name: ' ', filters },
    { name: 'x'.repeat(121), filters },
    { name: 'x', filters: { minCartValue: 9, maxCartValue: 8 } },
    { name: 'x', filters: { badge: 'Nobody' } },
    { name: 'x' },
  ]) {
    expect((await create(shop, body)).status).toBe(400)
  }
  expect((await create(shop, { name: 'a\0b', filters: { productId: '1\0' } })).status).toBeLessThan(500)
})

test('an audience of another store is not found', async () => {
  const [shop, other] = [await createShop(world), await createShop(world)]
  const { body } = await create(shop, { name: 'Vienna', filters })
  const reply = await world.request('DELETE', `/api/audiences/${body.audience.id}`, { token: other.token })
  expect(reply.status).toBe(404)
  expect(await list(other)).toEqual([])
  expect(await list(shop)).toHaveLength(1)
  expect((await world.request('DELETE', `/api/audiences/${createId()}`, { token: shop.token })).status).toBe(404)
})
