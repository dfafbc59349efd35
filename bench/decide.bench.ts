import { NO_GOODS, NONE_UNREAD } from '../server/carts/sync/goods.ts'
import { createId } from '../server/core/common/ids.ts'
import { evaluate } from '../server/delivery/decide/evaluate.ts'
import { sendDue } from '../server/delivery/send/send-due.ts'
import { claimDue } from '../server/delivery/send/send-due-sql.ts'
import type { Bench, Figure } from './figures.ts'
import { type AppInstance, createNullChannel, type Lab } from './lab.ts'
import { computeMedian, measureMs } from './measure.ts'

// Method: a store has thousands of due emails. Claim + decide: batches of 100 are claimed and decided, including
// rendering, without sending. Whole loop: `sendDue` sends the same store's emails to a channel that accepts at once, so
// the result is the engine's own work and its commits. Three stores each; medians.

const BATCH = 100
const POOL = 5

export const bench: Bench = { name: 'decide', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await lab.open()
  const decided: number[] = []
  const looped: number[] = []
  try {
    await runSendLoop(instance, 200)
    for (let round = 0; round < 3; round++) {
      decided.push(await claimAndDecide(instance, lab.sized(5_000)))
      looped.push(await runSendLoop(instance, lab.sized(3_000)))
    }
  } finally {
    await instance.close()
  }
  return [
    { name: 'claim + decide + render', value: computeMedian(decided), unit: '/s', goal: { atLeast: 3_500 } },
    {
      name: 'whole loop into a null channel',
      value: computeMedian(looped),
      unit: '/s',
      note: `one commit for every ${POOL} mails: at most the pool may be in flight (D10)`,
    },
  ]
}

async function claimAndDecide(instance: AppInstance, count: number): Promise<number> {
  const { storeId } = await openDueStore(instance, count)
  const { deps } = instance
  const store = { storeId, db: deps.db }
  await deps.db
    .updateTable('sync_state')
    .set({ completed_start: deps.now() })
    .where('store_id', '=', storeId)
    .where('stream', '=', 'order_check')
    .execute()
  let sendable = 0
  const ms = await measureMs(async () => {
    for (;;) {
      const now = deps.now()
      const leaseUntil = new Date(now.getTime() + 600_000)
      const rows = await claimDue(store, { claim: createId(), workerId: deps.workerId, now, leaseUntil, limit: BATCH })
      if (rows.length === 0) return
      const ids = rows.map((row) => row.id)
      sendable += (
        await evaluate(deps, store, { ids, texts: new Map(), goods: NO_GOODS, isChecked: true, unread: NONE_UNREAD })
      ).ready.length
    }
  })
  if (sendable !== count) throw new Error(`${sendable} of ${count} would be sent`)
  return (count / ms) * 1_000
}

export async function runSendLoop(instance: AppInstance, count: number): Promise<number> {
  const { storeId } = await openDueStore(instance, count)
  return (count / (await measureMs(() => sendAll(instance, storeId, count)))) * 1_000
}

export async function sendAll({ db, deps }: AppInstance, storeId: string, count: number): Promise<void> {
  const email = createNullChannel(POOL)
  await sendDue({ ...deps, channels: { ...deps.channels, email } }, { storeId })
  const { sent } = await db
    .selectFrom('messages')
    .select((eb) => eb.fn.countAll<number>().as('sent'))
    .where('store_id', '=', storeId)
    .where('state', '=', 'sent')
    .executeTakeFirstOrThrow()
  if (sent !== count) throw new Error(`${sent} of ${count} were sent`)
}

export async function openDueStore(instance: AppInstance, count: number) {
  const store = await instance.store()
  await instance.carts(store, { count, ready: count })
  return store
}
