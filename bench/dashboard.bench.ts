import type { FastifyInstance } from 'fastify'
import { buildApp } from '../server/app.ts'
import { sql } from '../server/core/db/db.ts'
import { countPeople } from '../server/insights/analytics/people-sql.ts'
import { rebuildRollups } from '../server/insights/analytics/rollups.ts'
import { foldRollups } from '../server/insights/analytics/rollups-sql.ts'
import { buildDaySpans } from '../server/insights/analytics/rules.ts'
import { chartPeriods } from '../shared/insights/dashboard.ts'
import type { TestStore } from '../test/factories.ts'
import { openCarts, SIZES } from './carts.ts'
import type { Bench, Figure } from './figures.ts'
import type { AppInstance, Lab } from './lab.ts'
import { signIn } from './list.bench.ts'
import { computePercentile } from './measure.ts'

// Method: the stores of `list`, each recovered cart with an attributed order, and 2,000 changes that are not folded yet
// (a busy minute). The real routes, with authentication, are called in-process, alternating between stores. Then the
// upkeep of the figures: the fold, the count of people, and a full recount of a store with a million carts.

const UNFOLDED = 2_000

export const bench: Bench = { name: 'dashboard', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await openCarts(lab)
  const app = buildApp(instance.deps)
  try {
    await app.ready()
    const tokens: string[] = []
    for (const store of instance.stores) {
      await insertOrders(instance, store)
      tokens.push(await signIn(instance, store))
    }
    await foldRollups(instance.db)
    await sql`vacuum analyze rollups, rollup_days`.execute(instance.db)
    const largest = instance.stores.at(-1)!
    await insertChanges(instance, largest)
    const paths = ['/api/dashboard/stats', ...chartPeriods.map((period) => `/api/dashboard/chart?period=${period}`)]
    const figures: Figure[] = []
    for (const path of paths) figures.push(await measureRoute(app, tokens, path, lab))
    return [...figures, ...(await measureUpkeep(instance, largest))]
  } finally {
    await app.close()
    await instance.close()
  }
}

async function insertOrders({ db }: AppInstance, { storeId }: TestStore): Promise<void> {
  await sql`
    insert into orders (store_id, order_id, shopper_id, cart_id, kind, status, created_at, modified_at, purchased_at, currency,
      total_minor, net_minor, touchpoint_id)
    select store_id, 'sold-' || id, shopper_id, id, 'purchase', 'completed', recovered_at, recovered_at, recovered_at, currency,
      value_minor, value_minor, gen_random_uuid()
    from carts where store_id = ${storeId} and status = 'recovered' on conflict do nothing`.execute(db)
}

async function insertChanges({ db }: AppInstance, { storeId }: TestStore): Promise<void> {
  await sql`
    insert into rollup_changes (store_id, slot, currency, abandoned)
    select ${storeId}, rollup_slot(now() - n % 900 * interval '1 minute'), 'USD', 1 from generate_series(1, ${UNFOLDED}) n`.execute(
    db,
  )
}

async function measureRoute(app: FastifyInstance, tokens: string[], path: string, lab: Lab): Promise<Figure> {
  const timings: number[][] = tokens.map(() => [])
  const rounds = Math.max(20, Math.round(200 * lab.scale))
  for (let n = -10; n < rounds; n++) {
    for (const [index, token] of tokens.entries()) {
      const startedAt = performance.now()
      const reply = await app.inject({ url: path, headers: { authorization: `Bearer ${token}` } })
      if (reply.statusCode !== 200) throw new Error(`${reply.statusCode} ${reply.body}`)
      if (n >= 0) timings[index]!.push(performance.now() - startedAt)
    }
  }
  const each = timings.map(
    (times) => `${computePercentile(times, 0.5).toFixed(1)} / ${computePercentile(times, 0.95).toFixed(1)}`,
  )
  return {
    name: `${path.slice('/api/'.length)}, p95 at ${lab.sized(SIZES.at(-1)!).toLocaleString('en-US')} carts`,
    value: computePercentile(timings.at(-1)!, 0.95),
    unit: 'ms',
    goal: { below: 30 },
    note: `p50 / p95 in ms: ${each.join(', ')}`,
  }
}

async function measureUpkeep(instance: AppInstance, { storeId }: TestStore): Promise<Figure[]> {
  const now = instance.deps.now()
  const measureFigure = async (name: string, work: () => Promise<unknown>): Promise<Figure> => {
    const startedAt = performance.now()
    await work()
    return { name, value: performance.now() - startedAt, unit: 'ms' }
  }
  const spans = [{ store_id: storeId, ...buildDaySpans(now, 'America/New_York') }]
  return [
    await measureFigure(`fold of ${UNFOLDED.toLocaleString('en-US')} changes`, () => foldRollups(instance.db)),
    await measureFigure('people of 60 days, every 15 minutes', () => countPeople(instance.db, spans, now)),
    await measureFigure('all carts and orders recounted', () => rebuildRollups({ storeId, db: instance.db })),
  ]
}
