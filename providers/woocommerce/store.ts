// Lifecycle of the demo store: opens its file, listens, sends webhooks, cleans up, stops.
import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { type CouponAdmin, type CustomerAdmin, createCouponAdmin, createCustomerAdmin } from './admin-actions.ts'
import { type ApiKey, OWNER_KEY, saveKey } from './auth.ts'
import { writeCapture } from './capture.ts'
import { type Connections, createConnectionFaults } from './connections.ts'
import { deliverDue } from './deliver.ts'
import { type HistoricOrder, insertHistory } from './history.ts'
import { cancelUnpaid, cleanDrafts } from './orders.ts'
import { servePages } from './pages/routes.ts'
import { createDemoPlugin, type DemoPlugin, waitForBeat } from './plugin.ts'
import { servePlugin } from './plugin-pages.ts'
import { ordinaryPricing, type Pricing } from './pricing.ts'
import { type PushHost, serveWorker, writePushHost } from './push.ts'
import { serveRest } from './rest/serve.ts'
import { seedStore } from './seed.ts'
import { cleanSessions } from './sessions.ts'
import { type Capture, type Shop, wooVersion } from './shop.ts'
import {
  clearDatabase,
  openDatabase,
  readMeta,
  readStoreSecret,
  run,
  selectOne,
  transact,
  writeMeta,
} from './sqlite.ts'

export type DemoStoreOptions = {
  /** 0 picks a free port. */
  port?: number
  host?: string
  /** A path, or ':memory:'. */
  dataFile: string
  /** The WordPress home URL, which requests must be signed for. */
  publicUrl?: string
  /** Milliseconds since the epoch. */
  now?: () => number
  /** Seed an empty data file with products, coupons and customers (default true). */
  seed?: boolean
  /** The owner's key pair; default: generated once and stored in the data file. */
  consumerKey?: string
  consumerSecret?: string
  /** ISO codes of selling and shipping countries; default ['US']. */
  sellingCountries?: string[]
  /** Currency, taxes and shipping that differ from the default. */
  pricing?: Partial<Pricing>
  /** WooCommerce version. Old ones, such as '9.9.5', publish every written coupon. */
  version?: string
  /** host or host:port that may receive webhooks although WordPress blocks it by default. */
  allowedWebhookHosts?: string[]
  /** Name resolution of webhook targets; tests replace it. */
  lookup?: LookupFunction
  webhookDelayMs?: number
  /** Minutes until an unpaid pending order is cancelled; 0 (default here): never. WooCommerce's default is 60. */
  holdStockMinutes?: number
  /** false: plain permalinks, with which only ?rest_route= works and keys are not checked. */
  prettyPermalinks?: boolean
}

export type DemoStore = {
  url: string
  /** The owner's keys. */
  keys: KeyPair
  shop: Shop
  app: FastifyInstance
  /** Sets the capture script of the shop's pages, stored across restarts; null removes it. */
  setCapture: (capture: Capture | null) => void
  /** Sets web push on the shop's pages, likewise. */
  setPush: (host: PushHost | null) => void
  /** The store's plugin. */
  plugin: DemoPlugin
  /** Resets to the seed: deletes orders, carts, customers, coupons and webhooks. Keeps keys and the capture script. */
  reset: () => void
  /** Inserts past orders in one transaction without webhooks; returns their ids. */
  insertOrders: (orders: HistoricOrder[]) => number[]
  addKey: (key: Omit<ApiKey, 'description'> & { description?: string }) => void
  /** Actions of another user in the store's admin. */
  coupons: CouponAdmin
  customers: CustomerAdmin
  /** Makes the store unavailable, slow or silent. */
  connections: Connections
  /** Sends due webhooks now instead of on the next tick. */
  deliverWebhooks: () => Promise<number>
  /** Runs the clean-up jobs: day-old drafts, unpaid orders, expired sessions. */
  cleanUp: () => void
  stop: () => Promise<void>
}

const tickMs = 200
const cleanUpMs = 60_000

