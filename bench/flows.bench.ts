import { sql } from '../server/core/db/db.ts'
import { beat } from '../server/delivery/send/workers.ts'
import { rebuildFigures } from '../server/insights/analytics/figures.ts'
import { flowReport } from '../shared/flow-report.ts'
import { listFlows } from '../shared/flows.ts'
import { upcomingMessages } from '../shared/upcoming.ts'
import { ask } from './analytics.bench.ts'
import { CARTS, writeYear } from './analytics-scene.ts'
import type { Bench, Figure } from './figures.ts'
import { startSink } from './helpers.ts'
import type { AppInstance, Lab } from './lab.ts'
import { percentile, timed } from './measure.ts'
import { startServer } from './server.ts'

// Method: the year of the analytics benchmark (a million carts, as many messages; analytics-scene.ts), its figures counted by the product, and
// what was planned and not sent of each step, as the triggers would have counted it. The started product answers the report of the flow over
// HTTP, sign-in included, for all three ranges in turn. The ceiling is one bare statement that adds up the same rows by their keys. The list of flows is
// asked of the same store; what a flow sends in the next hour, of another one with 600 messages due, of which 500 are decided on for each look.

const DAYS = [7, 30, 90] as const
const GOAL = { below: 100 }
/** More than one look decides on. */
const DUE = 600

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
    // Writing a year takes longer than a worker may be silent, and without one the server is not ready.
    await beat(instance.deps)
    const server = await startServer({ ...env, PUBLIC_URL: 'http://localhost:5100' })
    try {
      const get = (path: string) => ask({ server, token }, path)
      const figures = [await report({ lab, instance, storeId, flowId }, get)]
      figures.push(await list(lab, get))
      const due = await instance.store()
      await instance.carts(due, { count: DUE, ready: DUE })
      figures.push(await upcoming(lab, due.flowId, (path) => ask({ server, token: due.token }, path)))
      return figures
    } finally {
      await server.stop()
    }
  } finally {
    await sink.stop()
    await instance.close()
  }
}

/** Of one call, asked again and again. */
async function times(rounds: number, get: () => Promise<number>): Promise<number[]> {
  const taken: number[] = []
  for (let n = -5; n < rounds; n++) {
    const ms = await get()
    if (n >= 0) taken.push(ms)
  }
  return taken
}

const pathOf = (path: string): string => path.slice('/api'.length)

async function list(lab: Lab, get: (path: string) => Promise<number>): Promise<Figure> {
  const taken = await times(Math.max(20, Math.round(100 * lab.scale)), () => get(pathOf(listFlows.path)))
  return {
    ...{ name: `list of flows, p95 at ${lab.sized(CARTS).toLocaleString('en-US')} carts`, unit: 'ms', goal: GOAL },
    ...{ value: percentile(taken, 0.95), note: `p50 ${percentile(taken, 0.5).toFixed(1)} ms` },
  }
}

/** The page asks every 15 seconds. */
async function upcoming(lab: Lab, flowId: string, get: (path: string) => Promise<number>): Promise<Figure> {
  const path = pathOf(upcomingMessages.path).replace(':flowId', flowId)
  const taken = await times(Math.max(10, Math.round(40 * lab.scale)), () => get(path))
  return {
    ...{ name: `what a flow sends in the next hour, ${DUE} messages due, p95`, unit: 'ms' },
    ...{ value: percentile(taken, 0.95), note: `p50 ${percentile(taken, 0.5).toFixed(1)} ms; 500 are decided on` },
  }
}

/** One in six was planned and not sent, for one of four reasons. */
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

async function report(
  { lab, instance, storeId, flowId }: Scene,
  get: (path: string) => Promise<number>,
): Promise<Figure> {
  const rounds = Math.max(20, Math.round(100 * lab.scale))
  const path = pathOf(flowReport.path).replace(':flowId', flowId)
  const taken: Record<number, number[]> = { 7: [], 30: [], 90: [] }
  const bare: Record<number, number[]> = { 7: [], 30: [], 90: [] }
  const least = (days: number) =>
    sql`select (select sum(accepted) from flow_figures where store_id = ${storeId} and flow_id = ${flowId} and day > current_date - ${days}::int),
      (select sum(change) from flow_counts where store_id = ${storeId} and flow_id = ${flowId} and day > current_date - ${days}::int and is_folded)`
  for (let n = -5; n < rounds; n++) {
    for (const days of DAYS) {
      const ms = await get(`${path}?days=${days}`)
      const bareMs = await timed(() => least(days).execute(instance.db))
      if (n < 0) continue
      taken[days]!.push(ms)
      bare[days]!.push(bareMs)
    }
  }
  const p95 = (days: number) => percentile(taken[days]!, 0.95)
  const worst = DAYS.reduce((a, b) => (p95(b) > p95(a) ? b : a))
  const each = DAYS.map((days) => `${percentile(taken[days]!, 0.5).toFixed(1)} / ${p95(days).toFixed(1)}`)
  return {
    ...{ name: `report of a flow, p95 at ${lab.sized(CARTS).toLocaleString('en-US')} carts`, value: p95(worst) },
    ...{ unit: 'ms', ceiling: { name: 'bare statement', value: percentile(bare[worst]!, 0.95) }, goal: GOAL },
    note: `p50 / p95 in ms of ${DAYS.join(', ')} days: ${each.join(', ')}`,
  }
}
