import { beforeEach, expect, test } from 'vitest'
import {
  advanceToAbandoned,
  createMessageScene,
  HOUR,
  type MessageScene,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import {
  changeDuringSend,
  holdReplies,
  POOL_SIZE,
  readStoredMessages,
  type StoredMessage,
} from '../../../test/send-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { transact } from '../../core/db/db.ts'
import { moveShopper } from '../../shoppers/shoppers/sql.ts'

// `mailed_shoppers` lists shoppers to whom a message was sent. Triggers maintain it, once per statement, for every
// statement that writes messages.

const world = createWorld()
let scene: MessageScene
beforeEach(async () => {
  world.answer = acceptMail
  world.queued.length = 0
  world.sent.length = 0
  scene = await createMessageScene(world, POOL_SIZE + 1)
  await advanceToAbandoned(world, scene.storeId, HOUR)
})

/** Actual and expected state by cart: whether a message has been sent to its shopper. */
async function mailed(): Promise<string[]> {
  const { rows } = await world.pool.query<{ id: string; is_mailed: boolean; should: boolean }>(
    `select c.id, exists (select 1 from mailed_shoppers w where w.store_id = c.store_id and w.shopper_id = c.shopper_id) as is_mailed,
       exists (select 1 from messages m where m.store_id = c.store_id and m.shopper_id = c.shopper_id
       and m.sending_at is not null and m.judged is null) as should
     from carts c where c.store_id = $1 order by c.id`,
    [scene.storeId],
  )
  expect(rows.filter((row) => row.is_mailed !== row.should)).toEqual([])
  return rows.filter((row) => row.is_mailed).map(({ id }) => id)
}

const run = (text: string, values: unknown[] = []) => world.pool.query(text, [scene.storeId, ...values])
const readFirstSteps = async () => (await readStoredMessages(world, scene.storeId)).filter(({ step }) => step === 1)
const getCarts = (rows: readonly StoredMessage[]) => rows.map((row) => row.cart_id!).sort()

test('the list ignores prepared mails and mails in flight', async () => {
  const { sending } = await changeDuringSend(world, scene.storeId, async ({ sending, waiting }) => {
    expect([sending.sending_at, waiting.sending_at]).toEqual([world.now, null])
    expect(await mailed()).toEqual([])
  })
  const all = await mailed()
  expect(all).toHaveLength(POOL_SIZE + 1)
  expect(all).toContain(sending.cart_id)
})

test('one statement may send some messages, return others, and leave the rest unchanged', async () => {
  const [a, b, c, ...rest] = (await readFirstSteps()) as [
    StoredMessage,
    StoredMessage,
    StoredMessage,
    ...StoredMessage[],
  ]
  const insertMessages = (rows: StoredMessage[], state: string, isSent: boolean) =>
    run(
      `update messages set state = $3, worker_id = gen_random_uuid(), sending_at = case when $4 then now() end where store_id = $1 and id = any($2)`,
      [rows.map(({ id }) => id), state, isSent],
    )
  await insertMessages([a, b], 'sending', true)
  expect(await mailed()).toEqual(getCarts([a, b]))
  await insertMessages([a, b], 'sent', true)
  expect(await mailed()).toEqual(getCarts([a, b]))
  // One is returned while another is sent.
  await run(
    `update messages set state = case when id = $2 then 'held' else 'sent' end, sending_at = case when id = $2 then null else now() end
     where store_id = $1 and id = any($3)`,
    [a.id, [a.id, c.id]],
  )
  expect(await mailed()).toEqual(getCarts([b, c]))
  await run(`update messages set due_at = due_at + interval '1 hour' where store_id = $1`)
  expect(await mailed()).toEqual(getCarts([b, c]))
  await insertMessages([b, c, ...rest], 'held', false)
  expect(await mailed()).toEqual([])
})

test('the list keeps a shopper until the last of their sent messages is returned', async () => {
  const rows = (await readStoredMessages(world, scene.storeId)).filter(({ step }) => step < 3)
  const theirs = rows.filter(({ cart_id }) => cart_id === rows[0]!.cart_id).map(({ id }) => id)
  expect(theirs).toHaveLength(2)
  const set = (ids: string[], at: string) =>
    run(`update messages set state = 'sent', sending_at = ${at} where store_id = $1 and id = any($2)`, [ids])
  await set(theirs, 'now()')
  await set(theirs.slice(0, 1), 'null')
  expect(await mailed()).toEqual([rows[0]!.cart_id])
  await set(theirs.slice(1), 'null')
  expect(await mailed()).toEqual([])
})

test('the list counts an inserted message only if it is sent, not while it is claimed', async () => {
  const [first, second] = (await readFirstSteps()) as [StoredMessage, StoredMessage]
  const insert = ({ lone_shopper_id: _, ...row }: StoredMessage, state: 'sent' | 'claimed') =>
    world.db
      .insertInto('messages')
      .values({
        ...row,
        id: createId(),
        origin_kind: 'manual',
        origin_id: createId(),
        state,
        worker_id: createId(),
        sending_at: state === 'sent' ? world.now : null,
      })
      .execute()
  await insert(first, 'claimed')
  expect(await mailed()).toEqual([])
  await insert(second, 'sent')
  expect(await mailed()).toEqual([second.cart_id])
})

test('merged shoppers share their state', async () => {
  const [from, into, ...rest] = (await readFirstSteps()) as [StoredMessage, StoredMessage, ...StoredMessage[]]
  await run(`update messages set state = 'sent', sending_at = now() where store_id = $1 and id = any($2)`, [
    [from.id, rest[0]!.id],
  ])
  expect(await mailed()).toEqual(getCarts([from, rest[0]!]))
  await transact({ storeId: scene.storeId, db: world.db }, (tx) => moveShopper(tx, from.shopper_id, into.shopper_id))
  expect(await mailed()).toEqual(getCarts([from, into, rest[0]!]))
})

test('the state moves with a message, unless another sent one remains', async () => {
  const [from, into, third] = (await readFirstSteps()) as [StoredMessage, StoredMessage, StoredMessage]
  await run(`update messages set state = 'sent', sending_at = now() where store_id = $1 and id = $2`, [from.id])
  const move = (shopperId: string) =>
    run(`update messages set shopper_id = $3 where store_id = $1 and id = $2`, [from.id, shopperId])
  await move(into.shopper_id)
  expect(await mailed()).toEqual([into.cart_id])
  await move(third.shopper_id)
  expect(await mailed()).toEqual([third.cart_id])
})

test('a deferred message is not sent, and an erased message still counts as sent', async () => {
  const server = holdReplies(world)
  const sending = sendDueMessages(world, scene.storeId)
  await server.reach(POOL_SIZE)
  const [putOff, erased] = server.waiting.map(({ mail }) => mail)
  server.waiting[0]!.answer({ kind: 'retry', reason: 'smtp_451', response: '451', retryAfterMs: HOUR })
  server.answerAll()
  await sending
  const rows = await readFirstSteps()
  const getCart = (id: string) => rows.find((row) => row.id === id)!.cart_id!
  expect(await mailed()).toEqual(getCarts(rows.filter(({ id }) => id !== putOff!.messageId)))
  const reply = await world.request('DELETE', `/api/privacy/${encodeURIComponent(erased!.to)}`, {
    token: scene.token,
    body: { confirmation: 'erase' },
  })
  expect(reply.status).toBe(202)
  await world.runJobs()
  expect(await mailed()).toContain(getCart(erased!.messageId))
})
