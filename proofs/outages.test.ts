import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'
import { afterEach, expect, test } from 'vitest'
import { type AppInstance, startAppInstance, waitUntil } from '../e2e/app-instance.ts'
import { type DemoStore, startDemoStore } from '../providers/woocommerce/store.ts'
import { saveKeys } from '../server/access/stores/access.ts'
import { createSecrets } from '../server/core/common/secrets.ts'
import { type Db, openDb, openPool, sql } from '../server/core/db/db.ts'
import { findPostmaster } from '../server/core/postgres/postmaster.ts'
import type { Deps } from '../server/deps.ts'
import { createStore, type TestStore } from '../test/factories.ts'
import { buildWooKeys } from '../test/woo-access.ts'
import type { World } from '../test/world.ts'

// Recovery from outages of database, mail server and disk space. OUTAGE_SECONDS=600 makes each outage as long as
// promised. `outages-clock.test.ts` covers outages on a virtual clock.

const OUTAGE_MS = Number(process.env.OUTAGE_SECONDS ?? 15) * 1_000
const SHOPPERS = 30
const SECRET = randomBytes(32).toString('base64url')
const KEYS = { consumerKey: `ck_${'c'.repeat(40)}`, consumerSecret: `cs_${'e'.repeat(40)}` }

const endings: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

interface Scene {
  shopUrl: string
  instance: AppInstance
  db: Db
  store: TestStore
  accepted: string[]
  postmaster: () => number | undefined
  mail: { stop(): Promise<void>; start(): Promise<void> }
}

/** An app instance with a database of its own, a store with drafts, and a mail server that counts accepted mails. */
async function createScene(env: Record<string, string> = {}): Promise<Scene> {
  const shop = await createShopWithDrafts()
  const accepted: string[] = []
  const mail = await startMailServer(accepted)
  const instance = await startAppInstance({
    DEMO: 'off',
    APP_SECRET: SECRET,
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    LOG_LEVEL: 'fatal',
    ...env,
  })
  endings.push(() => instance.stop())
  const dataDir = env.DATA_DIR ?? instance.dataDir
  const pgdata = path.join(readDatabasePlace(dataDir), 'pgdata')
  const { socketDir, port } = findPostmaster(pgdata)!
  const pool = openPool({ url: `postgres://app@/recoup?host=${encodeURIComponent(socketDir)}&port=${port}`, max: 2 })
  endings.push(() => pool.end())
  const db = openDb(pool)
  const store = await prepareStore(db, shop)
  // The periodic sync would come within a minute.
  const headers = { authorization: `Bearer ${store.token}`, 'content-type': 'application/json' }
  await fetch(`${instance.url}/api/stores/sync`, { method: 'POST', headers, body: '{}' })
  return { shopUrl: shop.url, instance, db, store, accepted, mail, postmaster: () => findPostmaster(pgdata)?.pid }
}

const readDatabasePlace = (dataDir: string) => {
  const moved = path.join(dataDir, 'postgres-location')
  return fs.existsSync(moved) ? fs.readFileSync(moved, 'utf8').trim() : path.join(dataDir, 'postgres')
}

async function createShopWithDrafts(): Promise<DemoStore> {
  const shop = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  endings.push(() => shop.stop())
  const createdAt = Math.floor(Date.now() / 1000) - 900
  shop.insertOrders(
    Array.from({ length: SHOPPERS }, (_, n) => ({
      status: 'checkout-draft' as const,
      createdAt,
      billing: { email: `shopper${n}@outage.example`, first_name: 'Odo', last_name: `No. ${n}` },
      lines: [{ productId: 20, quantity: 1 }],
    })),
  )
  return shop
}

/** All drafts are due at once. Rows are inserted while the instance runs, which notices the store a moment later. */
async function prepareStore(db: Db, shop: DemoStore): Promise<TestStore> {
  const world = { db, now: new Date(Date.now() - 3_600_000) } as World
  const store = await createStore(world, { url: shop.url, orderCheckAgeMs: null })
  const deps = { secrets: createSecrets(SECRET), now: () => new Date() } as Deps
  await db.updateTable('flow_steps').set({ delay_minutes: 10 }).where('step', '=', 1).execute()
  await db.updateTable('stores').set({ effective_timeout_minutes: 10 }).execute()
  await db
    .transaction()
    .execute((tx) => saveKeys(deps, { accountId: store.accountId, db: tx }, store.storeId, buildWooKeys(KEYS)))
  return store
}

