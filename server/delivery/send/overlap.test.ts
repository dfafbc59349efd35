import type { KyselyPlugin } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { completeOrderCheck } from '../../../test/factories.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  HOUR,
  isBeingSent,
  type MessageScene,
  MINUTE,
} from '../../../test/message-scene.ts'
import { holdReplies, readStoredMessages } from '../../../test/send-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import type { Deps } from '../../deps.ts'
import { sendDue } from './send-due.ts'

// While one batch is sent, the next is claimed, decided and prepared (decision 149). Here a batch has two mails.

const world = createWorld()
beforeEach(() => {
  world.answer = acceptMail
  world.queued.length = 0
  world.sent.length = 0
})

const sendBatches = (storeId: string, deps: Deps = world.deps) => sendDue(deps, { storeId, batchSize: 2 })

/** The same world, whose mail server takes so many at once. */
function buildPooledDeps(poolSize: number, deps: Deps = world.deps): Deps {
  const { email } = deps.channels
  const narrow = { ...email!, poolSize, send: (mail: never) => email!.send(mail) } as NonNullable<typeof email>
  return { ...deps, channels: { ...deps.channels, email: narrow, demoEmail: narrow } }
}

async function due(count: number): Promise<MessageScene> {
  const scene = await createMessageScene(world, count)
  await advanceToAbandoned(world, scene.storeId, HOUR)
  return scene
}

const readFirstSteps = async (storeId: string) =>
  (await readStoredMessages(world, storeId)).filter(({ step }) => step === 1)
const prepared = async (storeId: string) =>
  (await readFirstSteps(storeId)).filter((row) => row.state === 'claimed' && row.judged !== null)

/** Nothing of a claim is left behind. */
async function expectNothingHeld(storeId: string) {
  const unsettled = (await readStoredMessages(world, storeId)).filter(
    ({ state }) => state === 'scheduled' || state === 'claimed',
  )
  expect(unsettled.filter((row) => row.claim ?? row.sending_at ?? row.answer)).toEqual([])
  const { rows } = await world.pool.query('select lease_until from send_schedule where store_id = $1', [storeId])
  expect(rows).toEqual([{ lease_until: null }])
}

/** The remaining messages are sent later, each exactly once. */
async function expectEachSentOnce(storeId: string, count: number) {
  world.advance(2 * MINUTE)
  await completeOrderCheck(world, storeId)
  await sendBatches(storeId)
  const sent = world.sent.map(({ messageId }) => messageId)
  expect([sent.length, new Set(sent).size]).toEqual([count, count])
  expect((await readFirstSteps(storeId)).map(({ state }) => state)).toEqual(Array(count).fill('sent'))
}

async function onePerson({ storeId }: MessageScene) {
  const { shopper_id } = (await readFirstSteps(storeId))[0]!
  await world.db.updateTable('carts').set({ shopper_id }).where('store_id', '=', storeId).execute()
  await world.db.updateTable('messages').set({ shopper_id }).where('store_id', '=', storeId).execute()
}

test('one further batch is prepared while a batch is sent', async () => {
  const { storeId } = await due(7)
  const server = holdReplies(world)
  const sending = sendBatches(storeId, buildPooledDeps(1))
  await server.reach(1)
  await expect.poll(async () => (await prepared(storeId)).length).toBe(3)
  const rows = await readFirstSteps(storeId)
  const claims = new Set(rows.flatMap(({ claim }) => claim ?? []))
  expect([claims.size, rows.filter(({ state }) => state === 'scheduled').length]).toEqual([2, 3])
  server.answerAll()
  await sending
  expect(new Set(world.sent.map(({ to }) => to)).size).toBe(7)
  await expectNothingHeld(storeId)
})

