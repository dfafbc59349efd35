import crypto from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import {
  connectFakeStore,
  createConnectedStore,
  createHomeUrl,
  createOwnerCalls,
  registerOwner,
} from '../../../test/connected-store.ts'
import { buildProblem, createFakeStore } from '../../../test/fake-store.ts'
import { findRemainingTables } from '../../../test/remaining-rows.ts'
import { createWorld } from '../../../test/world.ts'
import { openStoreClient } from '../../access/stores/access.ts'
import { enqueueDueSyncs } from '../../carts/sync/sync.ts'
import { purgeStore } from './stores.ts'

const world = createWorld()
const DAY_MS = 86_400_000

beforeEach(() => {
  world.queued.length = 0
})

const { check, disconnect, storeRow } = createOwnerCalls(world)

const someSettings = {
  senderName: 'Mugs',
  senderEmail: 'Hello@Mugs.Example.com',
  postalAddress: '1 Kiln Road',
  abandonmentTimeoutMinutes: 60,
}

test('disconnecting deletes the keys, ends leases and removes the webhooks', {
  tags: ['A4.4', 'A7'],
}, async () => {
  const { owner, fake, storeId } = await createConnectedStore(world)
  fake.hooks.push({ id: '7', topic: 'order.updated', status: 'active', deliveryUrl: 'x', secret: 's' })
  await world.db
    .insertInto('store_webhooks')
    .values({
      store_id: storeId,
      topic: 'order.updated',
      webhook_id: '7',
      encrypted_secret: Buffer.from('x'),
      status: 'active',
      checked_at: world.now,
    })
    .execute()
  expect(await disconnect(owner)).toMatchObject({ status: 200, body: { success: true, cancelled: 0 } })
  expect(fake.hooks).toEqual([])
  expect(await storeRow(storeId)).toMatchObject({ is_active: false, disconnected_at: world.now })
  for (const table of ['store_credentials', 'store_webhooks'] as const) {
    expect(await world.db.selectFrom(table).selectAll().where('store_id', '=', storeId).execute()).toEqual([])
  }
  expect((await check(owner)).body).toMatchObject({ hasConnection: false, platform: null, store_url: null })
  await expect(openStoreClient(world.deps, { storeId, db: world.db })).rejects.toThrow('not connected')
  expect((await disconnect(owner)).status).toBe(404)
})

test('an unreachable store can be disconnected', async () => {
  const { owner, fake } = await createConnectedStore(world)
  fake.problem = buildProblem('unreachable')
  expect((await disconnect(owner)).status).toBe(200)
})

test('disconnecting cancels every unsent message', async () => {
  const { owner, storeId } = await createConnectedStore(world)
  const messageId = await createMessage(storeId, 'scheduled')
  const sentId = await createMessage(storeId, 'sent')
  expect((await disconnect(owner)).body.cancelled).toBe(1)
  const state = async (id: string) =>
    world.db.selectFrom('messages').select(['state', 'reason']).where('id', '=', id).executeTakeFirstOrThrow()
  expect(await state(messageId)).toEqual({ state: 'cancelled', reason: 'disconnected' })
  expect(await state(sentId)).toMatchObject({ state: 'sent' })
})

test('reconnecting within thirty days restores the same store, its settings and sync positions', async () => {
  const { owner, fake, storeId } = await createConnectedStore(world)
  const before = await storeRow(storeId)
  await disconnect(owner)
  world.advance(29 * DAY_MS)
  const reply = await connectFakeStore(world, owner, fake)
  expect(reply).toMatchObject({ status: 200, body: { store: { id: storeId } } })
  expect(await storeRow(storeId)).toMatchObject({
    is_active: true,
    disconnected_at: null,
    capture_key: before!.capture_key,
    connected_at: before!.connected_at,
  })
  expect(await world.db.selectFrom('flows').select('id').where('store_id', '=', storeId).execute()).toHaveLength(1)
})

