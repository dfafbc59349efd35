import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { buildOrder } from '../../../test/factories.ts'
import { waitForBlockedConnections } from '../../../test/locks.ts'
import { grantConsent, takeGermanPhone } from '../../../test/manual-send-scene.ts'
import { createMessageScene, findLink, HOUR, passTime, readMessages } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { handleReply } from './inbound.ts'

// STOP and unsubscribe beside settling, which locks the message that was sent and then the open steps behind it.

const world = createWorld()

/** A cart whose first step has been sent and whose next steps are open. */
async function createSentStep(channel: 'sms' | 'email') {
  world.now = new Date(`${new Date(world.now.getTime() + 86_400_000).toISOString().slice(0, 10)}T09:00:00Z`)
  const scene = await createMessageScene(world, 0, { plan: 'growth' })
  await world.db.updateTable('flow_steps').set({ channel }).where('store_id', '=', scene.storeId).execute()
  const order = buildOrder(world, { country: 'DE', phone: takeGermanPhone() })
  await recordOrders(world.deps, scene.storeId, [order], 'sync')
  await grantConsent(world, scene, order)
  await passTime(world, scene.storeId, HOUR)
  const [sent, ...open] = await readMessages(world, scene.storeId)
  expect([sent!.state, open[0]!.state]).toEqual(['sent', 'scheduled'])
  const inbound = {
    channel: 'sms' as const,
    id: createId(),
    from: order.phone!,
    text: 'STOP',
    at: world.now,
    keyword: null,
    isAnswered: false,
    isSetting: false,
    isAnsweredAtOnce: true,
  }
  return { ...scene, inbound, sentId: sent!.id, openIds: open.map(({ id }) => id) }
}
const readStates = async (storeId: string) => (await readMessages(world, storeId)).map(({ state }) => state)

/**
 * `stop` runs while another transaction has locked the message that was sent; it then locks the open steps without
 * waiting.
 */
async function runBesideSettling(of: { sentId: string; openIds: string[] }, stop: () => Promise<unknown>) {
  const client = await world.pool.connect()
  try {
    await client.query('begin')
    await client.query('select 1 from messages where id = $1 for update', [of.sentId])
    const stopping = stop()
    await waitForBlockedConnections(world, 1)
    try {
      await client.query('select 1 from messages where id = any($1) for update nowait', [of.openIds])
    } finally {
      await client.query('rollback')
      await stopping
    }
  } finally {
    client.release()
  }
}

test('STOP waits for a text being settled before it locks open texts', async () => {
  const of = await createSentStep('sms')
  await runBesideSettling(of, () => handleReply(world.deps, { accountId: of.accountId, db: world.db }, of.inbound))
  expect(await readStates(of.storeId)).toEqual(['sent', ...of.openIds.map(() => 'skipped')])
})

test('an unsubscribe waits for a mail being settled before it locks open mails', async () => {
  const of = await createSentStep('email')
  const link = findLink(world.sent.at(-1)!.html!, '/u/')
  await runBesideSettling(of, () => world.request('POST', link))
  expect(await readStates(of.storeId)).toEqual(['sent', ...of.openIds.map(() => 'skipped')])
})

test('a STOP is retried after a deadlock', async () => {
  const of = await createSentStep('sms')
  let failures = 0
  const deadlock: KyselyPlugin = {
    transformQuery({ node }) {
      if (failures++ === 0) throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
      return node
    },
    transformResult: async ({ result }) => result,
  }
  await handleReply(world.deps, { accountId: of.accountId, db: world.db.withPlugin(deadlock) }, of.inbound)
  expect(failures).toBeGreaterThan(1)
  expect(await readStates(of.storeId)).toEqual(['sent', ...of.openIds.map(() => 'skipped')])
})
