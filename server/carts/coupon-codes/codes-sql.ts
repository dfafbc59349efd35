import { type Db, type RawBuilder, type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'
import { isOpen, isRunningCampaign } from '../../messages/messages/fragments.ts'
import { codeTerms, hasCurrentAmount, soldOutItems } from '../coupons/fragments.ts'
import type { CodeInput } from './codes-rules.ts'

// Statements on personal codes, which are created ahead (decision 34).

/** A code to create or update, with all its inputs. */
export interface DueCode extends CodeInput {
  coupon_id: string
  shopper_id: string
  cart_id: string | null
  cart_version: number | null
  /** Sold-out items of its cart; null: none. */
  sold_out: string | null
  prefix: string
  /** The coupon's current terms. */
  wanted_terms: string
  /** false: there is no row yet. */
  is_known: boolean
  platform_id: string | null
  derivation: number
  attempts: number
  /** Time of the next check of its message. */
  wake_at: Date
}

const TERMS = codeTerms('c')

/** Valid for N hours after the latest possible send, up to the coupon's own end. Stores keep whole seconds. */
const WANTED_EXPIRY = sql`date_trunc('second', least(m.expires_at + c.valid_hours * interval '1 hour', c.ends_at))`

/** Whether the code is for one cart or one address. */
const IS_OF_CART = sql`(c.is_tied_to_email or (c.type = 'percentage' and c.max_discount_minor is not null))`

const EMAIL = sql`coalesce(case when m.channel = 'email' then r.to_address end,
  case when m.cart_id is null then p.email else t.email end)`

const CONTACT = sql`coalesce(r.to_address, case when m.channel = 'email'
  then case when m.cart_id is null then p.email else t.email end
  else case when m.cart_id is null then p.phone else t.phone end end)`

/** Items of the cart that are not sold out, by our catalogue (decision 134). null: no cart. */
const ITEMS_LEFT = sql`case when t.id is not null then (
    select coalesce(jsonb_agg(i.item order by i.place), '[]') from jsonb_array_elements(t.items) with ordinality as i(item, place)
    where not exists (select 1 from products g where g.store_id = t.store_id and g.product_id = i.item ->> 'productId'
      and g.variation_id = coalesce(i.item ->> 'variationId', '') and not g.is_available)) end`

/**
 * Codes are created for this many messages, first due first. More are never sent within two seconds, the check
 * interval.
 */
const WINDOW = 2_000

/**
 * Open messages checked before `horizon`, first due first, whose personal code is missing or outdated. They belong to
 * active flows, running campaigns or manual sends, and have an address and an open cart.
 */
const messagesNeedingCodes = (storeId: RawBuilder<unknown>, { now, horizon }: DueWindow) => sql`
  from (select * from messages m where m.store_id = ${storeId} and ${isOpen('m')} and m.wake_at <= ${horizon} and m.expires_at > ${now}
    order by m.wake_at limit ${sql.lit(WINDOW)}) m
  left join lateral (select * from manual_messages r where r.store_id = m.store_id and r.message_id = m.id offset 0) r on true
  left join flows f on f.store_id = m.store_id and m.origin_kind = 'flow' and f.id = m.origin_id and f.is_on
  left join flow_steps fs on fs.store_id = f.store_id and fs.flow_id = f.id and fs.id = m.step_id
  left join campaigns g on g.store_id = m.store_id and m.origin_kind = 'campaign' and g.id = m.origin_id and ${isRunningCampaign}
  join coupons c on c.store_id = m.store_id and c.id = coalesce(r.coupon_id, fs.coupon_id, g.coupon_id)
    and c.kind = 'personal' and c.gone_at is null and c.is_active
    and (c.starts_at is null or c.starts_at <= ${now}) and (c.ends_at is null or c.ends_at > ${now})
  join shoppers p on p.store_id = m.store_id and p.id = m.shopper_id
  left join carts t on t.store_id = m.store_id and t.id = m.cart_id
  left join coupon_codes k on k.store_id = m.store_id and k.message_id = m.id and k.coupon_id = c.id
  where (m.cart_id is null or t.status in ('active', 'abandoned', 'lost'))
    and ${CONTACT} is not null
    and (k.message_id is null
      or (k.state in ('wanted', 'failed') and (k.next_try_at <= ${now} or k.next_try_at > ${now}::timestamptz + interval '20 minutes'))
      or (k.state = 'made' and k.used_at is null and (k.expires_at < ${WANTED_EXPIRY} or k.terms <> ${TERMS}
        or (${IS_OF_CART} and k.cart_version is distinct from t.version) or not ${hasCurrentAmount('c', 't')})))`

export interface DueWindow {
  now: Date
  horizon: Date
}

/** Waits for edits of personal coupons and blocks new ones, so that codes are created with final terms. */
export async function lockTerms({ db, storeId }: StoreTx): Promise<void> {
  await sql`select id from coupons where store_id = ${storeId} and kind = 'personal' and gone_at is null
    order by id for share`.execute(db)
}

/** First due first. */
export async function selectDueCodes({ db, storeId }: StoreDb, ahead: DueWindow, limit: number): Promise<DueCode[]> {
  const rows = await sql<DueCode>`
    select m.id as message_id, m.shopper_id, m.cart_id, c.id as coupon_id, coalesce(k.code, '') as code, c.code as prefix,
      c.type as coupon_type, c.percent, c.amount_minor, c.currency, c.min_spend_minor, c.max_discount_minor, c.is_tied_to_email,
      ${EMAIL} as email, ${WANTED_EXPIRY} as wanted_expires_at, ${TERMS} as wanted_terms, t.version as cart_version, ${ITEMS_LEFT} as items,
      case when c.max_discount_minor is not null then ${soldOutItems('t')} end as sold_out,
      k.message_id is not null as is_known, k.platform_id, coalesce(k.derivation, 0) as derivation, coalesce(k.attempts, 0) as attempts, m.wake_at
    ${messagesNeedingCodes(sql`${storeId}::uuid`, ahead)}
    order by m.wake_at, m.due_at, m.id limit ${limit}`.execute(db)
  return rows.rows
}

/** Connected stores with such messages that are not paused after a failure. */
export async function selectStoresNeedingCodes(db: Db, ahead: DueWindow): Promise<string[]> {
  const { now, horizon } = ahead
  const rows = await sql<{ store_id: string }>`
    select s.id as store_id from stores s join send_schedule q on q.store_id = s.id and q.next_due_at <= ${horizon}
    left join sync_state y on y.store_id = s.id and y.stream = 'coupon_codes'
    where s.is_active and s.sending_paused_at is null and s.rests_since is null
      and not coalesce((select is_paused from instance), false)
      and not exists (select 1 from accounts a where a.id = s.account_id and a.suspended_at is not null)
      and exists (select 1 from coupons o where o.store_id = s.id and o.kind = 'personal' and o.gone_at is null)
      and (coalesce(y.failures, 0) = 0 or y.failed_at is null or y.failed_at > ${now}
        or y.failed_at + least(5 * 2 ^ least(y.failures - 1, 10), 30) * interval '1 second' <= ${now})
      and coalesce(y.lease_until not between ${now} and ${now}::timestamptz + interval '2 minutes', true)
      and exists (select 1 ${messagesNeedingCodes(sql`s.id`, ahead)})`.execute(db)
  return rows.rows.map((row) => row.store_id)
}

/** Whether the store must not be queried: this installation is a copy, or the store sends nothing. */
export async function isPaused({ db, storeId }: StoreDb): Promise<boolean> {
  const rows = await sql<{ is_at_rest: boolean }>`select s.sending_paused_at is not null or s.rests_since is not null
      or a.suspended_at is not null or coalesce((select is_paused from instance), false) as is_at_rest
    from stores s join accounts a on a.id = s.account_id where s.id = ${storeId}`.execute(db)
  return rows.rows[0]?.is_at_rest ?? true
}

export interface NewCode {
  message_id: string
  coupon_id: string
  shopper_id: string
  cart_id: string | null
  code: string
  derivation: number
  terms: string
  expires_at: Date
}

/** Returns the messages whose code is unique. */
export async function insertCodes(
  { db, storeId }: StoreTx,
  codes: readonly NewCode[],
  now: Date,
): Promise<Set<string>> {
  const rows = await sql<{ message_id: string }>`
    insert into coupon_codes (store_id, message_id, coupon_id, shopper_id, cart_id, code, derivation, terms, expires_at, next_try_at, created_at)
    select ${storeId}, n.*, ${now}, ${now} from jsonb_to_recordset(${JSON.stringify(codes)}::jsonb) as n(message_id uuid, coupon_id uuid,
      shopper_id uuid, cart_id uuid, code text, derivation smallint, terms text, expires_at timestamptz)
    on conflict do nothing returning message_id`.execute(db)
  return new Set(rows.rows.map((row) => row.message_id))
}

export interface RequestedCode {
  message_id: string
  coupon_id: string
  amount_minor: number | null
  cart_version: number | null
  sold_out: string | null
  terms: string
  expires_at: Date
}

/** Call before asking the store. Records what it may have from now on; the codes are used only after its answer. */
export async function markRequested(
  { db, storeId }: StoreTx,
  codes: readonly RequestedCode[],
  now: Date,
): Promise<void> {
  await sql`update coupon_codes k set state = 'wanted', attempts = k.attempts + 1, asked_at = ${now}, amount_minor = n.amount_minor,
      cart_version = n.cart_version, sold_out = n.sold_out, terms = n.terms, expires_at = n.expires_at
    from jsonb_to_recordset(${JSON.stringify(codes)}::jsonb) as n(message_id uuid, coupon_id uuid, amount_minor bigint,
      cart_version int, sold_out text, terms text, expires_at timestamptz)
    where ${NAMED(storeId, codes)} and k.message_id = n.message_id and k.coupon_id = n.coupon_id`.execute(db)
}

/** Postpones codes for which the store is not asked yet. */
export async function postponeCodes(
  { db, storeId }: StoreTx,
  codes: readonly { message_id: string; coupon_id: string; next_try_at: Date }[],
): Promise<void> {
  if (codes.length === 0) return
  await sql`update coupon_codes k set next_try_at = n.next_try_at
    from jsonb_to_recordset(${JSON.stringify(codes)}::jsonb)
      as n(message_id uuid, coupon_id uuid, next_try_at timestamptz)
    where ${NAMED(storeId, codes)} and k.message_id = n.message_id and k.coupon_id = n.coupon_id`.execute(db)
}

/** One look-up per code: the planner would scan a table that has just grown. */
const NAMED = (storeId: string, codes: readonly { message_id: string }[]) =>
  sql`k.store_id = ${storeId} and k.message_id = any(${codes.map((code) => code.message_id)}::uuid[])`

export interface CreatedCode {
  message_id: string
  coupon_id: string
  platform_id: string
}

/** Records created codes. New ones are logged on the carts' timelines. */
export async function markCreated({ db, storeId }: StoreTx, codes: readonly CreatedCode[], now: Date): Promise<void> {
  await sql`
    with known as materialized (
      select k.message_id, k.coupon_id, k.made_at from coupon_codes k where ${NAMED(storeId, codes)}),
    made as (
      update coupon_codes k set state = 'made', platform_id = n.platform_id, refusal = null, made_at = coalesce(k.made_at, ${now})
      from ${madeRows(codes)}
      where ${NAMED(storeId, codes)} and k.message_id = n.message_id and k.coupon_id = n.coupon_id
      returning k.message_id, k.coupon_id, k.cart_id, k.code)
    insert into cart_events (store_id, id, cart_id, at, kind, detail)
    select ${storeId}, gen_random_uuid(), c.id, ${now}, 'coupon_made', jsonb_build_object('code', m.code, 'couponId', m.coupon_id)
    from made m join known f on f.message_id = m.message_id and f.coupon_id = m.coupon_id and f.made_at is null
    join carts c on c.store_id = ${storeId} and c.id = m.cart_id`.execute(db)
}

const madeRows = (codes: readonly CreatedCode[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(codes)}::jsonb) as n(message_id uuid, coupon_id uuid, platform_id text)`

export interface RefusedCode {
  message_id: string
  coupon_id: string
  refusal: string
  next_try_at: Date
}

export async function markRefused({ db, storeId }: StoreTx, codes: readonly RefusedCode[]): Promise<void> {
  await sql`update coupon_codes k set state = 'failed', refusal = n.refusal, next_try_at = n.next_try_at
    from jsonb_to_recordset(${JSON.stringify(codes)}::jsonb) as n(message_id uuid, coupon_id uuid, refusal text, next_try_at timestamptz)
    where ${NAMED(storeId, codes)} and k.message_id = n.message_id and k.coupon_id = n.coupon_id`.execute(db)
}

/** The store has another coupon with this code, so the next code is used. false: that one is taken here too. */
export async function moveToCode(
  { db, storeId }: StoreDb,
  { message_id, coupon_id }: { message_id: string; coupon_id: string },
  next: { code: string; derivation: number; now: Date },
): Promise<boolean> {
  const rows = await sql`update coupon_codes k set code = ${next.code}, derivation = ${next.derivation}, attempts = 0,
      platform_id = null, state = 'wanted', next_try_at = ${next.now}
    where k.store_id = ${storeId} and k.message_id = ${message_id} and k.coupon_id = ${coupon_id}
      and not exists (select 1 from coupon_codes o where o.store_id = k.store_id and o.code = ${next.code})
    returning 1`.execute(db)
  return rows.rows.length > 0
}

/** The code no longer exists in the store and must be created again. */
export async function resetCode(
  { db, storeId }: StoreDb,
  { message_id, coupon_id }: { message_id: string; coupon_id: string },
): Promise<void> {
  await sql`update coupon_codes set platform_id = null, attempts = 0
    where store_id = ${storeId} and message_id = ${message_id} and coupon_id = ${coupon_id}`.execute(db)
}