test('after thirty days the data is deleted, and a reconnection starts over', { tags: ['A1', 'A9'] }, async () => {
  const { owner, fake, storeId } = await createConnectedStore(world)
  await createMessage(storeId, 'sent')
  await disconnect(owner)
  world.advance(29 * DAY_MS)
  await purgeStore(world.deps, { storeId })
  expect(await storeRow(storeId)).toBeDefined()
  await check(owner)
  world.advance(1 * DAY_MS + 1)
  world.queued.length = 0
  await enqueueDueSyncs(world.deps)
  expect(world.queued).toContainEqual({ name: 'stores.purge', payload: { storeId }, key: storeId })
  await purgeStore(world.deps, { storeId })
  expect(await storeRow(storeId)).toBeUndefined()
  expect(await findRemainingTables(world, { storeId })).toEqual([])
  const again = await connectFakeStore(world, owner, fake)
  expect(again.status).toBe(200)
  expect(again.body.store.id).not.toBe(storeId)
})

test('a store reconnected before its deletion job is kept', async () => {
  const { owner, fake, storeId } = await createConnectedStore(world)
  await disconnect(owner)
  world.advance(10 * DAY_MS)
  await connectFakeStore(world, owner, fake)
  world.advance(25 * DAY_MS)
  await purgeStore(world.deps, { storeId })
  expect(await storeRow(storeId)).toMatchObject({ is_active: true })
})

test('switching selects another store of the account, and no other account’s', async () => {
  const owner = await registerOwner(world, 'growth')
  const first = (await connectFakeStore(world, owner, createFakeStore(createHomeUrl()))).body.store
  const second = (await connectFakeStore(world, owner, createFakeStore(createHomeUrl()))).body.store
  expect((await check(owner)).body.store.id).toBe(second.id)
  const change = (storeId: string, who = owner) =>
    world.request('POST', '/api/stores/switch', { token: who.token, body: { storeId } })
  expect(await change(first.id)).toMatchObject({ status: 200, body: { store: { id: first.id } } })
  expect((await check(owner)).body.store.id).toBe(first.id)
  const otherOwner = await registerOwner(world)
  expect((await change(first.id, otherOwner)).status).toBe(404)
  expect((await change(crypto.randomUUID())).status).toBe(404)
  expect((await change('nonsense')).status).toBe(400)
  await disconnect(owner, `?storeId=${second.id}`)
  expect((await change(second.id)).status).toBe(404)
})

test('the store `default` in a body means the one with its address', async () => {
  const owner = await registerOwner(world, 'growth')
  const first = (await connectFakeStore(world, owner, createFakeStore(createHomeUrl()))).body.store
  await connectFakeStore(world, owner, createFakeStore(createHomeUrl()))
  const readFrom = async (body: object) =>
    (await world.request('POST', '/api/stores/sync', { token: owner.token, body })).status
  expect(await readFrom({ storeId: 'default', storeUrl: 'https://unknown.example.com' })).toBe(404)
  expect(await readFrom({ storeId: 'default', storeUrl: first.storeUrl })).toBe(200)
})

test('the API rejects a request with two different stores, and accepts the same store twice', async () => {
  const owner = await registerOwner(world, 'growth')
  const first = (await connectFakeStore(world, owner, createFakeStore(createHomeUrl()))).body.store
  const second = (await connectFakeStore(world, owner, createFakeStore(createHomeUrl()))).body.store
  const read = (query: string, body: object) =>
    world.request('POST', `/api/stores/sync?storeId=${query}`, { token: owner.token, body })
  for (const other of [second.id, second.store_url]) {
    expect(await read(first.id, { storeId: other })).toMatchObject({ status: 400, body: { code: 'invalid' } })
  }
  expect((await read(first.id, { storeId: 'https://unknown.example.com' })).status).toBe(404)
  expect((await read(first.id, { storeUrl: ` ${first.store_url}/ ` })).status).toBe(200)
  expect((await read(first.id, { storeId: first.id, storeUrl: `${first.store_url}/` })).status).toBe(200)
  expect((await read('default', { storeId: first.id })).status).toBe(200)
})

