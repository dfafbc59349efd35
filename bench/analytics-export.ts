import type { Readable } from 'node:stream'
import { exportFile } from '../server/analytics-reports/export.ts'
import { sql } from '../server/core/db.ts'
import { DOWNLOAD_PAGE } from '../server/http/downloads.ts'
import type { Session } from '../server/members/session.ts'
import type { TestStore } from '../test/factories.ts'
import type { Scene } from './analytics.bench.ts'
import { writeCatalogue } from './analytics-scene.ts'
import type { Figure } from './figures.ts'
import { signIn } from './list.bench.ts'
import { residentMb } from './measure.ts'

// The file of a year (decision 100), of a store with so many products that it is large: how fast it comes, and what is held meanwhile. Held is
// what a full collection leaves: resident memory also has what V8 has not collected yet, which grows until its first full collection whatever
// the size of the file. So the file is also made in this process, which may collect.

const PRODUCTS = 200_000
/** More than this at the end than at a tenth is not flat. */
const FLAT_MB = 3

interface Taken {
  bytes: number
  seconds: number
  /** Resident memory when so many bytes had come. */
  held: { bytes: number; mb: number }[]
}

export async function measureExport(scene: Scene): Promise<Figure[]> {
  const { instance, lab, accountId, token } = scene
  lab.say('exporting')
  const own = await take(scene, token)
  const store = await instance.store({ url: 'https://large.example.com', accountId })
  const products = lab.sized(PRODUCTS)
  await writeCatalogue(instance, store, products)
  const large = await signIn(instance, store)
  await take(scene, large)
  const { bytes, seconds, held } = await take(scene, large)
  const bareSeconds = await bare(scene, store.storeId)
  const resident = (share: number) => held.find((each) => each.bytes >= bytes * share)!.mb.toFixed(0)
  const live = await liveHeap(scene, store, products)
  const mb = bytes / 2 ** 20
  return [
    {
      ...{ name: `export of 1y, ${products.toLocaleString('en-US')} products`, value: mb / seconds, unit: 'MB/s' },
      ceiling: { name: 'rows of one bare statement joined', value: mb / bareSeconds },
      note: `${mb.toFixed(1)} MB in ${seconds.toFixed(1)} s; the store of a year: ${(own.bytes / 2 ** 20).toFixed(2)} MB in ${own.seconds.toFixed(2)} s`,
    },
    {
      ...{
        name: 'export: live heap, end − at a tenth',
        value: live.at(-1)! - live[0]!,
        unit: 'MB',
        goal: { below: FLAT_MB },
      },
      note: `live ${live[0]!.toFixed(1)} → ${live.at(-1)!.toFixed(1)} MB; the server's resident memory ${resident(0.1)} → ${resident(1)} MB`,
    },
  ]
}

async function take({ server }: Scene, token: string): Promise<Taken> {
  const begun = performance.now()
  const reply = await fetch(`${server.url}/api/analytics/export?range=1y`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (reply.status !== 200) throw new Error(`export: ${reply.status} ${await reply.text()}`)
  const held: Taken['held'] = []
  let bytes = 0
  for await (const chunk of reply.body!) {
    bytes += chunk.length
    held.push({ bytes, mb: residentMb(server.pid) })
  }
  return { bytes, seconds: (performance.now() - begun) / 1_000, held }
}

/** In MB, at every tenth of the file but its beginning. */
async function liveHeap({ instance: { deps, db } }: Scene, store: TestStore, products: number): Promise<number[]> {
  const { accountId, userId, storeId } = store
  const { content } = await exportFile(deps, {
    ...{ account: { accountId, db }, store: { storeId, db } },
    session: { accountId, userId } as Session,
    query: { range: '1y', stores: 'one' },
  })
  const live: number[] = []
  const between = Math.max(1, Math.floor(products / DOWNLOAD_PAGE / 10))
  let chunks = 0
  for await (const _ of content as Readable) {
    if (++chunks % between !== 0) continue
    globalThis.gc!()
    live.push(process.memoryUsage().heapUsed / 2 ** 20)
  }
  return live
}

async function bare({ instance: { db } }: Scene, storeId: string): Promise<number> {
  const begun = performance.now()
  const { rows } = await sql<{ name: string }>`
    select n.name, n.sku, f.abandoned, f.recovered, f.lost_minor, f.product_id from product_month_figures f
    join figure_products n on n.store_id = f.store_id and n.product_id = f.product_id
    where f.store_id = ${storeId} order by f.lost_minor desc, f.abandoned desc, f.product_id`.execute(db)
  Buffer.from(rows.map((row) => Object.values(row).join(',')).join('\r\n'))
  return (performance.now() - begun) / 1_000
}
