import { expect, test } from 'vitest'
import { copyRows, createDatabaseFactory } from '../../../test/databases.ts'
import { advanceToAbandoned, createMessageScene, HOUR, sendDueMessages } from '../../../test/message-scene.ts'
import { createSteadyWorker, listDecisions, readStoredMessage, readStoredMessages } from '../../../test/send-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { closeAbandonedSends } from '../../delivery/send/abandoned.ts'
import { createId } from '../common/ids.ts'
import { openDb } from '../db/db.ts'
import { loadMigrations } from './files.ts'
import { migrate } from './migrate.ts'

// Migrates a database from before 0074, 0075 and 0081 with messages that a stopped process left behind.

const world = createWorld()
const databases = createDatabaseFactory()

const ACCEPTED = {
  state: 'sent',
  outcome: { kind: 'accepted', providerId: 'p-1', response: '250 queued' },
  isMailbox: false,
}
const CASES = ['answered', 'unanswered', 'prepared', 'text', 'was prepared as a mail', 'sent'] as const

test('a mail in flight is settled, a prepared one is due again, and a text prepared as a mail can be reported', async () => {
  const scene = await createMessageScene(world, CASES.length)
  const { storeId } = scene
  await advanceToAbandoned(world, storeId, HOUR)
  await sendDueMessages(world, storeId)
  const old = databases.open(await databases.create(), 8)
  await migrate(old, { migrations: (await loadMigrations()).filter(({ number }) => number < 71) })
  await copyRows(world.pool, old)

  const rows = (await readStoredMessages(world, storeId)).filter(({ step }) => step === 1)
  const getId = (name: (typeof CASES)[number]) => rows[CASES.indexOf(name)]!.id
  const [dead, left] = [createId(), world.now]
  const decision = JSON.stringify({ reason: 'ok', inputs: {} })
  const open = `finished_at = null, provider_id = null, attempts = 0, worker_id = $2`
  const claimed = `state = 'claimed', claim = $2, ${open}, wake_at = now() + interval '1 minute', judged = $3, handed_over_at = $4`
  const set = (name: (typeof CASES)[number], values: string, more: unknown[]) =>
    old.query(`update messages set ${values} where id = $1`, [getId(name), dead, ...more])
  const answer = JSON.stringify({ ...ACCEPTED, at: left.toISOString() })
  await set('answered', `${claimed}, departed_at = $4, answer = $5`, [decision, left, answer])
  await set('unanswered', `${claimed}, departed_at = $4`, [decision, left])
  await set('prepared', claimed, [decision, left])
  await set('text', `state = 'handed_over', channel = 'sms', ${open}, judged = $3, handed_over_at = $4`, [
    decision,
    left,
  ])
  await set('was prepared as a mail', `channel = 'sms', worker_id = $2, judged = $3`, [decision])
  // The decision on a text was recorded when it was sent.
  await old.query(`update decisions set result = null, result_at = null, result_inputs = null where message_id = $1`, [
    getId('text'),
  ])
  await old.query(`update messages set attempts = 1 where id = $1`, [getId('text')])
  const inFlight = [getId('answered'), getId('unanswered'), getId('prepared')]
  await old.query(`delete from decisions where message_id = any($1)`, [inFlight])

  await migrate(old)
  const current = { pool: world.pool, db: world.db }
  Object.assign(world, { pool: old, db: openDb(old) })
  Object.assign(world.deps, { pool: old, db: world.db })
  try {
    const states = async () => {
      const now = await readStoredMessages(world, storeId)
      return CASES.map((name) => now.find(({ id }) => id === getId(name))!.state)
    }
    expect(await states()).toEqual(['sending', 'sending', 'claimed', 'sending', 'sent', 'sent'])
    await closeAbandonedSends(await createSteadyWorker(world))
    expect(await states()).toEqual(['sent', 'unknown', 'scheduled', 'unknown', 'sent', 'sent'])
    expect(await listDecisions(world, getId('text'))).toEqual(['send ok', 'result unknown'])
    expect((await readStoredMessage(world, getId('text'))).attempts).toBe(1)
    await world.db
      .updateTable('messages')
      .set({ state: 'delivered', unsubscribed_at: world.now })
      .where('id', '=', getId('was prepared as a mail'))
      .execute()
    const remaining = (await readStoredMessages(world, storeId)).filter(
      ({ state, answer }) => state === 'sending' || answer,
    )
    expect(remaining).toEqual([])
  } finally {
    Object.assign(world, current)
    Object.assign(world.deps, current)
  }
})
