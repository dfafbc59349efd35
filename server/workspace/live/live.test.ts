import dns from 'node:dns'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { io, type Socket } from 'socket.io-client'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { JoinReply, StoreChanged } from '../../../shared/workspace/live.ts'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { createOperator, operatorEnv } from '../../../test/operators.ts'
import { createWorld } from '../../../test/world.ts'
import { buildApp } from '../../app.ts'
import { createId } from '../../core/common/ids.ts'
import { sql } from '../../core/db/db.ts'

// Real connections to a listening app.

/** Events take a moment, or longer on a busy machine. */
const LONG_MS = 30_000

const world = createWorld(operatorEnv)
const open: Socket[] = []
let address: string
let operator: Awaited<ReturnType<typeof createOperator>>

beforeAll(async () => {
  await world.app.close()
  world.app = buildApp(world.deps)
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  address = `http://127.0.0.1:${(world.app.server.address() as AddressInfo).port}`
  await isListened(1)
  operator = await createOperator(world)
})

afterEach(() => {
  for (const socket of open.splice(0)) socket.disconnect()
})

/** The keep-alive query `select 1` is its last statement. */
const isListened = (processes: number) =>
  vi.waitFor(async () => {
    const { rows } = await sql`
      select 1 from pg_stat_activity
      where application_name = 'recoup-live' and datname = current_database() and query in ('listen recoup_live', 'select 1')`.execute(
      world.db,
    )
    expect(rows).toHaveLength(processes)
  }, LONG_MS)

function connect(token: string | undefined, options: object = {}): Socket {
  const socket = io(address, { auth: { token }, forceNew: true, reconnection: false, ...options })
  open.push(socket)
  return socket
}

const refusal = (socket: Socket) =>
  new Promise<string>((resolve, reject) => {
    socket.on('connect_error', (error) => resolve(error.message))
    socket.on('connect', () => reject(new Error('it was let in')))
  })

async function join(token: string, platform: unknown = 'woocommerce', options: object = {}) {
  const socket = connect(token, options)
  const heard: StoreChanged[] = []
  socket.on('store-changed', (event) => heard.push(event))
  await new Promise<void>((resolve, reject) => socket.on('connect', resolve).on('connect_error', reject))
  const joined: JoinReply = await socket.timeout(LONG_MS).emitWithAck('join-platform', platform)
  return { socket, heard, joined }
}

const waitForClose = (socket: Socket) => vi.waitFor(() => expect(socket.connected).toBe(false), LONG_MS)

const renameFlow = (store: TestStore, name = 'Renamed') =>
  world.db.updateTable('flows').set({ name }).where('store_id', '=', store.storeId).execute()

const heardParts = (heard: StoreChanged[]) => heard.flatMap((event) => event.changed)

test('a change of a store reaches only clients that have it open', async () => {
  const [store, otherStore] = [await createStore(world), await createStore(world)]
  const own = await join(store.token)
  const other = await join(otherStore.token)
  expect(own.joined).toEqual({ storeId: store.storeId })
  await renameFlow(store)
  await vi.waitFor(() => expect(own.heard).toEqual([{ storeId: store.storeId, changed: ['flows'] }]), LONG_MS)
  expect(other.heard).toEqual([])
})

test('the server announces a new, used-up or deleted coupon', async () => {
  const store = await createStore(world)
  const { heard } = await join(store.token)
  const id = createId()
  const at = new Date()
  const terms = {
    type: 'percentage',
    platform_type: 'percent',
    percent: 1_000,
    currency: 'USD',
    is_active: true,
  } as const
  const mine = { store_id: store.storeId, id, made_by: 'recoup', kind: 'shared', code: 'SUMMER10' } as const
  const changes = [
    () => world.db.insertInto('coupons').values({ ...mine, ...terms, seen_at: at, created_at: at }),
    () => world.db.updateTable('coupons').set({ usage_count: 1 }).where('id', '=', id),
    () => world.db.deleteFrom('coupons').where('id', '=', id),
  ]
  for (const [done, change] of changes.entries()) {
    await change().execute()
    await vi.waitFor(() => expect(heardParts(heard)).toEqual(Array(done + 1).fill('coupons')), LONG_MS)
  }
})

