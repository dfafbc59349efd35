import { beforeEach, expect, test } from 'vitest'
import { assignCouponToSteps, insertCoupon, readCouponCode } from '../../../test/coupon-copies.ts'
import { buildOrder, completeOrderCheck } from '../../../test/factories.ts'
import { buildCoupon } from '../../../test/fake-coupons.ts'
import { buildProblem, createFakeStore } from '../../../test/fake-store.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  HOUR,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { buildWooKeys } from '../../../test/woo-access.ts'
import { createWorld } from '../../../test/world.ts'
import { saveKeys } from '../../access/stores/access.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { NO_GOODS, NONE_UNREAD } from '../../carts/sync/goods.ts'
import { createId } from '../../core/common/ids.ts'
import { evaluate } from './evaluate.ts'

// A coupon that the store does not report holds only its own messages (decision 35).

const world = createWorld()
let store: Awaited<ReturnType<typeof twoCoupons>>

/** Three carts: a message with coupon 71, one with coupon 72, and one without any. */
async function twoCoupons() {
  const scene = await createMessageScene(world)
  const fake = createFakeStore()
  const ids = await Promise.all(['71', '72'].map((platform_id) => insertCoupon(world, scene, { platform_id })))
  for (const [at, couponId] of ['71', '72'].entries()) {
    fake.allCoupons.push(buildCoupon({ couponId, code: (await readCouponCode(world, ids[at]!)).toLowerCase() }))
  }
  world.storeClient = () => fake
  const keys = buildWooKeys()
  const { accountId, storeId } = scene
  await world.db.transaction().execute((db) => saveKeys(world.deps, { accountId, db }, storeId, keys))
  await assignCouponToSteps(world, scene, null)
  await recordOrders(world.deps, storeId, [buildOrder(world), buildOrder(world)], 'sync')
  await advanceToAbandoned(world, storeId, HOUR)
  const messages = (await readMessages(world, storeId)).filter(({ step }) => step === 1)
  await groupByFlow(messages, [ids[0]!, ids[1]!, null])
  return { ...scene, fake, ids, messages }
}

/** Messages of a step share a coupon, so each message gets its own flow. */
async function groupByFlow(messages: Awaited<ReturnType<typeof readMessages>>, coupons: readonly (string | null)[]) {
  for (const [at, message] of messages.entries()) {
    const couponId = coupons[at] ?? null
    if (!couponId) continue
    const [flowId, stepId] = [createId(), createId()]
    const flow = await world.db
      .selectFrom('flows')
      .selectAll()
      .where('id', '=', message.origin_id)
      .executeTakeFirstOrThrow()
    const step = await world.db
      .selectFrom('flow_steps')
      .selectAll()
      .where('flow_id', '=', message.origin_id)
      .where('step', '=', 1)
      .executeTakeFirstOrThrow()
    await world.db
      .insertInto('flows')
      .values({ ...flow, id: flowId, name: `Flow ${at}` })
      .execute()
    await world.db
      .insertInto('flow_steps')
      .values({ ...step, id: stepId, flow_id: flowId, coupon_id: couponId })
      .execute()
    await world.db
      .updateTable('messages')
      .set({ origin_id: flowId, step_id: stepId })
      .where('id', '=', message.id)
      .execute()
  }
}

const states = async () => {
  const all = await readMessages(world, store.storeId)
  return store.messages.map(({ id }) => {
    const { state, reason } = all.find((each) => each.id === id)!
    return reason ? `${state}(${reason})` : state
  })
}

const readInputs = async (at: number) =>
  (
    await world.db
      .selectFrom('decision_records')
      .select('inputs')
      .where('message_id', '=', store.messages[at]!.id)
      .where('outcome', '<>', 'result')
      .executeTakeFirstOrThrow()
  ).inputs

beforeEach(async () => {
  world.sent.length = 0
  store = await twoCoupons()
})

test('a coupon that cannot be read is left out of its message, and the others are sent as planned', async () => {
  const read = store.fake.couponsById
  store.fake.couponsById = async (query) => {
    const { rows } = await read(query)
    return {
      rows: rows.filter(({ couponId }) => couponId !== '71'),
      skipped: [{ id: '71', reason: 'too many restrictions' }],
    }
  }
  await sendDueMessages(world, store.storeId)
  expect(await states()).toEqual(['sent', 'sent', 'sent'])
  expect(await readInputs(0)).toMatchObject({ couponIncluded: false, couponReason: 'coupon_invalid:unreadable' })
  expect(await readInputs(1)).toMatchObject({ couponIncluded: true })
  const copies = await world.db.selectFrom('coupons').select('gone_at').where('id', 'in', store.ids).execute()
  expect(copies).toEqual([{ gone_at: null }, { gone_at: null }])
})

test('without permission to read coupons, messages without one are sent and the step’s setting decides about the others', async () => {
  await world.db
    .updateTable('flow_steps')
    .set({ coupon_fallback: 'skip' })
    .where('coupon_id', '=', store.ids[1]!)
    .execute()
  store.fake.couponsById = async () => {
    throw buildProblem('no_rights', 'Sorry, you cannot list resources.')
  }
  await sendDueMessages(world, store.storeId)
  expect(await states()).toEqual(['sent', 'skipped(coupon_invalid:unreadable)', 'sent'])
})

test('a store that fails only on coupons holds their messages until a later attempt succeeds', async () => {
  const read = store.fake.couponsById
  let requests = 0
  store.fake.couponsById = async () => {
    requests += 1
    throw buildProblem('timeout')
  }
  await sendDueMessages(world, store.storeId)
  const held = 'held(coupon_unread:timeout)'
  expect(await states()).toEqual([held, held, 'sent'])
  await world.db.updateTable('messages').set({ wake_at: world.now }).where('state', '=', 'held').execute()
  await sendDueMessages(world, store.storeId)
  expect([await states(), requests]).toEqual([[held, held, 'sent'], 1])
  expect((await readMessages(world, store.storeId)).find(({ id }) => id === store.messages[0]!.id)!.wake_at).toEqual(
    new Date(world.now.getTime() + 5_000),
  )
  store.fake.couponsById = read
  world.advance(5_000)
  await completeOrderCheck(world, store.storeId)
  await sendDueMessages(world, store.storeId)
  expect(await states()).toEqual(['sent', 'sent', 'sent'])
  expect(await readInputs(0)).toMatchObject({ coupon: expect.any(String) })
})

test('a batch prepared without an order check is not sent after a concurrent one (D3)', async () => {
  const { storeId, messages } = store
  await completeOrderCheck(world, storeId)
  const ids = messages.map(({ id }) => id)
  const read = { texts: new Map(), goods: NO_GOODS, unread: NONE_UNREAD }
  const evaluateAll = (isChecked: boolean) =>
    evaluate(world.deps, { storeId, db: world.db }, { ids, isChecked, ...read })
  expect((await evaluateAll(true)).ready).toHaveLength(3)
  const { ready, decisions } = await evaluateAll(false)
  expect(ready).toEqual([])
  expect(decisions.map(({ outcome, reason }) => `${outcome} ${reason}`)).toEqual(
    messages.map(() => 'hold store_unreachable'),
  )
})
