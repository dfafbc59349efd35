import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Figure } from './figures.ts'
import { startEmptyShops, startSink } from './helpers.ts'
import type { AppInstance, Lab } from './lab.ts'
import { startServer } from './server.ts'
import { countStatements } from './statements.ts'

// Method: an idle server with both roles. A proxy counts its statements to PostgreSQL, including those of the job
// queue. First without stores, then with a thousand stores whose shops answer at once without orders. Their last sync
// times are spread over the sync interval of 15 minutes. The figure for stores is the difference.

const STORES = 1_000
const SYNC_INTERVAL_MS = 15 * 60_000
const TOP_STATEMENTS = 12

export const bench: Bench = { name: 'idle', run }

async function run(lab: Lab): Promise<Figure[]> {
  const [sink, shops] = await Promise.all([startSink(), startEmptyShops()])
  try {
    const none = await countStatementsPerSecond(lab, { stores: 0, shopPort: shops.port, sinkPort: sink.port })
    const stores = lab.sized(STORES)
    const many = await countStatementsPerSecond(lab, { stores, shopPort: shops.port, sinkPort: sink.port })
    return [
      { name: 'statements of an idle installation', value: none, unit: '/s', goal: { below: 25 } },
      {
        name: 'more for 1,000 stores',
        value: ((many - none) / stores) * 1_000,
        unit: '/s',
        goal: { below: 25 },
        note: `${stores} stores, ${many.toFixed(1)}/s in all`,
      },
    ]
  } finally {
    await Promise.all([sink.stop(), shops.stop()])
  }
}

interface Scene {
  stores: number
  shopPort: number
  sinkPort: number
}

async function countStatementsPerSecond(lab: Lab, { stores, shopPort, sinkPort }: Scene): Promise<number> {
  const instance = await lab.open({ poolSize: 4 })
  const counter = await countStatements(instance.url)
  await openStores(instance, stores, shopPort)
  const server = await startServer({ DATABASE_URL: counter.url, SMTP_URL: `smtp://127.0.0.1:${sinkPort}` })
  try {
    await sleep(lab.scale < 1 ? 15_000 : 60_000)
    counter.take()
    const seconds = lab.scale < 1 ? 60 : 180
    await sleep(seconds * 1_000)
    const counts = counter.take()
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const most = [...counts].sort((one, other) => other[1] - one[1]).slice(0, TOP_STATEMENTS)
    lab.say(`with ${stores} stores, per second: ${(total / seconds).toFixed(1)}`)
    for (const [text, count] of most)
      lab.say(`${(count / seconds).toFixed(2)} ${text.replace(/\s+/g, ' ').slice(0, 150)}`)
    return total / seconds
  } finally {
    await server.stop()
    await counter.stop()
    await instance.close()
  }
}

async function openStores(instance: AppInstance, count: number, port: number): Promise<void> {
  if (count === 0) return
  const buildUrl = (n: number) => `http://127.0.0.1:${port}/shop${n}`
  const first = await instance.store({ url: buildUrl(0) })
  for (let n = 1; n < count; n++) await instance.store({ url: buildUrl(n), accountId: first.accountId })
  await instance.pool.query(`
    insert into sync_state (store_id, stream) select s.id, stream from stores s
    cross join unnest(array['import', 'sweep', 'customers', 'products', 'webhooks', 'coupons']) as stream on conflict do nothing`)
  await instance.pool.query(
    `update sync_state y set started_at = t.at, completed_at = t.at, completed_start = t.at, watermark = t.at
    from (select id, now() - random() * $1 * interval '1 millisecond' as at from stores) t where t.id = y.store_id`,
    [SYNC_INTERVAL_MS],
  )
}
