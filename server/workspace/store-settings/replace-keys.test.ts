import { beforeEach, expect, test } from 'vitest'
import {
  type ConnectedStore,
  createConnectedStore,
  createHomeUrl,
  createOwnerCalls,
  createSyncHelpers,
} from '../../../test/connected-store.ts'
import { buildOrder, createStore } from '../../../test/factories.ts'
import { createFakeStore, type FakeStore } from '../../../test/fake-store.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { createWorld } from '../../../test/world.ts'
import { openStoreClient } from '../../access/stores/access.ts'
import { detectAbandoned } from '../../carts/carts/detect.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { sweepStore, syncStore } from '../../carts/sync/sync.ts'
import { ensureWebhooks } from '../../carts/sync/webhook-subscriptions.ts'
import { watchStages } from '../../insights/alarms/alarms.ts'
import type { StoreAccess } from '../../platforms/platform/access.ts'
import { StoreProblem } from '../../platforms/platform/store-problem.ts'

// R16: new keys for a connected store.

const world = createWorld({ PUBLIC_URL: 'https://recoup.acme.com' })
const NEW = { consumer_key: 'ck_new', consumer_secret: 'cs_new' }
const MINUTE_MS = 60_000

beforeEach(() => {
  world.queued.length = 0
})

const { disconnect, storeRow } = createOwnerCalls(world)
const { readStream, connectStoreWithOrders } = createSyncHelpers(world)

interface Asking {
  keys?: Record<string, unknown>
  query?: string
}

const replace = (token: string, { keys = NEW, query = '' }: Asking = {}) =>
  world.request('PUT', `/api/stores/keys${query}`, { token, body: keys })

const getKey = ({ keys }: StoreAccess) => (keys.kind === 'woocommerce' ? keys.consumerKey : keys.kind)

/** Makes WooCommerce accept only this key from now on. */
function knowsOnly(fake: FakeStore, consumerKey: string): void {
  world.storeClient = (access) => {
    fake.access = access
    fake.problem = getKey(access) === consumerKey ? null : new StoreProblem('wrong_key')
    return fake
  }
}

async function keyInUse({ storeId, fake }: ConnectedStore): Promise<string | undefined> {
  await openStoreClient(world.deps, { storeId, db: world.db })
  return fake.access ? getKey(fake.access) : undefined
}

const readEncrypted = async (storeId: string) =>
  (
    await world.db
      .selectFrom('store_credentials')
      .select('encrypted')
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
  ).encrypted

test("new keys are tested, used at once, and the store's profile is updated", async () => {
  const connected = await createConnectedStore(world)
  const { owner, fake, storeId } = connected
  fake.profile = { ...fake.profile, version: '10.9.1', canWrite: false }
  knowsOnly(fake, 'ck_new')
  const reply = await replace(owner.token, { keys: { consumer_key: ' ck_new ', consumer_secret: ' cs_new ' } })
  expect(reply).toMatchObject({
    status: 200,
    body: {
      success: true,
      message: 'The keys of Mugs & More are replaced.',
      warnings: [expect.stringContaining('is read-only')],
      store: { id: storeId, version: '10.9.1', canWrite: false },
    },
  })
  expect(fake.access).toMatchObject({
    storeUrl: fake.profile.storeUrl,
    keys: { kind: 'woocommerce', consumerKey: 'ck_new', consumerSecret: 'cs_new' },
  })
  expect(await keyInUse(connected)).toBe('ck_new')
  expect(JSON.stringify(reply.body)).not.toMatch(/c[ks]_new/)
})

test('rejected keys leave the old ones in use', async () => {
  const connected = await createConnectedStore(world)
  const { owner, fake, storeId } = connected
  const encrypted = await readEncrypted(storeId)
  knowsOnly(fake, 'ck_0123456789abcdef')
  expect(await replace(owner.token)).toMatchObject({
    status: 401,
    body: { code: 'store_credentials', error: expect.stringContaining('does not recognize this consumer key') },
  })
  expect(await readEncrypted(storeId)).toEqual(encrypted)
  expect(await keyInUse(connected)).toBe('ck_0123456789abcdef')
  expect(world.queued).toEqual([])
})

test('swapped and missing keys are reported before any request to the store', async () => {
  const { owner, fake } = await createConnectedStore(world)
  fake.access = null
  const swapped = { consumer_key: 'cs_new', consumer_secret: ' ck_new' }
  expect(await replace(owner.token, { keys: swapped })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('are swapped') },
  })
  expect(await replace(owner.token, { keys: { consumer_key: ' ', consumer_secret: 'cs_new' } })).toMatchObject({
    status: 400,
    body: { error: 'Consumer key and secret are required for WooCommerce' },
  })
  expect(fake.access).toBeNull()
})

