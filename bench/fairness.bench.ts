import { setTimeout as sleep } from 'node:timers/promises'
import type { TestStore } from '../test/factories.ts'
import type { Bench, Figure } from './figures.ts'
import { type SinkTally, startEmptyShops, startHangingShops, startSink } from './helpers.ts'
import type { AppInstance, Lab } from './lab.ts'
import { readLateness } from './latency.bench.ts'
import { computePercentile } from './measure.ts'
import { startServer } from './server.ts'

// Method (D8), in started servers of one process each:
// - One store has 100,000 due emails and sends continuously. Another store with due emails has a shop that answers
//   after ten seconds. Forty other stores have a single reminder each, one due every second.
// - A number of shops accept connections and never answer, each on its own address and with five due emails. Thirty
//   other stores have a single reminder each, one due every second.
// The figure is the delay from due to sent of the single reminders. Unsent ones count as late until the end.

const SINGLES = 40
const SINGLES_BESIDE_HANGING = 30
const HANGING = [1, 8, 40, 200]
/** Waiting time after the last due time. */
const MAX_WAIT_MS = 12_000

export const bench: Bench = { name: 'fairness', run }

async function run(lab: Lab): Promise<Figure[]> {
  const figures = await measureBesideLargeAndSlow(lab)
  for (const count of HANGING) figures.push(...(await measureBesideHanging(lab, count)))
  return figures
}

async function measureBesideLargeAndSlow(lab: Lab): Promise<Figure[]> {
  const shops = await startEmptyShops()
  try {
    return await measureSingles(lab, 'beside a large and a slow store', {
      singles: Math.max(10, Math.round(SINGLES * lab.scale)),
      address: (n) => `http://127.0.0.1:${shops.port}/other${n}`,
      async crowd(instance) {
        const large = await instance.store({ url: `http://127.0.0.1:${shops.port}/large` })
        const slow = await instance.store({ url: `http://127.0.0.1:${shops.port}/slow` })
        await instance.carts(large, { count: lab.sized(100_000), ready: lab.sized(100_000) })
        await instance.carts(slow, { count: 50, ready: 50 })
      },
    })
  } finally {
    await shops.stop()
  }
}

async function measureBesideHanging(lab: Lab, count: number): Promise<Figure[]> {
  const [shops, hanging] = await Promise.all([startEmptyShops(), startHangingShops()])
  try {
    return await measureSingles(lab, `beside ${count} hanging`, {
      singles: SINGLES_BESIDE_HANGING,
      address: (n) => `http://127.0.0.1:${shops.port}/other${n}`,
      async crowd(instance) {
        for (let n = 0; n < count; n++) {
          const host = `127.0.${1 + Math.floor(n / 250)}.${1 + (n % 250)}`
          const store = await instance.store({ url: `http://${host}:${hanging.port}` })
          await instance.carts(store, { count: 5, ready: 5 })
        }
      },
    })
  } finally {
    await Promise.all([shops.stop(), hanging.stop()])
  }
}

interface Scene {
  singles: number
  address: (n: number) => string
  /** The stores that produce the load. */
  crowd: (instance: AppInstance) => Promise<void>
}

async function measureSingles(lab: Lab, name: string, { singles, address, crowd }: Scene): Promise<Figure[]> {
  const instance = await lab.open({ poolSize: 4 })
  const sink = await startSink()
  try {
    await crowd(instance)
    const others: TestStore[] = []
    for (let n = 0; n < singles; n++) others.push(await instance.store({ url: address(n) }))
    for (const store of others) await instance.carts(store, { count: 1, ready: 1 })
    const storeIds = others.map(({ storeId }) => storeId)
    const server = await startServer({ DATABASE_URL: instance.url, SMTP_URL: `smtp://127.0.0.1:${sink.port}` })
    let [sent, open]: number[][] = [[], []]
    try {
      await spreadDue(instance, others)
      await sleep(singles * 1_000 + MAX_WAIT_MS)
      ;[sent, open] = await Promise.all([readLateness(instance, storeIds), readOpenLateness(instance, storeIds)])
    } finally {
      await server.stop()
    }
    const late = [...sent, ...open]
    const { mails } = await sink.ask<SinkTally>({})
    const formatSeconds = (ms: number) => (ms / 1_000).toFixed(2)
    const note = `p50 ${formatSeconds(computePercentile(late, 0.5))} s, longest ${formatSeconds(Math.max(...late))} s; meanwhile ${mails} mails left`
    return [
      {
        name: `lateness of single reminders ${name}, p95`,
        value: computePercentile(late, 0.95) / 1_000,
        unit: 's',
        goal: { below: 5 },
        note,
      },
      { name: `not sent ${name}`, value: open.length, unit: `of ${singles}`, goal: { below: 1 } },
    ]
  } finally {
    await sink.stop()
    await instance.close()
  }
}

async function readOpenLateness(instance: AppInstance, storeIds: readonly string[]): Promise<number[]> {
  const { rows } = await instance.pool.query<{ ms: number }>(
    `select (extract(epoch from now() - due_at) * 1000)::float as ms from messages
    where store_id = any($1::uuid[]) and step = 1 and sending_at is null`,
    [storeIds],
  )
  return rows.map((row) => row.ms)
}

async function spreadDue(instance: AppInstance, stores: readonly TestStore[]): Promise<void> {
  const start = Date.now() + 6_000
  for (const [n, { storeId }] of stores.entries()) {
    const at = new Date(start + n * 1_000)
    await instance.pool.query(
      `update messages set due_at = $2::timestamptz, wake_at = $2, expires_at = $2::timestamptz + interval '24 hours'
      where store_id = $1 and step = 1`,
      [storeId, at],
    )
    await instance.pool.query('update send_schedule set next_due_at = $2 where store_id = $1', [storeId, at])
  }
}
