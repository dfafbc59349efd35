import { beforeEach, expect, test } from 'vitest'
import { advanceToAbandoned, createMessageScene, DAY } from '../../../test/message-scene.ts'
import {
  changeDuringSend,
  createTestChannelRules,
  type FlightPair,
  POOL_SIZE,
  readStoredMessage,
  readStoredMessages,
  type StoredMessage,
} from '../../../test/send-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { getDomain } from '../email/mail-headers.ts'
import { turnStatement } from './turn-sql.ts'

// Two processes both believe they hold the store's lease, because one stalled between its lease check and its turn. One
// sends a step while the other has decided about the next step.

const world = createWorld()
beforeEach(() => {
  world.answer = acceptMail
  world.queued.length = 0
  world.sent.length = 0
})

/** Another process prepares the earlier step and sends it in its turn. */
async function sendEarlier({ accountId, storeId }: { accountId: string; storeId: string }, { waiting }: FlightPair) {
  const before = (row: StoredMessage) => row.cart_id === waiting.cart_id && row.step < waiting.step
  const { id, shopper_id } = (await readStoredMessages(world, storeId)).find(before)!
  const [claim, workerId, now] = [createId(), createId(), world.now]
  const prepared = {
    state: 'claimed' as const,
    reason: null,
    claim,
    worker_id: workerId,
    finished_at: null,
    wake_at: waiting.wake_at,
    expires_at: waiting.wake_at,
    to_address: waiting.to_address,
    body_text: 'Hi',
    judged: JSON.stringify({ reason: 'ok', inputs: {} }) as never,
  }
  await world.db.updateTable('messages').set(prepared).where('id', '=', id).execute()
  const { version } = await world.db
    .selectFrom('carts')
    .select('version')
    .where('id', '=', waiting.cart_id!)
    .executeTakeFirstOrThrow()
  const candidate = {
    id,
    shopper_id,
    cart_version: version,
    other_hashes: [],
    own: { domain: getDomain(waiting.to_address!) },
    inputs: {},
    address_hash: world.deps.secrets.addressHash(waiting.to_address!).toString('hex'),
    coupon_id: null,
    coupon_code: null,
    coupon_wording: null,
  }
  const limits = {
    claim,
    workerId,
    now,
    localCopySince: new Date(0),
    capSince: new Date(0),
    capMax: 100,
    accountId,
    month: `${now.toISOString().slice(0, 7)}-01`,
    channel: 'email' as const,
    planLimit: -1,
  }
  const turn = turnStatement(
    storeId,
    { answered: [], candidates: [candidate] },
    limits,
    createTestChannelRules(world, 'email', accountId),
  )
  const { rows } = await turn.execute(world.db)
  expect(rows).toEqual([{ id }])
}

test('a step is not sent while the step before it is in flight, even in another process (T4)', async () => {
  const scene = await createMessageScene(world, POOL_SIZE + 1, { plan: 'starter' })
  await advanceToAbandoned(world, scene.storeId, DAY)
  const { waiting } = await changeDuringSend(world, scene.storeId, (beside) => sendEarlier(scene, beside))
  expect(waiting.step).toBe(2)
  expect(world.sent.map(({ messageId }) => messageId)).not.toContain(waiting.id)
  expect(await readStoredMessage(world, waiting.id)).toMatchObject({
    state: 'scheduled',
    sending_at: null,
    attempts: 0,
  })
})