test.each([
  ['quickly', 'as soon as the next one begins to leave', 0],
  ['slowly', 'once half of the next one has left', 2_000],
])('behind a batch that is sent %s another is prepared %s', async (_, __, msEach) => {
  const { storeId } = await due(12)
  const server = holdReplies(world)
  const sending = sendDue(buildPooledDeps(1), { storeId, batchSize: 4 })
  for (let count = 1; count <= 4; count++) {
    await server.reach(count)
    world.advance(msEach)
    server.waiting[count - 1]!.answer()
  }
  // The first of the second batch.
  await server.reach(5)
  const isPrepared = async () => (await prepared(storeId)).length
  if (msEach === 0) await expect.poll(isPrepared).toBe(3 + 4)
  else {
    // Many times what it takes to prepare one.
    for (let check = 0; check < 30; check++) expect(await isPrepared()).toBe(3)
    server.waiting[4]!.answer()
    await server.reach(6)
    await expect.poll(isPrepared).toBe(2 + 4)
  }
  server.answerAll()
  await sending
  expect(new Set(world.sent.map(({ to }) => to)).size).toBe(12)
})

test('all batches together use every slot and no more (D10)', async () => {
  const { storeId } = await due(23)
  let [max, answered] = [0, 0]
  world.answer = async (mail) => {
    const rows = await world.db
      .selectFrom('messages')
      .select('id')
      .where('store_id', '=', storeId)
      .where(isBeingSent)
      .execute()
    max = Math.max(max, rows.length)
    answered++
    return acceptMail(mail)
  }
  await sendBatches(storeId, buildPooledDeps(3))
  expect(answered).toBe(23)
  expect(max).toBeLessThanOrEqual(3)
  expect(max).toBeGreaterThan(1)
})

test('messages of one shopper are never sent in parallel, and the cap counts each before the next (T1)', async () => {
  const scene = await due(6)
  const { storeId } = scene
  await onePerson(scene)
  let max = 0
  world.answer = async (mail) => {
    const claimed = (await readFirstSteps(storeId)).filter(({ state }) => state === 'claimed')
    max = Math.max(max, new Set(claimed.map(({ claim }) => claim)).size)
    return acceptMail(mail)
  }
  await sendBatches(storeId)
  expect(world.sent).toHaveLength(3)
  expect(max).toBe(1)
  const rest = (await readFirstSteps(storeId)).filter(({ state }) => state !== 'sent')
  expect(rest.map(({ reason }) => reason)).toEqual(Array(3).fill('frequency_cap'))
  expect(rest.filter(({ sending_at }) => sending_at !== null)).toEqual([])
})

test('the next batch skips a shopper with a message in flight and takes others', async () => {
  const { storeId } = await due(4)
  const server = holdReplies(world)
  const sending = sendBatches(storeId)
  await server.reach(2)
  const on = (await readFirstSteps(storeId)).filter(({ state }) => state === 'sending')
  await server.reach(4)
  expect(new Set(server.waiting.map(({ mail }) => mail.to)).size).toBe(4)
  // The next step of a cart whose mail is in flight keeps its distance from it (T4), though its time had come.
  await world.db
    .updateTable('messages')
    .set({ due_at: world.now, wake_at: world.now })
    .where('cart_id', '=', on[0]!.cart_id)
    .where('step', '=', 2)
    .execute()
  server.waiting[1]!.answer()
  server.answerAll()
  await sending
  expect(world.sent).toHaveLength(4)
  const next = (await readStoredMessages(world, storeId)).find(
    (row) => row.cart_id === on[0]!.cart_id && row.step === 2,
  )!
  expect(next).toMatchObject({ state: 'scheduled' })
  expect(next.due_at.getTime()).toBeGreaterThan(world.now.getTime())
})

