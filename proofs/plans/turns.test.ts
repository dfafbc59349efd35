import { Kysely, PostgresDialect } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Schema } from '../../server/core/schema/schema.ts'
import { sendDue } from '../../server/delivery/send/send-due.ts'
import { completeOrderCheck, createStore, type TestStore } from '../../test/factories.ts'
import { insertManyCarts } from '../../test/many-carts.ts'
import { FEW_ROWS, findPlanFaults, listPlanNodes, watchPlans } from '../../test/plans.ts'
import { createWorld } from '../../test/world.ts'

// Statements per mail on a small and a large store, with statistics from before the first large send.

const READY = 300
/** Claimed together by the worker, and twice as many. */
const OF_A_BATCH = 200
const LARGE = ['carts', 'messages', 'shoppers', 'shopper_keys', 'decisions', 'link_tokens', 'consents', 'orders']
/** Statements with a prepared plan, which each connection makes once. */
const HOT = ['with answered as', 'with ready as', 'select m.id, m.cart_id, m.shopper_id, m.step_id']

const world = createWorld()

async function createReadyStore(count: number): Promise<TestStore> {
  const store = await createStore(world, { plan: 'growth' })
  const flow = { storeId: store.storeId, flowId: store.flowId, now: world.now }
  await insertManyCarts(world.db, { ...flow, count, ready: READY, hasPast: true })
  await completeOrderCheck(world, store.storeId)
  return store
}

describe.each([
  ['a small store', 400],
  ['a large store', 20_000],
])('%s', (_, count) => {
  let store: TestStore
  beforeAll(async () => {
    world.sent.length = 0
    store = await createReadyStore(count)
  }, 300_000)

  test('a batch reads only its own messages, and no statement scans a table', async () => {
    // Not a database of `openDb`, so that statements run one by one and can be observed.
    const deps = { ...world.deps, db: new Kysely<Schema>({ dialect: new PostgresDialect({ pool: world.pool }) }) }
    const plans = await watchPlans(world.pool, { repeated: true }).during(() =>
      sendDue(deps, { storeId: store.storeId }),
    )
    expect(world.sent.length).toBeGreaterThanOrEqual(READY)
    if (count > FEW_ROWS) expect(findPlanFaults(plans, { large: LARGE, rows: FEW_ROWS })).toEqual([])
    const turns = plans.filter(({ text }) => text.includes('with answered as'))
    expect(turns.length).toBeGreaterThan(20)
    const reads = turns
      .flatMap(({ plan }) => listPlanNodes(plan))
      .filter((node) => node['Relation Name'] === 'messages')
    const most = reads.map(
      (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    )
    expect(Math.max(...most)).toBeLessThan(30)
    const others = plans.filter(({ text }) => /with (due|ready|sending) as|set state = 'scheduled'/.test(text))
    expect(findPlanFaults(others, { large: ['messages'], rows: (3 * OF_A_BATCH) / 2 })).toEqual([])
  }, 300_000)
})

test('plans of the statements of each batch and each send are kept', async () => {
  const store = await createReadyStore(400)
  world.sent.length = 0
  // Prepared statements belong to a connection, so all connections of the pool are checked.
  await sendDue(world.deps, { storeId: store.storeId })
  expect(world.sent.length).toBeGreaterThanOrEqual(READY)
  const clients = await Promise.all(Array.from({ length: world.pool.totalCount }, () => world.pool.connect()))
  const kept = await Promise.all(
    clients.map(async (client) => {
      const { rows } = await client.query<{ statement: string; custom: number }>(
        'select statement, custom_plans::int as custom from pg_prepared_statements where generic_plans + custom_plans > 0',
      )
      client.release()
      return rows
    }),
  )
  // Without those that another test of this file has explained.
  const hot = kept
    .flat()
    .filter(({ statement }) => !statement.startsWith('explain') && HOT.some((text) => statement.includes(text)))
  for (const text of HOT)
    expect(
      hot.some(({ statement }) => statement.includes(text)),
      text,
    ).toBe(true)
  expect(hot.filter(({ custom }) => custom > 0)).toEqual([])
}, 300_000)
