import type { KyselyPlugin } from 'kysely'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import {
  advanceToAbandoned,
  countStepStates,
  createMessageScene,
  HOUR,
  isBeingSent,
  listStepStates,
  MINUTE,
  passTime,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { closeAbandonedSends } from './abandoned.ts'
import { sendDue } from './send-due.ts'
import * as deliver from './send-due-sql.ts'
import { beat } from './workers.ts'

// Never twice (D1), and never more in flight than the pool holds (D10).

const world = createWorld()
beforeEach(() => {
  world.answer = acceptMail
  world.queued.length = 0
})

/** A silence of five seconds lasts no longer than a moment. */
function spyOnPatience() {
  const real = globalThis.setTimeout
  const quick = (run: () => void, ms?: number, ...rest: unknown[]) => real(run, ms === 5_000 ? 5 : ms, ...(rest as []))
  return vi.spyOn(globalThis, 'setTimeout').mockImplementation(quick as typeof setTimeout)
}

function failsAtTurn(which: number): KyselyPlugin {
  let count = 0
  return {
    transformQuery({ node }) {
      if (JSON.stringify(node).includes(' from allowed l') && ++count === which)
        throw new Error('the second send fails')
      return node
    },
    transformResult: async ({ result }) => result,
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

type StoredMessage = Awaited<ReturnType<typeof readMessages>>[number]

describe('one row per cart, origin, step and channel (D1)', () => {
  test('a second row is refused by the database', async () => {
    const { storeId } = await createMessageScene(world)
    await advanceToAbandoned(world, storeId, HOUR)
    const [{ lone_shopper_id: _, ...first }] = (await readMessages(world, storeId)) as [StoredMessage]
    await expect(
      world.db
        .insertInto('messages')
        .values({ ...first, id: createId() })
        .execute(),
    ).rejects.toThrow(/messages_once_per_cart/)
  })

  test('two processes at once, and the job queued twice, send each mail once', async () => {
    const { storeId } = await createMessageScene(world, 12)
    await advanceToAbandoned(world, storeId, HOUR)
    world.answer = async (mail) => {
      await sleep(5)
      return acceptMail(mail)
    }
    await Promise.all([
      sendDueMessages(world, storeId),
      sendDueMessages(world, storeId),
      sendDueMessages(world, storeId),
    ])
    await sendDueMessages(world, storeId)
    expect(new Set(world.sent.map((mail) => mail.to)).size).toBe(12)
    expect(world.sent).toHaveLength(12)
  })

  test('two processes that both believe to have the store still send each mail once', async () => {
    const { storeId } = await createMessageScene(world, 12)
    await advanceToAbandoned(world, storeId, HOUR)
    const seizing = setInterval(async () => {
      await world.db.updateTable('send_schedule').set({ lease_until: null }).where('store_id', '=', storeId).execute()
    }, 3)
    world.answer = async (mail) => {
      await sleep(10)
      return acceptMail(mail)
    }
    await Promise.all([sendDueMessages(world, storeId), sleep(15).then(() => sendDueMessages(world, storeId))])
    clearInterval(seizing)
    await sendDueMessages(world, storeId)
    expect(world.sent).toHaveLength(12)
    expect(new Set(world.sent.map((mail) => mail.to)).size).toBe(12)
  })

  test('a flow switched off and on again continues with its rows', async () => {
    const { storeId, flowId, token } = await createMessageScene(world)
    await passTime(world, storeId, HOUR)
    const flip = (isOn: boolean) =>
      world.request('POST', `/api/flows/${flowId}/switch`, { token, body: { isOn, includeLast24h: true } })
    expect((await flip(false)).status).toBe(200)
    expect((await flip(true)).status).toBe(200)
    await passTime(world, storeId, MINUTE)
    expect(world.sent).toHaveLength(1)
    expect(await listStepStates(world, storeId)).toEqual(['sent', 'scheduled', 'scheduled'])
  })
})

describe('in flight (D10)', () => {
  test('at most a pool of mails is in flight, and each row is `sending` before its mail is sent', async () => {
    const { storeId } = await createMessageScene(world, 23)
    await advanceToAbandoned(world, storeId, HOUR)
    let max = 0
    world.answer = async (mail) => {
      const rows = await world.db
        .selectFrom('messages')
        .select(['id', 'to_address'])
        .where('store_id', '=', storeId)
        .where(isBeingSent)
        .execute()
      expect(rows.map((row) => row.to_address)).toContain(mail.to)
      max = Math.max(max, rows.length)
      return acceptMail(mail)
    }
    await sendDueMessages(world, storeId)
    expect(world.sent).toHaveLength(23)
    expect(max).toBeGreaterThan(1)
    expect(max).toBeLessThanOrEqual(5)
  })

  test('a batch holds one message per person: two carts of one shopper follow each other', async () => {
    const { storeId, orders } = await createMessageScene(world, 2)
    await advanceToAbandoned(world, storeId, HOUR)
    const shopper = (await readMessages(world, storeId))[0]!.shopper_id
    await world.db.updateTable('carts').set({ shopper_id: shopper }).where('store_id', '=', storeId).execute()
    await world.db.updateTable('messages').set({ shopper_id: shopper }).where('store_id', '=', storeId).execute()
    let max = 0
    let now = 0
    world.answer = async (mail) => {
      max = Math.max(max, ++now)
      await sleep(10)
      now -= 1
      return acceptMail(mail)
    }
    await sendDueMessages(world, storeId)
    expect(world.sent).toHaveLength(orders.length)
    expect(max).toBe(1)
  })

  test('mails in flight during a failure are awaited and their replies recorded', async () => {
    const { storeId } = await createMessageScene(world, 6)
    await advanceToAbandoned(world, storeId, HOUR)
    const answered = Promise.withResolvers<void>()
    let first = ''
    world.answer = async (mail) => {
      first ||= mail.messageId
      if (mail.messageId === first) await answered.promise
      return acceptMail(mail)
    }
    const impatient = spyOnPatience()
    let isOver = false
    const sending = sendDue({ ...world.deps, db: world.db.withPlugin(failsAtTurn(2)) }, { storeId })
    const ended = expect(sending.finally(() => (isOver = true))).rejects.toThrow('the second send')
    await expect.poll(() => countStepStates(world, storeId)).toEqual({ sent: 4, sending: 1, scheduled: 1 })
    await sleep(50)
    expect(isOver).toBe(false)
    answered.resolve()
    await ended
    impatient.mockRestore()
    expect(await countStepStates(world, storeId)).toEqual({ sent: 5, scheduled: 1 })
  })

  test('messages in flight of a dead process become unknown and are never resent; its claims are released', async () => {
    const { storeId } = await createMessageScene(world, 8)
    await advanceToAbandoned(world, storeId, HOUR)
    const dead = createId()
    const later = new Date(world.now.getTime() + MINUTE)
    await deliver.claimDue(
      { storeId, db: world.db },
      { claim: createId(), workerId: dead, now: world.now, leaseUntil: later, limit: 8 },
    )
    const claimed = (await readMessages(world, storeId)).filter((row) => row.state === 'claimed').slice(0, 3)
    await world.db
      .updateTable('messages')
      .set({ state: 'sending', sending_at: world.now, claim: null })
      .where('store_id', '=', storeId)
      .where(
        'id',
        'in',
        claimed.map((row) => row.id),
      )
      .execute()
    expect(await closeAbandonedSends(world.deps)).toBe(8)
    await sendDueMessages(world, storeId)
    expect(await countStepStates(world, storeId)).toEqual({ sent: 5, unknown: 3 })
    expect(world.sent).toHaveLength(5)
  })

  test('a row whose reply could not be recorded does not stay in flight for ever (D6)', async () => {
    const { storeId } = await createMessageScene(world)
    await advanceToAbandoned(world, storeId, HOUR)
    world.answer = () => {
      throw new Error('a channel that breaks its promise')
    }
    await sendDueMessages(world, storeId)
    expect(await listStepStates(world, storeId)).toEqual(['unknown(unknown)', 'scheduled', 'scheduled'])
    const values = { state: 'sending' as const, reason: null, sending_at: world.now }
    await world.db.updateTable('messages').set(values).where('store_id', '=', storeId).where('step', '=', 1).execute()
    world.advance(20 * MINUTE)
    await world.db.updateTable('workers').set({ seen_at: world.now }).execute()
    expect(await closeAbandonedSends(world.deps)).toBe(0)
    world.advance(1)
    expect(await closeAbandonedSends(world.deps)).toBe(1)
  })

  test('a reply after the process was considered dead still counts, but never causes a second send (D4)', async () => {
    const { storeId } = await createMessageScene(world, 2)
    await advanceToAbandoned(world, storeId, HOUR)
    const isFirst = new Set<string>()
    world.answer = async (mail) => {
      await world.db
        .updateTable('workers')
        .set({ seen_at: new Date(world.now.getTime() - HOUR) })
        .execute()
      await closeAbandonedSends(await createSteadyWorker())
      isFirst.add(mail.to)
      if (isFirst.size === 1) return acceptMail(mail)
      return { kind: 'retry', reason: 'later', response: '451 later' }
    }
    await sendDueMessages(world, storeId)
    await world.db.updateTable('workers').set({ seen_at: world.now }).execute()
    expect(await countStepStates(world, storeId)).toEqual({ sent: 1, unknown: 1 })
  })

  test('after an outage no process is considered dead before live ones could send a heartbeat (D4)', async () => {
    const { storeId } = await createMessageScene(world)
    await advanceToAbandoned(world, storeId, HOUR)
    const [living, dead, other] = [createId(), createId(), await createSteadyWorker()]
    for (const workerId of [living, dead]) await beat({ ...world.deps, workerId })
    const fly = (workerId: string) =>
      world.db
        .updateTable('messages')
        .set({ state: 'sending', worker_id: workerId, sending_at: world.now, finished_at: null, reason: null })
        .where('store_id', '=', storeId)
        .where('step', '=', 1)
        .execute()
    await fly(living)
    world.advance(30_000)
    await beat(other)
    expect(await closeAbandonedSends(other)).toBe(0)
    await beat({ ...world.deps, workerId: living })
    for (let seconds = 0; seconds < 15; seconds += 3) {
      world.advance(3_000)
      await beat({ ...world.deps, workerId: living })
      await beat(other)
    }
    expect(await closeAbandonedSends(other)).toBe(0)
    await fly(dead)
    expect(await closeAbandonedSends(other)).toBe(1)
  })

  test('a process that died before the clock stepped back does not count as alive (D4, T4)', async () => {
    const { storeId } = await createMessageScene(world)
    await advanceToAbandoned(world, storeId, HOUR)
    const [dead, other] = [createId(), await createSteadyWorker()]
    await beat({ ...world.deps, workerId: dead })
    await world.db
      .updateTable('workers')
      .set({ seen_at: new Date(world.now.getTime() + 24 * HOUR) })
      .where('id', '=', dead)
      .execute()
    await world.db
      .updateTable('messages')
      .set({ state: 'sending', worker_id: dead, sending_at: world.now, finished_at: null, reason: null })
      .where('store_id', '=', storeId)
      .where('step', '=', 1)
      .execute()
    for (let seconds = 0; seconds < 30; seconds += 3) {
      world.advance(3_000)
      await beat(other)
    }
    expect(await closeAbandonedSends(other)).toBe(1)
  })
})

/** Another process, heard all the time. */
async function createSteadyWorker() {
  const workerId = createId()
  const steady_since = new Date(world.now.getTime() - HOUR)
  const row = { id: workerId, started_at: steady_since, seen_at: world.now, steady_since }
  await world.db.insertInto('workers').values(row).execute()
  return { ...world.deps, workerId }
}
