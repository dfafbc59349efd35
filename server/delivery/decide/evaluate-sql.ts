import type { CartItem } from '../../../shared/carts/carts.ts'
import type { FlowConditions } from '../../../shared/carts/flow-conditions.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { newestAbandoned } from '../../carts/carts/public.ts'
import type { CouponSettings } from '../../carts/coupons/public.ts'
import { hadEarlierMessage, selectArm } from '../../carts/experiments/public.ts'
import { type RawBuilder, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { CampaignsTable } from '../../core/schema/public.ts'
import { channelTraits } from '../../messages/channels/public.ts'
import { isOpen, isRunningCampaign } from '../../messages/messages/public.ts'
import { hasPaidByStore } from '../../shoppers/shoppers/public.ts'
import { newestSubscription } from '../push/public.ts'
import {
  BOUGHT,
  hadOfSameOffer,
  MATCHING,
  matchingPending,
  matchingPurchase,
  PENDING,
  selectCoupon,
  TEXTS_OF_CART,
} from './fragments.ts'

// Loads the inputs of decisions for many messages at once, one statement per function. Store-wide inputs are in
// situation-sql.ts.

export interface ClaimedRow {
  id: string
  /** null: a message without a cart; the shopper's contact replaces the cart's. */
  cart_id: string | null
  shopper_id: string
  /** null: not a step of a flow. */
  step_id: string | null
  step: number
  /** Flow and delay of its step, for stored rows; null: not a step of a flow. */
  flow_id?: string | null
  delay_minutes?: number | null
  /** One of the step's channels; there is one row per channel (decision 54). */
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  reason: string | null
  due_at: Date
  expires_at: Date
  attempts: number
  flow_is_on: boolean | null
  is_step_removed: boolean
  template_id: string | null
  template_version: number | null
  template_subject: string | null
  template_body: string | null
  /** Of an email; only where its documents were loaded (designs.ts). null: a text. */
  template_design?: MailDocument | null
  /** Requested by a member (`reminders`); null: a message of a flow or a campaign. */
  manual: Manual | null
  /** null: belongs to no campaign. */
  campaign: Campaign | null
  /** The coupon of its step, manual send or campaign. */
  coupon: CouponSettings | null
  /** The step's conditions; null: none. */
  conditions: FlowConditions | null
  /** Its step has several variants (decision 55). */
  is_split: boolean
  /** The variant of a split step; null: not split. */
  variant_id: string | null
  is_superseded: boolean
  cart_version: number | null
  cart_status: 'active' | 'abandoned' | 'recovered' | 'purchased' | 'emptied' | 'lost' | 'merged' | null
  abandon_at: Date | null
  pending_until: Date | null
  last_activity_at: Date | null
  email: string | null
  phone: string | null
  /** The shopper's newest browser subscription; only for notifications. */
  subscription: string | null
  items: CartItem[]
  value_minor: number
  currency: string | null
  /** Coupon codes the shopper entered, in their original case. */
  entered_codes: string[]
  arm: 'treated' | 'control' | null
  /** Its cart had a message before the experiment began. */
  is_under_way: boolean
  is_member: boolean
  first_name: string | null
  country: string | null
  /** Chosen on the preference page. */
  language: string | null
  /** Of the shop's pages that the cart, else the shopper, was last seen on. */
  locale: string | null
  /** State of a US address. */
  us_state: string | null
  /** Contacts typed beyond the limits on new contacts (X5). */
  unconfirmed_email: string | null
  unconfirmed_phone: string | null
  matching_order: string | null
  has_bought_before: boolean
  cap_used: number
  cap_oldest: Date | null
  /** Texts sent by this channel for this cart, or without a cart; only for SMS and WhatsApp. */
  texts_sent: number
  text_last: Date | null
}

/** The recipient: the cart's contact, or the address a member chose for a manual message (X5). */
export const getAddress = (row: ClaimedRow): string | null =>
  row.manual?.toAddress ?? row[channelTraits[row.channel].contact]

/** A preview row with a cart. */
export type ImaginedRow = ClaimedRow & { cart_id: string }

export interface Campaign {
  isRunning: boolean
  /** How the campaign ended; null: it has not. */
  end: 'campaign_cancelled' | 'campaign_deleted' | null
  frequency: CampaignsTable['frequency']
  /** The shopper has had another message of the same run. */
  isRepeated: boolean
}

export interface Manual {
  isImmediate: boolean
  overridesHoldout: boolean
  toAddress: string | null
  subject: string | null
  body: string | null
  /** Loaded like `template_design`; only with its own body. */
  design?: MailDocument | null
  /** The job of a bulk send, whose messages share their text; null: a single message. */
  jobId: string | null
  /** The shop page its link opens without a cart; null: the home page. */
  cartUrl: string | null
  /** Icon of a notification in place of the store's logo. */
  iconUrl?: string | null
  /** The shopper has had another message of the same discount mail. */
  isRepeated: boolean
}

/** Purchase and pending order in one join, because finding the matching shoppers is most of the cost. */
const MATCHED = sql`cross join lateral (select max(b.order_id) as order_id, max(p.until) as until from ${MATCHING}
    left join lateral (${BOUGHT}) b on true left join lateral (${PENDING}) p on true) matched`

/** Columns about cart, shopper and purchases of message `m`, for both statements below. */
const CIRCUMSTANCES = (now: Date) => sql`${IS_SUPERSEDED(now)}, ${STATE(now)},
  greatest(c.pending_until, (select max(p.until) from (${matchingPending}) p)) as pending_until,
  (${matchingPurchase} limit 1) as matching_order`

/**
 * A later step on the same channel supersedes a message, and so does a newer "Send to All". Removed steps do not count.
 * Runs of a campaign and other campaigns do not supersede each other.
 */
const IS_SUPERSEDED = (now: Date) => sql`(
  m.origin_kind in ('flow', 'push') and exists (select 1 from messages o
    -- steps of the store's own notifications go when there are to be fewer
    left join flow_steps os on os.store_id = o.store_id and os.flow_id = o.origin_id and os.id = o.step_id
    left join flow_steps ms on ms.store_id = m.store_id and ms.flow_id = m.origin_id and ms.id = m.step_id
    where o.store_id = m.store_id and o.cart_id = m.cart_id and o.origin_kind = m.origin_kind
      and o.origin_id = m.origin_id and os.removed_at is null and coalesce(os.delay_minutes > ms.delay_minutes, o.step > m.step)
      and case when ${isOpen('o')} then m.channel = any(coalesce(o.channels, array[o.channel])) and o.due_at <= ${now}
        else m.channel = o.channel and (o.sending_at is not null or o.reason = 'merged') end)
  or m.origin_kind = 'campaign' and exists (select 1 from campaigns q
    join messages o on o.store_id = q.store_id and o.cart_id = m.cart_id and o.origin_kind = m.origin_kind and o.channel = m.channel
    join campaigns n on n.store_id = o.store_id and n.id = o.origin_id
    where q.store_id = m.store_id and q.id = m.origin_id and q.template_key = 'quick_send' and n.template_key = 'quick_send'
      and (n.created_at, n.id) > (q.created_at, q.id)
      and case when ${isOpen('o')} then o.due_at <= ${now} else o.sending_at is not null end)) as is_superseded`

const STATE = (now: Date) => sql`c.version as cart_version, c.status as cart_status, c.abandon_at, c.last_activity_at,
  case when m.cart_id is null then s.email else c.email end as email,
  case when m.cart_id is null then s.phone else c.phone end as phone,
  case when m.channel = 'push' then ${newestSubscription} end as subscription,
  coalesce(c.items, '[]') as items, coalesce(c.value_minor, 0) as value_minor, c.currency, coalesce(c.coupons, '[]') as entered_codes, ${selectArm(sql`m.store_id`, sql`m.shopper_id`, now)} as arm,
  ${hadEarlierMessage(now)} as is_under_way, s.is_member, s.first_name, s.country, s.language, coalesce(c.locale, s.locale) as locale,
  c.fold -> 'contact' ->> 'state' as us_state, c.fold -> 'contact' ->> 'unconfirmedEmail' as unconfirmed_email,
  c.fold -> 'contact' ->> 'unconfirmedPhone' as unconfirmed_phone,
  exists (select 1 from orders o where o.store_id = m.store_id and o.shopper_id = m.shopper_id
    and o.purchased_at < coalesce(c.started_at, ${now}) and not o.is_unproven)
    or ${hasPaidByStore({ storeId: sql`m.store_id`, shopperId: sql`m.shopper_id` })} as has_bought_before,
  cap.used as cap_used, cap.oldest as cap_oldest, texts.sent as texts_sent, texts.last as text_last`

const TEXTS = sql`cross join lateral (select count(*)::int as sent, max(h.sending_at) as last ${TEXTS_OF_CART}) texts`

const CAP = (since: Date) =>
  sql`cross join lateral (select count(*)::int as used, min(sending_at) as oldest from messages h
    where h.store_id = m.store_id and h.shopper_id = m.shopper_id and h.sending_at > ${since}) cap`

/** The coupon of manual send `r`. A message requested with a coupon is not sent without it. */
const COUPON_OF_REQUEST = sql`jsonb_build_object('id', r.coupon_id, 'fallback', 'skip', 'isFirstOrderOnly', false, 'pauseDays', null,
  'aboveMinor', null)`

const CAMPAIGN = sql`case when g.id is not null then jsonb_build_object('isRunning', ${isRunningCampaign}, 'frequency', g.frequency,
        'end', case when g.deleted_at is not null then 'campaign_deleted' when g.status = 'cancelled' then 'campaign_cancelled' end, 'isRepeated', exists (${hadOfSameOffer})) end`

/** Whether step `fs` has variants besides its own text. */
const IS_SPLIT = sql`exists (select 1 from flow_variants v where v.store_id = fs.store_id and v.step_id = fs.id and v.id <> fs.id
      and v.ended_at is null)`

/** Loads the inputs of these messages: one row per message and channel, in the order of the channels. */
export async function loadClaimed(
  { db, storeId }: StoreTx,
  ids: readonly string[],
  now: Date,
  capSince: Date,
): Promise<ClaimedRow[]> {
  const rows = await sql<ClaimedRow>`
    select m.id, m.cart_id, m.shopper_id, m.step_id, m.step, m.channel, m.reason, m.due_at, m.expires_at, m.attempts,
      fs.flow_id, fs.delay_minutes, fs.conditions, ${IS_SPLIT} as is_split, null as variant_id, f.is_on as flow_is_on, fs.removed_at is not null as is_step_removed,
      t.id as template_id, t.version as template_version, t.subject as template_subject, t.body as template_body, ${CAMPAIGN} as campaign,
      case when r.message_id is not null then jsonb_build_object('isImmediate', r.is_immediate, 'overridesHoldout',
        r.overrides_holdout, 'toAddress', r.to_address, 'subject', r.subject, 'body', r.body, 'jobId', r.job_id, 'cartUrl', r.cart_url, 'iconUrl', r.icon_url,
        'isRepeated', r.coupon_id is not null and r.job_id is not null and exists (${hadOfSameOffer}))
        end as manual,
      case when fs.coupon_id is not null then ${selectCoupon('fs')} when r.coupon_id is not null then ${COUPON_OF_REQUEST}
        when g.coupon_id is not null then ${selectCoupon('g')} end as coupon,
      ${CIRCUMSTANCES(now)}
    from (
      -- offset 0 forces the lookup by id; otherwise the planner may scan the whole table
      select x.*, k.channel, k.place from (
        select store_id, id, cart_id, shopper_id, origin_kind, origin_id, step_id, step, reason, due_at, expires_at, attempts, purchases_since,
          coalesce(channels, array[channel]) as ways
        from messages where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) offset 0) x
      cross join lateral (select * from unnest(x.ways) with ordinality as k(channel, place) limit 4) k) m
    left join carts c on c.store_id = m.store_id and c.id = m.cart_id
    join shoppers s on s.store_id = m.store_id and s.id = m.shopper_id
    left join flows f on f.store_id = m.store_id and f.id = m.origin_id and m.origin_kind in ('flow', 'push')
    left join flow_steps fs on fs.store_id = f.store_id and fs.flow_id = f.id and fs.id = m.step_id
    left join manual_messages r on r.store_id = m.store_id and r.message_id = m.id
    left join campaigns g on g.store_id = m.store_id and g.id = m.origin_id and m.origin_kind = 'campaign'
    left join flow_words fw on fw.store_id = fs.store_id and fw.step_id = fs.id and fw.variant_id = fs.id and fw.channel = m.channel
    left join templates t on t.store_id = m.store_id and t.id = coalesce(fw.template_id, fs.template_id, r.template_id, g.template_id)
    ${CAP(capSince)}
    ${TEXTS}
    order by m.due_at, m.id, m.place`.execute(db)
  return rows.rows
}

/** Loads the inputs for one step and one cart as if the message were due now. No row needs to exist. */
export async function loadPreview(
  { db, storeId }: StoreTx,
  request: {
    flowId: string
    stepId: string
    cartId: string
    channel?: string | undefined
    id: string
    now: Date
    capSince: Date
  },
): Promise<ClaimedRow | undefined> {
  const { now } = request
  const rows = await sql<ClaimedRow>`
    select m.id, m.cart_id, m.shopper_id, m.step_id, m.step, m.channel, null as reason, ${now}::timestamptz as due_at,
      m.conditions, m.is_split, null as variant_id, ${now}::timestamptz + interval '24 hours' as expires_at, 0 as attempts, f.is_on as flow_is_on, false as is_step_removed,
      t.id as template_id, t.version as template_version, t.subject as template_subject, t.body as template_body,
      null as manual, null as campaign, case when m.coupon_id is not null then m.coupon end as coupon, ${CIRCUMSTANCES(now)}
    from (select ${request.id}::uuid as id, w.store_id, w.id as cart_id, w.shopper_id, null::timestamptz as purchases_since,
      'flow' as origin_kind, fs.flow_id as origin_id, fs.id as step_id, fs.step, k.channel, coalesce(fw.template_id, fs.template_id) as template_id,
      fs.coupon_id, ${selectCoupon('fs')} as coupon, fs.conditions, ${IS_SPLIT} as is_split
      from flow_steps fs join carts w on w.store_id = fs.store_id and w.id = ${request.cartId}
      cross join lateral (select coalesce(${request.channel ?? null}, fs.channel) as channel) k
      left join flow_words fw on fw.store_id = fs.store_id and fw.step_id = fs.id and fw.variant_id = fs.id and fw.channel = k.channel
      where fs.store_id = ${storeId} and fs.flow_id = ${request.flowId} and fs.id = ${request.stepId}) m
    join carts c on c.store_id = m.store_id and c.id = m.cart_id
    join shoppers s on s.store_id = m.store_id and s.id = m.shopper_id
    join flows f on f.store_id = m.store_id and f.id = ${request.flowId}
    join templates t on t.store_id = m.store_id and t.id = m.template_id
    ${CAP(request.capSince)}
    ${TEXTS}`.execute(db)
  return rows.rows[0]
}

interface SampleInput {
  channel: string
  templateId: string | null
  now: Date
  capSince: Date
}

/** Loads the inputs of manual messages as if they were sent now, one for each of these carts. */
export function loadImagined(
  tx: StoreTx,
  request: SampleInput & { cartIds: readonly string[] },
): Promise<ImaginedRow[]> {
  const carts = sql`unnest(${[...request.cartIds]}::uuid[]) with ordinality as w(id, place)
    join carts c on c.store_id = ${tx.storeId} and c.id = w.id
    cross join lateral (select c.store_id, c.id as cart_id, c.shopper_id, null::timestamptz as purchases_since, 1 as step,
      ${request.channel} as channel) m
    join shoppers s on s.store_id = m.store_id and s.id = m.shopper_id`
  return loadUnsent<ImaginedRow>(tx, carts, request)
}

/** Coupon and link of a discount mail. */
export interface SampleOffer {
  couponId: string | null
  cartUrl: string | null
}

/** Loads the inputs of manual messages to shoppers, each about their newest abandoned cart, or without a cart. */
export async function loadImaginedFor(
  tx: StoreTx,
  request: SampleInput & { shopperIds: readonly string[]; offer: SampleOffer },
): Promise<ClaimedRow[]> {
  const people = sql`unnest(${[...request.shopperIds]}::uuid[]) with ordinality as w(id, place)
    join shoppers s on s.store_id = ${tx.storeId} and s.id = w.id
    left join lateral (${newestAbandoned}) c on true
    cross join lateral (select s.store_id, c.id as cart_id, s.id as shopper_id,
      case when c.id is null then ${request.now}::timestamptz end as purchases_since, 1 as step, ${request.channel} as channel) m`
  const { couponId, cartUrl } = request.offer
  const coupon: CouponSettings | null = couponId === null ? null : { id: couponId, ...AS_REQUESTED }
  const rows = await loadUnsent<ClaimedRow>(tx, people, request)
  return rows.map((row) => ({ ...row, coupon, manual: row.manual && { ...row.manual, cartUrl } }))
}

/** The same values as in `COUPON_OF_REQUEST`. */
const AS_REQUESTED = { fallback: 'skip', isFirstOrderOnly: false, pauseDays: null, aboveMinor: null } as const

/**
 * `about` is SQL for messages `m` with shoppers `s` and carts `c`, in the order of `w.place`. PostgreSQL plans these
 * joins in the written order: carts must come before shoppers, or it reads all shoppers.
 */
async function loadUnsent<Row>(
  { db }: StoreTx,
  about: RawBuilder<unknown>,
  { templateId, now, capSince }: SampleInput,
): Promise<Row[]> {
  const rows = await sql<Row>`
    select gen_random_uuid() as id, m.cart_id, m.shopper_id, null as step_id, m.step, m.channel, null as conditions, false as is_split,
      null as variant_id, null as reason, ${now}::timestamptz as due_at,
      ${now}::timestamptz + interval '1 hour' as expires_at, 0 as attempts, null as flow_is_on, false as is_step_removed,
      t.id as template_id, t.version as template_version, t.subject as template_subject, t.body as template_body,
      '{"isImmediate":true,"overridesHoldout":false,"toAddress":null,"subject":null,"body":null,"jobId":null,"cartUrl":null,"isRepeated":false}'::jsonb
        as manual, null as campaign, null as coupon,
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

/** The store's template with this key (`first_reminder` …), from which a manual message starts. */
export async function findTemplateByKey({ db, storeId }: StoreDb, key: string): Promise<{ id: string } | undefined> {
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

/** Returns which of these shoppers have had a mail, including mails in flight. */
export async function listMailedBefore({ db, storeId }: StoreTx, shopperIds: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ shopper_id: string }>`
    select distinct shopper_id from messages
    where store_id = ${storeId} and shopper_id = any(${[...shopperIds]}::uuid[]) and sending_at is not null
      and channel = 'email'`.execute(db)
  return new Set(rows.rows.map((row) => row.shopper_id))
}

/** Returns which of these addresses wrote by WhatsApp since then; WhatsApp allows free text for 24 hours after that. */
export async function loadRepliedSince(
  { db }: StoreDb,
  request: { accountId: string; hashes: readonly Buffer[]; since: Date },
): Promise<Set<string>> {
  const rows = await sql<{ hash: string }>`
    select encode(address_hash, 'hex') as hash from text_windows where account_id = ${request.accountId}
      and channel = 'whatsapp' and address_hash = any(${[...request.hashes]}::bytea[]) and inbound_at > ${request.since}`.execute(
    db,
  )
  return new Set(rows.rows.map((row) => row.hash))
}

/** Returns the account-wide suppressions of these addresses (C1): reason by `channel:hash`. */
export async function loadSuppressions(
  { db, storeId }: StoreDb,
  hashes: readonly Buffer[],
  channels: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ hash: string; channel: string; reason: string }>`
    select encode(p.address_hash, 'hex') as hash, p.channel, p.reason
    from suppressions p join stores s on s.account_id = p.account_id
    where s.id = ${storeId} and p.channel = any(${['all', ...channels]}::text[]) and p.address_hash = any(${[...hashes]}::bytea[])
    order by suppression_rank(p.reason) desc`.execute(db)
  // The most binding reason comes last and wins.
  const of = (row: { channel: string }) => (row.channel === 'all' ? channels : [row.channel])
  return new Map(rows.rows.flatMap((row) => of(row).map((channel) => [`${channel}:${row.hash}`, row.reason])))
}
