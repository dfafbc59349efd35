import crypto from 'node:crypto'
import type pg from 'pg'
import { saveKeys } from '../server/access/stores/access.ts'
import { createId } from '../server/core/common/ids.ts'
import { createLogger } from '../server/core/common/logger.ts'
import { createSecrets } from '../server/core/common/secrets.ts'
import { readConfig } from '../server/core/config/config.ts'
import { migrate } from '../server/core/database/migrate.ts'
import { type Db, openDb, openPool } from '../server/core/db/db.ts'
import { beat } from '../server/delivery/send/workers.ts'
import type { Deps } from '../server/deps.ts'
import type { EmailChannel, PushChannel } from '../server/messages/channels/channel.ts'
import { createStore, type StoreOptions, type TestStore } from '../test/factories.ts'
import { createFakeStore } from '../test/fake-store.ts'
import { replaceDatabase, runAsAdmin } from '../test/global.ts'
import { insertManyCarts, type ManyCartsOptions } from '../test/many-carts.ts'
import { buildWooKeys } from '../test/woo-access.ts'
import type { World } from '../test/world.ts'

// The benchmarks' environment: the real server's parts on separate databases of a PostgreSQL with production settings
// (fsync and synchronous_commit on).

export const SECRET = 'a secret of the benchmarks, long enough to be one'
export const KEYS = { consumerKey: `ck_${'c'.repeat(40)}`, consumerSecret: `cs_${'e'.repeat(40)}` }

export interface Lab {
  /** 1 is full size; 0.1 makes a quick run. */
  scale: number
  /** Scales a number of rows. */
  sized(full: number): number
  /** Opens a new database, or a named one that several benchmarks of a run share. */
  open(options?: { shared?: string; poolSize?: number; env?: Record<string, string> }): Promise<AppInstance>
  say(sentence: string): void
}

/** A database with the dependencies of the server's functions. */
export interface AppInstance {
  url: string
  pool: pg.Pool
  db: Db
  deps: Deps
  /** Whether this call created it; false if another benchmark of the run has filled it. */
  isNew: boolean
  store(options?: StoreOptions): Promise<TestStore>
  carts(store: TestStore, carts: Omit<ManyCartsOptions, 'storeId' | 'flowId' | 'now'>): Promise<void>
  close(): Promise<void>
}

export interface LabOptions {
  serverUrl: string
  scale: number
  say: (sentence: string) => void
}

export function createLab({ serverUrl, scale, say }: LabOptions): Lab {
  return {
    scale,
    sized: (full) => Math.max(10, Math.round(full * scale)),
    open: (options = {}) => openInstance(serverUrl, options),
    say,
  }
}

async function openInstance(serverUrl: string, { shared, poolSize = 16, env = {} }: Parameters<Lab['open']>[0] & {}) {
  const name = shared ? `bench_${shared}` : `bench_${crypto.randomBytes(6).toString('hex')}`
  const isNew = await createDatabase(serverUrl, name)
  const url = replaceDatabase(serverUrl, name)
  const pool = openPool({ url, max: poolSize })
  if (isNew) await migrate(pool)
  const db = openDb(pool)
  const deps = buildDeps(pool, db, env)
  await beat(deps)
  const instance: AppInstance = {
    url,
    pool,
    db,
    deps,
    isNew,
    store: (options) => openStore(deps, options),
    carts: (store, carts) =>
      insertManyCarts(db, { ...carts, storeId: store.storeId, flowId: store.flowId, now: deps.now() }),
    async close() {
      await pool.end()
      if (!shared) await runAsAdmin(serverUrl, `drop database if exists ${name} with (force)`)
    },
  }
  return instance
}

async function createDatabase(serverUrl: string, name: string): Promise<boolean> {
  try {
    await runAsAdmin(serverUrl, `create database ${name}`)
    return true
  } catch (error) {
    if ((error as { code?: string }).code !== '42P04') throw error
    return false
  }
}

/** Opens a store with keys, the default flow active since yesterday and a plan without an email limit. */
async function openStore(deps: Deps, options: StoreOptions = {}): Promise<TestStore> {
  const started = new Date(deps.now().getTime() - 86_400_000)
  const store = await createStore({ db: deps.db, now: started } as World, {
    plan: 'growth',
    orderCheckAgeMs: null,
    ...options,
  })
  await deps.db
    .transaction()
    .execute((tx) => saveKeys(deps, { accountId: store.accountId, db: tx }, store.storeId, buildWooKeys(KEYS)))
  return store
}

/** Omits the job queue, because benchmarks call the handlers directly. Stores have no orders. */
function buildDeps(pool: pg.Pool, db: Db, env: Record<string, string>): Deps {
  const shop = createFakeStore()
  return {
    config: readConfig({ DEMO: 'off', API_RATE_LIMIT: '1000000', ...env }),
    db,
    pool,
    now: () => new Date(),
    log: createLogger('silent'),
    secrets: createSecrets(SECRET),
    workerId: createId(),
    jobs: { enqueue: async () => {}, queues: async () => [] },
    channels: {
      email: createNullChannel(),
      demoEmail: createNullChannel(),
      ownMail: async () => null,
      text: async () => null,
      push: NO_PUSH,
    },
    storeClient: () => shop,
    demo: null,
  }
}

const NO_PUSH: PushChannel = {
  poolSize: 1,
  send: async () => ({ kind: 'gone', response: 'nowhere' }),
  close: async () => {},
}

/** Accepts emails at once and discards them. */
export function createNullChannel(poolSize = 5): EmailChannel {
  return {
    poolSize,
    send: async (mail) => ({ kind: 'accepted', providerId: mail.messageId, response: '250 OK' }),
    check: async () => ({ isOk: true }),
    close: async () => {},
  }
}
