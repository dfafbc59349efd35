import { afterAll, expect, test } from 'vitest'
import { hasSentMessage, selectBadgeColumns } from '../../../test/cart-badges.ts'
import { copyRows, createDatabaseFactory } from '../../../test/databases.ts'
import { completeOrderCheck } from '../../../test/factories.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  findLink,
  HOUR,
  MINUTE,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { createSteadyWorker, listDecisions, readStoredMessages } from '../../../test/send-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { loadMigrations } from '../../core/database/files.ts'
import { migrate } from '../../core/database/migrate.ts'
import { openDb } from '../../core/db/db.ts'
import { closeAbandonedSends } from './abandoned.ts'

// Migrates a database from before 0032 with messages in every state that a stopped process leaves. None is sent twice
// or lost, sent links work, and carts have their badges.

const world = createWorld()
const databases = createDatabaseFactory()
let current: Pick<typeof world, 'pool' | 'db'>
// The world ends with the database it began with.
afterAll(() => void Object.assign(world, current))
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' }

const BEFORE = ['sent', 'unknown', 'held', 'claimed', 'sending', 'failed'] as const

test('messages sent, held, claimed and in flight before the migration end correctly', async () => {
  const all = await loadMigrations()
  const before = all.filter(({ number }) => number < 32)
  const old = databases.open(await databases.create(), 12)
  await migrate(old, { migrations: before })

  const scene = await createMessageScene(world, BEFORE.length + 1)
  const { storeId } = scene
  await advanceToAbandoned(world, storeId, HOUR)
  await sendDueMessages(world, storeId)
  const mails = [...world.sent]
  expect(mails).toHaveLength(BEFORE.length + 1)
  const sentAt = world.now
  await copyRows(world.pool, old)

  // As the version before left them: a process that is gone had taken one and put another in flight.
  const rows = (await readStoredMessages(world, storeId)).filter(({ step }) => step === 1)
  const getId = (state: (typeof BEFORE)[number]) => rows[BEFORE.indexOf(state)]!.id
  const untouched = rows[BEFORE.length]!
  const dead = createId()
  const set = (id: string, values: string, more: unknown[] = []) =>
    old.query(`update messages set ${values} where id = $1`, [id, ...more])
  const never = `handed_over_at = null, finished_at = null, provider_id = null, attempts = 0`
  await set(getId('unknown'), `state = 'unknown', reason = 'unknown', provider_id = null`)
  await set(getId('held'), `state = 'held', reason = 'retry', ${never}, wake_at = $2`, [world.now])
  await set(getId('claimed'), `state = 'claimed', ${never}, claim = $2, worker_id = $2, wake_at = $3`, [
    dead,
    new Date(world.now.getTime() + MINUTE),
  ])
  await set(getId('sending'), `state = 'handed_over', finished_at = null, provider_id = null, worker_id = $2`, [dead])
  await set(getId('failed'), `state = 'failed', reason = 'rejected:smtp_550', handed_over_at = null`)
  await set(untouched.id, `state = 'scheduled', reason = null, ${never}, wake_at = due_at`)
  await old.query(`delete from decisions where message_id = any($1)`, [[getId('sending'), getId('claimed')]])

  await migrate(old, { migrations: all })
  current = { pool: world.pool, db: world.db }
  Object.assign(world, { pool: old, db: openDb(old) })
  Object.assign(world.deps, { pool: old, db: world.db })

  const { rows: wrong } = await old.query(
    `select c.id from carts c where c.store_id = $1 and exists (
       select 1 from mailed_shoppers w where w.store_id = c.store_id and w.shopper_id = c.shopper_id) is distinct from exists (
       select 1 from messages m where m.shopper_id = c.shopper_id and m.sending_at is not null and m.judged is null)`,
    [storeId],
  )
  expect(wrong).toEqual([])

  const link = async (id: string) => {
    const { html } = mails.find(({ messageId }) => messageId === id)!
    const reply = await world.request('GET', findLink(html, '/c/'), { headers: BROWSER })
    return reply.status
  }
  world.advance(10 * MINUTE)
  for (const id of [getId('sent'), getId('unknown'), getId('sending')]) expect(await link(id)).toBe(302)
  const readState = async (id: string) => {
    const { state, reason } = (await readStoredMessages(world, storeId)).find((row) => row.id === id)!
    return reason ? `${state}(${reason})` : state
  }
  // The click proves that the mail with the unknown result arrived (D4).
  expect(await readState(getId('unknown'))).toBe('sent')

  world.sent.length = 0
  await completeOrderCheck(world, storeId)
  expect(await closeAbandonedSends(await createSteadyWorker(world))).toBe(2)
  await sendDueMessages(world, storeId)
  await sendDueMessages(world, storeId)
  expect(world.sent.map(({ messageId }) => messageId).sort()).toEqual(
    [getId('held'), getId('claimed'), untouched.id].sort(),
  )
  expect(await Promise.all(BEFORE.map((state) => readState(getId(state))))).toEqual([
    'sent',
    'sent',
    'sent',
    'sent',
    'unknown(unknown)',
    'failed(rejected:smtp_550)',
  ])
  expect(await readState(untouched.id)).toBe('sent')
  expect(await listDecisions(world, getId('sending'))).toEqual(['send ok', 'result unknown'])
  const carts = await world.db
    .selectFrom('carts as c')
    .select(['id', hasSentMessage('c'), ...selectBadgeColumns('c')])
    .where('store_id', '=', storeId)
    .execute()
  const getCart = (id: string) => carts.find((cart) => cart.id === rows.find((row) => row.id === id)!.cart_id)
  expect(carts.filter((cart) => !cart.is_mailed)).toEqual([getCart(getId('failed'))])
  expect(getCart(getId('sent'))!.last_sent_at).toEqual(sentAt)
  expect(getCart(getId('claimed'))!.last_sent_at).toEqual(world.now)
  const earlier = mails.find(({ messageId }) => messageId === getId('sending'))!
  expect((await world.request('POST', findLink(earlier.html, '/u/'))).status).toBe(200)
  const unsettled = (await readStoredMessages(world, storeId)).filter((row) => row.answer ?? row.judged)
  expect(unsettled).toEqual([])
})
