import { BADGE } from '../server/carts/carts/fragments.ts'
import { type Db, sql } from '../server/core/db/db.ts'
import type { TestStore } from '../test/factories.ts'
import type { AppInstance, Lab } from './lab.ts'

// Generates a store's year with SQL: a million carts, messages about a third of them, opens and clicks, and 300,000
// orders. Triggers are off; the product counts the figures afterwards.

export const CARTS = 1_000_000
const ORDERS = 300_000
/** Of which one is in every cart. No multiple of what `insertManyCarts` draws by. */
const PRODUCTS = 4_999
const TABLES = ['carts', 'messages', 'engagement_events', 'touchpoints', 'mail_reports', 'orders', 'order_coupons']

export async function writeYear(lab: Lab, instance: AppInstance): Promise<TestStore> {
  const store = await instance.store({ url: 'https://shop.example.com' })
  lab.say(`writing ${lab.sized(CARTS).toLocaleString('en-US')} carts`)
  await instance.carts(store, { count: lab.sized(CARTS), isVaried: true, products: PRODUCTS })
  lab.say('writing messages, what became of them, and orders')
  await instance.db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`set local work_mem = '256MB'`.execute(tx)
    await insertDraws(tx, store.storeId)
    await insertMessages(tx, store)
    await insertEngagement(tx, store.storeId)
    await insertOrders(tx, store.storeId, lab.sized(ORDERS))
    await sql`drop table drawn_carts, told`.execute(tx)
  })
  for (const table of TABLES) await sql`vacuum analyze ${sql.table(table)}`.execute(instance.db)
  return store
}

/** Random draws shared by the tables below. `h` is a number per cart, equal on each run at the same instant. */
async function insertDraws(db: Db, storeId: string): Promise<void> {
  await sql`update carts set currency = 'EUR' where store_id = ${storeId} and hashtext(id::text) % 50 = 0`.execute(db)
  await sql`
    create temp table drawn_carts as
    select row_number() over (order by id) as n, id, shopper_id, status, ${BADGE} as badge, abandoned_at, ended_at, recovered_at, value_minor, currency,
      hashtext(id::text)::bigint & 2147483647 as h
    from carts c where store_id = ${storeId}`.execute(db)
  await sql`create unique index on drawn_carts (n)`.execute(db)
  await sql`analyze drawn_carts`.execute(db)
}

/** Three flow messages, the first by SMS to three in ten; a weekly campaign, and manual messages. */
async function insertMessages(db: Db, { storeId, flowId }: TestStore): Promise<void> {
  await sql`
    create temp table told as
    with wanted as (
      select c.*, 'flow' as kind, ${flowId}::uuid as origin_id, f.id as step_id, f.step, k.channel,
        c.abandoned_at + f.delay_minutes * interval '1 minute' + (c.h % 40 + k.later) * interval '1 minute' as at
      from drawn_carts c join flow_steps f on f.store_id = ${storeId} and f.flow_id = ${flowId} and (c.status <> 'recovered' or f.step = 1),
        lateral (select f.step = 1 and c.h % 10 < 3 as is_sms) b,
        lateral (select case when b.is_sms then 'sms' else 'email' end as channel, case when b.is_sms then 60 else 0 end as later) k
      where c.badge <> 'No Action'
      union all
      select c.*, 'campaign', md5('campaign' || w.at)::uuid, md5('run' || w.at)::uuid, 1, 'email', w.at + c.h % 30 * interval '1 minute'
      from drawn_carts c, lateral (select date_trunc('week', c.abandoned_at) + interval '8 days 10 hours' as at) w
      where c.badge <> 'No Action' and c.h % 5 = 0
      union all
      select c.*, 'manual', md5('manual' || c.id)::uuid, null, 0, (array['email', 'sms', 'whatsapp'])[1 + c.h % 3],
        c.abandoned_at + c.h / 25 % 200 * interval '1 hour'
      from drawn_carts c where c.badge <> 'No Action' and c.h % 25 = 0)
    select w.*, r.id as message_id, hashtext(r.id::text)::bigint & 2147483647 as r
    from wanted w, lateral (select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0')
      || substr(md5(w.id::text || kind || step || channel), 1, 20))::uuid as id) r
    where at < now()`.execute(db)
  await sql`
    insert into campaigns (store_id, id, name, type, status, audience_type, audience_mode, template_key, template_id, start_date, time_of_day,
      frequency, delay_hours, run_zone, run, created_at, updated_at)
    select ${storeId}, origin_id, 'Week of ' || min(at)::date, 'email', 'sent', 'abandoned_carts', 'matching', 'reminder', gen_random_uuid(),
      min(at)::date, '10:00', 'once', 0, 'UTC', 1, min(at), min(at)
    from told where kind = 'campaign' group by origin_id`.execute(db)
  await sql`
    insert into messages (store_id, id, cart_id, shopper_id, origin_kind, origin_id, step_id, step, channel, state, reason, due_at, expires_at,
      wake_at, to_address, coupon_code, cost_micros, cost_currency, sending_at, cart_abandoned_at, finished_at, unsubscribed_at, created_at, updated_at)
    select ${storeId}, message_id, id, shopper_id, kind, origin_id, step_id, step, channel,
      case when r % 100 < 2 then 'failed' when r % 100 = 2 then 'unknown' when channel = 'email' then 'sent' else 'delivered' end,
      case when r % 100 < 2 then 'bounced: 5.1.1' end, at, at + interval '24 hours', at, 'shopper@shoppers.example',
      case when r % 3 = 0 then 'SAVE10' end, case channel when 'sms' then 7900 when 'whatsapp' then 30000 end,
      case when channel <> 'email' then 'USD' end, at, abandoned_at, at, case when r % 200 = 7 then at + interval '1 hour' end, at, at
    from told`.execute(db)
}

