import { beforeEach, describe, expect, test } from 'vitest'
import { buildOrder } from '../../../test/factories.ts'
import {
  advanceToAbandoned,
  changeQuantities,
  countStepStates,
  createMessageScene,
  HOUR,
  listStepDecisions,
  MINUTE,
  markPurchased,
  passTime,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { recordFacts, recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import type { PlatformOrder } from '../../platforms/platform/platform.ts'
import * as outcomes from '../../shoppers/suppressions/unsubscribe-sql.ts'
import { confirmLive } from '../../workspace/instance/instance.ts'
import * as deliver from './send-due-sql.ts'

// The checks that the turn repeats (D10): each change below comes while the first five mails are in flight, after the
// decision about the sixth.

const world = createWorld()

beforeEach(() => {
  world.answer = acceptMail
  world.queued.length = 0
})

interface Sixth {
  storeId: string
  accountId: string
  token: string
  flowId: string
  id: string
  cartId: string
  order: PlatformOrder
}

async function changeMeanwhile(change: (sixth: Sixth) => Promise<unknown>) {
  const scene = await createMessageScene(world, 6)
  const { storeId } = scene
  await advanceToAbandoned(world, storeId, HOUR)
  let sixth: Sixth | undefined
  world.answer = async (mail) => {
    if (!sixth) {
      const row = (await readMessages(world, storeId)).find((each) => each.state === 'claimed')!
      const { email } = await world.db
        .selectFrom('carts')
        .select('email')
        .where('id', '=', row.cart_id!)
        .executeTakeFirstOrThrow()
      const order = scene.orders.find((each) => each.email === email)!
      sixth = { ...scene, id: row.id, cartId: row.cart_id!, order }
      await change(sixth)
    }
    return acceptMail(mail)
  }
  await sendDueMessages(world, storeId)
  const message = (await readMessages(world, storeId)).find((each) => each.id === sixth!.id)!
  return { ...sixth!, message }
}

const updateStoreTable = (table: 'flows' | 'messages' | 'carts' | 'sync_state', storeId: string) =>
  world.db.updateTable(table).where('store_id', '=', storeId)

describe('a message is not sent when', () => {
  const soon = () => new Date(world.now.getTime() + HOUR)

  test.each<[string, (sixth: Sixth) => Promise<unknown>]>([
    [
      'another process has its lease',
      ({ storeId, id }) =>
        updateStoreTable('messages', storeId)
          .set({ claim: createId(), wake_at: soon() })
          .where('id', '=', id)
          .execute(),
    ],
    ['its flow is off', ({ storeId }) => updateStoreTable('flows', storeId).set({ is_on: false }).execute()],
    [
      'the store is not active',
      ({ storeId }) => world.db.updateTable('stores').set({ is_active: false }).where('id', '=', storeId).execute(),
    ],
    [
      'the mirror is too old',
      ({ storeId }) =>
        updateStoreTable('sync_state', storeId)
          .set({ completed_start: new Date(world.now.getTime() - 900_001) })
          .execute(),
    ],
    [
      'the mirror is dated in the future (T4)',
      ({ storeId }) =>
        updateStoreTable('sync_state', storeId)
          .set({ completed_start: new Date(world.now.getTime() + 1) })
          .execute(),
    ],
  ])('%s', async (_, change) => {
    await changeMeanwhile(change)
    expect(world.sent).toHaveLength(5)
  })

  test.each<[string, (sixth: Sixth) => Promise<unknown>]>([
    [
      'its cart has changed',
      ({ storeId, cartId }) =>
        updateStoreTable('carts', storeId)
          .set((eb) => ({ version: eb('version', '+', 1) }))
          .where('id', '=', cartId)
          .execute(),
    ],
    [
      'its lease is over',
      ({ storeId, id }) =>
        updateStoreTable('messages', storeId).set({ wake_at: world.now }).where('id', '=', id).execute(),
    ],
  ])('%s; it goes back, is looked at a second later, and then goes', async (_, change) => {
    const { message, storeId } = await changeMeanwhile(change)
    expect(world.sent).toHaveLength(5)
    const wakeAt = new Date(world.now.getTime() + 1_000)
    expect(message).toMatchObject({ state: 'scheduled', claim: null, reason: null, wake_at: wakeAt })
    await passTime(world, storeId, 1_000)
    expect(world.sent).toHaveLength(6)
  })

  test('the shopper has had as many messages as the cap allows (T1)', async () => {
    const { storeId } = await changeMeanwhile(async ({ storeId, cartId }) => {
      const [sent] = (await readMessages(world, storeId)).filter((row) => row.state === 'sending')
      const { shopper_id } = await world.db
        .selectFrom('carts')
        .select('shopper_id')
        .where('id', '=', cartId)
        .executeTakeFirstOrThrow()
      const { lone_shopper_id: _, ...copy } = sent!
      const more = [1, 2, 3].map(() => ({
        ...copy,
        id: createId(),
        shopper_id,
        judged: null,
        state: 'sent' as const,
        origin_kind: 'manual' as const,
        origin_id: createId(),
      }))
      await world.db.insertInto('messages').values(more).execute()
    })
    expect(world.sent).toHaveLength(5)
    await passTime(world, storeId, 1_000)
    expect(world.sent).toHaveLength(5)
    expect(await listStepDecisions(world, storeId)).toContain('hold frequency_cap')
  })

  test('the instance is paused; it is sent once the instance is confirmed as live (D7)', async () => {
    await world.db.insertInto('instance').values({ fingerprint: 'f', created_at: world.now }).execute()
    const pause = () => world.db.updateTable('instance').set({ is_paused: true }).execute()
    const { storeId } = await changeMeanwhile(pause)
    expect(world.sent).toHaveLength(5)
    await passTime(world, storeId, MINUTE)
    expect(await countStepStates(world, storeId)).toEqual({ sent: 5, held: 1 })
    await confirmLive(world.deps)
    await passTime(world, storeId, MINUTE)
    expect(world.sent).toHaveLength(6)
  })
})

describe('a change between decision and send applies within a second (D5)', () => {
  /** One second later the message is closed, with the reason in its record, and never went. */
  async function closesWith(record: string, change: (sixth: Sixth) => Promise<unknown>) {
    const { storeId, order, id } = await changeMeanwhile(change)
    await passTime(world, storeId, 1_000)
    await passTime(world, storeId, MINUTE)
    expect(world.sent.map((mail) => mail.to)).not.toContain(order.email)
    const last = await world.db
      .selectFrom('decision_records')
      .select(['outcome', 'reason'])
      .where('message_id', '=', id)
      .orderBy('at', 'desc')
      .execute()
    expect(last.map(({ outcome, reason }) => `${outcome} ${reason}`)).toEqual([record])
  }

  test('a purchase', () =>
    closesWith('cancel purchased', ({ storeId, order }) =>
      recordOrders(world.deps, storeId, [markPurchased(world, order)], 'webhook'),
    ))

  test('a purchase by another shopper with the same device, which does not merge them', () =>
    closesWith('cancel purchased', async ({ storeId, cartId }) => {
      const other = markPurchased(world, buildOrder(world))
      const { shopperIds } = await recordOrders(world.deps, storeId, [other], 'webhook')
      const { shopper_id } = await world.db
        .selectFrom('carts')
        .select('shopper_id')
        .where('id', '=', cartId)
        .executeTakeFirstOrThrow()
      const device = { store_id: storeId, kind: 'device' as const, value: 'tablet in the kitchen' }
      const owners = [shopper_id, shopperIds[0]!].map((id) => ({ ...device, shopper_id: id }))
      await world.db.insertInto('shopper_keys').values(owners).execute()
    }))

  test('an emptied cart', () =>
    closesWith('cancel emptied', ({ storeId, order }) =>
      recordFacts(world.deps, { storeId, db: world.db }, [
        {
          keys: [{ kind: 'email', value: order.email! }],
          source: 'capture',
          at: world.now,
          uniqueKey: createId(),
          payload: { type: 'snapshot', items: [], coupons: [] },
        },
      ]),
    ))

  test('disconnecting the store', () =>
    closesWith('cancel disconnected', async ({ token }) => {
      const reply = await world.request('DELETE', '/api/stores/disconnect', { token })
      expect(reply.status).toBe(200)
    }))

  test('switching the flow off holds it', () =>
    closesWith('hold flow_off', async ({ token, flowId }) => {
      const reply = await world.request('POST', `/api/flows/${flowId}/switch`, { token, body: { isOn: false } })
      expect(reply.status).toBe(200)
    }))

  test('a suppression of the address (C1)', () =>
    closesWith('skip suppressed_complaint', ({ storeId, accountId, order }) =>
      outcomes.insertSuppression(
        { storeId, db: world.db },
        {
          accountId,
          hash: world.deps.secrets.addressHash(order.email!),
          channel: 'all',
          address: order.email,
          reason: 'complaint',
          source: 'test',
          at: world.now,
        },
      ),
    ))

  test('shopping again: the step is re-timed instead of sent (S2)', async () => {
    const { message, storeId } = await changeMeanwhile(({ storeId, order }) =>
      recordOrders(world.deps, storeId, [changeQuantities(world, order)], 'webhook'),
    )
    expect(world.sent).toHaveLength(5)
    expect(message).toMatchObject({ state: 'scheduled', due_at: new Date(world.now.getTime() + HOUR) })
    await passTime(world, storeId, HOUR)
    expect(world.sent).toHaveLength(6)
  })
})

describe('a process that stalls after the commit of `sending` checks again and does not send (D5)', () => {
  const PRICE = { cost_micros: 100_000, cost_currency: 'EUR' }
  const overridden = { consentBasis: { kind: 'override', id: createId() } }

  /** Whether a row in `sending` would still go to its channel after this change. */
  async function countSendableAfter(change: (first: Sixth) => Promise<unknown>, inputs: unknown = {}) {
    const scene = await createMessageScene(world, 1)
    const { storeId } = scene
    await advanceToAbandoned(world, storeId, HOUR)
    const results: boolean[] = []
    world.answer = async (mail) => {
      const row = (await readMessages(world, storeId)).find(({ state }) => state === 'sending')!
      const { version } = await world.db
        .selectFrom('carts')
        .select('version')
        .where('id', '=', row.cart_id!)
        .executeTakeFirstOrThrow()
      const addressHash = world.deps.secrets.addressHash(mail.to).toString('hex')
      const sending = {
        id: row.id,
        sendingAt: row.sending_at!,
        cartVersion: version,
        addressHash,
        otherHashes: [],
        couponWording: null,
      }
      const check = async (of: unknown) =>
        results.push(await deliver.mayStillSend({ storeId, db: world.db }, { ...sending, inputs: of }))
      await check({})
      await change({ ...scene, id: row.id, cartId: row.cart_id!, order: scene.orders[0]! })
      await check(inputs)
      return acceptMail(mail)
    }
    await sendDueMessages(world, storeId)
    return results
  }

  const typed = (storeId: string, values: (string | null)[]) =>
    recordFacts(world.deps, { storeId, db: world.db }, [
      {
        keys: values.map((value) => ({ kind: 'email' as const, value: value! })),
        source: 'capture',
        at: world.now,
        uniqueKey: createId(),
        payload: { type: 'contact', contact: { firstName: 'Ada' } },
      },
    ])

  const budget = async ({ accountId, id }: Sixth, booked: number) => {
    await world.db.updateTable('messages').set(PRICE).where('id', '=', id).execute()
    const month = `${world.now.toISOString().slice(0, 7)}-01`
    const [account_id, currency] = [accountId, PRICE.cost_currency]
    await world.db.insertInto('sending_spend').values({ account_id, month, currency, micros: booked }).execute()
    const limit = { monthly_micros: 150_000, currency, updated_at: world.now }
    await world.db
      .insertInto('sending_budgets')
      .values({ account_id, ...limit })
      .execute()
  }

  test('except when nothing has changed', async () => {
    expect(await countSendableAfter(async () => {})).toEqual([true, true])
  })

  test('when their cart has changed', async () => {
    expect(await countSendableAfter(({ storeId, order }) => typed(storeId, [order.email]))).toEqual([true, false])
  })

  test('when the shopper was merged with another one', async () => {
    const meet = async ({ storeId, order }: Sixth) => {
      const other = buildOrder(world)
      await recordOrders(world.deps, storeId, [other], 'sync')
      await typed(storeId, [order.email, other.email])
    }
    expect(await countSendableAfter(meet)).toEqual([true, false])
  })

  test('when its consent override has ended (C6)', async () => {
    expect(await countSendableAfter(async () => {}, overridden)).toEqual([true, false])
  })

  test('when the budget was lowered below the booked amount, and not otherwise', async () => {
    expect(await countSendableAfter((first) => budget(first, 150_000))).toEqual([true, true])
    expect(await countSendableAfter((first) => budget(first, 150_001))).toEqual([true, false])
  })
})

test('a disconnect during sends causes no deadlock (D5)', async () => {
  for (let round = 0; round < 5; round++) {
    const { storeId, token } = await createMessageScene(world, 20)
    await advanceToAbandoned(world, storeId, HOUR)
    const [, reply] = await Promise.all([
      sendDueMessages(world, storeId),
      world.request('DELETE', '/api/stores/disconnect', { token }),
    ])
    expect(reply.status).toBe(200)
    const sentBefore = world.sent.length
    await passTime(world, storeId, MINUTE)
    expect(world.sent).toHaveLength(sentBefore)
    const { sent = 0, cancelled = 0 } = await countStepStates(world, storeId)
    expect(sent + cancelled).toBe(20)
  }
})
