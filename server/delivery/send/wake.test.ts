import { expect, test } from 'vitest'
import { callCampaigns, createCampaign, listCampaignStates, runTick } from '../../../test/campaign-scene.ts'
import { createShop, type Shop } from '../../../test/manual-send-scene.ts'
import { advanceToAbandoned, createMessageScene, HOUR, listStepStates, readCart } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { sql, transact } from '../../core/db/db.ts'
import { wakeCartMessages } from '../../messages/messages/messages.ts'
import { setNextDue as scheduleNextRun } from '../../messages/messages/sql.ts'
import { sendDue } from './send-due.ts'

// The cause of a hold ends while the decision is being written: the message is still decided again, before its age
// limit.

const world = createWorld()

type Step = (shop: Shop, id: string) => Promise<{ status: number }>

const campaignStep =
  (step: string): Step =>
  (shop, id) =>
    callCampaigns(world, shop, 'PATCH', `/${id}/${step}`)
const sendingStep =
  (step: string): Step =>
  ({ token }) =>
    world.request('POST', `/api/stores/sending/${step}`, { token })

test.each([
  ['a campaign', 'campaign_paused', campaignStep('pause'), campaignStep('play')],
  ['all sending of the store', 'sending_paused', sendingStep('pause'), sendingStep('resume')],
])('a message wakes when %s is resumed between its decision and the commit of its hold', async (_, reason, pause, resume) => {
  const shop = await createShop(world, 2)
  const { id } = await createCampaign(world, shop)
  const setPaused = (at: Date | null) =>
    world.db.updateTable('stores').set({ sending_paused_at: at }).where('id', '=', shop.storeId).execute()
  // Planned, and not sent.
  await setPaused(world.now)
  await runTick(world, shop)
  await setPaused(null)
  await world.db.updateTable('messages').set({ wake_at: world.now }).where('origin_id', '=', id).execute()
  expect((await pause(shop, id)).status).toBe(200)

  await decideWhile(shop.storeId, async () => expect((await resume(shop, id)).status).toBe(200))
  const records = await world.db
    .selectFrom('decision_records')
    .select('reason')
    .where('store_id', '=', shop.storeId)
    .execute()
  expect(records.filter((record) => record.reason === reason)).toHaveLength(2)
  expect(await listCampaignStates(world, id)).toEqual(['1 sent', '1 sent'])
})

test('a message wakes when its reason ends between its decision and the commit of its hold', async () => {
  const { storeId } = await createMessageScene(world)
  await advanceToAbandoned(world, storeId, HOUR)
  const setEmail = (email: string | null) =>
    world.db.updateTable('carts').set({ email }).where('store_id', '=', storeId).execute()
  const cart = await readCart(world, storeId)
  await setEmail(null)
  await decideWhile(storeId, async () => {
    await setEmail(cart.email)
    await transact({ storeId, db: world.db }, async (tx) => {
      await wakeCartMessages(tx, [cart.id], world.now)
      await scheduleNextRun(tx)
    })
  })
  expect(await listStepStates(world, storeId)).toEqual(['sent', 'scheduled', 'scheduled'])
})

/** Sends what is due, and lets `work` happen after everything was decided and before anything of it is written. */
async function decideWhile(storeId: string, work: () => Promise<unknown>): Promise<void> {
  const sending = await world.db.transaction().execute(async (tx) => {
    // A verdict is written with its record; deciding reads none.
    await sql`lock table decisions in exclusive mode`.execute(tx)
    const promise = sendDue(world.deps, { storeId })
    await expect.poll(() => isWaited(), { interval: 20 }).toBe(true)
    await work()
    return { promise }
  })
  await sending.promise
}

async function isWaited(): Promise<boolean> {
  const { rows } =
    await sql`select 1 from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
    where l.relation = 'decisions'::regclass and not l.granted`.execute(world.db)
  return rows.length > 0
}
