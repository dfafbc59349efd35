// Lifecycle of the Shopify store: opens its file, listens, sends webhooks, stops. Tests use `controls`.
import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { type Connections, createConnectionFaults } from '../woocommerce/connections.ts'
import { serveBulkFiles } from './bulk.ts'
import { type Controls, createControls } from './controls.ts'
import { deliverDue } from './deliver.ts'
import type { Desk } from './events.ts'
import { Faults } from './faults.ts'
import { Bucket } from './graphql/cost.ts'
import { serveGraphql } from './graphql/serve.ts'
import { writeThemeHead } from './pages/layout.ts'
import { servePages } from './pages/routes.ts'
import { seedPast } from './past.ts'
import { clearRecords, openRecords, readMeta, selectOne, transact } from './records.ts'
import { seedStore } from './seed.ts'
import { readSetup, type Setup, type Shop, storeTimeZone, writeSetup } from './shop.ts'
import { serveTokens } from './tokens.ts'

export interface ShopifyStoreOptions {
  /** 0 picks a free port. */
  port?: number
  host?: string
  /** A path, or ':memory:'. */
  dataFile: string
  publicUrl?: string
  /** Milliseconds since the epoch; `controls.advance` moves it on. */
  now?: () => number
  /** Seed an empty file with products, codes and customers (default true). */
  seed?: boolean
  /** Days of generated customers, orders and checkouts; default none. */
  pastDays?: number
  app?: Partial<Setup['app']>
  plan?: Setup['plan']
  /** host or host:port that may receive webhooks although Shopify forbids it. */
  allowedWebhookHosts?: string[]
  lookup?: LookupFunction
  /** Age of a checkout at which its recovery link works; ten minutes at Shopify. */
  recoverableAfterMs?: number
  /** The shop's time zone (IANA). */
  timeZone?: string
}

export interface ShopifyStore {
  url: string
  shop: Shop
  desk: Desk
  app: FastifyInstance
  /** The app's keys, as the owner copies them into Recoup. */
  keys: { clientId: string; clientSecret: string }
  bucket: Bucket
  faults: Faults
  controls: Controls
  /** Makes the store unavailable, slow or silent. */
  connections: Connections
  /** Sends due webhooks now; resolves after running deliveries have ended, too. */
  deliverWebhooks: () => Promise<number>
  /** Resolves when running bulk operations have ended. */
  settled: () => Promise<void>
  /** Code before </head> in theme.liquid; survives restarts and resets. */
  setThemeHead: (html: string) => void
  /** Resets to the seed; keeps keys, plan and theme code. */
  reset: () => void
  stop: () => Promise<void>
}

const TICK_MS = 200

/** The scopes that the documentation's app requests. */
export const allScopes = ['read_orders', 'read_all_orders', 'read_customers', 'read_products', 'write_discounts']

/** The store without a port and timers: tests use `app.inject` and send webhooks explicitly. */
export type InProcessShopifyStore = Omit<
  ShopifyStore,
  'url' | 'connections' | 'deliverWebhooks' | 'setThemeHead' | 'reset' | 'stop'
> & { close: () => Promise<void> }

export function openInProcessShopifyStore(options: ShopifyStoreOptions): InProcessShopifyStore {
  const { app, shop, desk, bucket, faults, settled, clock } = assemble(options)
  const close = async () => {
    await settled()
    await app.close()
    shop.db.sqlite.close()
  }
  return {
    shop,
    desk,
    app,
    bucket,
    faults,
    settled,
    keys: readKeys(shop),
    controls: createControls(desk, clock),
    close,
  }
}

export async function startShopifyStore(options: ShopifyStoreOptions): Promise<ShopifyStore> {
  const { app, shop, desk, bucket, faults, connections, settled, clock } = assemble(options)
  await listen(app, shop, options)
  const jobs = startJobs(desk)
  return {
    url: shop.home,
    shop,
    desk,
    app,
    bucket,
    faults,
    connections,
    settled,
    deliverWebhooks: jobs.deliver,
    keys: readKeys(shop),
    controls: createControls(desk, clock),
    setThemeHead: (html) => writeThemeHead(shop, html),
    reset: () => reset(shop, options.pastDays),
    stop: async () => {
      connections.restore()
      await jobs.stop()
      await settled()
      await app.close()
      shop.db.sqlite.close()
    },
  }
}