test('a tab with a disconnected store changes nothing, neither there nor in the other store', async () => {
  const owner = await registerOwner(world, 'growth')
  const first = (await connectFakeStore(world, owner, createFakeStore(createHomeUrl()))).body.store
  const second = (await connectFakeStore(world, owner, createFakeStore(createHomeUrl()))).body.store
  await disconnect(owner, `?storeId=${first.id}`)
  const stale = `storeId=${encodeURIComponent(first.store_url)}`
  const { token } = owner
  const change = [
    await world.request('POST', `/api/stores/sending/resume?${stale}`, { token, body: {} }),
    await world.request('POST', `/api/campaigns/send-to-abandoned-carts?${stale}`, { token, body: {} }),
  ]
  expect(change.map(({ status }) => status)).toEqual([409, 409])
  expect((await world.request('POST', `/api/stores/sending/pause?${stale}`, { token, body: {} })).status).toBe(200)
  expect(await storeRow(second.id)).toMatchObject({ sending_paused_at: null })
  expect((await world.request('GET', `/api/stores/health?${stale}`, { token })).status).toBe(200)
  expect((await disconnect(owner, `?${stale}`)).status).toBe(200)
  expect(await storeRow(second.id)).toMatchObject({ is_active: true })
})

test('another account’s store is not found, like an unknown one', async () => {
  const { storeId, fake } = await createConnectedStore(world)
  const { owner: otherOwner } = await createConnectedStore(world)
  for (const named of [storeId, encodeURIComponent(fake.profile.storeUrl), crypto.randomUUID()]) {
    const query = `?storeId=${named}`
    const calls = [
      check(otherOwner, query),
      disconnect(otherOwner, query),
      world.request('POST', `/api/stores/sync${query}`, { token: otherOwner.token, body: {} }),
      world.request('GET', `/api/stores/health${query}`, { token: otherOwner.token }),
      world.request('PUT', `/api/stores/settings${query}`, { token: otherOwner.token, body: someSettings }),
    ]
    expect((await Promise.all(calls)).map((reply) => reply.status)).toEqual([404, 404, 404, 404, 404])
  }
  expect(await storeRow(storeId)).toMatchObject({ is_active: true })
})

test('settings are saved, and the effective timeout follows the first step of an active flow', async () => {
  const { owner, storeId } = await createConnectedStore(world)
  const save = (body: object) => world.request('PUT', '/api/stores/settings', { token: owner.token, body })
  expect(await save(someSettings)).toMatchObject({
    status: 200,
    body: { store: { senderName: 'Mugs', senderEmail: 'hello@mugs.example.com', abandonmentTimeoutMinutes: 60 } },
  })
  expect(await storeRow(storeId)).toMatchObject({ effective_timeout_minutes: 60 })
  await world.db.updateTable('flows').set({ is_on: true }).where('store_id', '=', storeId).execute()
  await save({ ...someSettings, abandonmentTimeoutMinutes: 10_080 })
  const step = await world.db
    .selectFrom('flow_steps')
    .select('delay_minutes')
    .where('store_id', '=', storeId)
    .orderBy('step')
    .executeTakeFirstOrThrow()
  expect(await storeRow(storeId)).toMatchObject({
    abandonment_timeout_minutes: 10_080,
    effective_timeout_minutes: step.delay_minutes,
  })
})

test('the sender cannot be removed while a flow is active', async () => {
  const { owner, storeId } = await createConnectedStore(world)
  const save = (body: object) => world.request('PUT', '/api/stores/settings', { token: owner.token, body })
  await world.db.updateTable('flows').set({ is_on: true }).where('store_id', '=', storeId).execute()
  expect((await save({ ...someSettings, postalAddress: ' ' })).status).toBe(422)
  expect((await save({ ...someSettings, senderName: '' })).status).toBe(422)
  await world.db.updateTable('flows').set({ is_on: false }).where('store_id', '=', storeId).execute()
  expect((await save({ ...someSettings, postalAddress: ' ' })).status).toBe(200)
})