async function startMailServer(accepted: string[]) {
  let server = createSmtpServer(accepted)
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.server.address() as AddressInfo
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()))
  endings.push(stop)
  const start = async () => {
    server = createSmtpServer(accepted)
    await listen(port)
  }
  return { port, stop, start }
}

/** Slow enough that an outage interrupts messages in flight. */
function createSmtpServer(accepted: string[]): SMTPServer {
  return new SMTPServer({
    authOptional: true,
    closeTimeout: 500,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, callback) {
      stream.resume()
      stream.on('end', () => {
        setTimeout(() => {
          accepted.push(session.envelope.rcptTo[0]!.address)
          callback(null, 'queued')
        }, 400)
      })
    },
  })
}

async function countStates(db: Db): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('messages')
    .select(['state', (eb) => eb.fn.countAll<number>().as('count')])
    .where('step', '=', 1)
    .groupBy('state')
    .execute()
  return Object.fromEntries(rows.map((row) => [row.state, Number(row.count)]))
}

async function isAllSettled(db: Scene['db']): Promise<boolean> {
  const rows = await db
    .selectFrom('messages')
    .select('id')
    .where('state', '=', 'sending')
    .where('judged', 'is not', null)
    .execute()
  return rows.length === 0
}

const readReadiness = async (instance: AppInstance) => {
  const reply = await fetch(`${instance.url}/readyz`, { signal: AbortSignal.timeout(10_000) })
  return { status: reply.status, body: (await reply.json()) as { checks: Record<string, string> } }
}

/**
 * Leases of a process expire after a minute. Each mail was sent once, except those in flight whose reply could not be
 * stored.
 */
async function expectAllOnce({ db, accepted }: Scene, pool = 5): Promise<void> {
  await waitUntil(async () => {
    const { sent = 0, unknown = 0, sending = 0 } = await countStates(db).catch(() => ({}) as Record<string, number>)
    return sent + unknown + sending === SHOPPERS && (await isAllSettled(db).catch(() => false))
  }, 120_000)
  const { sent = 0 } = await countStates(db)
  expect(new Set(accepted).size).toBe(accepted.length)
  expect(accepted.length).toBeGreaterThanOrEqual(sent)
  expect(sent).toBeGreaterThanOrEqual(SHOPPERS - pool)
}

test('replies with 503 while the database is killed during sends, restarts it, and sends nothing twice', async () => {
  const scene = await createScene()
  await waitUntil(async () => scene.accepted.length >= 5, 60_000, 20)
  const first = scene.postmaster()!
  process.kill(first, 'SIGKILL')
  await waitUntil(async () => (await readReadiness(scene.instance)).status === 503, 5_000, 50)
  await waitUntil(async () => (await readReadiness(scene.instance)).status === 200, 60_000)
  expect(scene.postmaster()).not.toBe(first)
  await expectAllOnce(scene)
}, 240_000)

test(
  'replies with 503 within seconds when the database hangs, and continues when it recovers',
  async () => {
    const scene = await createScene()
    await waitUntil(async () => scene.accepted.length >= 5, 60_000, 20)
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(scene.postmaster())], { encoding: 'utf8' })
    const all = [scene.postmaster()!, ...children.trim().split(/\s+/).map(Number)]
    for (const pid of all) process.kill(pid, 'SIGSTOP')
    try {
      expect(await readReadiness(scene.instance)).toMatchObject({
        status: 503,
        body: { checks: { database: 'does not answer' } },
      })
      await sleep(OUTAGE_MS)
    } finally {
      for (const pid of all) process.kill(pid, 'SIGCONT')
    }
    await waitUntil(async () => (await readReadiness(scene.instance)).status === 200, 30_000)
    await expectAllOnce(scene)
  },
  200_000 + OUTAGE_MS,
)

