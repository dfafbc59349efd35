import { setTimeout as sleep } from 'node:timers/promises'
import type { TestStore } from '../test/factories.ts'
import type { Bench, Figure } from './figures.ts'
import { type SinkTally, startEmptyShops, startSink } from './helpers.ts'
import type { AppInstance, Lab } from './lab.ts'
import { latenessOf } from './latency.bench.ts'
import { percentile } from './measure.ts'
import { startServer } from './server.ts'

// Method (D8): in a started server one store has 100,000 mails due and sends all the time, another store's shop takes ten seconds
// for every answer and has mails due as well. Forty other stores have a single reminder each, one falling due every second. The
// figure is hand-over minus due of those forty.

const SINGLES = 40

export const bench: Bench = { name: 'fairness', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await lab.open({ poolSize: 4 })
  const [sink, shops] = await Promise.all([startSink(), startEmptyShops()])
  const singles = Math.max(10, Math.round(SINGLES * lab.scale))
  try {
    const large = await instance.store({ url: `http://127.0.0.1:${shops.port}/large` })
    const slow = await instance.store({ url: `http://127.0.0.1:${shops.port}/slow` })
    const others: TestStore[] = []
    for (let n = 0; n < singles; n++)
      others.push(await instance.store({ url: `http://127.0.0.1:${shops.port}/other${n}` }))
    await instance.carts(large, { count: lab.sized(100_000), ready: lab.sized(100_000) })
    await instance.carts(slow, { count: 50, ready: 50 })
    for (const store of others) await instance.carts(store, { count: 1, ready: 1 })
    const server = await startServer({ DATABASE_URL: instance.url, SMTP_URL: `smtp://127.0.0.1:${sink.port}` })
    try {
      await spreadDue(instance, others)
      await sleep(singles * 1_000 + 12_000)
    } finally {
      await server.stop()
    }
    const late = await latenessOf(
      instance,
      others.map((store) => store.storeId),
    )
    const { mails } = await sink.ask<SinkTally>({})
    const missing = others.length - late.length
    return [
      {
        name: 'lateness of single reminders, p95',
        value: missing > 0 ? Number.POSITIVE_INFINITY : percentile(late, 0.95) / 1_000,
        unit: 's',
        goal: { below: 5 },
        note: `p50 ${(percentile(late, 0.5) / 1_000).toFixed(2)} s, longest ${(Math.max(...late) / 1_000).toFixed(2)} s; meanwhile ${mails} mails left, ${missing} singles did not`,
      },
    ]
  } finally {
    await Promise.all([sink.stop(), shops.stop()])
    await instance.close()
  }
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