test('the API rejects settings outside their bounds', async () => {
  const { owner } = await createConnectedStore(world)
  for (const wrong of [
    { abandonmentTimeoutMinutes: 14 },
    { abandonmentTimeoutMinutes: 10_081 },
    { abandonmentTimeoutMinutes: 60.5 },
    { senderEmail: 'nobody' },
    { senderName: 'x'.repeat(121) },
    { senderName: 'Mugs\r\nBcc: a@b.example' },
    { senderName: '\u202eMugs' },
    { senderName: '=?utf-8?b?ZXZpbC5jb20gbG9naW4=?=' },
    { capMessages: 0 },
    { capMessages: 21 },
    { capWindowHours: 169 },
    { attributionWindowDays: 31 },
    { quietFrom: '24:00' },
    { quietUntil: '8:00' },
    { quietFrom: '08:00' },
    { postalAddress: 7 },
  ]) {
    const body = { ...someSettings, ...wrong }
    expect((await world.request('PUT', '/api/stores/settings', { token: owner.token, body })).status).toBe(400)
  }
})

test('recovery rules are saved one by one, and unnamed ones stay', async () => {
  const { owner, storeId } = await createConnectedStore(world)
  const save = (body: object) => world.request('PUT', '/api/stores/settings', { token: owner.token, body })
  await save(someSettings)
  const rules = {
    quietFrom: '22:30',
    quietUntil: '07:15',
    capMessages: 2,
    capWindowHours: 48,
    attributionWindowDays: 7,
  }
  expect(await save(rules)).toMatchObject({
    status: 200,
    body: { store: { ...rules, senderName: 'Mugs', abandonmentTimeoutMinutes: 60, settingsVersion: 2 } },
  })
  expect(await storeRow(storeId)).toMatchObject({ quiet_from_minute: 1_350, cap_window_hours: 48 })
  // Each of the two may be valid and the pair invalid.
  expect(await save({ quietUntil: '22:30' })).toMatchObject({
    status: 400,
    body: { fields: { quietUntil: 'Quiet hours cannot start and end at the same time' } },
  })
})

test('an edit of an outdated version is rejected as a whole', async () => {
  const { owner } = await createConnectedStore(world)
  const save = (body: object) => world.request('PUT', '/api/stores/settings', { token: owner.token, body })
  expect(await save({ capMessages: 2, version: 0 })).toMatchObject({
    status: 200,
    body: { store: { settingsVersion: 1 } },
  })
  expect(await save({ capMessages: 5, version: 0 })).toMatchObject({ status: 409, body: { code: 'conflict' } })
  const both = await Promise.all([save({ capMessages: 6, version: 1 }), save({ attributionWindowDays: 9, version: 1 })])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  expect((await check(owner)).body.store.settingsVersion).toBe(2)
})

async function createMessage(storeId: string, state: 'scheduled' | 'sent'): Promise<string> {
  const { db, now } = world
  const ids = { shopper: crypto.randomUUID(), cart: crypto.randomUUID(), message: crypto.randomUUID() }
  await db
    .insertInto('shoppers')
    .values({ store_id: storeId, id: ids.shopper, created_at: now, first_seen_at: now })
    .execute()
  await db
    .insertInto('carts')
    .values({
      store_id: storeId,
      id: ids.cart,
      shopper_id: ids.shopper,
      status: 'abandoned',
      started_at: now,
      last_activity_at: now,
      lost_at: now,
      opening_fact_id: ids.cart,
      last_fact_at: now,
      last_fact_id: ids.cart,
      customer_name: 'Grace',
      items: '[]',
      item_count: 0,
      value_minor: 0,
      currency: 'USD',
      search: '',
      fold: '{}',
      created_at: now,
    })
    .execute()
  await db
    .insertInto('messages')
    .values({
      store_id: storeId,
      id: ids.message,
      cart_id: ids.cart,
      shopper_id: ids.shopper,
      origin_kind: 'flow',
      origin_id: crypto.randomUUID(),
      step: 1,
      channel: 'email',
      state,
      due_at: now,
      expires_at: now,
      wake_at: now,
      created_at: now,
      updated_at: now,
    })
    .execute()
  return ids.message
}
