import { expect, test } from 'vitest'
import { POOL_SIZE, readStoredMessage, readStoredMessages } from '../../../test/send-scene.ts'
import { createTextsInFlight } from '../../../test/texts-in-flight.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { handleReply } from '../inbound/inbound.ts'

// Statements that change texts during their turn: see beside-turn.test.ts.

const world = createWorld()

test('STOP closes a prepared text and lets one in flight end', async () => {
  const { accountId, storeId, end } = await createTextsInFlight(world, POOL_SIZE + 1)
  const rows = await readStoredMessages(world, storeId)
  const sending = rows.find(({ state }) => state === 'sending')!
  const prepared = rows.find(({ state, judged }) => state === 'claimed' && judged !== null)!
  try {
    for (const { to_address: from } of [sending, prepared]) {
      const stop = { channel: 'sms' as const, id: createId(), from: from!, text: 'STOP', at: world.now }
      const account = { accountId, db: world.db }
      await handleReply(world.deps, account, { ...stop, isAnswered: false, isAnsweredAtOnce: true })
    }
    expect(await readStoredMessage(world, sending.id)).toMatchObject({ state: 'sending', unsubscribed_at: world.now })
  } finally {
    await end()
  }
  expect(await readStoredMessage(world, sending.id)).toMatchObject({
    state: 'sent',
    attempts: 1,
    unsubscribed_at: world.now,
  })
  const { state, reason, sending_at } = await readStoredMessage(world, prepared.id)
  expect([state, reason, sending_at]).toEqual(['skipped', 'suppressed_unsubscribed', null])
  expect(world.texts.map(({ messageId }) => messageId)).not.toContain(prepared.id)
})
