import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setInterval as every } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { readGoods } from '../server/carts/sync/goods.ts'
import { checkOrders } from '../server/carts/sync/order-check.ts'
import { createWorkerSlots, type ReleaseSlot } from '../server/core/common/concurrency.ts'
import { type GuardedFetchOptions, openGuardedHttp } from '../server/core/net/guarded-fetch.ts'
import type { StoreNet } from '../server/platforms/platform/access.ts'
import { createWooCommerceClient } from '../server/platforms/woocommerce/platform.ts'
import { createConnectedStore } from './connected-store.ts'
import { createWorld } from './world.ts'

// Ways in which a shop can hang, on real sockets. Its job frees the job slot meanwhile (D8).

const world = createWorld()
const open: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()))
})

/** Replies as a shop does, or not at all; `hangs()` marks the request that hangs. */
type Answer = (socket: Socket, path: string, hangs: () => void) => void

async function startShop(answer: Answer) {
  const { promise: isHanging, resolve: hangs } = Promise.withResolvers<void>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (data) => {
      const path = /^[A-Z]+ (\S+) HTTP/.exec(data.toString('latin1'))?.[1] ?? ''
      answer(socket, path, hangs)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, isHanging, hangs }
}

async function createStoreAt(url: string, options: Partial<GuardedFetchOptions> = {}, net: Partial<StoreNet> = {}) {
  const { storeId } = await createConnectedStore(world)
  await world.db.updateTable('stores').set({ url, home_url: url }).where('id', '=', storeId).execute()
  const http = openGuardedHttp({ allowPrivate: true, ...options })
  open.push(() => http.close())
  world.storeClient = (access) =>
    createWooCommerceClient(access, { fetch: http.fetch, now: () => world.now, pauseMs: 0, ...net })
  return { storeId, http }
}

const drawPage = (rows: unknown[], pages = 1): string => {
  const body = JSON.stringify(rows)
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-wp-totalpages: ${pages}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
const order = () => {
  const at = world.now.toISOString().slice(0, 19)
  return { id: 75, status: 'processing', currency: 'USD', total: '10.00', date_created_gmt: at, date_modified_gmt: at }
}

/** Sends a little text again and again while the client reads. */
async function drip(socket: Socket, text: string): Promise<void> {
  for await (const _ of every(20)) if (socket.destroyed || !socket.write(text)) return
}

let pagesSent = 0

const silent: Answer = (_, __, hangs) => hangs()

/** The job holds the only slot until it steps aside; then another job gets it. */
async function expectFreeSlot(
  work: (releaseSlot: ReleaseSlot) => Promise<void>,
  isHanging: Promise<void>,
  end: () => unknown,
) {
  const takers = createWorkerSlots(1)
  void takers.run(work)
  await isHanging
  let others = 0
  await takers.run(async () => {
    others += 1
  })
  expect(others).toBe(1)
  await end()
  await takers.settled()
}

async function expectHangingOrders(storeId: string, isHanging: Promise<void>): Promise<void> {
  const stop = new AbortController()
  let isFresh: boolean | undefined
  const work = async (releaseSlot: ReleaseSlot) => {
    isFresh = (await checkOrders(world.deps, { storeId, db: world.db }, { signal: stop.signal, releaseSlot })).isFresh
  }
  await expectFreeSlot(work, isHanging, () => stop.abort())
  // Otherwise the stored error would be that of `stop`.
  expect(isFresh).toBe(false)
  expect(await readStream(storeId, 'order_check')).toMatchObject({ lease_until: null })
}

const readStream = (storeId: string, stream: 'order_check' | 'goods_check') =>
  world.db
    .selectFrom('sync_state')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('stream', '=', stream)
    .executeTakeFirst()

test.each<[string, Answer]>([
  ['sends nothing', silent],
  [
    'sends its response byte by byte',
    (socket, _, hangs) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n')
      hangs()
      void drip(socket, '1\r\n \r\n')
    },
  ],
  [
    'sends endless headers',
    (socket, _, hangs) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      hangs()
      void drip(socket, 'x: y\r\n')
    },
  ],
  [
    'announces more bytes than it sends',
    (socket, _, hangs) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n[')
      hangs()
    },
  ],
  [
    'redirects to an address that sends nothing',
    (socket, path, hangs) => {
      if (path === '/slow') hangs()
      else socket.write('HTTP/1.1 302 Found\r\nlocation: /slow\r\ncontent-length: 0\r\n\r\n')
    },
  ],
  [
    'hangs at the second page of its orders',
    (socket, _, hangs) => {
      if (pagesSent > 0) hangs()
      else socket.write(drawPage([order()], 2))
      pagesSent += 1
    },
  ],
])('a shop that %s', async (_, answer) => {
  const { port, isHanging } = await startShop(answer)
  const { storeId } = await createStoreAt(`http://127.0.0.1:${port}`)
  await expectHangingOrders(storeId, isHanging)
})