export async function startDemoStore(options: DemoStoreOptions): Promise<DemoStore> {
  const host = options.host ?? '127.0.0.1'
  const app = fastify({
    bodyLimit: 1_048_576,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true },
  })
  const shop = openShop(options)
  const keys = saveOwnerKey(shop, options)
  if (options.seed !== false && isEmpty(shop)) seedStore(shop)
  const connections = createConnectionFaults(app)
  serveWorker(app, shop)
  servePlugin(app, shop)
  serveRest(app, shop)
  servePages(app, shop)
  const listening = await app.listen({ port: options.port ?? 3001, host }).catch((error: unknown) => {
    shop.db.sqlite.close()
    throw error
  })
  if (!options.publicUrl) shop.home = listening.replace('127.0.0.1', /^(127|0)\.0\.0\./.test(host) ? 'localhost' : host)
  const jobs = startJobs(shop)
  return {
    url: shop.home,
    keys,
    shop,
    app,
    setCapture: (capture) => writeCapture(shop, capture),
    setPush: (host) => writePushHost(shop, host),
    plugin: createDemoPlugin(shop),
    reset: () => resetShop(shop),
    insertOrders: (orders) => insertHistory(shop, orders),
    addKey: (key) => saveKey(shop, { description: '', ...key }),
    coupons: createCouponAdmin(shop),
    customers: createCustomerAdmin(shop),
    connections,
    deliverWebhooks: jobs.deliver,
    cleanUp: () => cleanUp(shop),
    stop: () => {
      connections.restore()
      return stop(app, shop, jobs)
    },
  }
}

function openShop(options: DemoStoreOptions): Shop {
  const db = openDatabase(options.dataFile)
  const home = (options.publicUrl ?? `http://localhost:${options.port ?? 3001}`).replace(/(?<!\/)\/+$/, '')
  return {
    db,
    home,
    now: options.now ?? Date.now,
    isSsl: home.startsWith('https:'),
    secret: readStoreSecret(db),
    version: options.version ?? wooVersion,
    pricing: { ...ordinaryPricing, ...options.pricing },
    sellingCountries: options.sellingCountries ?? ['US'],
    prettyPermalinks: options.prettyPermalinks ?? true,
    allowedWebhookHosts: options.allowedWebhookHosts ?? [],
    lookup: options.lookup ?? lookup,
    webhookDelayMs: options.webhookDelayMs ?? 1000,
    holdStockMinutes: options.holdStockMinutes ?? 0,
  }
}

export type KeyPair = { consumerKey: string; consumerSecret: string }

/** Replaces the owner's key. Early versions had one key that all installations shared. */
function saveOwnerKey(shop: Shop, { consumerKey, consumerSecret }: DemoStoreOptions): KeyPair {
  const description = OWNER_KEY
  const keys = consumerKey && consumerSecret ? { consumerKey, consumerSecret } : readStoredKeys(shop)
  const key = { consumer_key: keys.consumerKey, consumer_secret: keys.consumerSecret, description }
  run(shop.db, 'delete from api_keys where description = ? and consumer_key <> ?', description, keys.consumerKey)
  saveKey(shop, { ...key, permissions: 'read_write', role: 'administrator' })
  return keys
}

function readStoredKeys(shop: Shop): KeyPair {
  const stored = readMeta(shop.db, 'owner-keys')
  if (stored) return JSON.parse(stored) as KeyPair
  const keys = createKeyPair()
  writeMeta(shop.db, 'owner-keys', JSON.stringify(keys))
  return keys
}

function isEmpty(shop: Shop): boolean {
  return selectOne<{ n: number }>(shop.db, 'select count(*) as n from products')!.n === 0
}

function resetShop(shop: Shop) {
  transact(shop.db, () => {
    clearDatabase(shop.db)
    seedStore(shop)
  })
}

type Jobs = {
  /** Resolves after running deliveries of the tick have ended, too. */
  deliver: () => Promise<number>
  stop: () => Promise<void>
}

function startJobs(shop: Shop): Jobs {
  let running: Promise<unknown> = Promise.resolve()
  let isBusy = false
  const tick = setInterval(() => {
    if (isBusy) return
    isBusy = true
    running = deliverDue(shop).finally(() => {
      isBusy = false
    })
  }, tickMs)
  const cleaning = setInterval(() => cleanUp(shop), cleanUpMs)
  cleanUp(shop)
  const stopJobs = async () => {
    clearInterval(tick)
    clearInterval(cleaning)
    await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 2000).unref())])
  }
  const deliver = async () => {
    const tried = await deliverDue(shop)
    await running
    return tried
  }
  return { deliver, stop: stopJobs }
}

function cleanUp(shop: Shop) {
  transact(shop.db, () => {
    cleanDrafts(shop)
    cancelUnpaid(shop)
    cleanSessions(shop)
    run(shop.db, 'delete from order_notes where order_id not in (select id from orders)')
  })
}

async function stop(app: FastifyInstance, shop: Shop, jobs: Jobs) {
  await jobs.stop()
  await app.close()
  await waitForBeat(shop)
  shop.db.sqlite.close()
}

/** Generates a key pair in WooCommerce's format. */
export function createKeyPair() {
  const hex = () => randomBytes(20).toString('hex')
  return { consumerKey: `ck_${hex()}`, consumerSecret: `cs_${hex()}` }
}
