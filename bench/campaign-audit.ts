import { type CampaignScene, POOL } from './campaign-scene.ts'
import type { Figure } from './figures.ts'

// Compares received emails with the message rows, person by person.

interface Row {
  email: string
  state: string
  has_record: boolean
}

/** `kills`: how often the sending process was killed. */
export async function auditCampaign(scene: CampaignScene, campaignId: string, kills: number): Promise<Figure[]> {
  const rows = await readRows(scene, campaignId)
  const { counts } = await scene.arrivals({ isAll: true })
  const arrived = new Map(counts!.filter(([recipient]) => !recipient.endsWith('@singles.example')))
  const twice = [...arrived].filter(([, count]) => count > 1)
  const people = new Set(rows.map(({ email }) => email))
  const unexpected = [...arrived.keys()].filter((recipient) => !people.has(recipient))
  const filterState = (state: string) => rows.filter((row) => row.state === state)
  const [sent, unknown] = [filterState('sent'), filterState('unknown')]
  const lost = scene.total - people.size + (rows.length - sent.length - unknown.length) + countMissing(sent, arrived)
  assertExplained({ rows, unknown, unexpected })
  const unknownArrived = unknown.length - countMissing(unknown, arrived)
  return [
    {
      name: `people of ${scene.total.toLocaleString('en-US')} who got it twice`,
      value: twice.length,
      unit: '',
      goal: { below: 1 },
      note: `${arrived.size.toLocaleString('en-US')} arrived`,
    },
    { name: 'people who got nothing and are not unknown', value: lost, unit: '', goal: { below: 1 } },
    {
      name: `unknown after ${kills} kills (D10)`,
      value: unknown.length,
      unit: '',
      goal: { below: kills * POOL + 1 },
      note: `${unknownArrived} of them arrived; each with its record`,
    },
  ]
}

async function readRows({ instance, store }: CampaignScene, campaignId: string): Promise<Row[]> {
  const { rows } = await instance.pool.query<Row>(
    `select c.email, m.state, exists (select 1 from decisions d where d.store_id = m.store_id and d.message_id = m.id
        and d.outcome = 'result' and d.reason = 'unknown') as has_record
    from messages m join carts c on c.store_id = m.store_id and c.id = m.cart_id
    where m.store_id = $1 and m.origin_kind = 'campaign' and m.origin_id = $2`,
    [store.storeId, campaignId],
  )
  return rows
}

const countMissing = (rows: readonly Row[], arrived: ReadonlyMap<string, number>): number =>
  rows.filter(({ email }) => !arrived.has(email)).length

/** Requires one row per person, a record of each unknown outcome (D4), and no email to other addresses. */
function assertExplained({
  rows,
  unknown,
  unexpected,
}: {
  rows: readonly Row[]
  unknown: Row[]
  unexpected: string[]
}) {
  if (new Set(rows.map(({ email }) => email)).size !== rows.length) throw new Error('a person has two rows')
  if (unexpected.length > 0) throw new Error(`${unexpected.length} mails went to people who are not in it`)
  const unexplained = unknown.filter(({ has_record }) => !has_record)
  if (unexplained.length > 0) throw new Error(`${unexplained.length} are unknown and have no record`)
}
