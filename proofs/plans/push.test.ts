import { beforeAll, expect, test } from 'vitest'
import { createId } from '../../server/core/common/ids.ts'
import { countByKey } from '../../server/delivery/push/keys-sql.ts'
import { subscriptionsOfMessage } from '../../server/delivery/push/subscriptions-sql.ts'
import { readStats } from '../../server/workspace/push-setup/setup.ts'
import { createStore, type TestStore } from '../../test/factories.ts'
import { FEW_ROWS, findPlanFaults, listPlanNodes, watchPlans } from '../../test/plans.ts'
import { createWorld } from '../../test/world.ts'

// Query plans as in engine.test.ts for web push: 500 subscriptions and notifications of a store among 30,000 of others.

const world = createWorld()
const LARGE = ['push_subscriptions', 'messages', 'shoppers', 'touchpoints']
const OF_STORE = 500
const OF_OTHERS = 30_000
let store: TestStore
let messageId: string

beforeAll(async () => {
  store = await createStore(world)
  const other = await createStore(world)
  const client = await world.pool.connect()
  await client.query('begin; set local session_replication_role = replica')
  for (const [{ storeId }, count] of [
    [store, OF_STORE],
    [other, OF_OTHERS],
  ] as const) {
    const keyId = createId()
    await client.query(
      `insert into push_keys (store_id, id, public_key, encrypted, made_at) values ($1, $2, 'k', '\\x00', $3)`,
      [storeId, keyId, world.now],
    )
    await client.query(
      `with made as (insert into shoppers (store_id, id, created_at, first_seen_at)
         select $1, gen_random_uuid(), $3, $3 from generate_series(1, $4::int) returning id),
       sent as (insert into messages (store_id, id, shopper_id, origin_kind, origin_id, step, channel, state, due_at, expires_at, wake_at,
           sending_at, created_at, updated_at)
         select $1, gen_random_uuid(), id, 'manual', gen_random_uuid(), 1, 'push', 'sent', $3, $3, $3, $3, $3, $3 from made
         returning id, shopper_id),
       pressed as (insert into touchpoints (store_id, id, message_id, shopper_id, kind, is_human, class_reason, at)
         select $1, gen_random_uuid(), id, shopper_id, 'click', true, 'pressed_notification', $3 from sent)
       insert into push_subscriptions (store_id, id, shopper_id, key_id, endpoint_hash, encrypted, service, created_at, seen_at)
       select $1, gen_random_uuid(), id, $2, decode(md5(id::text), 'hex'), '\\x00', 's', $3, $3 from made`,
      [storeId, keyId, world.now, count],
    )
  }
  await client.query('commit')
  client.release()
  await world.pool.query('analyze')
  const first = await world.db
    .selectFrom('messages')
    .select('id')
    .where('store_id', '=', store.storeId)
    .executeTakeFirstOrThrow()
  messageId = first.id
}, 60_000)

test('statistics and the next browser of a person read only the store’s own rows', async () => {
  const handle = { storeId: store.storeId, db: world.db }
  const watch = watchPlans(world.pool, { repeated: true })
  const plans = await watch.during(async () => {
    expect((await readStats(handle)).stats).toMatchObject({ subscribers: OF_STORE, notifications: OF_STORE })
    await countByKey(handle)
    await subscriptionsOfMessage(handle, messageId)
  })
  expect(findPlanFaults(plans, { large: LARGE, rows: FEW_ROWS }).join('\n')).toBe('')
  const ofMessage = plans.filter(({ text }) => text.includes('encrypted_key'))
  expect(ofMessage.length).toBeGreaterThan(0)
  const read = ofMessage
    .flatMap(({ plan }) => listPlanNodes(plan))
    .filter((node) => node['Relation Name'] === 'push_subscriptions')
  expect(Math.max(...read.map((node) => node['Actual Rows']))).toBe(1)
})
