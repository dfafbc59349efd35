import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DemoStore, startDemoStore } from '../../providers/woocommerce/store.ts'
import { recordOrders } from '../../server/carts/carts/record.ts'
import { deleteUnneededCodes } from '../../server/carts/coupon-codes/codes-tidy.ts'
import { createId } from '../../server/core/common/ids.ts'
import { createLogger } from '../../server/core/common/logger.ts'
import { createSecrets } from '../../server/core/common/secrets.ts'
import { type Db, sql } from '../../server/core/db/db.ts'
import { openGuardedHttp } from '../../server/core/net/guarded-fetch.ts'
import type { Deps } from '../../server/deps.ts'
import { createMemoryTokenCache } from '../../server/platforms/platform/memory-token-cache.ts'
import { findPlatform } from '../../server/platforms/registry/registry.ts'
import { buildOrder, type TestStore } from '../../test/factories.ts'
import type { World } from '../../test/world.ts'
import { type Database, startDatabase } from './database.ts'
import { POOL } from './invariants.ts'
import { startMailServer } from './mail.ts'
import { addAbandonedCarts, connectShops, KEYS, SECRET } from './shops.ts'
import { startWorkerProcess, type WorkerProcess } from './workers.ts'

// Cuts off the store while personal codes are created, and kills the worker twice (decision 34). Every part is its own
// process except the store, whose state the test can read.

const PREFIX = 'cart-'
const PATIENCE_MS = 600_000
/** One in this many shoppers buys before the reminder and then needs no code. */
const BUYS = 6

interface Scene {
  database: Database
  shop: DemoStore
  store: TestStore
  worker: WorkerProcess
  stop(): Promise<void>
}

/** Violations of "each message sent has exactly one working code, and no other code is left"; empty if none. */
export async function checkCodesSurvive(
  people: number,
): Promise<{ sent: number; orphans: number; problems: string[] }> {
  const scene = await createScene()
  try {
    await cutOff(scene, people)
    await waitUntil(async () => (await openCount(scene.database.db)) === 0, 'messages stay open')
    const orphans = scene.shop.coupons.count(PREFIX)
    await deleteUnneededCodes(createDeps(scene), { storeId: scene.store.storeId })
    const sent = await loadSentMessages(scene.database.db)
    return {
      sent: sent.length,
      orphans: orphans - scene.shop.coupons.count(PREFIX),
      problems: findProblems(scene, sent),
    }
  } finally {
    await scene.stop()
  }
}