test('keys of another store are rejected, and the old ones stay', async () => {
  const connected = await createConnectedStore(world)
  const { owner, fake, storeId } = connected
  const before = await storeRow(storeId)
  fake.profile = { ...fake.profile, homeUrl: 'https://other.example.com', name: 'Another shop' }
  expect(await replace(owner.token)).toMatchObject({
    status: 422,
    body: { error: expect.stringContaining('These keys belong to the store https://other.example.com') },
  })
  expect(await storeRow(storeId)).toEqual(before)
  expect(await keyInUse(connected)).toBe('ck_0123456789abcdef')
})

test('messages, carts and flows stay unchanged', async () => {
  const store = await createStore(world)
  const fake = createFakeStore((await storeRow(store.storeId))!.home_url)
  world.storeClient = () => fake
  await recordOrders(world.deps, store.storeId, [buildOrder(world), buildOrder(world)], 'sync')
  world.advance(61 * MINUTE_MS)
  await detectAbandoned(world.deps)
  const readCounts = async () => {
    const readRows = (table: 'messages' | 'carts' | 'flows') =>
      world.db.selectFrom(table).selectAll().where('store_id', '=', store.storeId).orderBy('id').execute()
    return [await readRows('messages'), await readRows('carts'), await readRows('flows')]
  }
  const before = await readCounts()
  expect(before.map((rows) => rows.length)).toEqual([6, 2, 1])
  expect((await replace(store.token)).status).toBe(200)
  expect(await readCounts()).toEqual(before)
})

test('a store with rejected keys is read at once, and its alarm ends', async () => {
  const { owner, fake, storeId } = await connectStoreWithOrders()
  const readProblem = async (stream: string) =>
    (await world.request('GET', '/api/stores/health', { token: owner.token })).body.streams[stream].problem
  await watchStages(world.deps)
  knowsOnly(fake, 'ck_new')
  for (let minute = 0; minute < 40; minute += 1) {
    world.advance(MINUTE_MS)
    if (minute === 0) await sweepStore(world.deps, { storeId })
    await watchStages(world.deps)
  }
  expect(await readProblem('sweep')).toContain('does not recognize this consumer key')
  // A problem that only the owner can fix is reported once, before the alarm (decision 64).
  expect(await notificationsSince(storeId)).toEqual([
    'The store refuses the order check',
    'The store has not been synced',
  ])
  expect((await replace(owner.token)).status).toBe(200)
  expect(await readProblem('sweep')).toBeNull()
  expect(await readStream(storeId, 'sweep')).toMatchObject({ failures: 0, failed_at: null })
  await world.runJobs()
  expect(await readStream(storeId, 'sweep')).toMatchObject({ completed_at: world.now, error_code: null })
  world.advance(MINUTE_MS)
  await watchStages(world.deps)
  expect((await notificationsSince(storeId)).at(-1)).toBe('The store is being synced again')
})

/** Without "Store connected" and its test. */
const notificationsSince = async (storeId: string) =>
  (await readNotifications(world, storeId)).map(({ title }) => title).slice(2)

test('a failure unrelated to the keys stays until the store is read', async () => {
  const { owner, fake, storeId } = await connectStoreWithOrders()
  fake.problem = new StoreProblem('unreachable')
  await sweepStore(world.deps, { storeId })
  knowsOnly(fake, 'ck_new')
  await replace(owner.token)
  expect(await readStream(storeId, 'sweep')).toMatchObject({ error_code: 'unreachable' })
})

