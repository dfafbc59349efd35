import type { CartItem } from '../../shared/carts.ts'
import { type StoreDb, type StoreTx, sql } from '../db.ts'

// What decisions rest on, loaded set-wise. One function, one statement.

export interface ClaimedRow {
  id: string
  cart_id: string
  shopper_id: string
  origin: string
  step: number
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  reason: string | null
  due_at: Date
  expires_at: Date
  attempts: number
  flow_is_on: boolean | null
  holdout_bps: number | null
  salt: string | null
  template_id: string | null
  template_version: number | null
  template_subject: string | null
  template_body: string | null
  is_superseded: boolean
  cart_version: number
  cart_status: 'active' | 'abandoned' | 'recovered' | 'purchased' | 'emptied' | 'lost' | 'merged'
  abandon_at: Date | null
  pending_until: Date | null
  started_at: Date
  email: string | null
  phone: string | null
  items: CartItem[]
  value_minor: number
  currency: string
  coupons: string[]
  arm: 'treated' | 'control' | null
  is_member: boolean
  first_name: string | null
  country: string | null
  matching_order: string | null
  has_bought_before: boolean
  cap_used: number
  cap_oldest: Date | null
}

/** A purchase since the episode began by somebody with one of the shopper's devices: a match, though no reason to merge. */
export const devicePurchase = sql`select o.order_id from (
      select theirs.shopper_id from shopper_keys mine
      join shopper_keys theirs on theirs.store_id = mine.store_id and theirs.kind = 'device' and theirs.value = mine.value
      where mine.store_id = c.store_id and mine.shopper_id = c.shopper_id and mine.kind = 'device'
      -- few, and to be found first, whatever the statistics of a young store say of its orders
      offset 0) d
    join orders o on o.store_id = c.store_id and o.shopper_id = d.shopper_id and o.purchased_at >= c.started_at`

/** What both readings below say of cart, person and purchases; `m` is the message, there or imagined. */
const CIRCUMSTANCES = (now: Date) => sql`
  exists (select from messages o where o.store_id = m.store_id and o.cart_id = m.cart_id and o.origin = m.origin
    and o.channel = m.channel and o.step > m.step
    and case when o.state in ('scheduled', 'held', 'claimed') then o.due_at <= ${now}
      else o.handed_over_at is not null or o.reason = 'merged' end) as is_superseded,
  c.version as cart_version, c.status as cart_status, c.abandon_at, c.pending_until, c.started_at, c.email, c.phone,
  c.items, c.value_minor, c.currency, c.coupons, s.arm, s.is_member, s.first_name, s.country,
  (${devicePurchase} limit 1) as matching_order,
  exists (select from orders o where o.store_id = c.store_id and o.shopper_id = c.shopper_id
    and o.purchased_at < c.started_at) as has_bought_before,
  cap.used as cap_used, cap.oldest as cap_oldest`

const CAP = (since: Date) =>
  sql`cross join lateral (select count(*)::int as used, min(handed_over_at) as oldest from messages h
    where h.store_id = c.store_id and h.shopper_id = c.shopper_id and h.handed_over_at > ${since}) cap`

/** Everything decisions about these rows rest on, set-wise. */
export async function loadClaimed(
  { db, storeId }: StoreTx,
  ids: readonly string[],
  now: Date,
  capSince: Date,
): Promise<ClaimedRow[]> {
  const rows = await sql<ClaimedRow>`
    select m.id, m.cart_id, m.shopper_id, m.origin, m.step, m.channel, m.reason, m.due_at, m.expires_at, m.attempts,
      f.is_on as flow_is_on, f.holdout_bps, f.salt,
      t.id as template_id, t.version as template_version, t.subject as template_subject, t.body as template_body,
      ${CIRCUMSTANCES(now)}
    from messages m
    join carts c on c.store_id = m.store_id and c.id = m.cart_id
    join shoppers s on s.store_id = m.store_id and s.id = c.shopper_id
    left join flows f on f.store_id = m.store_id and 'flow:' || f.id = m.origin
    left join flow_steps fs on fs.store_id = f.store_id and fs.flow_id = f.id and fs.step = m.step
    left join templates t on t.store_id = fs.store_id and t.id = fs.template_id
    ${CAP(capSince)}
    where m.store_id = ${storeId} and m.id = any(${[...ids]}::uuid[])
    order by m.due_at, m.id`.execute(db)
  return rows.rows
}

