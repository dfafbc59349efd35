import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../server/core/db/db.ts'
import { createStore } from './factories.ts'
import { insertManyCarts } from './many-carts.ts'
import { createWorld } from './world.ts'

// A send updates its message and cart several times, and each update writes to most indexes of both. Each index is
// listed with the query that needs it: the file, a name in it, and the query in short. An index without such a query is
// dropped.

type Use = readonly [file: string, name: string, query: string]

const OPEN = `state in ('scheduled', 'held', 'claimed')`
const LISTED = `status in ('abandoned', 'recovered', 'lost')`
const ID = `'00000000-0000-4000-8000-000000000001'`
const NOW = `'2026-03-02T08:00Z'`
const m = (condition: string, what = 'id') => `select ${what} from messages where store_id = $1 and ${condition}`
const c = (condition: string, what = 'id') => `select ${what} from carts where store_id = $1 and ${condition}`

const b = (condition: string, what = 'cart_id') =>
  `select ${what} from cart_badges where store_id = $1 and ${condition}`

const USES: Record<'messages' | 'carts' | 'cart_badges', Record<string, Use>> = {
  messages: {
    // Also referenced by decisions, links and touches.
    messages_pkey: [
      'server/delivery/send/goods-sql.ts',
      'listItems',
      `select 1 from messages where (store_id, id) > ($1, ${ID}) order by store_id, id limit 1`,
    ],
    messages_once_per_cart: ['server/messages/messages/sql.ts', 'ONCE_PER_CART', m(`cart_id = ${ID}`)],
    messages_once_per_shopper: [
      'server/marketing/cart-pages/messages.ts',
      'listShopperMessages',
      m(`lone_shopper_id = ${ID}`),
    ],
    messages_to_wake: [
      'server/delivery/send/send-due-sql.ts',
      'claimDue',
      m(`${OPEN} and wake_at <= ${NOW} order by wake_at limit 100`),
    ],
    messages_held_by_plan: [
      'server/messages/messages/sql.ts',
      'countHeldByPlan',
      m(`state = 'held' and reason = 'plan_limit' group by channel`, 'channel, count(*)'),
    ],
    messages_of_worker: [
      'server/delivery/send/abandoned.ts',
      'abandonedSends',
      `select store_id, id from messages where state = 'sending' and worker_id is not null`,
    ],
    messages_by_origin: [
      'server/messages/messages/fragments.ts',
      'countByState',
      m(`origin_kind = 'flow' and origin_id = ${ID} group by state`, 'state, count(*)'),
    ],
    messages_of_campaign: [
      'server/marketing/campaign-reports/sql.ts',
      'listRecipientIds',
      m(`origin_kind = 'campaign' and origin_id = ${ID} order by step desc, id desc limit 25`),
    ],
    messages_of_campaign_by_state: [
      'server/marketing/campaign-reports/sql.ts',
      'listPositionsAfter',
      m(`origin_kind = 'campaign' and origin_id = ${ID} and state = any('{sent}') order by state, step, id limit 25`),
    ],
    messages_of_push: [
      'server/workspace/push-setup/stats-sql.ts',
      'readCounts',
      m(`channel = 'push' and state in ('sent', 'delivered')`),
    ],
    messages_unsubscribed: [
      'server/marketing/campaign-reports/sql.ts',
      'readFigures',
      m(`origin_id = ${ID} and unsubscribed_at is not null`, 'shopper_id'),
    ],
    messages_by_coupon: [
      'server/carts/coupons/list-sql.ts',
      'selectFigures',
      m(`coupon_id = any(array[${ID}]::uuid[])`),
    ],
    messages_by_shopper: [
      'server/delivery/send/turn-sql.ts',
      'countWithinCap',
      m(`shopper_id = ${ID} and sending_at > ${NOW} and id <> ${ID}`, 'count(*)'),
    ],
    messages_by_sending_at: [
      'server/insights/alarms/alarms.ts',
      'listStoresToCheck',
      m(`sending_at is not null and not state = 'sending' order by sending_at desc limit 1`, 'sending_at'),
    ],
    messages_retried: [
      'server/insights/alarms/alarms.ts',
      'listStoresToCheck',
      m(
        `provider_response is not null and ((state = 'held' and reason = 'retry') or state = 'claimed' or state = 'sending')`,
        'decided_at',
      ),
    ],
    messages_reporting: [
      'server/insights/alarms/alarms.ts',
      'countReports',
      m(`sending_at between ${NOW} and ${NOW} and channel <> 'email'`, 'sending_at'),
    ],
    messages_by_provider: [
      'server/delivery/outcome/delivery-sql.ts',
      'reportedMessages',
      `select id from messages where provider_id = any('{SM1}') and channel = 'sms' and channel in ('sms', 'whatsapp')`,
    ],
    messages_by_id: ['server/core/db/system.ts', 'findSentMessage', `select store_id from messages where id = ${ID}`],
    messages_first_mails: [
      'server/messages/messages/fragments.ts',
      'selectFirstMailsSince',
      m(`is_first_mail and sending_at > ${NOW}`, 'count(*)'),
    ],
    messages_refused: [
      'server/insights/analytics/analytics.ts',
      'countRefused',
      m(`state = 'failed' and reason like 'rejected:%' and finished_at >= ${NOW}`, 'count(*)'),
    ],
  },
  carts: {
    carts_pkey: ['server/carts/carts/carts.ts', 'lockCarts', c(`id = any(array[${ID}]::uuid[])`)],
    carts_by_shopper: ['server/carts/carts/carts.ts', 'selectCartIds', c(`shopper_id = any(array[${ID}]::uuid[])`)],
    carts_to_abandon: [
      'server/carts/carts/detect.ts',
      'selectStoresToDetect',
      `select store_id from carts where status = 'active' and abandon_at <= ${NOW} order by abandon_at limit 10`,
    ],
    carts_to_lose: [
      'server/carts/carts/detect-sql.ts',
      'selectLostCarts',
      `select id from carts where status = 'abandoned' and lost_at <= ${NOW} order by lost_at limit 10`,
    ],
    carts_without_contact: [
      'server/carts/carts/match-captured.ts',
      'c.email is null and c.phone is null',
      c(`status in ('active', 'abandoned') and email is null and phone is null and last_activity_at >= ${NOW}`),
    ],
    carts_abandoned: [
      'server/marketing/customers/abandoned.ts',
      'listAbandoned',
      c(`status = 'abandoned' order by last_activity_at desc, id desc`, 'shopper_id, started_at'),
    ],
    carts_audience: [
      'server/marketing/audiences/sql.ts',
      'countMatching',
      c(`status = 'abandoned' and (has_email or has_phone) and country = 'US'`, 'distinct shopper_id'),
    ],
    carts_of_many_products: [
      'server/marketing/audiences/sql.ts',
      'c.product_keys is null',
      c(`status = 'abandoned' and product_keys is null`, 'shopper_id'),
    ],
    carts_active: [
      'server/marketing/cart-pages/active.ts',
      'listActive',
      c(`status = 'active' and abandon_at is not null order by last_activity_at desc, id desc limit 25`),
    ],
    carts_list_by_activity: [
      'server/carts/carts/list-sql.ts',
      'sql`last_activity_at`',
      c(`${LISTED} order by last_activity_at desc, id desc limit 25`),
    ],
    carts_list_by_value: [
      'server/carts/carts/list-sql.ts',
      'sql`value_minor`',
      c(`${LISTED} order by value_minor desc, id desc limit 25`),
    ],
    carts_list_by_items: [
      'server/carts/carts/list-sql.ts',
      'sql`item_count`',
      c(`${LISTED} order by item_count, id limit 25`),
    ],
    carts_list_by_customer: [
      'server/carts/carts/list-sql.ts',
      'sql`search collate "C"`',
      c(`${LISTED} order by search collate "C", id limit 25`),
    ],
    carts_list_by_email: [
      'server/carts/carts/list-sql.ts',
      'sql`email collate "C"`',
      c(`${LISTED} order by email collate "C" nulls first, id limit 25`),
    ],
    carts_list_by_phone: [
      'server/carts/carts/list-sql.ts',
      'sql`phone collate "C"`',
      c(`${LISTED} order by phone collate "C" nulls first, id limit 25`),
    ],
    carts_by_last_name: [
      'server/carts/carts/list-sql.ts',
      'customer_name',
      c(
        `${LISTED} and substring(lower(customer_name) from '[^ ]+$') collate "C" >= 'lee'
          and substring(lower(customer_name) from '[^ ]+$') collate "C" < 'lef'`,
      ),
    ],
    carts_by_start: [
      'server/insights/analytics/count-carts-sql.ts',
      'c.started_at >= d.since',
      c(`started_at >= ${NOW}`, 'started_at'),
    ],
    carts_by_abandonment: [
      'server/insights/analytics/count-carts-sql.ts',
      'c.abandoned_at >= d.since',
      c(`abandoned_at >= ${NOW}`, 'abandoned_at'),
    ],
    carts_of_flow: [
      'server/messages/messages/steps-sql.ts',
      'c.flow_id = f.id',
      c(`flow_id = ${ID} and status = 'abandoned' and last_activity_at >= ${NOW}`),
    ],
  },
  cart_badges: {
    cart_badges_pkey: ['server/carts/carts/fragments.ts', 'hasBadge', b(`cart_id = ${ID}`, 'badge')],
    cart_badges_listed: [
      'server/carts/carts/list-sql.ts',
      'const badges',
      b(`listed_at is not null and badge = 'Email Sent' order by listed_at desc, cart_id desc limit 25`),
    ],
    cart_badges_without_response: [
      'server/carts/carts/detect.ts',
      'markNoResponse',
      `select cart_id from cart_badges where no_response_at <= ${NOW}`,
    ],
  },
}

