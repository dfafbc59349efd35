// The demo store as one thing with a life: opens its file, listens, sends webhooks, cleans up, stops.
import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { type ApiKey, OWNER_KEY, saveKey } from './auth.ts'
import { type CouponsByHand, type CustomersByHand, couponsByHand, customersByHand } from './by-hand.ts'
import { writeCapture } from './capture.ts'
import { type Connections, switchConnections } from './connections.ts'
import { deliverDue } from './deliver.ts'
import { type HistoricOrder, insertHistory } from './history.ts'
import { cancelUnpaid, cleanDrafts } from './orders.ts'
import { servePages } from './pages/routes.ts'
import { beatEnded, type DemoPlugin, demoPlugin } from './plugin.ts'
import { servePlugin } from './plugin-pages.ts'
import { ordinaryPricing, type Pricing } from './pricing.ts'
import { type PushHost, serveWorker, writePushHost } from './push.ts'
import { serveRest } from './rest/serve.ts'
import { seedStore } from './seed.ts'
import { cleanSessions } from './sessions.ts'
import { type Capture, type Shop, wooVersion } from './shop.ts'
import { emptyDatabase, one, openDatabase, ownSecret, readMeta, run, transact, writeMeta } from './sqlite.ts'

export type DemoStoreOptions = {
  /** 0 takes a free one. */
  port?: number
  host?: string
  /** A path, or ':memory:'. */
  dataFile: string
  /** Where shoppers and apps reach the store: the WordPress home URL, which signatures must be made for. */
  publicUrl?: string
  /** Milliseconds since the epoch. */
  now?: () => number
  /** Stock an empty data file with goods, coupons and customers (default true). */
  seed?: boolean
  /** The owner's key pair; drawn once and kept in the data file when left out. */
  consumerKey?: string
  consumerSecret?: string
  /** ISO codes the store sells and ships to; ['US'] when left out. */
  sellingCountries?: string[]
  /** Currency, taxes and shipping, where they differ from the ordinary shop's. */
  pricing?: Partial<Pricing>
  /** Of WooCommerce; an old one, such as '9.9.5', publishes every coupon that is written. */
  version?: string
  /** host or host:port that webhooks may be sent to although a stock WordPress refuses it. */
  allowedWebhookHosts?: string[]
  /** Name resolution of webhook targets; tests replace it. */
  lookup?: LookupFunction
  webhookDelayMs?: number
  /** After how long an unpaid pending order is cancelled; 0 (the default here) never. A stock store has 60. */
  holdStockMinutes?: number
  /** false: the store behaves as with plain permalinks, where only ?rest_route= works and keys are never looked at. */
  prettyPermalinks?: boolean
}

export type DemoStore = {
  url: string
  /** The owner's. */
  keys: KeyPair
  shop: Shop
  app: FastifyInstance
  /** Tells the shop front to carry the capture script, from now on and after a restart; null takes it out. */
  setCapture: (capture: Capture | null) => void
  /** Web push on its pages, likewise. */
  setPush: (host: PushHost | null) => void
  /** Speaks for the store as its plugin would. */
  plugin: DemoPlugin
  /** Back to the seed: orders, carts, customers, coupons and webhooks are gone. Keys and the capture script stay. */
  reset: () => void
  /** Writes past orders in one transaction, telling nobody; returns their ids. */
  insertOrders: (orders: HistoricOrder[]) => number[]
  addKey: (key: Omit<ApiKey, 'description'> & { description?: string }) => void
  /** As somebody else in the store's admin. */
  coupons: CouponsByHand
  customers: CustomersByHand
  /** Lets the store be away, slow or silent. */
  connections: Connections
  /** Delivers what is due now instead of on the next tick. */
  deliverWebhooks: () => Promise<number>
  /** The daily and minutely jobs: drafts a day old, unpaid orders, stale sessions. */
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
  const connections = switchConnections(app)
  serveWorker(app, shop)
  servePlugin(app, shop)
  serveRest(app, shop)
  servePages(app, shop)
  const listening = await app.listen({ port: options.port ?? 3001, host }).catch((error: unknown) => {
    shop.db.sqlite.close()
    throw error
  })
  if (!options.publicUrl) shop.home = listening.replace('127.0.0.1', host === '127.0.0.1' ? 'localhost' : host)
  const jobs = startJobs(shop)
  return {
    url: shop.home,
    keys,
    shop,
    app,
    setCapture: (capture) => writeCapture(shop, capture),
    setPush: (host) => writePushHost(shop, host),
    plugin: demoPlugin(shop),
    reset: () => resetShop(shop),
    insertOrders: (orders) => insertHistory(shop, orders),
    addKey: (key) => saveKey(shop, { description: '', ...key }),
    coupons: couponsByHand(shop),
    customers: customersByHand(shop),
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
    secret: ownSecret(db),
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

/** Whoever had a key pair of the owner's before has none now: early versions had one that every installation shared. */
function saveOwnerKey(shop: Shop, { consumerKey, consumerSecret }: DemoStoreOptions): KeyPair {
  const description = OWNER_KEY
  const keys = consumerKey && consumerSecret ? { consumerKey, consumerSecret } : keptKeys(shop)
  const key = { consumer_key: keys.consumerKey, consumer_secret: keys.consumerSecret, description }
  run(shop.db, 'delete from api_keys where description = ? and consumer_key <> ?', description, keys.consumerKey)
  saveKey(shop, { ...key, permissions: 'read_write', role: 'administrator' })
  return keys
}

function keptKeys(shop: Shop): KeyPair {
  const kept = readMeta(shop.db, 'owner-keys')
  if (kept) return JSON.parse(kept) as KeyPair
  const keys = freshKeyPair()
  writeMeta(shop.db, 'owner-keys', JSON.stringify(keys))
  return keys
}

function isEmpty(shop: Shop): boolean {
  return one<{ n: number }>(shop.db, 'select count(*) as n from products')!.n === 0
}

function resetShop(shop: Shop) {
  transact(shop.db, () => {
    emptyDatabase(shop.db)
    seedStore(shop)
  })
}

type Jobs = {
  /** Answers when also what the store's own tick is just sending has been sent. */
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
  await beatEnded(shop)
  shop.db.sqlite.close()
}

/** A key pair of the right shape, for a caller that has none yet. */
export function freshKeyPair() {
  const hex = () => randomBytes(20).toString('hex')
  return { consumerKey: `ck_${hex()}`, consumerSecret: `cs_${hex()}` }
}