function assemble(options: ShopifyStoreOptions) {
  const clock = { aheadMs: 0 }
  const shop = openShop(options, clock)
  const app = fastify({
    bodyLimit: 1_048_576,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true },
  })
  acceptForms(app)
  const faults = new Faults()
  const desk = { shop, faults }
  const bucket = new Bucket(shop)
  const work = new Set<Promise<void>>()
  const runLater = (job: () => Promise<void>) => {
    const running: Promise<void> = new Promise((resolve) => setImmediate(resolve))
      .then(job)
      .finally(() => work.delete(running))
    work.add(running)
  }
  const connections = createConnectionFaults(app)
  refuseUnknownShop(app, shop)
  serveTokens(app, shop)
  serveGraphql(app, { shop, bucket, faults, later: runLater })
  serveBulkFiles(app, shop)
  servePages(app, desk)
  const settled = async () => {
    while (work.size > 0) await Promise.all(work)
  }
  return { app, shop, desk, bucket, faults, connections, settled, clock }
}

function openShop(options: ShopifyStoreOptions, clock: { aheadMs: number }): Shop {
  const db = openRecords(options.dataFile)
  const now = options.now ?? Date.now
  const shop: Shop = {
    db,
    now: () => now() + clock.aheadMs,
    home: (options.publicUrl ?? `http://localhost:${options.port ?? 3002}`).replace(/\/$/, ''),
    allowedWebhookHosts: options.allowedWebhookHosts ?? [],
    lookup: options.lookup ?? lookup,
    recoverableAfterMs: options.recoverableAfterMs ?? 600_000,
    timeZone: options.timeZone ?? storeTimeZone,
  }
  const setup = readMeta(db, 'setup') ? readSetup(shop) : createSetup()
  writeSetup(shop, { ...setup, plan: options.plan ?? setup.plan, app: { ...setup.app, ...options.app } })
  if (options.seed !== false && isEmpty(shop)) seedShop(shop, options.pastDays)
  return shop
}

const isEmpty = ({ db }: Shop) =>
  selectOne<{ n: number }>(db, `select count(*) as n from records where kind = 'product'`)!.n === 0

function seedShop(shop: Shop, pastDays = 0) {
  seedStore(shop)
  if (pastDays > 0) seedPast({ shop, faults: new Faults() }, pastDays)
}

const createSetup = (): Setup => ({
  state: 'open',
  plan: 'grow',
  password: null,
  app: {
    clientId: randomBytes(16).toString('hex'),
    secret: `shpss_${randomBytes(16).toString('hex')}`,
    oldSecret: null,
    isInstalled: true,
    isOfOwner: true,
    scopes: allScopes,
    protectedData: ['name', 'email', 'phone', 'address'],
  },
})

const readKeys = (shop: Shop) => {
  const { clientId, secret } = readSetup(shop).app
  return { clientId, clientSecret: secret }
}

/** Passes form bodies on as text. */
function acceptForms(app: FastifyInstance) {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  )
}

/** Answers 404 when no shop has this name. */
function refuseUnknownShop(app: FastifyInstance, shop: Shop) {
  app.addHook('onRequest', async (_request, reply) => {
    if (readSetup(shop).state === 'missing') return reply.code(404).send({ errors: 'Not Found' })
  })
}

async function listen(app: FastifyInstance, shop: Shop, options: ShopifyStoreOptions) {
  const host = options.host ?? '127.0.0.1'
  const listening = await app.listen({ port: options.port ?? 3002, host }).catch((error: unknown) => {
    shop.db.sqlite.close()
    throw error
  })
  if (!options.publicUrl) shop.home = listening.replace('127.0.0.1', /^(127|0)\.0\.0\./.test(host) ? 'localhost' : host)
}

function startJobs({ shop, faults }: Desk) {
  let running: Promise<unknown> = Promise.resolve()
  let isBusy = false
  const tick = setInterval(() => {
    if (isBusy || faults.webhooks === 'reverse') return
    isBusy = true
    running = deliverDue(shop, faults).finally(() => {
      isBusy = false
    })
  }, TICK_MS)
  const deliver = async () => {
    const tried = await deliverDue(shop, faults)
    await running
    return tried
  }
  const stop = async () => {
    clearInterval(tick)
    await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 2_000).unref())])
  }
  return { deliver, stop }
}

function reset(shop: Shop, pastDays?: number) {
  transact(shop.db, () => {
    clearRecords(shop.db)
    seedShop(shop, pastDays)
  })
}