describe('a failure releases claims and plan usage, and nothing is sent twice', () => {
  const fails = (text: string, which: number): KyselyPlugin => {
    let count = 0
    return {
      transformQuery({ node }) {
        if (JSON.stringify(node).includes(text) && ++count === which) throw new Error('the database fails')
        return node
      },
      transformResult: async ({ result }) => result,
    }
  }
  const failing = (text: string, which: number): Deps => ({
    ...world.deps,
    db: world.db.withPlugin(fails(text, which)),
  })
  const COUNT = 7

  test.each<[string, string, number]>([
    ['as the next batch is claimed', 'wake_at <= ', 2],
    ['as the next batch is prepared', 'set cart_abandoned_at = ', 2],
    ['as the first one leaves', ' from allowed l', 1],
    ['as the next one leaves', ' from allowed l', 2],
  ])('%s', async (_, text, which) => {
    const { storeId } = await due(COUNT)
    await expect(sendBatches(storeId, failing(text, which))).rejects.toThrow('the database fails')
    expect(world.sent.length).toBeLessThan(COUNT)
    await expectNothingHeld(storeId)
    await expectEachSentOnce(storeId, COUNT)
  })

  test('while the first batch is sent and the next is prepared', async () => {
    const { storeId } = await due(COUNT)
    const server = holdReplies(world)
    const deps = buildPooledDeps(1, failing(' from allowed l', 2))
    const sending = expect(sendBatches(storeId, deps)).rejects.toThrow('the database fails')
    await server.reach(1)
    await expect.poll(async () => (await prepared(storeId)).length).toBe(3)
    server.answerAll()
    await sending
    // A message prepared at the same time may be sent in its own batch.
    expect(world.sent.length).toBeLessThanOrEqual(3)
    await expectNothingHeld(storeId)
    await expectEachSentOnce(storeId, COUNT)
  })

  test('when another process takes the store: prepared messages are released, replies are recorded', async () => {
    const { storeId } = await due(COUNT)
    const server = holdReplies(world)
    const sending = sendBatches(storeId, buildPooledDeps(1))
    await server.reach(1)
    await expect.poll(async () => (await prepared(storeId)).length).toBe(3)
    const lease_until = new Date(world.now.getTime() + HOUR)
    const schedule = world.db.updateTable('send_schedule').where('store_id', '=', storeId)
    await schedule.set({ lease_until }).execute()
    // Late enough for its own lease to have to be renewed.
    world.advance(12_000)
    server.answerAll()
    await sending
    expect(world.sent).toHaveLength(1)
    expect((await readFirstSteps(storeId)).filter(({ state }) => state === 'sent')).toHaveLength(1)
    await schedule.set({ lease_until: null }).execute()
    await expectNothingHeld(storeId)
    await expectEachSentOnce(storeId, COUNT)
  })
})

describe('the plan over several batches (decision 6)', () => {
  const usage = (accountId: string) =>
    world.db
      .selectFrom('plan_usage')
      .select(['used'])
      .where('account_id', '=', accountId)
      .orderBy('month')
      .execute()
      .then((rows) => rows.map(({ used }) => used))
  const month = () => `${world.now.toISOString().slice(0, 7)}-01`

  test('the plan’s last mails are sent in the middle of a batch, and none beyond', async () => {
    const { storeId, accountId } = await due(8)
    const row = { account_id: accountId, month: month(), channel: 'email' as const, used: 497 }
    await world.db.insertInto('plan_usage').values(row).execute()
    await sendBatches(storeId)
    expect(world.sent).toHaveLength(3)
    expect(await usage(accountId)).toEqual([500])
    world.advance(2_000)
    await completeOrderCheck(world, storeId)
    await sendBatches(storeId)
    expect(world.sent).toHaveLength(3)
    const held = (await readFirstSteps(storeId)).filter(({ reason }) => reason === 'plan_limit')
    expect(held).toHaveLength(5)
    expect(held.filter(({ sending_at }) => sending_at !== null)).toEqual([])
  })

  test('a message prepared in one month and sent in the next counts in the next', async () => {
    world.now = new Date('2026-08-31T22:59:30.000Z')
    const { storeId, accountId } = await due(6)
    const server = holdReplies(world)
    const sending = sendBatches(storeId, buildPooledDeps(1))
    await server.reach(1)
    await expect.poll(async () => (await prepared(storeId)).length).toBe(3)
    world.advance(31_000)
    await completeOrderCheck(world, storeId)
    server.answerAll()
    await sending
    const early = world.sent.length
    expect(await usage(accountId)).toEqual(early > 1 ? [1, early - 1] : [1])
    await expectEachSentOnce(storeId, 6)
    expect(await usage(accountId)).toEqual([1, 5])
  })
})