test("the server joins the session's store and ignores the one the browser names", { tags: ['A7'] }, async () => {
  const [store, otherStore] = [await createStore(world), await createStore(world)]
  const named = [otherStore.storeId, { storeId: otherStore.storeId }, null, 'shopify', ['woocommerce'], 7]
  for (const platform of named) {
    const { joined, socket } = await join(store.token, platform)
    expect(joined).toEqual({ storeId: store.storeId })
    socket.disconnect()
  }
  for (const storeId of [otherStore.storeId, crypto.randomUUID(), 'x', 7]) {
    const { joined, socket } = await join(store.token, 'woocommerce', { auth: { token: store.token, storeId } })
    expect(joined).toEqual({ storeId: store.storeId })
    socket.disconnect()
  }
})

test('a tab stays with its store after another tab switches the session', async () => {
  const [shownStore, other] = [await createStore(world), await createStore(world)]
  await world.db
    .updateTable('stores')
    .set({ account_id: shownStore.accountId })
    .where('id', '=', other.storeId)
    .execute()
  await world.db
    .updateTable('sessions')
    .set({ store_id: other.storeId })
    .where('account_id', '=', shownStore.accountId)
    .execute()
  const { joined } = await join(shownStore.token, 'woocommerce', {
    auth: { token: shownStore.token, storeId: shownStore.storeId },
  })
  expect(joined).toEqual({ storeId: shownStore.storeId })
  await world.db.updateTable('stores').set({ is_active: false }).where('id', '=', shownStore.storeId).execute()
  const later = await join(shownStore.token, 'woocommerce', {
    auth: { token: shownStore.token, storeId: shownStore.storeId },
  })
  expect(later.joined).toEqual({ storeId: other.storeId })
})

test('the server announces no rolled-back change, and merges a transaction into one event', async () => {
  const store = await createStore(world)
  const { heard } = await join(store.token)
  await world.db
    .transaction()
    .execute(async (tx) => {
      await tx.updateTable('flows').set({ name: 'Never' }).where('store_id', '=', store.storeId).execute()
      throw new Error('rolled back')
    })
    .catch(() => {})
  await world.db.transaction().execute(async (tx) => {
    for (let n = 0; n < 20; n++) {
      await tx
        .updateTable('flows')
        .set({ name: `Name ${n}` })
        .where('store_id', '=', store.storeId)
        .execute()
    }
    await tx.updateTable('stores').set({ sender_name: 'Ann' }).where('id', '=', store.storeId).execute()
  })
  await vi.waitFor(() => expect(heard).toHaveLength(1), LONG_MS)
  expect(heard[0]!.changed.toSorted()).toEqual(['flows', 'settings'])
})

test('the server announces a busy store at most once a second', async () => {
  const store = await createStore(world)
  const { heard } = await join(store.token)
  const began = performance.now()
  // Without the limit, three events take a tenth of a second.
  for (let n = 0; heard.length < 3; n++) {
    await renameFlow(store, `Name ${n}`)
    await sleep(20)
  }
  expect(heard.length).toBeLessThanOrEqual(Math.ceil((performance.now() - began) / 1_000) + 1)
})

test("the capture script's heartbeat does not count as a change of settings", async () => {
  const store = await createStore(world)
  const { heard } = await join(store.token)
  const update = world.db.updateTable('stores').where('id', '=', store.storeId)
  await update.set({ capture_seen_at: world.now }).execute()
  await renameFlow(store)
  await vi.waitFor(() => expect(heardParts(heard)).toEqual(['flows']), LONG_MS)
})

test('a store without open clients announces nothing', async () => {
  const store = await createStore(world)
  const watched = await world.db.selectFrom('live_watches').where('store_id', '=', store.storeId).selectAll().execute()
  expect(watched).toEqual([])
})

test.each([
  ['none', undefined],
  ['a made-up one', 'x'.repeat(43)],
  ['no word', { $ne: null } as unknown as string],
])('the server rejects a token that is %s', async (_kind, token) => {
  expect(await refusal(connect(token))).toBe('session')
})

test('the server rejects an expired token', async () => {
  const store = await createStore(world)
  const sessions = world.db.updateTable('sessions').where('account_id', '=', store.accountId)
  await sessions.set({ expires_at: world.now }).execute()
  expect(await refusal(connect(store.token))).toBe('session')
})