test(
  'keeps messages waiting while the mail server is down, and sends them all when it is back',
  async () => {
    const scene = await createScene()
    await waitUntil(async () => scene.accepted.length >= 5, 60_000, 20)
    await scene.mail.stop()
    await waitUntil(async () => ((await countStates(scene.db)).held ?? 0) > 10, 60_000)
    await sleep(OUTAGE_MS)
    await scene.mail.start()
    // Shortens the engine's back-off, which would take half an hour.
    await waitUntil(
      async () => {
        await scene.db.updateTable('messages').set({ wake_at: new Date() }).where('state', '=', 'held').execute()
        await scene.db.updateTable('send_schedule').set({ next_due_at: new Date() }).execute()
        const { sent = 0, unknown = 0 } = await countStates(scene.db)
        return sent + unknown === SHOPPERS
      },
      90_000,
      2_000,
    )
    await expectAllOnce(scene)
  },
  240_000 + OUTAGE_MS,
)

test(
  'reports a full disk, rejects new data, and continues when there is space',
  async (context) => {
    const disk = mountSmallDisk(400)
    if (!disk) return context.skip('a small disk can be mounted by root only')
    const scene = await createScene({ DATA_DIR: disk })
    await waitUntil(async () => scene.accepted.length >= 5, 60_000, 20)
    const ballast = path.join(disk, 'ballast')
    fill(ballast)
    await waitUntil(async () => (await readReadiness(scene.instance)).status === 503, 30_000)
    expect((await readReadiness(scene.instance)).body.checks.disk).toContain('the disk of the data folder is full')
    await waitUntil(async () => (await postCapture(scene)) === 503, 60_000, 5)
    const before = await countPosts(scene)
    const taken = []
    for (let n = 0; n < 50; n++) taken.push(await postCapture(scene))
    // PostgreSQL exits when it cannot continue its log.
    for (let n = 0; n < 4; n++) await sql`select pg_switch_wal()`.execute(scene.db).catch(() => {})
    await sleep(OUTAGE_MS)
    fs.rmSync(ballast)
    await waitUntil(async () => (await readReadiness(scene.instance)).status === 200, 90_000)
    if (before !== null) {
      const stored = (await countPosts(scene))! - before
      expect(stored).toBe(taken.filter((status) => status === 204).length)
    }
    expect(await postCapture(scene)).toBe(204)
    await expectAllOnce(scene)
  },
  300_000 + OUTAGE_MS,
)

function mountSmallDisk(megabytes: number): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    fs.rmSync(folder, { recursive: true })
    return null
  }
  endings.push(() => {
    execFileSync('umount', ['-l', folder])
    fs.rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

function fill(file: string): void {
  const handle = fs.openSync(file, 'w')
  try {
    for (let size = 2 ** 20; size >= 4_096; size /= 2) writeUntilFull(handle, size)
  } finally {
    fs.closeSync(handle)
  }
}

function writeUntilFull(handle: number, size: number): void {
  const block = Buffer.alloc(size, 1)
  try {
    for (;;) fs.writeSync(handle, block)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

let posts = 0

async function postCapture({ shopUrl, instance, store }: Scene): Promise<number> {
  // A client may bring five new addresses an hour; carts without an address are not limited.
  const cart = `outage-${String(++posts).padStart(16, '0')}`
  const body = { cart, page: `page-${posts}-outage`, seq: 1, items: [{ id: '20', quantity: 1 }] }
  const reply = await fetch(`${instance.url}/api/capture/${store.captureKey}`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', origin: shopUrl },
    body: JSON.stringify(body),
  })
  return reply.status
}

/** A post is in the inbox, or already processed. */
async function countPosts({ db }: Scene): Promise<number | null> {
  try {
    const { rows } = await sql<{ count: number }>`
      select (select count(*) from facts where source = 'capture') + (select count(*) from capture_inbox p
        where not exists (select 1 from facts f where f.store_id = p.store_id and f.unique_key =
          concat_ws(':', 'capture', p.post ->> 'cart', p.post ->> 'page', p.post ->> 'seq'))) as count`.execute(db)
    return rows[0]!.count
  } catch {
    return null
  }
}