async function createScene(): Promise<Scene> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-codes-'))
  fs.chmodSync(folder, 0o711)
  const [database, mail] = await Promise.all([startDatabase(folder), startMailServer(folder, 1)])
  const shop = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  const [store] = await connectShops(database.db, [shop])
  await assignPersonalCoupon(database.db, store!)
  const { socketPath } = database
  const worker = await startWorkerProcess({
    index: 0,
    folder,
    socketPath,
    mailPort: mail.ports[0]!,
    secret: SECRET,
    pool: POOL,
  })
  await worker.start()
  return {
    database,
    shop,
    store: store!,
    worker,
    async stop() {
      await worker.stop()
      mail.stop()
      await shop.stop()
      await database.stop()
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function assignPersonalCoupon(db: Db, { storeId }: TestStore): Promise<void> {
  const id = createId()
  const now = new Date()
  const terms = { type: 'percentage', platform_type: 'percent', percent: 1_000, currency: 'USD' } as const
  const coupon = { store_id: storeId, id, made_by: 'recoup', kind: 'personal', code: 'CART', is_active: true } as const
  await db
    .insertInto('coupons')
    .values({ ...coupon, ...terms, seen_at: now, created_at: now })
    .execute()
  await db
    .updateTable('flow_steps')
    .set({ coupon_id: id, coupon_fallback: 'skip' })
    .where('store_id', '=', storeId)
    .where('step', '=', 1)
    .execute()
}

/** Faults in turn: lost answers, a worker killed during a store call, an unreachable store, a worker killed again. */
async function cutOff({ database: { db }, shop, store, worker }: Scene, people: number): Promise<void> {
  const addresses = Array.from({ length: people }, (_, n) => `accept-${n}@codes.example`)
  shop.connections.loseAnswers(/POST .*coupons/)
  await addAbandonedCarts(db, [store], addresses)
  await waitUntil(async () => shop.coupons.count(PREFIX) > 0, 'the store was asked for no code')
  await buy(
    db,
    store,
    addresses.filter((_, n) => n % BUYS === 0),
  )
  shop.connections.hold(/POST .*coupons/)
  await waitUntil(async () => shop.connections.waiting() > 0, 'the store was not asked again')
  await killed(db, worker)
  shop.connections.restore()
  await waitUntil(async () => (await countCreatedCodes(db)) >= Math.min(people / 4, 150), 'no code was made')
  shop.connections.refuse()
  await sleep(3_000)
  await killed(db, worker)
  shop.connections.restore()
}

/** Leases of a dead process expire after a minute; expire them now to save time. */
async function killed(db: Db, worker: WorkerProcess): Promise<void> {
  worker.kill()
  await worker.start()
  await sql`update sync_state set lease_until = null where stream in ('coupon_codes', 'order_check')`.execute(db)
}

async function buy(db: Db, { storeId }: TestStore, emails: readonly string[]): Promise<void> {
  const world = { now: new Date() } as World
  const orders = emails.map((email) => buildOrder(world, { kind: 'purchase', email }))
  const deps = { db, now: () => new Date(), log: createLogger('silent'), secrets: createSecrets(SECRET) } as Deps
  await recordOrders(deps, storeId, orders, 'sync')
}

function createDeps({ database, shop }: Scene): Deps {
  // An hour later, because the store might still process the request.
  const now = () => new Date(Date.now() + 3_600_000)
  const http = openGuardedHttp({ allowPrivate: true })
  const storeClient: Deps['storeClient'] = (access) =>
    findPlatform(access.platform).createClient(
      access,
      { fetch: http.fetch, now: () => new Date() },
      createMemoryTokenCache(),
    )
  shop.connections.restore()
  return {
    db: database.db,
    now,
    log: createLogger('silent'),
    secrets: createSecrets(SECRET),
    storeClient,
  } as Deps
}

async function waitUntil(isSo: () => Promise<boolean>, otherwise: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > end) throw new Error(otherwise)
    await sleep(100)
  }
}

async function openCount(db: Db): Promise<number> {
  const rows = await sql<{ open: number; all: number }>`
    select count(*) filter (where state in ('scheduled', 'held', 'claimed', 'sending'))::int as open, count(*)::int as all
    from messages where step = 1`.execute(db)
  return rows.rows[0]!.open
}

async function countCreatedCodes(db: Db): Promise<number> {
  const rows = await sql<{
    count: number
  }>`select count(*)::int as count from coupon_codes where state = 'made'`.execute(db)
  return rows.rows[0]!.count
}

interface SentMessage {
  id: string
  coupon_code: string | null
  names_it: boolean
}

async function loadSentMessages(db: Db): Promise<SentMessage[]> {
  const rows =
    await sql<SentMessage>`select id, coupon_code, coalesce(body_html like '%' || coupon_code || '%', false) as names_it
    from messages where step = 1 and sending_at is not null and state in ('sent', 'delivered', 'unknown')`.execute(db)
  return rows.rows
}

function findProblems({ shop }: Scene, sent: readonly SentMessage[]): string[] {
  const codes = shop.coupons.list(PREFIX)
  const marks = Map.groupBy(codes, ({ meta }) => String(meta.find(({ key }) => key === '_recoup_mark')?.value))
  const expected = new Set(sent.map(({ coupon_code }) => coupon_code?.toLowerCase()))
  return [
    ...sent.flatMap(({ id, coupon_code, names_it }) => {
      const [code, ...others] = marks.get(`message:${id}`) ?? []
      if (!code || others.length > 0) return [`message ${id} has ${others.length + (code ? 1 : 0)} codes`]
      const isWorking = code.status === 'publish' && code.usageLimit === 1 && code.expiresAt! * 1_000 > Date.now()
      return code.code === coupon_code?.toLowerCase() && isWorking && names_it ? [] : [`message ${id}: ${code.code}`]
    }),
    ...(expected.size < sent.length ? ['two messages share a code'] : []),
    ...codes.filter(({ code }) => !expected.has(code)).map(({ code }) => `${code} belongs to no message`),
  ]
}
