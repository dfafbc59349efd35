import { buildApp } from '../server/app.ts'
import { createId } from '../server/core/common/ids.ts'
import { sql } from '../server/core/db/db.ts'
import { planRuns } from '../server/marketing/campaigns/runs.ts'
import type { TestStore } from '../test/factories.ts'
import type { Figure } from './figures.ts'
import type { AppInstance, Lab } from './lab.ts'
import { measureMs, readResidentMb } from './measure.ts'

// Measures planning a run in this process: time compared with one bare INSERT … SELECT of as many rows into the same
// table, and memory. Each page reads the clock once, by which pages are counted.

const PEOPLE = 100_000
const PAGE = 1_000

export async function measurePlanning(lab: Lab): Promise<Figure[]> {
  const instance = await lab.open({ env: { SMTP_URL: 'smtp://127.0.0.1:1' } })
  try {
    const store = await instance.store()
    const total = lab.sized(PEOPLE)
    lab.say(`writing ${total.toLocaleString('en-US')} carts`)
    await instance.carts(store, { count: total, isAllOpen: true })
    const bareMs = await insertBare(instance, store)
    const campaignId = await startCampaign(instance, store)
    const memory = watchMemory(total)
    const now = () => {
      memory.page()
      return new Date()
    }
    const ms = await measureMs(() => planRuns({ ...instance.deps, now }, { storeId: store.storeId, campaignId }))
    await assertPlanned(instance, campaignId, total)
    return [
      {
        name: `${total.toLocaleString('en-US')} rows of a run planned, alone`,
        value: ms / 1_000,
        unit: 's',
        ceiling: { name: 'one bare INSERT … SELECT', value: bareMs / 1_000 },
        goal: { below: 60 },
        note: `${Math.round((total / ms) * 1_000).toLocaleString('en-US')} rows/s`,
      },
      memory.figure(),
    ]
  } finally {
    await instance.close()
  }
}

/** Inserts and commits as many rows as planning does, one per cart, and deletes them again. */
async function insertBare({ db }: AppInstance, { storeId }: TestStore): Promise<number> {
  const [origin, run] = [createId(), createId()]
  const ms = await measureMs(() =>
    sql`insert into messages (store_id, id, cart_id, shopper_id, origin_kind, origin_id, step_id, step, channel, state, due_at, expires_at,
        wake_at, created_at, updated_at)
      select store_id, gen_random_uuid(), id, shopper_id, 'campaign', ${origin}, ${run}, 1, 'email', 'scheduled', now(),
        now() + interval '72 hours', now(), now(), now() from carts where store_id = ${storeId} and status = 'abandoned'`.execute(
      db,
    ),
  )
  await sql`delete from messages`.execute(db)
  await sql`vacuum analyze messages`.execute(db)
  return ms
}

async function startCampaign(instance: AppInstance, store: TestStore): Promise<string> {
  const app = buildApp(instance.deps)
  try {
    const reply = await app.inject({
      method: 'POST',
      url: '/api/campaigns',
      headers: { authorization: `Bearer ${store.token}` },
      payload: { ...buildCampaignInput('Alone', '2099-01-01', '10:00'), sendNow: true },
    })
    if (reply.statusCode !== 200) throw new Error(`${reply.statusCode} ${reply.body}`)
    return reply.json().campaign.id
  } finally {
    await app.close()
  }
}

/** A campaign to everyone with an abandoned cart. */
export const buildCampaignInput = (name: string, startDate: string, timeOfDay: string) => ({
  name,
  type: 'email',
  targetAudience: { mode: 'matching' },
  content: { subject: 'Your cart is waiting', body: 'Hi {{ customer_name }}: {{ cart_items }} {{ checkout_link }}' },
  schedule: { startDate, timeOfDay },
})

function watchMemory(total: number) {
  const every = Math.max(1, Math.floor(total / PAGE / 10))
  const heap: number[] = []
  const resident: number[] = []
  let pages = 0
  return {
    page() {
      if (pages++ % every !== 0) return
      globalThis.gc?.()
      heap.push(process.memoryUsage().heapUsed / 2 ** 20)
      resident.push(readResidentMb())
    },
    figure(): Figure {
      const ends = (sample: readonly number[]) => [sample[1]!, sample.at(-1)!] as const
      const [early, late] = ends(heap)
      return {
        name: 'heap at the end of planning ÷ at a tenth',
        value: late / early,
        unit: '×',
        goal: { below: 1.2 },
        note: `live ${early.toFixed(1)} → ${late.toFixed(1)} MB, resident ${ends(resident)
          .map((mb) => mb.toFixed(0))
          .join(' → ')} MB`,
      }
    },
  }
}

async function assertPlanned({ db }: AppInstance, campaignId: string, total: number): Promise<void> {
  const { rows } = await sql<{ count: number; people: number }>`
    select count(*)::int as count, count(distinct shopper_id)::int as people from messages where origin_id = ${campaignId}`.execute(
    db,
  )
  const { count, people } = rows[0]!
  if (count !== total || people !== total) throw new Error(`${count} rows for ${people} of ${total} people`)
}
