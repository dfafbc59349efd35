import { expect, test } from 'vitest'
import { connectFakeStore, createOwnerCalls, registerOwner } from '../../../test/connected-store.ts'
import { buildProblem } from '../../../test/fake-store.ts'
import {
  buildConnectForm,
  createAppAccess,
  createShopifyFake,
  createShopifyStore,
  deliverWebhook,
} from '../../../test/shopify-store.ts'
import { createWorld } from '../../../test/world.ts'
import { openStoreClient } from '../../access/stores/access.ts'

const world = createWorld()
const { storeRow } = createOwnerCalls(world)

test('both forms connect a Shopify store and store its keys encrypted with their kind', {
  tags: ['A1'],
}, async () => {
  const fake = createShopifyFake()
  const owner = await registerOwner(world, 'growth')
  const reply = await connectFakeStore(world, owner, fake, buildConnectForm(fake))
  expect(reply).toMatchObject({
    status: 200,
    body: { warnings: [], store: { platform: 'shopify', rights: createAppAccess() } },
  })
  const storeId = reply.body.store.id
  await openStoreClient(world.deps, { storeId, db: world.db })
  expect(fake.access).toMatchObject({
    platform: 'shopify',
    storeUrl: fake.profile.storeUrl,
    homeUrl: fake.profile.homeUrl,
    keys: { kind: 'shopify_app', clientId: 'client-1' },
  })
  const token = {
    ...buildConnectForm(fake),
    client_id: null,
    client_secret: null,
    access_token: ' shpat_1 ',
    api_secret: 'shpss_1',
  }
  expect(await connectFakeStore(world, owner, fake, token)).toMatchObject({
    status: 200,
    body: { store: { id: storeId } },
  })
  await openStoreClient(world.deps, { storeId, db: world.db })
  expect(fake.access!.keys).toEqual({ kind: 'shopify_token', accessToken: 'shpat_1', apiSecret: 'shpss_1' })
  expect(JSON.stringify(reply.body)).not.toContain('shpss')
})

test('missing rights of app or plan are warnings, and the store is connected', {
  tags: ['A1'],
}, async () => {
  const fake = createShopifyFake()
  fake.profile = {
    ...fake.profile,
    canWrite: false,
    rights: {
      ...createAppAccess(),
      missingScopes: ['write_discounts'],
      protectedData: 'none',
      hasAllOrders: false,
      isPasswordProtected: true,
    },
  }
  const { body } = await connectFakeStore(world, await registerOwner(world), fake, buildConnectForm(fake))
  const warnings = body.warnings as string[]
  expect(warnings).toHaveLength(4)
  expect(warnings[0]).toContain('Missing: write_discounts.')
  expect(warnings.join(' ')).not.toMatch(/WooCommerce|WordPress/)
})

test('a store stays the same when its primary domain changes, and rejects keys of another shop', async () => {
  const { owner, fake, storeId } = await createShopifyStore(world)
  fake.profile = { ...fake.profile, homeUrl: 'https://new-domain.example.com' }
  const keys = { client_id: 'client-2', client_secret: 'secret-2' }
  const replace = () => world.request('PUT', '/api/stores/keys', { token: owner.token, body: keys })
  expect(await replace()).toMatchObject({ status: 200, body: { store: { id: storeId } } })
  expect(await storeRow(storeId)).toMatchObject({ home_url: 'https://new-domain.example.com' })
  fake.profile = { ...fake.profile, storeUrl: 'https://another.myshopify.com' }
  expect(await replace()).toMatchObject({ status: 422 })
})

test('a replaced secret stays valid for an hour', async () => {
  const { owner, fake, captureKey } = await createShopifyStore(world)
  const body = { client_id: 'client-1', client_secret: 'shpss_new' }
  expect(await world.request('PUT', '/api/stores/keys', { token: owner.token, body })).toMatchObject({ status: 200 })
  const order = { topic: 'orders/updated', body: { id: 5 } }
  expect(await deliverWebhook(world, captureKey, order)).toBe(200)
  expect(await deliverWebhook(world, captureKey, { ...order, secret: 'shpss_new' })).toBe(200)
  const before = world.now
  world.now = new Date(before.getTime() + 61 * 60_000)
  expect(await deliverWebhook(world, captureKey, order)).toBe(401)
  expect(await deliverWebhook(world, captureKey, { ...order, secret: 'shpss_new' })).toBe(200)
  world.now = before
  expect(fake.problem).toBeNull()
})

test('an uninstallation disconnects the store at once and notifies its owner', async () => {
  const { fake, storeId, captureKey } = await createShopifyStore(world)
  fake.problem = buildProblem('shopify_app_not_installed')
  expect(await deliverWebhook(world, captureKey, { topic: 'app/uninstalled', body: { id: 1 } })).toBe(200)
  await world.runJobs()
  expect(await storeRow(storeId)).toMatchObject({ is_active: false })
  const notices = world.db.selectFrom('pending_notifications').select('type').where('store_id', '=', storeId)
  expect((await notices.execute()).map(({ type }) => type)).toContain('store_uninstalled')
})

test('a late uninstallation webhook has no effect while the shop accepts the keys', async () => {
  const { storeId, captureKey } = await createShopifyStore(world)
  expect(await deliverWebhook(world, captureKey, { topic: 'app/uninstalled', body: { id: 1 } })).toBe(200)
  await world.runJobs()
  expect(await storeRow(storeId)).toMatchObject({ is_active: true })
})

test('the doctor names the rights of app and plan in Shopify’s terms', async () => {
  const fake = createShopifyFake()
  fake.profile = { ...fake.profile, rights: { ...createAppAccess(), protectedData: 'none', hasAllOrders: false } }
  const { owner } = await createShopifyStore(world, fake)
  const { body } = await world.request('GET', '/api/stores/doctor', { token: owner.token })
  const checks = body.checks as { id: string; title: string; state: string; finding: string; nextStep: string | null }[]
  const states = Object.fromEntries(checks.map(({ id, state }) => [id, state]))
  expect(states).toMatchObject({ keys: 'good', permissions: 'good', data: 'bad', history: 'quiet', storefront: 'good' })
  const texts = checks.map(({ title, finding, nextStep }) => `${title} ${finding} ${nextStep}`).join('\n')
  expect(texts).not.toMatch(/WooCommerce|WordPress/)
})
