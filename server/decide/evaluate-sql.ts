import type { CartItem } from '../../shared/carts.ts'
import { inForceOf } from '../billing/fragments.ts'
import type { InForce } from '../billing/rules.ts'
import { brandOfStore } from '../brand/fragments.ts'
import type { StoredBrand } from '../brand/rules.ts'
import { newestAbandoned } from '../carts/fragments.ts'
import type { ChannelName } from '../channels/channel.ts'
import type { ConsentOverride } from '../consent/consent.ts'
import { overridesInForce } from '../consent/fragments.ts'
import { type RawBuilder, type StoreDb, type StoreTx, sql } from '../core/db.ts'
import type { WantedCoupon } from '../coupons/for-messages.ts'
import { isOpen } from '../messages/fragments.ts'
import {
  BOUGHT,
  couponOfStep,
  hadOfSameOffer,
  MATCHING,
  matchingPending,
  matchingPurchase,
  PENDING,
  TEXTS_OF_CART,
} from './fragments.ts'

// What decisions rest on, loaded set-wise. One function, one statement.

export interface ClaimedRow {
  id: string
  /** null: about no cart; then the shopper's own contact stands in for the cart's. */
  cart_id: string | null
  shopper_id: string
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
  /** Asked for by a person (`reminders`); null: of a flow. */
  manual: Manual | null
  /** Of its step or its request. */
  coupon: WantedCoupon | null
  is_superseded: boolean
  cart_version: number | null
  cart_status: 'active' | 'abandoned' | 'recovered' | 'purchased' | 'emptied' | 'lost' | 'merged' | null
  abandon_at: Date | null
  pending_until: Date | null
  last_activity_at: Date | null
  email: string | null
  phone: string | null
  items: CartItem[]
  value_minor: number
  currency: string | null
  arm: 'treated' | 'control' | null
  is_member: boolean
  first_name: string | null
  country: string | null
  /** Of a US address. */
  us_state: string | null
  /** Typed above the limits on new contacts (X5). */
  unconfirmed_email: string | null
  unconfirmed_phone: string | null
  matching_order: string | null
  has_bought_before: boolean
  cap_used: number
  cap_oldest: Date | null
  /** Of the same channel for the same cart (or, without one, about none), handed over; only for SMS and WhatsApp. */
  texts_sent: number
  text_last: Date | null
}

/** About a cart that is there. */
export type ImaginedRow = ClaimedRow & { cart_id: string }

export interface Manual {
  isImmediate: boolean
  overridesHoldout: boolean
  toAddress: string | null
  subject: string | null
  body: string | null
  /** Asked for with many others, which share its words. */
  jobId: string | null
  /** The page of the shop its link leads to where there is no cart; null: the shop. */
  cartUrl: string | null
  /** The person has had another message of the same discount mail. */
  isRepeated: boolean
}

/** Both at once where many carts are looked at, as finding who matches is most of the work. */
const MATCHED = sql`cross join lateral (select max(b.order_id) as order_id, max(p.until) as until from ${MATCHING}
    left join lateral (${BOUGHT}) b on true left join lateral (${PENDING}) p on true) matched`

/** What both readings below say of cart, person and purchases; `m` is the message, there or imagined. */
const CIRCUMSTANCES = (now: Date) => sql`${IS_SUPERSEDED(now)}, ${STATE(now)},
  greatest(c.pending_until, (select max(p.until) from (${matchingPending}) p)) as pending_until,
  (${matchingPurchase} limit 1) as matching_order`

const IS_SUPERSEDED = (now: Date) => sql`
  exists (select 1 from messages o where o.store_id = m.store_id and o.cart_id = m.cart_id and o.origin_kind = m.origin_kind
    and o.origin_id = m.origin_id and o.channel = m.channel and o.step > m.step
    and case when ${isOpen('o')} then o.due_at <= ${now}
      else o.handed_over_at is not null or o.reason = 'merged' end) as is_superseded`

const STATE = (now: Date) => sql`c.version as cart_version, c.status as cart_status, c.abandon_at, c.last_activity_at,
  case when m.cart_id is null then s.email else c.email end as email,
  case when m.cart_id is null then s.phone else c.phone end as phone,
  coalesce(c.items, '[]') as items, coalesce(c.value_minor, 0) as value_minor, c.currency, s.arm, s.is_member, s.first_name, s.country,
  c.fold -> 'contact' ->> 'state' as us_state, c.fold -> 'contact' ->> 'unconfirmedEmail' as unconfirmed_email,
  c.fold -> 'contact' ->> 'unconfirmedPhone' as unconfirmed_phone,
  exists (select 1 from orders o where o.store_id = m.store_id and o.shopper_id = m.shopper_id
    and o.purchased_at < coalesce(c.started_at, ${now})) as has_bought_before,
  cap.used as cap_used, cap.oldest as cap_oldest, texts.sent as texts_sent, texts.last as text_last`