test('the server disconnects and rejects a revoked session at once', async () => {
  const [store, other] = [await createStore(world), await createStore(world)]
  const { socket } = await join(store.token)
  const stays = await join(other.token)
  expect((await world.request('POST', '/api/auth/logout', { token: store.token })).status).toBe(200)
  await waitForClose(socket)
  expect(stays.socket.connected).toBe(true)
  expect(await refusal(connect(store.token))).toBe('session')
})

test('a role change disconnects, and the page reconnects with the new role', async () => {
  const [store, other] = [await createStore(world, { role: 'admin' }), await createStore(world)]
  const { socket } = await join(store.token)
  const stays = await join(other.token)
  const change = { token: store.token, body: { role: 'viewer' } }
  expect((await world.request('PATCH', `/api/team/members/${store.userId}`, change)).status).toBe(200)
  await waitForClose(socket)
  expect((await join(store.token)).joined).toEqual({ storeId: store.storeId })
  expect(stays.socket.connected).toBe(true)
})

test('a viewer receives events too', async () => {
  const store = await createStore(world, { role: 'viewer' })
  const { heard } = await join(store.token)
  await renameFlow(store)
  await vi.waitFor(() => expect(heard).toHaveLength(1), LONG_MS)
})

test('a viewing operator receives events, marks nothing as read, and is disconnected on leaving', async () => {
  const store = await createStore(world)
  const view = { token: operator.token, body: { storeId: store.storeId } }
  const { token } = (await world.request('POST', `/api/operator/accounts/${store.accountId}/view`, view)).body
  const { socket, heard, joined } = await join(token)
  expect(joined).toEqual({ storeId: store.storeId })
  await renameFlow(store)
  await vi.waitFor(() => expect(heard).toHaveLength(1), LONG_MS)
  const marked = await socket.timeout(LONG_MS).emitWithAck('mark-notifications-read', { notificationIds: [createId()] })
  expect(marked).toEqual({ success: false })
  await world.request('POST', '/api/auth/logout', { token })
  await waitForClose(socket)
})

test('a viewing operator is disconnected when the right ends', async () => {
  const store = await createStore(world, { role: 'admin' })
  const view = { token: operator.token, body: { storeId: store.storeId } }
  const { token } = (await world.request('POST', `/api/operator/accounts/${store.accountId}/view`, view)).body
  const { socket } = await join(token)
  await world.db.updateTable('users').set({ totp_confirmed_at: null }).where('id', '=', operator.userId).execute()
  // Any announcement about the account checks its connections.
  const change = { token: store.token, body: { role: 'viewer' } }
  expect((await world.request('PATCH', `/api/team/members/${store.userId}`, change)).status).toBe(200)
  await waitForClose(socket)
})

test("a visitor of the demo receives events of the demo's store", async () => {
  const store = await createStore(world)
  await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', store.accountId).execute()
  const { heard } = await join(store.token)
  await renameFlow(store)
  await vi.waitFor(() => expect(heard).toHaveLength(1), LONG_MS)
})

test('the server rejects other origins and tokens in the address', async () => {
  const { token } = await createStore(world)
  await refusal(connect(token, { extraHeaders: { origin: 'https://evil.example' } }))
  await refusal(connect(token, { transports: ['websocket'], extraHeaders: { origin: 'https://evil.example' } }))
  await refusal(connect(token, { query: { token } }))
  await join(token, 'woocommerce', { extraHeaders: { origin: address } })
})

test("the connection is not available on a shop's link host", async () => {
  const { token, storeId } = await createStore(world)
  const host = 'links.live-shop.example'
  await sql`insert into link_hosts (store_id, host, created_at, proven_at, next_check_at)
    values (${storeId}, ${host}, ${world.now}, ${world.now}, ${world.now})`.execute(world.db)
  for (const named of [host, `${host.toUpperCase()}:8080`]) {
    await refusal(connect(token, { transports: ['websocket'], extraHeaders: { host: named } }))
    const request = http.get(`${address}/socket.io/?EIO=4&transport=polling`, { headers: { host: named } })
    const [reply] = (await once(request, 'response')) as [http.IncomingMessage]
    reply.resume()
    expect(reply.statusCode).toBe(403)
  }
})

