import type { Readable } from 'node:stream'
import v8 from 'node:v8'
import { DOWNLOAD_PAGE } from '../server/access/http/downloads.ts'
import type { Session } from '../server/access/members/session.ts'
import { sql } from '../server/core/db/db.ts'
import { exportFile } from '../server/workspace/analytics-reports/export.ts'
import type { TestStore } from '../test/factories.ts'
import type { Scene } from './analytics.bench.ts'
import { writeCatalogue } from './analytics-scene.ts'
import type { Figure } from './figures.ts'
import { signIn } from './list.bench.ts'
import { residentMb } from './measure.ts'

// The file of a year (decision 100), of a store with so many products that it is large: how fast it comes, and what is held meanwhile. Held is
// what a full collection leaves, measured in this process, which may collect. What no collection of young objects frees, garbage or not, fills
// memory until the next full one: that is measured without any, in this process as the old part of the heap, and in the server as its resident
// memory, file after file.

const PRODUCTS = 200_000
/** More than this at the end than at a tenth is not flat. */
const FLAT_MB = 3
/** Of resident memory, of all files after the first one. */
const MORE_FILES = 5
const FLAT_RESIDENT_MB = 30

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
  const before = residentMb(scene.server.pid)
  for (let n = 0; n < MORE_FILES; n++) await take(scene, large)
  const after = residentMb(scene.server.pid)
  const bareSeconds = await bare(scene, store.storeId)
  const resident = (share: number) => held.find((each) => each.bytes >= bytes * share)!.mb.toFixed(0)
  const live = await heapMeanwhile(scene, store, { products, isCollected: true })
  const old = await heapMeanwhile(scene, store, { products, isCollected: false })
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
    {
      ...{ name: 'export: old heap without a collection, end − at a tenth', value: old.at(-1)! - old[0]!, unit: 'MB' },
      goal: { below: FLAT_MB },
      note: `${old.map((mb) => mb.toFixed(1)).join(', ')} MB`,
    },
    {
      ...{ name: `export: the server's resident memory after ${MORE_FILES} more files, growth`, value: after - before },
      ...{ unit: 'MB', goal: { below: FLAT_RESIDENT_MB } },
      note: `${before.toFixed(0)} → ${after.toFixed(0)} MB`,
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

interface HeapOptions {
  products: number
  /** A full collection before each look: what is left is held. */
  isCollected: boolean
}

/** In MB, at every tenth of the file but its beginning. */
async function heapMeanwhile(
  { instance: { deps, db } }: Scene,
  store: TestStore,
  { products, isCollected }: HeapOptions,
): Promise<number[]> {
  const { accountId, userId, storeId } = store
  const { content } = await exportFile(deps, {
    ...{ account: { accountId, db }, store: { storeId, db } },
    session: { accountId, userId } as Session,
    query: { range: '1y', stores: 'one' },
  })
  const heap: number[] = []
  const between = Math.max(1, Math.floor(products / DOWNLOAD_PAGE / 10))
  let chunks = 0
  globalThis.gc!()
  for await (const _ of content as Readable) {
    if (++chunks % between !== 0) continue
    if (isCollected) globalThis.gc!()
    heap.push((isCollected ? process.memoryUsage().heapUsed : oldBytes()) / 2 ** 20)
  }
  return heap
}

/** What a collection of young objects does not look at. */
const oldBytes = () =>
  v8
    .getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !name.startsWith('new'))
    .reduce((sum, { space_used_size: used }) => sum + used, 0)

async function bare({ instance: { db } }: Scene, storeId: string): Promise<number> {
  const begun = performance.now()
  const { rows } = await sql<{ name: string }>`
    select n.name, n.sku, f.abandoned, f.recovered, f.lost_minor, f.product_id from product_month_figures f
    join figure_products n on n.store_id = f.store_id and n.product_id = f.product_id
    where f.store_id = ${storeId} order by f.lost_minor desc, f.abandoned desc, f.product_id`.execute(db)
  Buffer.from(rows.map((row) => Object.values(row).join(',')).join('\r\n'))
  return (performance.now() - begun) / 1_000
}
