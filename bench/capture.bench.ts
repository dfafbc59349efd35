import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { buildApp } from '../server/app.ts'
import type { TestStore } from '../test/factories.ts'
import type { Bench, Figure } from './figures.ts'
import { type LoadResult, postAll } from './helpers.ts'
import type { AppInstance, Lab } from './lab.ts'
import { computeMedian, computePercentile } from './measure.ts'

// Method: shoppers of fifty stores send the capture script's posts, four each (one item, a second one, more of the
// first, and every fourth shopper's email), over HTTP from another process on 50 connections. Each is answered after
// its commit. The ceiling is a bare Fastify route that parses the same bodies and writes each with one INSERT through
// the same kind of pool, also answered after the commit. Three alternating rounds, medians; a round starts when all
// earlier posts have become facts. Then 500 posts a second for the latency. "To the cart" counts until a round's last
// post is in its cart's row.

const STORES = 50
const CONNECTIONS = 50
const POSTS_PER_SHOPPER = 4
/** Trusts the client address header, as behind a proxy, because posts per client are limited. */
const ENV = { PUBLIC_URL: 'https://recoup.example.com', TRUSTED_PROXIES: '127.0.0.1' }

export const bench: Bench = { name: 'capture', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await lab.open({ env: ENV })
  const stores = await openStores(instance)
  const app = buildApp(instance.deps)
  const bare = await startCeilingApp(instance)
  const port = await listenOnFreePort(app)
  const barePort = await listenOnFreePort(bare)
  const shots: LoadResult[] = []
  const folded: number[] = []
  const bareShots: LoadResult[] = []
  const count = lab.sized(6_000)
  let series = 0
  const shoot = (target: number, howMany: number, perSecond: number | null = null) =>
    postAll({ port: target, connections: CONNECTIONS, requests: buildPosts(stores, howMany, ++series), perSecond })
  try {
    await shoot(port, 400)
    await shoot(barePort, 400)
    await waitUntilFolded(instance)
    for (let round = 0; round < 3; round++) {
      const startedAt = performance.now()
      shots.push(checkAnswer(await shoot(port, count)))
      await waitUntilFolded(instance)
      folded.push((count / (performance.now() - startedAt)) * 1_000)
      bareShots.push(checkAnswer(await shoot(barePort, count)))
    }
    const steady = checkAnswer(await shoot(port, Math.max(1_000, lab.sized(10_000)), 500))
    const steadyBare = checkAnswer(await shoot(barePort, Math.max(1_000, lab.sized(10_000)), 500))
    const [throughput, ...latency] = buildFigures(shots, bareShots, steady, steadyBare)
    return [throughput!, { name: 'capture posts, to the cart', value: computeMedian(folded), unit: '/s' }, ...latency]
  } finally {
    await app.close()
    await bare.close()
    await instance.close()
  }
}

/** The product without the ceiling, for other benchmarks. Each shot sends new posts. */
export async function startPostShop(lab: Lab) {
  const instance = await lab.open({ env: ENV })
  const stores = await openStores(instance)
  const app = buildApp(instance.deps)
  const port = await listenOnFreePort(app)
  let series = 0
  return {
    instance,
    shoot: async (howMany: number) => {
      const requests = buildPosts(stores, howMany, ++series)
      return checkAnswer(await postAll({ port, connections: CONNECTIONS, requests, perSecond: null }))
    },
    allFolded: () => waitUntilFolded(instance),
    async close() {
      await app.close()
      await instance.close()
    },
  }
}

async function waitUntilFolded(instance: AppInstance): Promise<void> {
  for (;;) {
    const { rows } = await instance.pool.query<{ left: number }>('select count(*)::int as left from capture_inbox')
    if (rows[0]!.left === 0) return
    await sleep(20)
  }
}

function buildFigures(
  shots: LoadResult[],
  bareShots: LoadResult[],
  steady: LoadResult,
  steadyBare: LoadResult,
): Figure[] {
  const rate = (answers: LoadResult[]) => computeMedian(answers.map((each) => each.latencies.length / each.seconds))
  const p99 = (answer: LoadResult) => computePercentile(answer.latencies, 0.99)
  const reached = Math.round(steady.latencies.length / steady.seconds)
  return [
    {
      name: 'capture posts',
      value: rate(shots),
      unit: '/s',
      ceiling: { name: 'bare route with one insert', value: rate(bareShots) },
      goal: { atLeast: 1.3, of: 'ceiling' },
      note: `p99 ${Math.round(computeMedian(shots.map(p99)))} ms at full load`,
    },
    {
      name: 'capture p99 at 500/s',
      value: p99(steady),
      unit: 'ms',
      ceiling: { name: 'bare route', value: p99(steadyBare) },
      goal: { below: 20 },
      note: `p50 ${computePercentile(steady.latencies, 0.5).toFixed(1)} ms, ${reached}/s reached`,
    },
  ]
}

