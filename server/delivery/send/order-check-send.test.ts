import type { KyselyPlugin, QueryId } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { explain } from '../../../shared/delivery/reasons.ts'
import { createConnectedStore } from '../../../test/connected-store.ts'
import { buildOrder, buildProblem } from '../../../test/fake-store.ts'
import {
  countStepStates,
  DAY,
  HOUR,
  listStepDecisions,
  listStepStates,
  MINUTE,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { detectAbandoned } from '../../carts/carts/detect.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { checkOrders } from '../../carts/sync/order-check.ts'
import { createId } from '../../core/common/ids.ts'
import { insertPosts } from '../../core/db/system.ts'
import { sendDue } from './send-due.ts'

// The order check (D3): orders are read again before every send, and the result decides.

const world = createWorld()

beforeEach(() => {
  world.answer = acceptMail
  world.sent.length = 0
  world.queued.length = 0
})

/** A connected store with the ready flow on, and shoppers who left a draft just now. */
async function createShop(count = 1) {
  const connected = await createConnectedStore(world)
  const { storeId, owner, fake } = connected
  const sender = { sender_name: 'Mugs & More', postal_address: '1 Main Street' }
  await world.db
    .updateTable('stores')
    .set({ ...sender, selling_countries: ['US'] })
    .where('id', '=', storeId)
    .execute()
  const flow = await world.db.selectFrom('flows').select('id').where('store_id', '=', storeId).executeTakeFirstOrThrow()
  const body = { isOn: true }
  const reply = await world.request('POST', `/api/flows/${flow.id}/switch`, { token: owner.token, body })
  expect(reply.status).toBe(200)
  fake.pageSize = 50
  fake.allOrders = Array.from({ length: count }, (_, n) =>
    buildOrder({ orderId: `${1_000 + n}`, modifiedAt: world.now.toISOString() }),
  )
  await recordOrders(world.deps, storeId, fake.allOrders, 'sync')
  const buy = (n = 0) => {
    const at = world.now.toISOString()
    const order = { ...fake.allOrders[n]!, kind: 'purchase' as const, status: 'processing', modifiedAt: at, paidAt: at }
    fake.allOrders[n] = order
  }
  return { ...connected, flowId: flow.id, buy }
}

async function abandon(ms = HOUR) {
  world.advance(ms)
  await detectAbandoned(world.deps)
}

test('the order check finds an unreported purchase and cancels the mail as purchased (D3)', async () => {
  const { storeId, buy } = await createShop()
  await abandon()
  buy()
  await sendDueMessages(world, storeId)
  expect(world.sent).toEqual([])
  expect(await listStepStates(world, storeId)).toEqual([
    'cancelled(purchased)',
    'cancelled(purchased)',
    'cancelled(purchased)',
  ])
  expect(await listStepDecisions(world, storeId)).toEqual(['cancel purchased'])
})

test('a purchase found between claim and send cancels the mail as purchased (D3, D5)', async () => {
  const { storeId, buy, fake } = await createShop(6)
  await abandon()
  let late = -1
  world.answer = async (mail) => {
    if (late < 0) {
      const claimed = (await readMessages(world, storeId)).find((row) => row.state === 'claimed')!
      const cart = await world.db
        .selectFrom('carts')
        .select('email')
        .where('id', '=', claimed.cart_id)
        .executeTakeFirstOrThrow()
      late = fake.allOrders.findIndex((order) => order.email === cart.email)
      buy(late)
      world.advance(60_001)
      await checkOrders(world.deps, { storeId, db: world.db })
    }
    return acceptMail(mail)
  }
  await sendDueMessages(world, storeId)
  expect(world.sent).toHaveLength(5)
  expect(world.sent.map((mail) => mail.to)).not.toContain(fake.allOrders[late]!.email)
  expect((await countStepStates(world, storeId)).cancelled).toBe(1)
  expect(await listStepDecisions(world, storeId)).toContain('cancel purchased')
})

test('a batch older than its order check is decided again after the next one (D3)', async () => {
  const { storeId, buy, fake } = await createShop(12)
  await abandon()
  world.answer = async (mail) => {
    if (world.sent.length === 5) {
      world.advance(60_001)
      for (let n = 0; n < 12; n++) if (!world.sent.some(({ to }) => to === fake.allOrders[n]!.email)) buy(n)
    }
    return acceptMail(mail)
  }
  await sendDueMessages(world, storeId)
  expect(world.sent).toHaveLength(5)
  expect(await countStepStates(world, storeId)).toEqual({ sent: 5, cancelled: 7 })
})

test('a failing store with an order check two minutes old gets no messages sent (D3)', async () => {
  const { storeId, fake } = await createShop()
  await abandon(HOUR - 2 * MINUTE)
  await checkOrders(world.deps, { storeId, db: world.db })
  fake.problem = buildProblem('unreachable', 'connection refused')
  await abandon(2 * MINUTE)
  await sendDueMessages(world, storeId)
  expect(world.sent).toEqual([])
  expect(await listStepDecisions(world, storeId)).toEqual(['hold store_unreachable:unreachable'])
})

test('an unreachable store is retried with growing pauses up to 30 s, and its messages are sent once it is back (D3)', async () => {
  const { storeId, fake } = await createShop()
  await abandon(HOUR)
  fake.problem = buildProblem('unreachable', 'connection refused')
  const waits: number[] = []
  for (let n = 0; n < 6; n++) {
    await sendDueMessages(world, storeId)
    const [row] = await readMessages(world, storeId)
    expect(row).toMatchObject({ state: 'held', reason: 'store_unreachable:unreachable' })
    waits.push(row!.wake_at.getTime() - world.now.getTime())
    world.now = row!.wake_at
  }
  expect(world.sent).toEqual([])
  expect(waits).toEqual([5_000, 10_000, 20_000, 30_000, 30_000, 30_000])
  expect(await listStepDecisions(world, storeId)).toEqual(['hold store_unreachable:unreachable'])
  fake.problem = null
  await sendDueMessages(world, storeId)
  expect(world.sent).toHaveLength(1)
  expect(await listStepDecisions(world, storeId)).toEqual([
    'hold store_unreachable:unreachable',
    'send ok',
    'result accepted',
  ])
})

test('a hold names its cause: refused connection or slow response (D3, D12)', async () => {
  for (const [code, detail, finding] of [
    ['unreachable', 'connection refused', 'There is no response from this store address.'],
    ['timeout', null, 'The store took too long to answer.'],
    ['wrong_key', null, 'The store does not recognize this consumer key.'],
  ] as const) {
    const { storeId, fake } = await createShop()
    await abandon(HOUR)
    fake.problem = buildProblem(code, detail)
    await sendDueMessages(world, storeId)
    const [row] = await readMessages(world, storeId)
    expect(explain(row!.reason, 'email')).toMatch(`${finding} The shopper may have bought already`)
    const decision = await world.db
      .selectFrom('decision_records')
      .select('inputs')
      .where('message_id', '=', row!.id)
      .executeTakeFirstOrThrow()
    expect(decision.inputs).toMatchObject({ storeProblem: code, storeDetail: detail })
  }
})

test('messages of a store unreachable until the age limit are closed as too old (D3, D7)', async () => {
  const { storeId, fake } = await createShop()
  await abandon(HOUR)
  fake.problem = buildProblem('timeout')
  await sendDueMessages(world, storeId)
  world.advance(DAY)
  await sendDueMessages(world, storeId)
  const [first] = await listStepStates(world, storeId)
  expect(first).toBe('skipped(superseded)')
  expect(world.sent).toEqual([])
})

/** More than are decided at once. */
const MANY = 101

test('an unreachable store is asked once for all due messages (D8)', async () => {
  const { storeId, fake } = await createShop(MANY)
  await abandon(HOUR)
  fake.problem = buildProblem('unreachable')
  const before = fake.orderQueries.length
  await sendDueMessages(world, storeId)
  world.advance(1_000)
  await sendDueMessages(world, storeId)
  expect(fake.orderQueries.length - before).toBe(1)
  expect(await countStepStates(world, storeId)).toEqual({ held: MANY })
})

test('a failed order check does not count as fresh after the clock was set back (T4, D3)', async () => {
  const { storeId, fake } = await createShop()
  await abandon(2 * HOUR)
  await checkOrders(world.deps, { storeId, db: world.db })
  world.advance(-HOUR + 1)
  fake.problem = buildProblem('unreachable')
  await sendDueMessages(world, storeId)
  expect(world.sent).toEqual([])
  expect((await readMessages(world, storeId))[0]).toMatchObject({
    state: 'held',
    reason: 'store_unreachable:unreachable',
  })
})

/** Runs after the turn's statement, before the channel is called. */
function runAfterTurn(happens: () => unknown): KyselyPlugin {
  const queries = new Set<QueryId>()
  return {
    transformQuery({ node, queryId }) {
      if (JSON.stringify(node).includes(' from allowed l')) queries.add(queryId)
      return node
    },
    async transformResult({ queryId, result }) {
      if (queries.delete(queryId)) await happens()
      return result
    },
  }
}

const sendWith = (plugin: KyselyPlugin, storeId: string) =>
  sendDue({ ...world.deps, db: world.deps.db.withPlugin(plugin) }, { storeId })

test('no mail is sent when the commit of `sending` takes a minute, because the order check is too old (D3)', async () => {
  const { storeId, buy } = await createShop()
  await abandon()
  const slowCommit = runAfterTurn(() => {
    world.advance(61_000)
    buy()
  })
  await sendWith(slowCommit, storeId)
  // The next run reads the orders again.
  expect(world.sent).toEqual([])
  expect(await listStepStates(world, storeId)).toEqual([
    'cancelled(purchased)',
    'cancelled(purchased)',
    'cancelled(purchased)',
  ])
  expect((await listStepDecisions(world, storeId)).toSorted()).toEqual(['cancel purchased', 'result retry', 'send ok'])
})

test('a process that stalls before the channel call sends nothing of a flow switched off meanwhile (D5)', async () => {
  const { storeId } = await createShop()
  await abandon()
  const stoodStill = runAfterTurn(async () => {
    world.advance(20_000)
    await world.db.updateTable('flows').set({ is_on: false }).where('store_id', '=', storeId).execute()
  })
  await sendWith(stoodStill, storeId)
  world.advance(2_000)
  await sendDueMessages(world, storeId)
  expect(world.sent).toEqual([])
  expect((await listStepStates(world, storeId))[0]).toBe('held(flow_off)')
  expect(await listStepDecisions(world, storeId)).toEqual(['send ok', 'result retry', 'hold flow_off'])
})

test('a process that stalled for some seconds sends the messages that are still allowed', async () => {
  const { storeId } = await createShop()
  await abandon()
  await sendWith(
    runAfterTurn(() => world.advance(20_000)),
    storeId,
  )
  expect(world.sent).toHaveLength(1)
  expect(await listStepDecisions(world, storeId)).toEqual(['send ok', 'result accepted'])
})

test('a capture post that is acknowledged but not folded yet counts (S2)', async () => {
  const { storeId, fake } = await createShop()
  await abandon()
  const post = { cart: 'cart-of-a-shopper-12345', page: 'page-of-a-shopper-12345', seq: 0 }
  const contact = { email: fake.allOrders[0]!.email! }
  // The browser that the draft came from, by its lines, changes them.
  const { quantity } = fake.allOrders[0]!.items[0]!
  const items = [quantity, quantity + 1].map((each, seq) => ({
    store_id: storeId,
    id: createId(),
    received_at: new Date(world.now.getTime() + seq),
    post: { ...post, seq, items: [{ id: '16', quantity: each }], coupons: [], contact },
  }))
  await insertPosts(world.db, items)
  await sendDueMessages(world, storeId)
  expect(world.sent).toEqual([])
  const [first] = await readMessages(world, storeId)
  expect(first).toMatchObject({ state: 'scheduled', due_at: new Date(world.now.getTime() + 1 + HOUR) })
})