const TEXTS = sql`cross join lateral (select count(*)::int as sent, max(h.handed_over_at) as last ${TEXTS_OF_CART}) texts`

const CAP = (since: Date) =>
  sql`cross join lateral (select count(*)::int as used, min(handed_over_at) as oldest from messages h
    where h.store_id = m.store_id and h.shopper_id = m.shopper_id and h.handed_over_at > ${since}) cap`

/** Of request `r`: what a person asked to send with a coupon is not sent without it. */
const COUPON_OF_REQUEST = sql`jsonb_build_object('id', r.coupon_id, 'fallback', 'skip', 'isFirstOrderOnly', false, 'pauseDays', null,
  'aboveMinor', null)`

/** Everything decisions about these rows rest on, set-wise. */
export async function loadClaimed(
  { db, storeId }: StoreTx,
  ids: readonly string[],
  now: Date,
  capSince: Date,
): Promise<ClaimedRow[]> {
  const rows = await sql<ClaimedRow>`
    select m.id, m.cart_id, m.shopper_id, m.step, m.channel, m.reason, m.due_at, m.expires_at, m.attempts,
      f.is_on as flow_is_on, f.holdout_bps, f.salt,
      t.id as template_id, t.version as template_version, t.subject as template_subject, t.body as template_body,
      case when r.message_id is not null then jsonb_build_object('isImmediate', r.is_immediate, 'overridesHoldout',
        r.overrides_holdout, 'toAddress', r.to_address, 'subject', r.subject, 'body', r.body, 'jobId', r.job_id, 'cartUrl', r.cart_url,
        'isRepeated', r.coupon_id is not null and r.job_id is not null and exists (${hadOfSameOffer}))
        end as manual,
      case when fs.coupon_id is not null then ${couponOfStep} when r.coupon_id is not null then ${COUPON_OF_REQUEST} end as coupon,
      ${CIRCUMSTANCES(now)}
    from messages m
    left join carts c on c.store_id = m.store_id and c.id = m.cart_id
    join shoppers s on s.store_id = m.store_id and s.id = m.shopper_id
    left join flows f on f.store_id = m.store_id and f.id = m.origin_id and m.origin_kind = 'flow'
    left join flow_steps fs on fs.store_id = f.store_id and fs.flow_id = f.id and fs.id = m.step_id
    left join manual_messages r on r.store_id = m.store_id and r.message_id = m.id
    left join templates t on t.store_id = m.store_id and t.id = coalesce(fs.template_id, r.template_id)
    ${CAP(capSince)}
    ${TEXTS}
    where m.store_id = ${storeId} and m.id = any(${[...ids]}::uuid[])
    order by m.due_at, m.id`.execute(db)
  return rows.rows
}

/** The same for one step and one cart as if it were due now, whether a row exists or not. */
export async function loadPreview(
  { db, storeId }: StoreTx,
  wanted: {
    flowId: string
    step: number
    cartId: string
    channel?: string | undefined
    id: string
    now: Date
    capSince: Date
  },
): Promise<ClaimedRow | undefined> {
  const { now } = wanted
  const rows = await sql<ClaimedRow>`
    select m.id, m.cart_id, m.shopper_id, m.step, m.channel, null as reason, ${now}::timestamptz as due_at,
      ${now}::timestamptz + interval '24 hours' as expires_at, 0 as attempts, f.is_on as flow_is_on, f.holdout_bps, f.salt,
      t.id as template_id, t.version as template_version, t.subject as template_subject, t.body as template_body,
      null as manual, case when m.coupon_id is not null then m.coupon end as coupon, ${CIRCUMSTANCES(now)}
    from (select ${wanted.id}::uuid as id, w.store_id, w.id as cart_id, w.shopper_id, null::timestamptz as purchases_since,
      'flow' as origin_kind, fs.flow_id as origin_id, fs.step, coalesce(${wanted.channel ?? null}, fs.channel) as channel, fs.template_id,
      fs.coupon_id, ${couponOfStep} as coupon
      from flow_steps fs join carts w on w.store_id = fs.store_id and w.id = ${wanted.cartId}
      where fs.store_id = ${storeId} and fs.flow_id = ${wanted.flowId} and fs.step = ${wanted.step}) m
    join carts c on c.store_id = m.store_id and c.id = m.cart_id
    join shoppers s on s.store_id = m.store_id and s.id = m.shopper_id
    join flows f on f.store_id = m.store_id and f.id = ${wanted.flowId}
    join templates t on t.store_id = m.store_id and t.id = m.template_id
    ${CAP(wanted.capSince)}
    ${TEXTS}`.execute(db)
  return rows.rows[0]
}

