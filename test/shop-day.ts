import { groupNotifications } from '../server/access/notifications/group.ts'
import { notify, notifyAccount } from '../server/access/notifications/notifications.ts'
import { detectAbandoned } from '../server/carts/carts/detect.ts'
import { recordOrders } from '../server/carts/carts/record.ts'
import { createId } from '../server/core/common/ids.ts'
import { type StoreTx, sql } from '../server/core/db/db.ts'
import { recordMailReport } from '../server/delivery/mail-reports/mail-reports.ts'
import { recordDeliveryReport } from '../server/delivery/outcome/delivery.ts'
import { applyOutcomes, type OutcomeRow } from '../server/delivery/outcome/outcome-sql.ts'
import type { PlatformOrder } from '../server/platforms/platform/platform.ts'
import type { NotificationData, StoreNotificationType } from '../shared/workspace/notifications.ts'
import { buildOrder, type TestStore } from './factories.ts'
import { markPurchased } from './message-scene.ts'
import type { World } from './world.ts'

// A busy day of one store through the product itself: carts are detected as abandoned, replies and reports are
// recorded, orders arrive, and notifications are grouped, hour by hour. Only carts and messages that exist beforehand
// are inserted directly.

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Share of an average hour's carts that a night hour has; the day peaks at noon and in the evening. */
const NIGHT = 0.08
const levels = Array.from({ length: 24 }, (_, hour) =>
  hour < 6 ? NIGHT : 0.6 + 0.4 * Math.sin(((hour - 6) / 17) * Math.PI) + (hour >= 19 && hour < 22 ? 0.3 : 0),
)
/** Texts keep the quiet hours of their recipients. */
const isTextHour = (hour: number) => hour >= 8 && hour < 21

/** `world.now` is midnight in the store's time zone. */
export async function runShopDay(world: World, store: TestStore, cartsADay: number): Promise<void> {
  const midnight = world.now.getTime()
  const total = levels.reduce((sum, level) => sum + level)
  const spread = levels.map((level) => Math.round((level / total) * cartsADay))
  await insertCarts(world, store, spread)
  const drafts: PlatformOrder[] = []
  for (const [hour, count] of spread.entries()) {
    world.now = new Date(midnight + (hour + 1) * HOUR_MS - 1)
    // As autovacuum would have done by then.
    if (hour % 8 === 0) await sql`analyze`.execute(world.db)
    await detectAbandoned(world.deps)
    await answerMessages(world, store, isTextHour(hour))
    await insertSingleEvents(world, store, hour)
    await buy(world, store, drafts, Math.round(count / 20))
    await groupNotifications(world.deps)
  }
  world.now = new Date(midnight + DAY_MS)
}

/** Inserts the hour's carts, an hour before they count as abandoned. */
async function insertCarts({ db, now }: World, { storeId }: TestStore, spread: readonly number[]): Promise<void> {
  const ends = spread.map((_, hour) => spread.slice(0, hour + 1).reduce((sum, count) => sum + count, 0))
  await db.transaction().execute(async (tx) => {
    await sql`create temp table left_carts on commit drop as
      select gen_random_uuid() as id, gen_random_uuid() as shopper_id, gen_random_uuid() as fact_id, n, 'Ada ' || n as name,
        'ada' || n || '@' || gen_random_uuid() || '.example' as email, 1000 + n % 9000 as value,
        ${now}::timestamptz + (h.hour - 1) * interval '1 hour' + (n * 7919 % 3600) * interval '1 second' as at
      from (select ordinality as hour, e - count as first, e as last
        from unnest(${[...spread]}::int[], ${ends}::int[]) with ordinality as t(count, e, ordinality)) h,
        generate_series(h.first + 1, h.last) n`.execute(tx)
    await sql`insert into shoppers (store_id, id, email, first_name, created_at, first_seen_at)
      select ${storeId}, shopper_id, email, 'Ada', at, at from left_carts`.execute(tx)
    await sql`insert into carts (store_id, id, shopper_id, status, started_at, last_activity_at, abandon_at, lost_at, opening_fact_id,
        last_fact_at, last_fact_id, customer_name, email, items, item_count, value_minor, currency, search, fold, created_at)
      select ${storeId}, id, shopper_id, 'active', at - interval '65 minutes', at - interval '1 hour', at, at + interval '30 days',
        fact_id, at, fact_id, name, email, '[]', 2, value, 'USD', lower(name), '{}', at
      from left_carts`.execute(tx)
  })
}

interface Answered {
  id: string
  cart_id: string
  to_address: string
  channel: 'email' | 'sms' | 'whatsapp'
  n: number
}

/** Number of messages sent together. */
const AT_ONCE = 50
const share = (n: number, oneIn: number) => n % oneIn === 0

/** Most carts abandoned in this hour have a message in flight; now the replies arrive. */
async function answerMessages(world: World, store: TestStore, hasTexts: boolean): Promise<void> {
  const rows = await startSending(world, store, hasTexts)
  const tx = { storeId: store.storeId, db: world.db } as StoreTx
  for (let first = 0; first < rows.length; first += AT_ONCE) {
    const some = rows.slice(first, first + AT_ONCE).map((row) => buildOutcome(row, world.now))
    await applyOutcomes(tx, world.deps.workerId, some, world.now)
  }
  for (const row of rows) if (isAccepted(row)) await report(world, store, row)
}