async function insertEngagement(db: Db, storeId: string): Promise<void> {
  await sql`
    insert into engagement_events (store_id, id, message_id, kind, link, class, class_reason, at)
    select ${storeId}, md5('open' || message_id)::uuid, message_id, 'open', '', case when r % 100 < 45 then 'human' else 'machine' end, 'drawn',
      at + r % 600 * interval '1 minute'
    from told where channel = 'email' and r % 100 between 3 and 60`.execute(db)
  await sql`
    insert into touchpoints (store_id, id, message_id, cart_id, shopper_id, kind, is_human, class_reason, at)
    select ${storeId}, md5('click' || message_id)::uuid, message_id, id, shopper_id, 'click', r % 100 < 12 or ${isCredited}, 'drawn', at + interval '10 minutes'
    from told where r % 100 between 3 and 14 or ${isCredited}`.execute(db)
  await sql`
    insert into mail_reports (store_id, message_id, kind, source, words, at, applied_at)
    select ${storeId}, message_id, 'complaint', 'arf', '', at, at from told where channel = 'email' and r % 1000 = 3`.execute(
    db,
  )
}

const isCredited = sql`status = 'recovered' and kind = 'flow'`

/**
 * One attributed order per recovered cart and one per purchased cart; the rest is spread unevenly over an eighth of the
 * shoppers.
 */
async function insertOrders(db: Db, storeId: string, count: number): Promise<void> {
  const drawn = sql`
    select 'r' || id as order_id, shopper_id, id as cart_id, least(now(), at + interval '20 minutes') as at, currency, value_minor as minor,
      md5('click' || message_id)::uuid as touchpoint_id, message_id from told where ${isCredited}
    union all
    select 'p' || id, shopper_id, id, ended_at, currency, value_minor, null, null from drawn_carts where status = 'purchased'`
  const insert = (rows: typeof drawn) => sql`
    insert into orders (store_id, order_id, shopper_id, cart_id, kind, status, created_at, modified_at, purchased_at, currency, total_minor,
      net_minor, touchpoint_id, message_id)
    select ${storeId}, order_id, shopper_id, cart_id, 'purchase', 'completed', at, at, at, currency, minor,
      case when hashtext(order_id) % 50 = 0 then 0 else minor end, touchpoint_id, message_id from (${rows}) o`
  await insert(drawn).execute(db)
  const { rows } = await sql<{ there: number; people: number }>`
    select (select count(*) from orders where store_id = ${storeId})::int as there, (select count(*) / 8 from drawn_carts)::int as people`.execute(
    db,
  )
  const { there, people } = rows[0]!
  const remaining = count - there
  await insert(sql`
    select 'o' || g as order_id, c.shopper_id, null::uuid as cart_id, c.currency, c.value_minor as minor, null::uuid as touchpoint_id,
      null::uuid as message_id, now() - (g * 104729::bigint % ${remaining}::bigint)::float / ${remaining}::float * interval '365 days' as at
    from generate_series(1, ${remaining}::int) g
    join drawn_carts c on c.n = 1 + floor(power((g * 7919::bigint % ${remaining}::bigint)::float / ${remaining}::float, 2) * ${people}::int)`).execute(
    db,
  )
  await sql`
    insert into order_coupons (store_id, order_id, code, discount_minor)
    select store_id, order_id, 'SAVE10', total_minor / 10 from orders where store_id = ${storeId} and hashtext(order_id) % 3 = 0`.execute(
    db,
  )
}

/** Inserts figure rows for many products, without underlying data, so that the export is large. */
export async function writeCatalogue({ db }: AppInstance, { storeId }: TestStore, products: number): Promise<void> {
  await sql`
    insert into figure_products (store_id, product_id, name, sku)
    select ${storeId}, n::text, 'Loose leaf tea, tin no. ' || n || ', 250 g', 'TEA-' || n from generate_series(1, ${products}::int) n`.execute(
    db,
  )
  await sql`
    insert into product_month_figures (store_id, month, product_id, currency, abandoned, recovered, lost_minor)
    select ${storeId}, date_trunc('month', now())::date - interval '1 month', n::text, 'USD', 1 + n % 40, n % 7, n * 7919::bigint % 1000003
    from generate_series(1, ${products}::int) n`.execute(db)
  await sql`vacuum analyze figure_products, product_month_figures`.execute(db)
}