test('the server limits unauthenticated connections per network, without blocking others', async () => {
  const ask = (network: number) =>
    fetch(`${address}/socket.io/?EIO=4&transport=polling`, { headers: { 'x-forwarded-for': `198.51.100.${network}` } })
  const { token } = await createStore(world)
  const statuses: number[] = []
  for (let n = 0; n < 70; n++) statuses.push((await ask(1)).status)
  expect([statuses.filter((status) => status === 200).length, statuses.at(-1)]).toEqual([50, 403])
  expect((await ask(2)).status).toBe(200)
  for (let n = 0; n < 60; n++) {
    const { socket } = await join(token, 'woocommerce', { extraHeaders: { 'x-forwarded-for': '198.51.100.3' } })
    socket.disconnect()
  }
})

test('the server rejects oversized messages, too many messages and too many connections', async () => {
  const [{ token }, { token: many }] = [await createStore(world), await createStore(world)]
  const large = await join(token, 'woocommerce', { transports: ['websocket'] })
  large.socket.emit('join-platform', 'x'.repeat(10_000))
  await waitForClose(large.socket)
  const loud = await join(token)
  for (let n = 0; n < 30; n++) loud.socket.emit('join-platform', 'woocommerce')
  await waitForClose(loud.socket)
  for (let n = 0; n < 10; n++) await join(many)
  expect(await refusal(connect(many))).toBe('too_many')
})

test('the server reopens a lost database connection and treats everything as changed', async () => {
  const store = await createStore(world)
  const { heard } = await join(store.token)
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'recoup-live' and datname = current_database()`.execute(world.db)
  await vi.waitFor(() => expect(heardParts(heard)).toContain('carts'), LONG_MS)
  await renameFlow(store)
  await vi.waitFor(() => expect(heard.at(-1)!.changed).toEqual(['flows']), LONG_MS)
})

test("processes receive each other's changes, and a stopping process closes its connections", async () => {
  const store = await createStore(world)
  const second = buildApp(world.deps)
  await second.listen({ port: 0, host: '127.0.0.1' })
  await isListened(2)
  const first = await join(store.token)
  const there = io(`http://127.0.0.1:${(second.server.address() as AddressInfo).port}`, {
    auth: { token: store.token },
    forceNew: true,
    reconnection: false,
  })
  open.push(there)
  const heard: StoreChanged[] = []
  there.on('store-changed', (event) => heard.push(event))
  await new Promise<void>((resolve) => there.on('connect', resolve))
  await there.emitWithAck('join-platform', 'woocommerce')
  await renameFlow(store)
  await vi.waitFor(() => expect([first.heard.length, heard.length]).toEqual([1, 1]), LONG_MS)
  await second.close()
  await waitForClose(there)
  expect(first.socket.connected).toBe(true)
})

test('the server answers on IPv4 and IPv6 for localhost, by polling and websocket', {
  tags: ['A7'],
}, async () => {
  const store = await createStore(world)
  // Most machines resolve the name to both, but not all.
  const both = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]
  const { lookup } = dns
  vi.spyOn(dns, 'lookup').mockImplementation(((
    name: string,
    how: { all?: boolean },
    publish: (...found: unknown[]) => void,
  ) =>
    how.all && name === 'localhost' && publish
      ? publish(null, both)
      : lookup(name, how as never, publish as never)) as never)
  const named = buildApp(world.deps)
  await named.listen({ port: 0, host: 'localhost' })
  vi.restoreAllMocks()
  const { port } = named.server.address() as AddressInfo
  try {
    const hosts = ['127.0.0.1', '[::1]']
    for (const transport of ['polling', 'websocket']) {
      for (const host of hosts) {
        const socket = io(`http://${host}:${port}`, {
          auth: { token: store.token },
          forceNew: true,
          reconnection: false,
          transports: [transport],
        })
        open.push(socket)
        await new Promise<void>((resolve, reject) => socket.on('connect', resolve).on('connect_error', reject))
        const joined: JoinReply = await socket.timeout(LONG_MS).emitWithAck('join-platform', 'woocommerce')
        expect([host, transport, joined]).toEqual([host, transport, { storeId: store.storeId }])
        socket.disconnect()
      }
    }
  } finally {
    await named.close()
  }
})
