import { sql } from '../server/core/db.ts'
import type { Scene } from './analytics.bench.ts'
import { writeCatalogue } from './analytics-scene.ts'
import type { Figure } from './figures.ts'
import { signIn } from './list.bench.ts'
import { residentMb } from './measure.ts'

// The file of a year (decision 100), of a store with so many products that it is large: how fast it comes, and what the process holds meanwhile.

const PRODUCTS = 200_000
/** More than this at the end than at a tenth is not flat. */
const FLAT_MB = 30

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
  const tenth = held.find((each) => each.bytes >= bytes / 10)!.mb
  const end = held.at(-1)!.mb
  const most = Math.max(...held.map(({ mb }) => mb))
  const mb = bytes / 2 ** 20
  return [
    {
      ...{ name: `export of 1y, ${products.toLocaleString('en-US')} products`, value: mb / seconds, unit: 'MB/s' },
      ceiling: { name: 'rows of one bare statement joined', value: mb / bareSeconds },
      note: `${mb.toFixed(1)} MB in ${seconds.toFixed(1)} s; the store of a year: ${(own.bytes / 2 ** 20).toFixed(2)} MB in ${own.seconds.toFixed(2)} s`,
    },
    {
      ...{
        name: 'export: resident memory, end − at a tenth',
        value: end - tenth,
        unit: 'MB',
        goal: { below: FLAT_MB },
      },
      note: `${tenth.toFixed(0)} → ${end.toFixed(0)} MB, at most ${most.toFixed(0)}`,
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

async function bare({ instance: { db } }: Scene, storeId: string): Promise<number> {
  const begun = performance.now()
  const { rows } = await sql<{ name: string }>`
    select n.name, n.sku, f.abandoned, f.recovered, f.lost_minor, f.product_id from product_month_figures f
    join figure_products n on n.store_id = f.store_id and n.product_id = f.product_id
    where f.store_id = ${storeId} order by f.lost_minor desc, f.abandoned desc, f.product_id`.execute(db)
  Buffer.from(rows.map((row) => Object.values(row).join(',')).join('\r\n'))
  return (performance.now() - begun) / 1_000
}
