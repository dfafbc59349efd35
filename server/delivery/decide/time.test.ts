import { beforeEach, describe, expect, test } from 'vitest'
import { completeOrderCheck } from '../../../test/factories.ts'
import { buildSavedSteps } from '../../../test/flow-edits.ts'
import {
  advanceToAbandoned,
  changeQuantities,
  createMessageScene,
  DAY,
  HOUR,
  listStepDecisions,
  listStepStates,
  MINUTE,
  markPurchased,
  passTime,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { claimDue } from '../send/send-due-sql.ts'

// When a message is sent, and when it is too old (D7, S2, T1, T4).

const world = createWorld()

beforeEach(() => {
  world.answer = acceptMail
  world.queued.length = 0
})

const dueIn = async (storeId: string) =>
  (await readMessages(world, storeId)).map((row) => (row.due_at.getTime() - world.now.getTime()) / HOUR)

const setDelay = (flowId: string, step: number, minutes: number) =>
  world.db
    .updateTable('flow_steps')
    .set({ delay_minutes: minutes })
    .where('flow_id', '=', flowId)
    .where('step', '=', step)
    .execute()

describe('age limits (D7)', () => {
  test('a step is sent until 24 hours after its due time, not later', async () => {
    const almost = await createMessageScene(world)
    await advanceToAbandoned(world, almost.storeId, 25 * HOUR - 1)
    // Only the first step, so that no later one supersedes it.
    await world.db.deleteFrom('messages').where('store_id', '=', almost.storeId).where('step', '>', 1).execute()
    await sendDueMessages(world, almost.storeId)
    expect(world.sent).toHaveLength(1)
    const late = await createMessageScene(world)
    await advanceToAbandoned(world, late.storeId, 25 * HOUR)
    await world.db.deleteFrom('messages').where('store_id', '=', late.storeId).where('step', '>', 1).execute()
    await sendDueMessages(world, late.storeId)
    expect(world.sent).toHaveLength(0)
    expect(await listStepStates(world, late.storeId)).toEqual(['skipped(too_old)'])
  })

  test('after three days of downtime no stale message is sent, and due ones are sent once', async () => {
    const { storeId } = await createMessageScene(world)
    await passTime(world, storeId, 73 * HOUR)
    expect(world.sent).toHaveLength(1)
    expect(await listStepStates(world, storeId)).toEqual(['skipped(superseded)', 'skipped(superseded)', 'sent'])
    const stale = await createMessageScene(world)
    await passTime(world, stale.storeId, 6 * DAY)
    expect(world.sent).toHaveLength(0)
    expect(await listStepStates(world, stale.storeId)).toEqual([
      'skipped(superseded)',
      'skipped(superseded)',
      'skipped(too_old)',
    ])
  })

  test('a message held until its age limit is closed there for good', async () => {
    const { storeId, flowId, token } = await createMessageScene(world)
    await advanceToAbandoned(world, storeId, HOUR)
    await world.request('POST', `/api/flows/${flowId}/switch`, { token, body: { isOn: false } })
    await passTime(world, storeId, MINUTE)
    expect((await listStepStates(world, storeId))[0]).toBe('held(flow_off)')
    await world.db.deleteFrom('messages').where('store_id', '=', storeId).where('step', '>', 1).execute()
    await passTime(world, storeId, DAY - MINUTE)
    expect(await listStepStates(world, storeId)).toEqual(['skipped(too_old)'])
    expect(await listStepDecisions(world, storeId)).toEqual(['hold flow_off', 'skip too_old'])
    const { next_due_at } = await world.db
      .selectFrom('send_schedule')
      .select('next_due_at')
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    expect(next_due_at).toBeNull()
  })
})

describe('the shopper comes back (S2)', () => {
  test('before any message: the cart is active again and all steps count from there', async () => {
    const { storeId, orders } = await createMessageScene(world)
    await advanceToAbandoned(world, storeId, HOUR)
    world.advance(10 * MINUTE)
    await recordOrders(world.deps, storeId, [changeQuantities(world, orders[0]!)], 'webhook')
    expect(await dueIn(storeId)).toEqual([1, 24, 72])
    await passTime(world, storeId, HOUR - 1)
    expect(world.sent).toHaveLength(0)
    await passTime(world, storeId, 1)
    expect(world.sent).toHaveLength(1)
  })

  test('after a message: open steps move, sent ones stay and are not sent again', async () => {
    const { storeId, orders } = await createMessageScene(world)
    await passTime(world, storeId, HOUR)
    const before = (await readMessages(world, storeId))[0]!
    world.advance(2 * HOUR)
    await recordOrders(world.deps, storeId, [changeQuantities(world, orders[0]!)], 'webhook')
    expect(await dueIn(storeId)).toEqual([-2, 24, 72])
    expect((await readMessages(world, storeId))[0]).toEqual(before)
    await passTime(world, storeId, 24 * HOUR)
    expect(world.sent).toHaveLength(2)
    expect(await listStepStates(world, storeId)).toEqual(['sent', 'sent', 'scheduled'])
  })
})

describe('the distance between steps', () => {
  test('a late first step delays the second by at most twelve hours', async () => {
    const { storeId } = await createMessageScene(world)
    await passTime(world, storeId, 23 * HOUR)
    expect(await dueIn(storeId)).toEqual([-22, 12, 49])
    await passTime(world, storeId, 12 * HOUR - 1)
    expect(world.sent).toHaveLength(1)
    await passTime(world, storeId, 1)
    expect(world.sent).toHaveLength(2)
  })

  test('is the difference of the delays if that is less', async () => {
    const { storeId, flowId } = await createMessageScene(world)
    await setDelay(flowId, 2, 120)
    await passTime(world, storeId, 2 * HOUR - MINUTE)
    expect((await dueIn(storeId))[1]).toBe(1)
  })

  test('starts at the send, not at the reply, so that no other process sends a further step (T4)', async () => {
    const { storeId, flowId } = await createMessageScene(world)
    await setDelay(flowId, 2, 90)
    let sends = 0
    world.answer = async (mail) => {
      world.advance(20 * MINUTE)
      await completeOrderCheck(world, storeId)
      await world.db.updateTable('send_schedule').set({ lease_until: null }).where('store_id', '=', storeId).execute()
      await sendDueMessages(world, storeId)
      sends = world.sent.length
      return acceptMail(mail)
    }
    await passTime(world, storeId, 80 * MINUTE)
    expect(sends).toBe(1)
    expect((await dueIn(storeId))[1]).toBeCloseTo(10 / 60)
  })

  test('does not count from a message that was not accepted', async () => {
    const { storeId } = await createMessageScene(world)
    world.answer = () => ({ kind: 'retry', reason: 'greylisted', response: '451 try later' })
    await passTime(world, storeId, 23 * HOUR)
    expect((await dueIn(storeId))[1]).toBe(1)
  })

  test('a due step is not claimed while an earlier step is in flight or unsettled', async () => {
    const { storeId } = await createMessageScene(world)
    const second = world.db.updateTable('messages').where('store_id', '=', storeId).where('step', '=', 2)
    const claim = () => {
      const leaseUntil = new Date(world.now.getTime() + MINUTE)
      const claimOptions = { claim: createId(), workerId: createId(), now: world.now, leaseUntil, limit: 100 }
      return claimDue({ storeId, db: world.db }, claimOptions)
    }
    let claimed: unknown
    world.answer = async (mail) => {
      await second.set({ due_at: world.now, wake_at: world.now }).execute()
      claimed = await claim()
      return acceptMail(mail)
    }
    await passTime(world, storeId, 23 * HOUR)
    expect(claimed).toEqual([])
    expect((await dueIn(storeId))[1]).toBe(12)
    await second.set({ wake_at: world.now }).execute()
    expect(await claim()).toHaveLength(1)
  })

  test('is kept by an edit of the flow and by a late fact', async () => {
    const { storeId, flowId, token, orders } = await createMessageScene(world)
    await passTime(world, storeId, 23 * HOUR)
    const { body } = await world.request('GET', '/api/flows', { token })
    const saved = await world.request('PUT', `/api/flows/${flowId}`, {
      token,
      body: {
        name: 'Renamed',
        steps: buildSavedSteps(body.flows[0].steps, () => ({})),
      },
    })
    expect(saved.status).toBe(200)
    expect((await dueIn(storeId))[1]).toBe(12)
    const earlier = {
      ...changeQuantities(world, orders[0]!),
      modifiedAt: new Date(world.now.getTime() - 21 * HOUR).toISOString(),
    }
    await recordOrders(world.deps, storeId, [earlier], 'sync')
    expect((await dueIn(storeId))[1]).toBe(12)
  })
})

describe('the clock (T4)', () => {
  test('set back sends nothing again', async () => {
    const { storeId } = await createMessageScene(world)
    await passTime(world, storeId, HOUR)
    expect(world.sent).toHaveLength(1)
    await passTime(world, storeId, -30 * MINUTE)
    await passTime(world, storeId, 30 * MINUTE)
    await passTime(world, storeId, -DAY)
    await passTime(world, storeId, DAY)
    expect(world.sent).toHaveLength(1)
    expect((await listStepStates(world, storeId))[0]).toBe('sent')
  })

  test('set forward sends one due step per cart and closes the earlier ones', async () => {
    const { storeId } = await createMessageScene(world, 3)
    await passTime(world, storeId, 25 * HOUR - MINUTE)
    expect(world.sent).toHaveLength(3)
    expect(new Set(world.sent.map((mail) => mail.to)).size).toBe(3)
    const rows = await readMessages(world, storeId)
    expect(rows.filter((row) => row.step === 1).every((row) => row.reason === 'superseded')).toBe(true)
    expect(rows.filter((row) => row.step === 2).every((row) => row.state === 'sent')).toBe(true)
    await passTime(world, storeId, MINUTE)
    expect(world.sent).toHaveLength(3)
  })

  test('never makes a cart get a step twice (D1)', async () => {
    const { storeId } = await createMessageScene(world, 4)
    for (const hours of [1, -3, 5, -1, 30, -10, 24, -48, 80, 24, -24, 72]) await passTime(world, storeId, hours * HOUR)
    const ids = world.sent.map((mail) => mail.messageId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeLessThanOrEqual(12)
  })
})

describe('the frequency cap (T1)', () => {
  /** Carts of one person: three go within a day, the fourth waits until the first is a day old. */
  test('counts all carts of a shopper in a rolling window', async () => {
    const { storeId, orders } = await createMessageScene(world)
    const carts = [orders[0]!]
    await passTime(world, storeId, HOUR)
    for (let n = 0; n < 3; n++) {
      await recordOrders(world.deps, storeId, [markPurchased(world, carts.at(-1)!)], 'webhook')
      world.advance(MINUTE)
      const again = {
        ...changeQuantities(world, carts.at(-1)!),
        kind: 'draft' as const,
        status: 'checkout-draft',
        paidAt: null,
      }
      carts.push({ ...again, orderId: `again-${storeId}-${n}` })
      await recordOrders(world.deps, storeId, [carts.at(-1)!], 'webhook')
      await passTime(world, storeId, HOUR)
    }
    expect(world.sent).toHaveLength(3)
    const held = (await readMessages(world, storeId)).find((row) => row.state === 'held')!
    expect(held.reason).toBe('frequency_cap')
    const first = (await readMessages(world, storeId)).find((row) => row.state === 'sent')!
    const freesAt = first.sending_at!.getTime() + DAY
    expect(held.wake_at.getTime()).toBe(freesAt)
    await passTime(world, storeId, freesAt - world.now.getTime() - 1)
    expect(world.sent).toHaveLength(3)
    await passTime(world, storeId, 1)
    expect(world.sent).toHaveLength(4)
  })

  test('is exact under concurrency across many carts of one shopper', async () => {
    const { storeId } = await createMessageScene(world, 10)
    await advanceToAbandoned(world, storeId, HOUR)
    const shopper = (await readMessages(world, storeId))[0]!.shopper_id
    await world.db.updateTable('carts').set({ shopper_id: shopper }).where('store_id', '=', storeId).execute()
    await world.db.updateTable('messages').set({ shopper_id: shopper }).where('store_id', '=', storeId).execute()
    const seizing = setInterval(async () => {
      await world.db.updateTable('send_schedule').set({ lease_until: null }).where('store_id', '=', storeId).execute()
    }, 2)
    await Promise.all([1, 2, 3].map(() => sendDueMessages(world, storeId)))
    clearInterval(seizing)
    await sendDueMessages(world, storeId)
    expect(world.sent).toHaveLength(3)
    const held = (await readMessages(world, storeId)).filter((row) => row.reason === 'frequency_cap')
    expect(held.length).toBe(7)
  })
})