const world = createWorld()
let storeId: string

beforeAll(async () => {
  const store = await createStore(world, { plan: 'growth' })
  storeId = store.storeId
  await insertManyCarts(world.db, { storeId, flowId: store.flowId, now: world.now, count: 2_000, hasPast: true })
}, 60_000)

test.each(['messages', 'carts', 'cart_badges'] as const)('each index of %s has a query', async (table) => {
  const { rows } = await sql<{ name: string }>`select indexname as name from pg_indexes
    where schemaname = 'public' and tablename = ${table}`.execute(world.db)
  expect(Object.keys(USES[table]).sort()).toEqual(rows.map(({ name }) => name).sort())
})

test.each(
  Object.values(USES).flatMap((uses) => Object.entries(uses).map(([index, use]) => ({ index, use }))),
)('$index serves the query that it is for', async ({ index, use: [file, name, query] }) => {
  expect(readFileSync(file, 'utf8')).toContain(name)
  const client = await world.pool.connect()
  try {
    await client.query('begin')
    await client.query('set local enable_seqscan = off; set local enable_sort = off; set local enable_hashagg = off')
    const { rows } = await client.query(`explain ${query.replace('$1', `'${storeId}'`)}`)
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(new RegExp(`\\b${index}\\b`))
  } finally {
    await client.query('rollback')
    client.release()
  }
})
