import { sql } from '../server/core/db/db.ts'
import { beat } from '../server/delivery/send/workers.ts'
import { countRequestedBuyers } from '../server/insights/analytics/buyers.ts'
import { countFigures, rebuildFigures } from '../server/insights/analytics/figures.ts'
import { renewRanges } from '../server/insights/analytics/product-ranges.ts'
import { type AnalyticsRange, analyticsRanges } from '../shared/insights/analytics.ts'
import { analyticsCalls, runCeiling } from './analytics-calls.ts'
import { measureExport } from './analytics-export.ts'
import { CARTS, writeYear } from './analytics-scene.ts'
import { measureScreen } from './analytics-screen.ts'
import type { Bench, Figure } from './figures.ts'
import { startSink } from './helpers.ts'
import type { AppInstance, Lab } from './lab.ts'
import { computePercentile, measureMs } from './measure.ts'
import { type Server, startServer } from './server.ts'

// Method: one store with a million carts, as many messages and 300,000 orders in a year (analytics-scene.ts). The
// product has counted its figures. A started server answers each call of the screen over HTTP, including
// authentication, alternating between all four ranges. A call's ceiling is one bare statement that reads the same
// figure rows by primary key, run alternately. Then: the screen's parallel calls, the screen in a browser, the export
// of a large catalogue, and the cost of updating figures after changes.

const CHANGED_ROWS = 10_000
const WAIT_MS = 10 * 60_000
const GOAL = { below: 50 }

export const bench: Bench = { name: 'analytics', run }

export interface Scene {
  lab: Lab
  instance: AppInstance
  server: Server
  storeId: string
  accountId: string
  token: string
}

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await lab.open()
  const sink = await startSink()
  try {
    const { storeId, accountId, token } = await writeYear(lab, instance)
    const counted = await measureRebuild(lab, instance, storeId)
    const env = { DATABASE_URL: instance.url, SMTP_URL: `smtp://127.0.0.1:${sink.port}`, ROLES: 'web' }
    // Generating a year takes longer than the workers' heartbeat timeout, and the server is not ready without a worker.
    await beat(instance.deps)
    const server = await startServer({ ...env, PUBLIC_URL: 'http://localhost:5100' })
    try {
      return [...counted, ...(await measure({ lab, instance, server, storeId, accountId, token }))]
    } finally {
      await server.stop()
    }
  } finally {
    await sink.stop()
    await instance.close()
  }
}

export async function measure(scene: Scene): Promise<Figure[]> {
  const figures = [...(await measureFirstLoads(scene)), ...(await measureCalls(scene))]
  figures.push(...(await measureScreen(scene)), ...(await measureExport(scene)))
  return [...figures, ...(await measureUpkeep(scene))]
}

async function measureRebuild(lab: Lab, { db, deps }: AppInstance, storeId: string): Promise<Figure[]> {
  lab.say('counting the figures')
  const ms = await measureMs(() => rebuildFigures({ storeId, db }, deps.now()))
  await sql`vacuum analyze cart_figures, funnel_figures, message_figures, flow_figures, order_figures, product_figures, product_month_figures, figure_products`.execute(
    db,
  )
  const bareMs = await measureMs(() =>
    sql`select (select sum(value_minor + jsonb_array_length(items)) from carts where store_id = ${storeId}),
      (select count(*) from messages where store_id = ${storeId} and state <> 'scheduled'),
      (select sum(net_minor) from orders where store_id = ${storeId})`.execute(db),
  )
  return [
    {
      name: 'figures of a year recounted',
      value: ms / 1_000,
      unit: 's',
      ceiling: { name: 'one pass over carts, messages and orders', value: bareMs / 1_000 },
      note: 'a repair, never on the way',
    },
  ]
}

export async function fetchTimed(
  { server, token }: Pick<Scene, 'server' | 'token'>,
  path: string,
  body?: object,
): Promise<number> {
  const startedAt = performance.now()
  const reply = await fetch(`${server.url}/api${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text}`)
  return performance.now() - startedAt
}

async function measureCalls(scene: Scene): Promise<Figure[]> {
  const rounds = Math.max(20, Math.round(100 * scene.lab.scale))
  const figures: Figure[] = []
  for (const question of analyticsCalls) {
    scene.lab.say(`asking for ${question.name}`)
    const timings = { '7d': [], '30d': [], '90d': [], '1y': [] } as Record<AnalyticsRange, number[]>
    const bare = { '7d': [], '30d': [], '90d': [], '1y': [] } as Record<AnalyticsRange, number[]>
    for (let n = -5; n < rounds; n++) {
      for (const range of analyticsRanges) {
        const ms = await fetchTimed(scene, question.path(range))
        const bareTimings = await measureMs(() => runCeiling(question, scene, range).execute(scene.instance.db))
        if (n < 0) continue
        timings[range].push(ms)
        bare[range].push(bareTimings)
      }
    }
    figures.push(buildFigure(scene.lab, question.name, timings, bare))
  }
  return figures
}

type TimesByRange = Record<AnalyticsRange, number[]>