test('a shop that never completes its TLS handshake', async () => {
  const { port, isHanging } = await startShop(silent)
  const { storeId } = await createStoreAt(`https://127.0.0.1:${port}`)
  await expectHangingOrders(storeId, isHanging)
})

test('a shop whose name server does not reply', async () => {
  const { promise: isHanging, resolve } = Promise.withResolvers<void>()
  const { storeId } = await createStoreAt('http://shop.example', { lookup: () => resolve() })
  await expectHangingOrders(storeId, isHanging)
})

test('a shop that answers the probe and hangs at its orders is called with growing delays', async () => {
  const { port, isHanging } = await startShop((socket, path, hangs) => {
    if (path.includes('per_page=1&')) socket.write(drawPage([]))
    else hangs()
  })
  const { storeId } = await createStoreAt(`http://127.0.0.1:${port}`)
  const failed_at = new Date(world.now.getTime() - 60_000)
  const failed = { failed_at, failures: 3, error_code: 'timeout' }
  await world.db
    .insertInto('sync_state')
    .values({ store_id: storeId, stream: 'order_check', ...failed })
    .onConflict((conflict) => conflict.columns(['store_id', 'stream']).doUpdateSet(failed))
    .execute()
  await expectHangingOrders(storeId, isHanging)
  expect(await readStream(storeId, 'order_check')).toMatchObject({ failures: 4 })
})

test('a shop that hangs only at stock and prices', async () => {
  const { port, isHanging } = await startShop((socket, path, hangs) => {
    if (path.includes('/orders')) socket.write(drawPage([]))
    else hangs()
  })
  const { storeId, http } = await createStoreAt(`http://127.0.0.1:${port}`)
  const store = { storeId, db: world.db }
  expect((await checkOrders(world.deps, { storeId, db: world.db })).isFresh).toBe(true)
  const items = [{ productId: '16', variationId: null }]
  const work = async (releaseSlot: ReleaseSlot) => {
    await readGoods(world.deps, store, items, { isChecked: true, releaseSlot })
  }
  await expectFreeSlot(work, isHanging, () => http.close())
  expect(await readStream(storeId, 'goods_check')).toMatchObject({ failures: 1 })
  expect(await readStream(storeId, 'order_check')).toMatchObject({ error_code: null })
})

test.each<[string, Answer]>([
  ['closes the connection', (socket) => setTimeout(() => socket.destroy(), 60)],
  [
    'replies with a server error',
    (socket) => setTimeout(() => socket.write('HTTP/1.1 522 Timeout\r\ncontent-length: 0\r\n\r\n'), 60),
  ],
])('a shop that %s after a long wait counts as hanging', async (_, answer) => {
  const { port } = await startShop(answer)
  const { storeId } = await createStoreAt(`http://127.0.0.1:${port}`, {}, { lateAfterMs: 30 })
  expect((await checkOrders(world.deps, { storeId, db: world.db })).isFresh).toBe(false)
  expect(await readStream(storeId, 'order_check')).toMatchObject({ error_code: 'timeout' })
})
