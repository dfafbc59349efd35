import { snapshot } from '../server/db.ts'
import { newId } from '../server/ids.ts'
import { sendDue } from '../server/messages/deliver.ts'
import { claimDue } from '../server/messages/deliver-sql.ts'
import { judge } from '../server/messages/judge.ts'
import type { Bench, Figure } from './figures.ts'
import { type House, type Lab, nullChannel } from './lab.ts'
import { median, timed } from './measure.ts'

// Method: a store has thousands of mails due. Claim + decide: batches of 100 are leased and judged, rendering included, until
// none is left; nothing is handed over. Whole loop: the same store's mails through `sendDue` into a channel that accepts at once
// and does nothing, so that what remains is the engine's own work and its commits. Three stores each; medians.

const BATCH = 100
const POOL = 5

export const bench: Bench = { name: 'decide', run }

async function run(lab: Lab): Promise<Figure[]> {
  const house = await lab.open()
  const decided: number[] = []
  const looped: number[] = []
  try {
    await loop(house, 200)
    for (let round = 0; round < 3; round++) {
      decided.push(await claimAndDecide(house, lab.sized(5_000)))
      looped.push(await loop(house, lab.sized(3_000)))
    }
  } finally {
    await house.close()
  }
  return [
    { name: 'claim + decide + render', value: median(decided), unit: '/s', goal: { atLeast: 2_000 } },
    {
      name: 'whole loop into a null channel',
      value: median(looped),
      unit: '/s',
      note: `a commit for every ${POOL} mails: no more may be handed over than fit on the wire (D10)`,
    },
  ]
}

async function claimAndDecide(house: House, count: number): Promise<number> {
  const { storeId } = await readyStore(house, count)
  const { deps } = house
  const store = { storeId, db: deps.db }
  await deps.db
    .updateTable('sync_state')
    .set({ completed_start: deps.now() })
    .where('store_id', '=', storeId)
    .where('stream', '=', 'fence')
    .execute()
  let sendable = 0
  const ms = await timed(async () => {
    for (;;) {
      const now = deps.now()
      const leaseUntil = new Date(now.getTime() + 600_000)
      const rows = await claimDue(store, { claim: newId(), workerId: deps.workerId, now, leaseUntil, limit: BATCH })
      if (rows.length === 0) return
      const ids = rows.map((row) => row.id)
      sendable += (await snapshot(store, (tx) => judge(deps, tx, ids, new Map()))).ready.length
    }
  })
  if (sendable !== count) throw new Error(`${sendable} of ${count} would be sent`)
  return (count / ms) * 1_000
}

async function loop(house: House, count: number): Promise<number> {
  const { storeId } = await readyStore(house, count)
  const email = nullChannel(POOL)
  const ms = await timed(() => sendDue({ ...house.deps, channels: { ...house.deps.channels, email } }, { storeId }))
  const { sent } = await house.db
    .selectFrom('messages')
    .select((eb) => eb.fn.countAll<number>().as('sent'))
    .where('store_id', '=', storeId)
    .where('state', '=', 'sent')
    .executeTakeFirstOrThrow()
  if (sent !== count) throw new Error(`${sent} of ${count} were sent`)
  return (count / ms) * 1_000
}

async function readyStore(house: House, count: number) {
  const store = await house.store()
  await house.carts(store, { count, ready: count })
  return store
}
