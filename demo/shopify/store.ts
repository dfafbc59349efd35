// The Shopify store as one thing with a life: opens its file, listens, sends webhooks, stops. What a test may turn is in `controls`.
import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { type Connections, switchConnections } from '../store/connections.ts'
import { serveBulkFiles } from './bulk.ts'
import { type Controls, controlsOf } from './controls.ts'
import { deliverDue } from './deliver.ts'
import type { Desk } from './events.ts'
import { Faults } from './faults.ts'
import { Bucket } from './graphql/cost.ts'
import { serveGraphql } from './graphql/serve.ts'
import { writeThemeHead } from './pages/layout.ts'
import { servePages } from './pages/routes.ts'
import { seedPast } from './past.ts'
import { emptyRecords, one, openRecords, readMeta, transact } from './records.ts'
import { seedStore } from './seed.ts'
import { readSetup, type Setup, type Shop, storeZone, writeSetup } from './shop.ts'
import { serveTokens } from './tokens.ts'

export interface ShopifyStoreOptions {
  /** 0 takes a free one. */
  port?: number
  host?: string
  /** A path, or ':memory:'. */
  dataFile: string
  publicUrl?: string
  /** Milliseconds since the epoch; `controls.advance` moves it on. */
  now?: () => number
  /** Stock an empty file with goods, codes and customers (default true). */
  seed?: boolean
  /** How many days of customers, orders and checkouts come with it; none when left out. */
  pastDays?: number
  app?: Partial<Setup['app']>
  plan?: Setup['plan']
  /** host or host:port that webhooks may be sent to although Shopify refuses it. */
  allowedWebhookHosts?: string[]
  lookup?: LookupFunction
  /** How old a checkout is before its recovery link works; Shopify's is ten minutes. */
  recoverableAfterMs?: number
  /** What the shop says its time zone is (IANA). */
  timeZone?: string
}

export interface ShopifyStore {
  url: string
  shop: Shop
  desk: Desk
  app: FastifyInstance
  /** Of the app, as the owner copies them into Recoup. */
  keys: { clientId: string; clientSecret: string }
  bucket: Bucket
  faults: Faults
  controls: Controls
  /** Lets it be away, slow or silent. */
  connections: Connections
  /** Sends what is due instead of on the next tick; answers when also what was under way has been sent. */
  deliverWebhooks: () => Promise<number>
  /** Resolves when bulk operations that were started are done. */
  settled: () => Promise<void>
  /** What the owner pastes into theme.liquid, before </head>; kept over restarts and resets. */
  setThemeHead: (html: string) => void
  /** Back to the seed; keys, plan and the snippet stay. */
  reset: () => void
  stop: () => Promise<void>
}

const tickMs = 200

/** What an app of the documentation asks for. */
export const allScopes = [...['read_orders', 'read_all_orders', 'read_customers', 'read_products', 'write_discounts']]

/** All of the store but its port and its clockwork: it is asked through `app.inject`, and sends no webhook of its own. */
export type QuietShopifyStore = Omit<
  ShopifyStore,
  'url' | 'connections' | 'deliverWebhooks' | 'setThemeHead' | 'reset' | 'stop'
> & { close: () => Promise<void> }

export function openQuietShopifyStore(options: ShopifyStoreOptions): QuietShopifyStore {
  const { app, shop, desk, bucket, faults, settled, clock } = assemble(options)
  const close = async () => {
    await settled()
    await app.close()
    shop.db.sqlite.close()
  }
  return { shop, desk, app, bucket, faults, settled, keys: keysOf(shop), controls: controlsOf(desk, clock), close }
}

export async function startShopifyStore(options: ShopifyStoreOptions): Promise<ShopifyStore> {
  const { app, shop, desk, bucket, faults, connections, settled, clock } = assemble(options)
  await listen(app, shop, options)
  const jobs = startJobs(desk)
  return {
    ...{ url: shop.home, shop, desk, app, bucket, faults, connections, settled, deliverWebhooks: jobs.deliver },
    keys: keysOf(shop),
    controls: controlsOf(desk, clock),
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
  takeForms(app)
  const faults = new Faults()
  const desk = { shop, faults }
  const bucket = new Bucket(shop)
  const work = new Set<Promise<void>>()
  const later = (job: () => Promise<void>) => {
    const running: Promise<void> = new Promise((resolve) => setImmediate(resolve))
      .then(job)
      .finally(() => work.delete(running))
    work.add(running)
  }
  const connections = switchConnections(app)
  refuseUnknown(app, shop)
  serveTokens(app, shop)
  serveGraphql(app, { shop, bucket, faults, later })
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
    timeZone: options.timeZone ?? storeZone,
  }
  const kept = readMeta(db, 'setup') ? readSetup(shop) : freshSetup()
  writeSetup(shop, { ...kept, plan: options.plan ?? kept.plan, app: { ...kept.app, ...options.app } })
  if (options.seed !== false && isEmpty(shop)) stock(shop, options.pastDays)
  return shop
}

const isEmpty = ({ db }: Shop) =>
  one<{ n: number }>(db, `select count(*) as n from records where kind = 'product'`)!.n === 0

function stock(shop: Shop, pastDays = 0) {
  seedStore(shop)
  if (pastDays > 0) seedPast({ shop, faults: new Faults() }, pastDays)
}

const freshSetup = (): Setup => ({
  ...{ state: 'open', plan: 'grow', password: null },
  app: {
    clientId: randomBytes(16).toString('hex'),
    secret: `shpss_${randomBytes(16).toString('hex')}`,
    ...{ oldSecret: null, isInstalled: true, isOfOwner: true, scopes: allScopes },
    protectedData: ['name', 'email', 'phone', 'address'],
  },
})

const keysOf = (shop: Shop) => {
  const { clientId, secret } = readSetup(shop).app
  return { clientId, clientSecret: secret }
}

/** Forms come as text; a page reads them as it likes. */
function takeForms(app: FastifyInstance) {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  )
}

/** A name that no shop has: nothing is there. */
function refuseUnknown(app: FastifyInstance, shop: Shop) {
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
  if (!options.publicUrl) shop.home = listening.replace('127.0.0.1', host === '127.0.0.1' ? 'localhost' : host)
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
  }, tickMs)
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
    emptyRecords(shop.db)
    stock(shop, pastDays)
  })
}
