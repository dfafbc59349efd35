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
import { readResidentMb } from './measure.ts'

// Export of a year (decision 100) of a store with many products: speed and memory. Retained memory is the heap after a
// full garbage collection, measured in this process. Memory that only a full collection frees is measured without one:
// as the old generation of this process's heap, and as the server's resident memory over several exports.

const PRODUCTS = 200_000
/** Maximum growth from a tenth of the file to its end that counts as flat. */
const FLAT_MB = 3
/** Number of files after the first one over which resident memory must stay flat. */
const REPEATED_FILES = 5
const FLAT_RESIDENT_MB = 30

interface ExportRun {
  bytes: number
  seconds: number
  /** Resident memory by received bytes. */
  held: { bytes: number; mb: number }[]
}

export async function measureExport(scene: Scene): Promise<Figure[]> {
  const { instance, lab, accountId, token } = scene
  lab.say('exporting')
  const own = await downloadFile(scene, token)
  const store = await instance.store({ url: 'https://large.example.com', accountId })
  const products = lab.sized(PRODUCTS)
  await writeCatalogue(instance, store, products)
  const large = await signIn(instance, store)
  await downloadFile(scene, large)
  const { bytes, seconds, held } = await downloadFile(scene, large)
  const before = readResidentMb(scene.server.pid)
  for (let n = 0; n < REPEATED_FILES; n++) await downloadFile(scene, large)
  const after = readResidentMb(scene.server.pid)
  const bareSeconds = await runCeiling(scene, store.storeId)
  const resident = (share: number) => held.find((each) => each.bytes >= bytes * share)!.mb.toFixed(0)
  const live = await sampleHeap(scene, store, { products, isCollected: true })
  const old = await sampleHeap(scene, store, { products, isCollected: false })
  const mb = bytes / 2 ** 20
  return [
    {
      name: `export of 1y, ${products.toLocaleString('en-US')} products`,
      value: mb / seconds,
      unit: 'MB/s',
      ceiling: { name: 'rows of one bare statement joined', value: mb / bareSeconds },
      note: `${mb.toFixed(1)} MB in ${seconds.toFixed(1)} s; the store of a year: ${(own.bytes / 2 ** 20).toFixed(2)} MB in ${own.seconds.toFixed(2)} s`,
    },
    {
      name: 'export: live heap, end − at a tenth',
      value: live.at(-1)! - live[0]!,
      unit: 'MB',
      goal: { below: FLAT_MB },
      note: `live ${live[0]!.toFixed(1)} → ${live.at(-1)!.toFixed(1)} MB; the server's resident memory ${resident(0.1)} → ${resident(1)} MB`,
    },
    {
      name: 'export: old heap without a collection, end − at a tenth',
      value: old.at(-1)! - old[0]!,
      unit: 'MB',
      goal: { below: FLAT_MB },
      note: `${old.map((mb) => mb.toFixed(1)).join(', ')} MB`,
    },
    {
      name: `export: the server's resident memory after ${REPEATED_FILES} more files, growth`,
      value: after - before,
      unit: 'MB',
      goal: { below: FLAT_RESIDENT_MB },
      note: `${before.toFixed(0)} → ${after.toFixed(0)} MB`,
    },
  ]
}

async function downloadFile({ server }: Scene, token: string): Promise<ExportRun> {
  const startedAt = performance.now()
  const reply = await fetch(`${server.url}/api/analytics/export?range=1y`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (reply.status !== 200) throw new Error(`export: ${reply.status} ${await reply.text()}`)
  const held: ExportRun['held'] = []
  let bytes = 0
  for await (const chunk of reply.body!) {
    bytes += chunk.length
    held.push({ bytes, mb: readResidentMb(server.pid) })
  }
  return { bytes, seconds: (performance.now() - startedAt) / 1_000, held }
}

interface HeapOptions {
  products: number
  /** Whether to run a full collection before each sample. */
  isCollected: boolean
}

/** Heap in MB at every tenth of the file except the start. */
async function sampleHeap(
  { instance: { deps, db } }: Scene,
  store: TestStore,
  { products, isCollected }: HeapOptions,
): Promise<number[]> {
  const { accountId, userId, storeId } = store
  const { content } = await exportFile(deps, {
    account: { accountId, db },
    store: { storeId, db },
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
    heap.push((isCollected ? process.memoryUsage().heapUsed : readOldHeapBytes()) / 2 ** 20)
  }
  return heap
}

/** Bytes in the old generation of the heap. */
const readOldHeapBytes = () =>
  v8
    .getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !name.startsWith('new'))
    .reduce((sum, { space_used_size: used }) => sum + used, 0)

async function runCeiling({ instance: { db } }: Scene, storeId: string): Promise<number> {
  const startedAt = performance.now()
  const { rows } = await sql<{ name: string }>`
    select n.name, n.sku, f.abandoned, f.recovered, f.lost_minor, f.product_id from product_month_figures f
    join figure_products n on n.store_id = f.store_id and n.product_id = f.product_id
    where f.store_id = ${storeId} order by f.lost_minor desc, f.abandoned desc, f.product_id`.execute(db)
  Buffer.from(rows.map((row) => Object.values(row).join(',')).join('\r\n'))
  return (performance.now() - startedAt) / 1_000
}