/** The same for one step and one cart as if it were due now, whether a row exists or not. */
export async function loadPreview(
  { db, storeId }: StoreTx,
  wanted: { flowId: string; step: number; cartId: string; id: string; now: Date },
): Promise<ClaimedRow | undefined> {
  const { now } = wanted
  const rows = await sql<ClaimedRow>`
    select m.id, m.cart_id, c.shopper_id, m.origin, m.step, fs.channel, null as reason, ${now}::timestamptz as due_at,
      ${now}::timestamptz + interval '24 hours' as expires_at, 0 as attempts, f.is_on as flow_is_on, f.holdout_bps, f.salt,
      t.id as template_id, t.version as template_version, t.subject as template_subject, t.body as template_body,
      ${CIRCUMSTANCES(now)}
    from (select ${wanted.id}::uuid as id, ${storeId}::uuid as store_id, ${wanted.cartId}::uuid as cart_id,
      ${`flow:${wanted.flowId}`} as origin, ${wanted.step}::int as step, 'email' as channel) m
    join carts c on c.store_id = m.store_id and c.id = m.cart_id
    join shoppers s on s.store_id = m.store_id and s.id = c.shopper_id
    join flows f on f.store_id = m.store_id and f.id = ${wanted.flowId}
    join flow_steps fs on fs.store_id = f.store_id and fs.flow_id = f.id and fs.step = m.step
    join templates t on t.store_id = fs.store_id and t.id = fs.template_id
    ${CAP(new Date(now.getTime() - 86_400_000))}`.execute(db)
  return rows.rows[0]
}

/** What of these addresses is suppressed for the channel, in the whole account (C1). */
export async function suppressedOf({ db, storeId }: StoreDb, hashes: readonly Buffer[], channel: string) {
  const rows = await sql<{ hash: string; reason: string }>`
    select encode(p.address_hash, 'hex') as hash, p.reason from suppressions p join stores s on s.account_id = p.account_id
    where s.id = ${storeId} and p.channel in ('all', ${channel}) and p.address_hash = any(${[...hashes]}::bytea[])`.execute(
    db,
  )
  return new Map(rows.rows.map((row) => [row.hash, row.reason]))
}

/** The newest word of the ledger per address (C5). */
export async function ledgerOf({ db, storeId }: StoreDb, hashes: readonly Buffer[], channel: string) {
  const rows = await sql<{ hash: string; status: 'granted' | 'withdrawn' }>`
    select distinct on (address_hash) encode(address_hash, 'hex') as hash, status from consents
    where store_id = ${storeId} and channel = ${channel} and address_hash = any(${[...hashes]}::bytea[])
    order by address_hash, at desc, id desc`.execute(db)
  return new Map(rows.rows.map((row) => [row.hash, row.status]))
}

export interface Situation {
  is_paused: boolean
  account_id: string
  is_active: boolean
  is_demo: boolean
  account_is_demo: boolean
  name: string
  url: string
  home_url: string
  base_country: string | null
  selling_countries: string[] | null
  sender_name: string
  sender_email: string | null
  postal_address: string
  cap_messages: number
  cap_window_hours: number
  plan: 'free' | 'starter' | 'growth' | null
  used: number
  fence_started: Date | null
}

export async function loadSituation(
  { db, storeId }: StoreDb,
  month: string,
  channel: string,
): Promise<Situation | undefined> {
  const rows = await sql<Situation>`
    select coalesce((select is_paused from instance), false) as is_paused, s.account_id, s.is_active, s.is_demo,
      a.is_demo as account_is_demo, s.name, s.url, s.home_url, s.base_country, s.selling_countries, s.sender_name,
      s.sender_email, s.postal_address, s.cap_messages, s.cap_window_hours, b.plan, coalesce(u.used, 0) as used,
      f.completed_start as fence_started
    from stores s join accounts a on a.id = s.account_id
    left join subscriptions b on b.account_id = s.account_id and b.status in ('active', 'trialing')
    left join plan_usage u on u.account_id = s.account_id and u.month = ${month}::date and u.channel = ${channel}
    left join sync_state f on f.store_id = s.id and f.stream = 'fence'
    where s.id = ${storeId}`.execute(db)
  return rows.rows[0]
}