async function startSending({ db, now, deps }: World, { storeId, flowId }: TestStore, hasTexts: boolean) {
  const { rows } = await sql<Answered>`
    with left_now as (
      select c.id, c.shopper_id, c.email, row_number() over (order by c.id) as n from carts c
      where c.store_id = ${storeId} and c.status = 'abandoned' and c.abandoned_at > ${now}::timestamptz - interval '1 hour'),
    written as (
      insert into messages (store_id, id, cart_id, shopper_id, origin_kind, origin_id, step_id, step, channel, state, due_at, expires_at,
        wake_at, to_address, worker_id, sending_at, created_at, updated_at)
      select ${storeId}, gen_random_uuid(), id, shopper_id, 'flow', ${flowId}, gen_random_uuid(), 1,
        case when n % 8 = 0 and ${hasTexts} then 'sms' when n % 8 = 1 and ${hasTexts} then 'whatsapp' else 'email' end,
        'sending', ${now}, ${now}, ${now}, email, ${deps.workerId}, ${now}, ${now}, ${now}
      from left_now where n % 3 < 2 returning id, cart_id, to_address, channel)
    select *, (row_number() over (partition by channel order by id))::int as n from written`.execute(db)
  return rows
}

const isAccepted = ({ n }: Answered) => !share(n, 100) && !share(n, 90)

/** Two in a hundred are rejected or get no reply. */
function buildOutcome({ id, cart_id: cartId, to_address: to, channel, n }: Answered, now: Date): OutcomeRow {
  const about = { cartId, messageId: id, step: 1, to }
  const base = { id, sending_at: now, provider_id: `p-${id}`, wake_at: null, address_hash: '' }
  if (share(n, 100)) {
    const data = { ...about, cause: 'refused' as const, answer: '550 5.1.1 no such user' }
    const news = { id: createId(), type: `${channel}_failed` as const, data }
    return { ...base, state: 'failed', reason: 'rejected:invalid', response: '550', result: 'rejected:invalid', news }
  }
  if (share(n, 90)) {
    const news = {
      id: createId(),
      type: `${channel}_failed` as const,
      data: { ...about, cause: 'unanswered' as const },
    }
    return { ...base, state: 'unknown', reason: 'unknown', response: '', result: 'unknown', news }
  }
  const news = { id: createId(), type: `${channel}_sent` as const, data: { ...about, isInMailbox: false } }
  return { ...base, state: 'sent', reason: null, response: '250 ok', result: 'accepted', news }
}

/** Some mails bounce or are reported as spam, and some texts are not delivered. */
async function report({ deps, now }: World, { accountId }: TestStore, { id, channel, n }: Answered): Promise<void> {
  if (channel === 'email' && share(n, 60)) {
    await recordMailReport(deps, {
      messageId: id,
      kind: 'hard',
      source: 'bounce',
      status: '5.1.1',
      words: 'no such user',
    })
  } else if (channel === 'email' && share(n, 150)) {
    await recordMailReport(deps, {
      messageId: id,
      kind: 'complaint',
      source: 'feedback',
      status: null,
      words: '',
    })
  } else if (channel !== 'email' && share(n, 20)) {
    await recordDeliveryReport(deps, {
      accountId,
      channel,
      providerId: `p-${id}`,
      messageId: id,
      status: 'failed',
      code: '30005',
      at: now,
    })
  }
}

/** Some carts have a draft order; their shoppers follow the link of their message, and buy three hours later. */
async function buy(world: World, { storeId }: TestStore, drafts: PlatformOrder[], count: number): Promise<void> {
  const email = () => `draft-${createId()}@shoppers.example`
  const fresh = Array.from({ length: count }, () => buildOrder(world, { email: email() }))
  drafts.push(...fresh)
  const before = new Date(world.now.getTime() - 3 * HOUR_MS).toISOString()
  const ready = drafts.filter(({ createdAt }) => createdAt <= before)
  drafts.splice(0, ready.length)
  await sql`insert into touchpoints (store_id, id, message_id, cart_id, shopper_id, kind, is_human, class_reason, at)
    select ${storeId}, gen_random_uuid(), m.id, m.cart_id, m.shopper_id, 'click', true, 'person', ${world.now}
    from carts c join messages m on m.store_id = c.store_id and m.cart_id = c.id
    where c.store_id = ${storeId} and c.email = any(${ready.map(({ email }) => email!)}::text[])`.execute(world.db)
  const orders = [...fresh, ...ready.map((draft) => markPurchased(world, draft))]
  await recordOrders(world.deps, storeId, orders, 'sync')
}

/** Single events, by the hour in which they happen. */
const others: Record<number, [StoreNotificationType, NotificationData[StoreNotificationType]]> = {
  9: ['import_finished', { importId: createId(), fileName: 'consents.csv', rows: 300, added: 290, refused: 10 }],
  10: [
    'stage_failed',
    { stage: 'sync', cause: 'timeout', since: '2026-03-02T15:00:00Z', waiting: 0, detail: null, alarmId: createId() },
  ],
  11: ['stage_resumed', { stage: 'sync', lastedMs: 2_700_000, alarmId: createId() }],
  15: ['email_failed', { cartId: createId(), messageId: createId(), cause: 'unrenderable', step: 2, count: 40 }],
  20: ['capture_flood', { ceiling: 900 }],
}

async function insertSingleEvents({ db, now }: World, { storeId, accountId }: TestStore, hour: number): Promise<void> {
  const other = others[hour]
  if (other) await notify({ storeId, db }, { type: other[0], data: other[1], at: now })
  const [account, domain] = [{ accountId, db }, 'strict.example']
  if (hour === 12) {
    const data = { domain, kind: 'deferred' as const, since: now.toISOString(), answer: '451 later' }
    await notifyAccount(account, { type: 'domain_throttled', data, at: now })
  }
  if (hour === 16) await notifyAccount(account, { type: 'domain_reopened', data: { domain }, at: now })
}