async function openStores(instance: AppInstance): Promise<(TestStore & { origin: string })[]> {
  const first = await instance.store({ url: 'https://shop-0.example.com' })
  const stores = [{ ...first, origin: 'https://shop-0.example.com' }]
  for (let n = 1; n < STORES; n++) {
    const origin = `https://shop-${n}.example.com`
    stores.push({ ...(await instance.store({ url: origin, accountId: first.accountId })), origin })
  }
  await instance.db
    .insertInto('products')
    .values(
      stores.flatMap(({ storeId }) =>
        Array.from({ length: 30 }, (_, n) => ({
          store_id: storeId,
          product_id: String(100 + n),
          name: `Tea no. ${n}`,
          price_minor: 900 + n,
          currency: 'USD',
          is_available: true,
          seen_at: instance.deps.now(),
        })),
      ),
    )
    .execute()
  return stores
}

async function startCeilingApp(instance: AppInstance) {
  await instance.pool.query(
    'create table bench_posts (id uuid primary key, store_key text, at timestamptz, payload jsonb)',
  )
  const app = Fastify({ bodyLimit: 16_384 })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.post('/api/capture/:storeKey', async (request, reply) => {
    const { storeKey } = request.params as { storeKey: string }
    const payload = JSON.parse(request.body as string) as object
    await instance.pool.query('insert into bench_posts values ($1, $2, $3, $4)', [
      crypto.randomUUID(),
      storeKey,
      new Date(),
      payload,
    ])
    return reply.code(204).send()
  })
  return app
}

async function listenOnFreePort(app: {
  listen(options: { port: number; host: string }): Promise<string>
}): Promise<number> {
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
}

/** Alternates between shoppers, so that one shopper's posts rarely overlap. */
function buildPosts(
  stores: readonly { captureKey: string; origin: string }[],
  count: number,
  series: number,
): string[] {
  const shoppers = Math.ceil(count / POSTS_PER_SHOPPER)
  const posts: string[] = []
  for (let start = 0; start < shoppers; start += 200) {
    for (let step = 0; step < POSTS_PER_SHOPPER; step++) {
      for (let n = start; n < Math.min(start + 200, shoppers); n++) {
        const store = stores[n % stores.length]!
        posts.push(buildRequest(store, buildBody(n, step, series), `10.${series % 250}.${(n >> 8) % 250}.${n % 256}`))
      }
    }
  }
  return posts.slice(0, count)
}

function buildBody(n: number, step: number, series: number): string {
  const first = { id: String(100 + (n % 30)), quantity: step < 2 ? 1 : 2 }
  const items = step === 0 ? [first] : [first, { id: String(100 + ((n + 7) % 30)), quantity: 1 }]
  const contact = { email: `shopper${series}-${n}@shoppers.example`, firstName: 'Ada', lastName: 'Lovelace' }
  const base = {
    cart: `cart-${series}-${String(n).padStart(12, '0')}`,
    device: `device-${series}-${String(n).padStart(10, '0')}`,
    page: `page-${series}-${n}`,
    seq: step,
  }
  const isContact = step === POSTS_PER_SHOPPER - 1 && n % 4 === 0
  return JSON.stringify(
    isContact ? { ...base, contact } : { ...base, items: step === 3 ? [first] : items, coupons: [] },
  )
}

function buildRequest(store: { captureKey: string; origin: string }, body: string, client: string): string {
  return [
    `POST /api/capture/${store.captureKey} HTTP/1.1`,
    'host: recoup.example.com',
    `origin: ${store.origin}`,
    `x-forwarded-for: ${client}`,
    'content-type: text/plain',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}

function checkAnswer(answer: LoadResult): LoadResult {
  const bad = Object.keys(answer.answers).filter((status) => status !== '204')
  if (bad.length > 0) throw new Error(`answers were ${JSON.stringify(answer.answers)}`)
  return answer
}
