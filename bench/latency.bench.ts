import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Figure } from './figures.ts'
import { startEmptyShops, startSink } from './helpers.ts'
import type { AppInstance, Lab } from './lab.ts'
import { computePercentile, createSeededRandom } from './measure.ts'
import { startServer } from './server.ts'

// Method: an otherwise idle server; one email at a time becomes due at a random moment, about one a second, for a store
// whose shop answers at once. The figure is the delay from due to sent, from the rows. It includes the scan of every
// second, the queue, an order pull if the last one is older than a minute, and the decision.

export const bench: Bench = { name: 'latency', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await lab.open({ poolSize: 4 })
  const [sink, shops] = await Promise.all([startSink(), startEmptyShops()])
  const count = Math.max(20, lab.sized(60))
  const server = await startServer({ DATABASE_URL: instance.url, SMTP_URL: `smtp://127.0.0.1:${sink.port}` })
  try {
    const store = await instance.store({ url: `http://127.0.0.1:${shops.port}/shop` })
    await instance.carts(store, { count, ready: count })
    await spreadDue(instance, store.storeId, count)
    await sleep(count * 1_000 + 8_000)
    const late = await readLateness(instance, [store.storeId])
    if (late.length !== count) throw new Error(`${late.length} of ${count} were sent`)
    return [
      {
        name: 'due → send in an idle system, p95',
        value: computePercentile(late, 0.95) / 1_000,
        unit: 's',
        goal: { below: 1.5 },
        note: `p50 ${(computePercentile(late, 0.5) / 1_000).toFixed(2)} s, longest ${(Math.max(...late) / 1_000).toFixed(2)} s, ${count} mails`,
      },
    ]
  } finally {
    await server.stop()
    await Promise.all([sink.stop(), shops.stop()])
    await instance.close()
  }
}

/** Makes one email due per second, at a random moment of it. */
async function spreadDue(instance: AppInstance, storeId: string, count: number): Promise<void> {
  const random = createSeededRandom(11)
  const start = Date.now() + 3_000
  const times = Array.from({ length: count }, (_, n) => new Date(start + n * 1_000 + random() * 1_000).toISOString())
  await instance.pool.query(
    `update messages m set due_at = t.at, wake_at = t.at, expires_at = t.at + interval '24 hours'
    from (select id, row_number() over (order by id) as n from messages where store_id = $1 and step = 1) o
    join unnest($2::timestamptz[]) with ordinality as t(at, n) on t.n = o.n
    where m.store_id = $1 and m.id = o.id`,
    [storeId, times],
  )
  await instance.pool.query('update send_schedule set next_due_at = $2 where store_id = $1', [storeId, new Date(start)])
}

/** Milliseconds from due to sent of every sent first step. */
export async function readLateness(instance: AppInstance, storeIds: readonly string[]): Promise<number[]> {
  const { rows } = await instance.pool.query<{ ms: number }>(
    `select (extract(epoch from sending_at - due_at) * 1000)::float as ms from messages
    where store_id = any($1::uuid[]) and step = 1 and sending_at is not null`,
    [storeIds],
  )
  return rows.map((row) => row.ms)
}