interface Imagined {
  channel: string
  templateId: string | null
  now: Date
  capSince: Date
}

/** Messages by hand that nobody has asked for yet, one for each of these carts, as if they were to leave now. */
export function loadImagined(tx: StoreTx, wanted: Imagined & { cartIds: readonly string[] }): Promise<ImaginedRow[]> {
  const carts = sql`unnest(${[...wanted.cartIds]}::uuid[]) with ordinality as w(id, place)
    join carts c on c.store_id = ${tx.storeId} and c.id = w.id
    cross join lateral (select c.store_id, c.id as cart_id, c.shopper_id, null::timestamptz as purchases_since, 1 as step,
      ${wanted.channel} as channel) m
    join shoppers s on s.store_id = m.store_id and s.id = m.shopper_id`
  return imagine<ImaginedRow>(tx, carts, wanted)
}

/** What a discount mail has. */
export interface Offered {
  couponId: string | null
  cartUrl: string | null
}

/** The same for people, each about the cart they left last; about none where there is none. */
export async function loadImaginedFor(
  tx: StoreTx,
  wanted: Imagined & { shopperIds: readonly string[]; offer: Offered },
): Promise<ClaimedRow[]> {
  const people = sql`unnest(${[...wanted.shopperIds]}::uuid[]) with ordinality as w(id, place)
    join shoppers s on s.store_id = ${tx.storeId} and s.id = w.id
    left join lateral (${newestAbandoned}) c on true
    cross join lateral (select s.store_id, c.id as cart_id, s.id as shopper_id,
      case when c.id is null then ${wanted.now}::timestamptz end as purchases_since, 1 as step, ${wanted.channel} as channel) m`
  const { couponId, cartUrl } = wanted.offer
  const coupon: WantedCoupon | null = couponId === null ? null : { id: couponId, ...AS_REQUESTED }
  const rows = await imagine<ClaimedRow>(tx, people, wanted)
  return rows.map((row) => ({ ...row, coupon, manual: row.manual && { ...row.manual, cartUrl } }))
}

/** As `COUPON_OF_REQUEST` has it. */
const AS_REQUESTED = { fallback: 'skip', isFirstOrderOnly: false, pauseDays: null, aboveMinor: null } as const

/**
 * `about`: messages `m` with their shoppers `s` and carts `c`, in the order of `w.place`. The joins are planned in the order in which they are
 * written: carts before their shoppers, or all shoppers are read.
 */
async function imagine<Row>(
  { db }: StoreTx,
  about: RawBuilder<unknown>,
  { templateId, now, capSince }: Imagined,
): Promise<Row[]> {
  const rows = await sql<Row>`
    select gen_random_uuid() as id, m.cart_id, m.shopper_id, m.step, m.channel, null as reason, ${now}::timestamptz as due_at,
      ${now}::timestamptz + interval '1 hour' as expires_at, 0 as attempts, null as flow_is_on, null as holdout_bps, null as salt,
      t.id as template_id, t.version as template_version, t.subject as template_subject, t.body as template_body,
      '{"isImmediate":true,"overridesHoldout":false,"toAddress":null,"subject":null,"body":null,"jobId":null,"cartUrl":null,"isRepeated":false}'::jsonb
        as manual, null as coupon,
      false as is_superseded, ${STATE(now)}, greatest(c.pending_until, matched.until) as pending_until,
      matched.order_id as matching_order
    from ${about}
    left join templates t on t.store_id = m.store_id and t.id = ${templateId}
    ${CAP(capSince)}
    ${TEXTS}
    ${MATCHED}
    order by w.place`.execute(db)
  return rows.rows
}

/** The store's template with this key (`first_reminder` …), which a message by hand starts from. */
export async function templateByKey({ db, storeId }: StoreDb, key: string): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('templates')
    .select('id')
    .where('store_id', '=', storeId)
    .where('key', '=', key)
    .orderBy('id')
    .executeTakeFirst()
}