/** Figure of the slowest range. */
function buildFigure(lab: Lab, name: string, timings: TimesByRange, bare: TimesByRange): Figure {
  const p95 = (range: AnalyticsRange) => computePercentile(timings[range], 0.95)
  const worst = analyticsRanges.reduce((a, b) => (p95(b) > p95(a) ? b : a))
  const each = analyticsRanges.map(
    (range) => `${computePercentile(timings[range], 0.5).toFixed(1)} / ${p95(range).toFixed(1)}`,
  )
  return {
    name: `${name}, p95 at ${lab.sized(CARTS).toLocaleString('en-US')} carts`,
    value: p95(worst),
    unit: 'ms',
    ceiling: { name: 'bare statement', value: computePercentile(bare[worst], 0.95) },
    goal: GOAL,
    note: `p50 / p95 in ms of ${analyticsRanges.join(', ')}: ${each.join(', ')}`,
  }
}

/**
 * A view of a range requests a count of its buyers, at most every 15 minutes, in the background. Products are summed in
 * the background at the start of a day, and after the first view of a store; until then the previous ones, or none, are
 * shown.
 */
async function measureFirstLoads(scene: Scene): Promise<Figure[]> {
  const { db } = scene.instance
  const load = async (name: string, forget: () => Promise<unknown>): Promise<Figure> => {
    const timings: number[] = []
    const bare: number[] = []
    for (let n = -2; n < 10; n++) {
      for (const range of analyticsRanges) {
        await forget()
        const ms = await fetchTimed(scene, `/analytics?range=${range}`)
        const bareTimings = await measureMs(() =>
          sql`select sum(net_minor) from orders where store_id = ${scene.storeId} and purchased_at is not null`.execute(
            db,
          ),
        )
        if (n >= 0) timings.push(ms)
        if (n >= 0) bare.push(bareTimings)
      }
    }
    return {
      name,
      value: computePercentile(timings, 0.95),
      unit: 'ms',
      goal: GOAL,
      ceiling: { name: 'one pass over the orders', value: computePercentile(bare, 0.95) },
      note: `p50 ${computePercentile(timings, 0.5).toFixed(0)} ms, longest ${Math.max(...timings).toFixed(0)} ms, all ranges`,
    }
  }
  const readAll = async () => {
    for (const table of ['counted_figures', 'product_ranges', 'product_range_figures'])
      await sql`delete from ${sql.table(table)}`.execute(db)
  }
  const runOldQuery = () =>
    sql`update counted_figures set asked_at = null, counted_at = counted_at - interval '1 hour'`.execute(db)
  const { deps } = scene.instance
  const deleteRanges = () => sql`delete from product_ranges`.execute(db)
  const day = async () => [await deleteRanges(), await renewRanges(deps), await runOldQuery()]
  const first = await load('figures, first look at a store, p95', readAll)
  const counting = await measureMs(() => countRequestedBuyers(deps))
  await renewRanges(deps)
  const later = [
    await load('figures, first look in 15 minutes, p95', runOldQuery),
    await load('figures, first look of a day, p95', day),
    await load('figures, look before the products of a day are added up, p95', deleteRanges),
  ]
  await deleteRanges()
  const adding = await measureMs(() => renewRanges(deps))
  await countRequestedBuyers(deps)
  return [
    first,
    ...later,
    {
      name: 'products of all ranges added up, in the background',
      value: adding,
      unit: 'ms',
      note: 'once a day',
    },
    {
      name: 'buyers counted, in the background',
      value: counting / 1_000,
      unit: 's',
      note: 'of the last range looked at; at most every 15 minutes',
    },
  ]
}

/** The job of every 15 seconds after changes that the triggers recorded. */
async function measureUpkeep({ lab, instance: { db, deps }, storeId }: Scene): Promise<Figure[]> {
  const changed = lab.sized(CHANGED_ROWS)
  const newest = sql`select id from carts where store_id = ${storeId} and abandoned_at is not null order by started_at desc limit ${changed}`
  const ofYear = sql`select id from (select id, row_number() over (order by started_at) as n from carts
    where store_id = ${storeId} and abandoned_at is not null) c where n % ${Math.floor((lab.sized(CARTS) * 0.9) / changed)}::int = 0`
  const count = async (name: string, ids: typeof newest): Promise<Figure> => {
    const { rows } = await sql<{ since: Date; carts: number }>`
      with moved as (update carts set value_minor = value_minor + 1 where store_id = ${storeId} and id in (${ids}) returning started_at)
      select min(started_at) as since, count(*)::int as carts from moved`.execute(db)
    const { since, carts } = rows[0]!
    // Changes of many old days are delayed and counted together.
    const later = new Date(deps.now().getTime() + WAIT_MS)
    const ms = await measureMs(() => countFigures({ ...deps, now: () => later }))
    const bareMs = await measureMs(() =>
      sql`select sum(value_minor + jsonb_array_length(items)) from carts where store_id = ${storeId} and started_at >= ${since}`.execute(
        db,
      ),
    )
    return {
      name: `${name}: counted after ${carts.toLocaleString('en-US')} changed carts`,
      value: ms,
      unit: 'ms',
      ceiling: { name: 'one pass over the carts since', value: bareMs },
    }
  }
  return [await count('the newest days', newest), await count('every day of the year', ofYear)]
}