test('a running read with the old keys neither blocks the next one nor stores its result', async () => {
  const { owner, fake, storeId } = await connectStoreWithOrders()
  const [requestStarted, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  fake.beforePage = async () => {
    requestStarted.resolve()
    await goesOn.promise
    throw new StoreProblem('wrong_key')
  }
  const old = sweepStore(world.deps, { storeId })
  await requestStarted.promise
  expect((await replace(owner.token)).status).toBe(200)
  goesOn.resolve()
  await old
  expect(await readStream(storeId, 'sweep')).toMatchObject({ lease_until: null, error_code: null })
  fake.beforePage = async () => {}
  await syncStore(world.deps, { storeId })
  expect(await readStream(storeId, 'sweep')).toMatchObject({ completed_at: world.now })
})

test('webhooks are created again with the new key, and the old ones count until then', async () => {
  const connected = await createConnectedStore(world)
  const { owner, fake, storeId } = connected
  await ensureWebhooks(world.deps, { storeId })
  const [before, secrets] = [fake.hooks.map(({ id }) => id), fake.hooks.map(({ secret }) => secret)]
  expect((await replace(owner.token)).status).toBe(200)
  const readWebhooks = () => world.db.selectFrom('store_webhooks').selectAll().where('store_id', '=', storeId).execute()
  expect((await readWebhooks()).map((row) => row.webhook_id).sort()).toEqual(before)
  await ensureWebhooks(world.deps, { storeId })
  expect(fake.hooks).toHaveLength(3)
  for (const hook of fake.hooks) {
    expect(before).not.toContain(hook.id)
    expect(secrets).not.toContain(hook.secret)
  }
  expect((await readWebhooks()).map((row) => [row.webhook_id, row.status]).sort()).toEqual(
    fake.hooks.map(({ id }) => [id, 'active']),
  )
  const renewed = fake.hooks.map(({ id }) => id)
  await ensureWebhooks(world.deps, { storeId })
  expect(fake.hooks.map(({ id }) => id)).toEqual(renewed)
})

test('a read-only key keeps the webhooks of the old one', async () => {
  const { owner, fake, storeId } = await createConnectedStore(world)
  await ensureWebhooks(world.deps, { storeId })
  const before = [...fake.hooks]
  fake.profile = { ...fake.profile, canWrite: false }
  expect((await replace(owner.token)).status).toBe(200)
  await ensureWebhooks(world.deps, { storeId })
  expect(fake.hooks).toEqual(before)
  expect(await readStream(storeId, 'webhooks')).toMatchObject({ error_code: 'read_only_key' })
})

test('keys that this server cannot decrypt can be replaced', async () => {
  const connected = await createConnectedStore(world)
  const { owner, storeId } = connected
  const unreadable = { encrypted: Buffer.alloc(60) }
  await world.db.updateTable('store_credentials').set(unreadable).where('store_id', '=', storeId).execute()
  await expect(keyInUse(connected)).rejects.toThrow('Enter its keys again')
  expect((await replace(owner.token)).status).toBe(200)
  expect(await keyInUse(connected)).toBe('ck_new')
})

test('another account’s store is not found, and members and viewers have no right', async () => {
  const { owner, storeId } = await createConnectedStore(world)
  const otherStore = await createConnectedStore(world)
  const encrypted = await readEncrypted(storeId)
  const address = encodeURIComponent((await storeRow(storeId))!.url)
  for (const named of [storeId, address]) {
    expect((await replace(otherStore.owner.token, { query: `?storeId=${named}` })).status).toBe(404)
  }
  for (const role of ['member', 'viewer'] as const) {
    await world.db.updateTable('members').set({ role }).where('user_id', '=', owner.userId).execute()
    expect(await replace(owner.token)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  }
  expect(await readEncrypted(storeId)).toEqual(encrypted)
})

test('the demo store keeps its keys', async () => {
  const { owner, fake, storeId } = await createConnectedStore(world)
  await world.db.updateTable('stores').set({ is_demo: true }).where('id', '=', storeId).execute()
  fake.access = null
  expect(await replace(owner.token)).toMatchObject({
    status: 403,
    body: { error: 'The keys of the demo store belong to this server and cannot be replaced.' },
  })
  expect(fake.access).toBeNull()
})

test('the API rejects keys for a disconnected store, even if disconnected during the test', async () => {
  const { owner, fake, storeId } = await createConnectedStore(world)
  const profile = fake.profile
  fake.readProfile = async () => {
    expect((await disconnect(owner)).status).toBe(200)
    return profile
  }
  for (let time = 0; time < 2; time += 1) {
    expect(await replace(owner.token, { query: `?storeId=${storeId}` })).toMatchObject({
      status: 409,
      body: { code: 'conflict', error: expect.stringContaining('not connected') },
    })
  }
  const rows = world.db.selectFrom('store_credentials').selectAll().where('store_id', '=', storeId)
  expect(await rows.execute()).toEqual([])
  expect(await storeRow(storeId)).toMatchObject({ is_active: false })
})

test('key tests are limited per account, together with connections', async () => {
  const { owner, fake } = await createConnectedStore(world, 'free', createFakeStore(createHomeUrl()))
  fake.problem = new StoreProblem('wrong_key')
  // The connection was the first test.
  for (let tries = 1; tries < 30; tries += 1) expect((await replace(owner.token)).status).toBe(401)
  expect((await replace(owner.token)).status).toBe(429)
})