export async function hasTemplate({ db, storeId }: StoreDb, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('templates')
    .select('id')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

/** Who wrote to us on this channel since then: WhatsApp allows free text for 24 hours after it. */
export async function inboundSince(
  { db }: StoreDb,
  wanted: { accountId: string; hashes: readonly Buffer[]; since: Date },
): Promise<Set<string>> {
  const rows = await sql<{ hash: string }>`
    select encode(address_hash, 'hex') as hash from text_windows where account_id = ${wanted.accountId}
      and channel = 'whatsapp' and address_hash = any(${[...wanted.hashes]}::bytea[]) and inbound_at > ${wanted.since}`.execute(
    db,
  )
  return new Set(rows.rows.map((row) => row.hash))
}

/** What of these addresses is suppressed, in the whole account (C1), by `channel:hash`. */
export async function suppressedOf(
  { db, storeId }: StoreDb,
  hashes: readonly Buffer[],
  channels: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ hash: string; channel: string; reason: string }>`
    select encode(p.address_hash, 'hex') as hash, p.channel, p.reason
    from suppressions p join stores s on s.account_id = p.account_id
    where s.id = ${storeId} and p.channel = any(${['all', ...channels]}::text[]) and p.address_hash = any(${[...hashes]}::bytea[])
    order by suppression_rank(p.reason) desc`.execute(db)
  // Of several reasons the most binding one is written last, and stays.
  const of = (row: { channel: string }) => (row.channel === 'all' ? channels : [row.channel])
  return new Map(rows.rows.flatMap((row) => of(row).map((channel) => [`${channel}:${row.hash}`, row.reason])))
}

export interface Situation {
  is_paused: boolean
  account_id: string
  is_active: boolean
  /** By a person, for this store (decision 136). */
  is_sending_paused: boolean
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
  time_zone: string
  quiet_from_minute: number
  quiet_until_minute: number
  text_cooldown_hours: number
  /** How the store reckons prices; null: it does not say. */
  prices_include_tax: boolean | null
  shows_tax: boolean | null
  price_decimals: number | null
  is_discount_sequential: boolean | null
  /** Of the account's plan; null before one was chosen. */
  in_force: InForce | null
  /** Hand-overs of the month, by channel. */
  used: Partial<Record<ChannelName, number>>
  /** The largest control group of a flow that is on: whom a person may not write to without meaning it (D11). */
  holdout_bps: number
  budget: Budget | null
  /** The newest complete order check of the store, and what went wrong since (D3). */
  check_started: Date | null
  check_failed: Date | null
  check_failures: number
  check_problem: string | null
  check_detail: string | null
  /** The account has a mail server of its own; left alone until then after it took nothing. */
  has_own_mail: boolean
  mail_rests_until: Date | null
  /** The shop's own, for links in mails, while it leads here. */
  link_host: string | null
  /** How its mails look, for `brandFrom`; null: it has set nothing. */
  brand: StoredBrand | null
  /** Of the store, in force (C6). */
  overrides: ConsentOverride[]
}

/** Of SMS and WhatsApp in the month. */
export interface Budget {
  monthlyMicros: number
  currency: string
  spentMicros: number
}

export async function loadSituation(
  { db, storeId }: StoreDb,
  month: string,
  now: Date,
): Promise<Situation | undefined> {
  const rows = await sql<Situation>`
    select coalesce((select is_paused from instance), false) as is_paused, s.account_id, s.is_active,
      s.sending_paused_at is not null as is_sending_paused, s.is_demo,
      a.is_demo as account_is_demo, s.name, s.url, s.home_url, s.base_country, s.selling_countries, s.sender_name,
      s.sender_email, s.postal_address, s.cap_messages, s.cap_window_hours, s.time_zone, s.quiet_from_minute,
      s.quiet_until_minute, s.text_cooldown_hours, s.prices_include_tax, s.shows_tax, s.price_decimals, s.is_discount_sequential,
      ${inForceOf(sql`s.account_id`, now)} as in_force,
      coalesce((select jsonb_object_agg(u.channel, u.used) from plan_usage u
        where u.account_id = s.account_id and u.month = ${month}::date), '{}') as used,
      coalesce((select max(h.holdout_bps) from flows h where h.store_id = s.id and h.is_on), 0) as holdout_bps,
      (select jsonb_build_object('monthlyMicros', g.monthly_micros, 'currency', g.currency, 'spentMicros', coalesce(p.micros, 0))
        from sending_budgets g left join sending_spend p on p.account_id = g.account_id and p.month = ${month}::date
          and p.currency = g.currency
        where g.account_id = s.account_id) as budget,
      f.completed_start as check_started, f.failed_at as check_failed, coalesce(f.failures, 0) as check_failures,
      f.error_code as check_problem, f.error_detail as check_detail,
      m.account_id is not null as has_own_mail, m.rests_until as mail_rests_until,
      (select h.host from link_hosts h where h.store_id = s.id and h.passed_at is not null) as link_host,
      ${brandOfStore(sql`s.id`)} as brand,
      ${overridesInForce(sql`s.id`)} as overrides
    from stores s join accounts a on a.id = s.account_id
    left join mail_servers m on m.account_id = s.account_id
    left join sync_state f on f.store_id = s.id and f.stream = 'order_check'
    where s.id = ${storeId}`.execute(db)
  return rows.rows[0]
}
