import { sql } from '../server/core/db/db.ts'
import { beat } from '../server/delivery/send/workers.ts'
import { rebuildFigures } from '../server/insights/analytics/figures.ts'
import { flowReport } from '../shared/marketing/flow-report.ts'
import { listFlows } from '../shared/marketing/flows.ts'
import { upcomingMessages } from '../shared/marketing/upcoming.ts'
import { fetchTimed } from './analytics.bench.ts'
import { CARTS, writeYear } from './analytics-scene.ts'
import type { Bench, Figure } from './figures.ts'
import { startSink } from './helpers.ts'
import type { AppInstance, Lab } from './lab.ts'
import { computePercentile, measureMs } from './measure.ts'
import { startServer } from './server.ts'

// Method: the year of the analytics benchmark (a million carts, as many messages; analytics-scene.ts), with figures
// counted by the product, and each step's planned but unsent messages. A started server answers the flow's report over
// HTTP, including authentication, alternating between the three ranges. The ceiling is one bare statement that sums the
// same rows by key. The list of flows uses the same store. The forecast for the next hour uses another store with 600
// due messages, of which each call decides 500.

const DAYS = [7, 30, 90] as const
const GOAL = { below: 100 }
/** More messages than one call decides. */
const DUE_MESSAGES = 600

export const bench: Bench = { name: 'flows', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await lab.open()
  const sink = await startSink()
  try {
    const { storeId, flowId, token } = await writeYear(lab, instance)
    lab.say('counting the figures')
    await rebuildFigures({ storeId, db: instance.db }, instance.deps.now())
    await countSteps(instance, storeId)
    const env = { DATABASE_URL: instance.url, SMTP_URL: `smtp://127.0.0.1:${sink.port}`, ROLES: 'web' }
    // Generating a year takes longer than the workers' heartbeat timeout, and the server is not ready without a worker.
    await beat(instance.deps)
    const server = await startServer({ ...env, PUBLIC_URL: 'http://localhost:5100' })
    try {
      const get = (path: string) => fetchTimed({ server, token }, path)
      const figures = [await measureReport({ lab, instance, storeId, flowId }, get)]
      figures.push(await measureList(lab, get))
      const due = await instance.store()
      await instance.carts(due, { count: DUE_MESSAGES, ready: DUE_MESSAGES })
      figures.push(await measureUpcoming(lab, due.flowId, (path) => fetchTimed({ server, token: due.token }, path)))
      return figures
    } finally {
      await server.stop()
    }
  } finally {
    await sink.stop()
    await instance.close()
  }
}

/** Times of one repeated call. */
async function repeatTimed(rounds: number, get: () => Promise<number>): Promise<number[]> {
  const timings: number[] = []
  for (let n = -5; n < rounds; n++) {
    const ms = await get()
    if (n >= 0) timings.push(ms)
  }
  return timings
}

const toPath = (path: string): string => path.slice('/api'.length)

async function measureList(lab: Lab, get: (path: string) => Promise<number>): Promise<Figure> {
  const timings = await repeatTimed(Math.max(20, Math.round(100 * lab.scale)), () => get(toPath(listFlows.path)))
  return {
    name: `list of flows, p95 at ${lab.sized(CARTS).toLocaleString('en-US')} carts`,
    unit: 'ms',
    goal: GOAL,
    value: computePercentile(timings, 0.95),
    note: `p50 ${computePercentile(timings, 0.5).toFixed(1)} ms`,
  }
}

/** The page polls this every 15 seconds. */
async function measureUpcoming(lab: Lab, flowId: string, get: (path: string) => Promise<number>): Promise<Figure> {
  const path = toPath(upcomingMessages.path).replace(':flowId', flowId)
  const timings = await repeatTimed(Math.max(10, Math.round(40 * lab.scale)), () => get(path))
  return {
    name: `what a flow sends in the next hour, ${DUE_MESSAGES} messages due, p95`,
    unit: 'ms',
    value: computePercentile(timings, 0.95),
    note: `p50 ${computePercentile(timings, 0.5).toFixed(1)} ms; 500 are decided on`,
  }
}

/** Counts each step's messages. One in six also counts as unsent, for one of four reasons. */
async function countSteps({ db }: AppInstance, storeId: string): Promise<void> {
  await sql`
    insert into flow_counts (store_id, flow_id, step_id, day, reason, change, is_folded)
    select m.store_id, m.origin_id, m.step_id, (m.created_at at time zone s.time_zone)::date, r.reason, count(*), true
    from messages m join stores s on s.id = m.store_id,
      lateral (select '' as reason union all
        select (array['purchased', 'superseded', 'no_consent', 'frequency_cap'])[1 + hashtext(m.id::text) & 3]
        where hashtext(m.id::text) % 6 = 0) r
    where m.store_id = ${storeId} and m.origin_kind = 'flow' and m.step_id is not null group by 1, 2, 3, 4, 5`.execute(
    db,
  )
  await sql`vacuum analyze flow_counts, flow_figures`.execute(db)
}

interface Scene {
  lab: Lab
  instance: AppInstance
  storeId: string
  flowId: string
}

async function measureReport(
  { lab, instance, storeId, flowId }: Scene,
  get: (path: string) => Promise<number>,
): Promise<Figure> {
  const rounds = Math.max(20, Math.round(100 * lab.scale))
  const path = toPath(flowReport.path).replace(':flowId', flowId)
  const timings: Record<number, number[]> = { 7: [], 30: [], 90: [] }
  const bare: Record<number, number[]> = { 7: [], 30: [], 90: [] }
  const readBareTimings = (days: number) =>
    sql`select (select sum(accepted) from flow_figures where store_id = ${storeId} and flow_id = ${flowId} and day > current_date - ${days}::int),
      (select sum(change) from flow_counts where store_id = ${storeId} and flow_id = ${flowId} and day > current_date - ${days}::int and is_folded)`
  for (let n = -5; n < rounds; n++) {
    for (const days of DAYS) {
      const ms = await get(`${path}?days=${days}`)
      const bareMs = await measureMs(() => readBareTimings(days).execute(instance.db))
      if (n < 0) continue
      timings[days]!.push(ms)
      bare[days]!.push(bareMs)
    }
  }
  const p95 = (days: number) => computePercentile(timings[days]!, 0.95)
  const worst = DAYS.reduce((a, b) => (p95(b) > p95(a) ? b : a))
  const each = DAYS.map((days) => `${computePercentile(timings[days]!, 0.5).toFixed(1)} / ${p95(days).toFixed(1)}`)
  return {
    name: `report of a flow, p95 at ${lab.sized(CARTS).toLocaleString('en-US')} carts`,
    value: p95(worst),
    unit: 'ms',
    ceiling: { name: 'bare statement', value: computePercentile(bare[worst]!, 0.95) },
    goal: GOAL,
    note: `p50 / p95 in ms of ${DAYS.join(', ')} days: ${each.join(', ')}`,
  }
}
