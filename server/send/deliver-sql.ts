import { writeBadges } from '../carts/fragments.ts'
import type { ChannelName } from '../channels/channel.ts'
import { type RawBuilder, type StoreDb, type StoreTx, sql } from '../core/db.ts'
import { couponStands } from '../coupons/fragments.ts'
import type { DecisionRow } from '../decide/evaluate.ts'
import { hadOfSameOffer, TEXTS_OF_CART } from '../decide/fragments.ts'
import {
  becomesClaimed,
  becomesScheduled,
  becomesSending,
  isClaimed,
  isHeld,
  isOpen,
  isSending,
} from '../messages/fragments.ts'
import { isBasisInForce, stands, waitsForEarlier, wantsCoupon } from './fragments.ts'

// Way C's statements: claim, verdict, send, outcome. What decisions rest on is loaded in evaluate-sql.ts.

/** Takes the store for this process; false while another one has it. A lease far in the future is from before a step back of the clock. */
export async function leaseStore({ db, storeId }: StoreDb, now: Date, until: Date): Promise<boolean> {
  const rows = await sql`update send_schedule set lease_until = ${until}
    where store_id = ${storeId} and coalesce(lease_until <= ${now} or lease_until > ${until}::timestamptz + interval '1 minute', true)
    returning 1`.execute(db)
  return rows.rows.length > 0
}

/** false when it was not this lease any more. */
export async function renewStore({ db, storeId }: StoreDb, held: Date, until: Date): Promise<boolean> {
  const rows = await sql`update send_schedule set lease_until = ${until}
    where store_id = ${storeId} and lease_until = ${held} returning 1`.execute(db)
  return rows.rows.length > 0
}

export async function freeStore({ db, storeId }: StoreDb, held: Date): Promise<void> {
  await sql`update send_schedule set lease_until = null where store_id = ${storeId} and lease_until = ${held}`.execute(
    db,
  )
}

export interface Claim {
  claim: string
  workerId: string
  now: Date
  leaseUntil: Date
  limit: number
  /** People of whom a message is leaving: the cap counts it before the next is judged (T1). */
  busy?: readonly string[]
}

/** Leases due rows to this claim, the longest waiting first; rows another worker holds are passed over. */
export async function claimDue(
  { db, storeId }: StoreDb,
  { claim, workerId, now, leaseUntil, limit, busy = [] }: Claim,
): Promise<ClaimedId[]> {
  const rows = await sql<ClaimedId>`
    with due as (
      select id from messages where store_id = ${storeId} and ${isOpen('messages')} and wake_at <= ${now}
        and shopper_id <> all(${[...busy]}::uuid[])
        and not ${waitsForEarlier('messages')}
      order by wake_at limit ${limit} for update skip locked)
    update messages m set ${becomesClaimed(claim)}, worker_id = ${workerId}, wake_at = ${leaseUntil}, updated_at = ${now}
    where m.store_id = ${storeId} and m.id = any(array(select id from due)) returning m.id, m.shopper_id, m.channel, m.channels`.execute(
    db,
  )
  return rows.rows
}

/** Asked only after a wake: every other look comes when something is due. */
export async function hasDue({ db, storeId }: StoreDb, now: Date): Promise<boolean> {
  const { rows } =
    await sql`select 1 from messages where store_id = ${storeId} and ${isOpen('messages')} and wake_at <= ${now} limit 1`.execute(
      db,
    )
  return rows.length > 0
}

export interface ClaimedId {
  id: string
  shopper_id: string
  channel: ChannelName
  /** All it may go by; null: the one. */
  channels: ChannelName[] | null
}

/** Before the send, and never after it (decision 54): the claim's rows go by these of their channels. */
export async function setChannels(
  { db, storeId }: StoreDb,
  claim: string,
  chosen: readonly { id: string; channel: ChannelName }[],
): Promise<void> {
  await sql`
    update messages m set channel = l.channel
    from (select w.id, w.channel from jsonb_to_recordset(${JSON.stringify(chosen)}::jsonb) as w(id uuid, channel text) order by w.id) l
    where m.store_id = ${storeId} and m.id = any(${idsOf(chosen)}::uuid[]) and m.id = l.id
      and ${isClaimed('m')} and m.claim = ${claim} and l.channel = any(m.channels)`.execute(db)
}

export async function accountOf({ db, storeId }: StoreDb): Promise<string> {
  const row = await db.selectFrom('stores').select('account_id').where('id', '=', storeId).executeTakeFirstOrThrow()
  return row.account_id
}

/** Holds, skips and cancels the claim's rows; a record is written when outcome or reason changed (D12). */
export async function applyDecisions(
  { db, storeId }: StoreDb,
  claim: string,
  verdicts: readonly DecisionRow[],
  now: Date,
) {
  await sql`
    with decision as (
      select * from jsonb_to_recordset(${JSON.stringify(verdicts)}::jsonb) as v(id uuid, channel text, state text, reason text,
        wake_at timestamptz, outcome text, until timestamptz, inputs jsonb)),
    before as (
      select m.id from messages m where m.store_id = ${storeId} and m.id = any(${idsOf(verdicts)}::uuid[])
        and ${isClaimed('m')} and m.claim = ${claim} order by m.id for update of m),
    moved as (
      update messages m set state = v.state, reason = v.reason,
        channel = case when v.channel = any(m.channels) then v.channel else m.channel end, wake_at = v.wake_at, claim = null,
        decided_at = ${now},
        updated_at = ${now}, finished_at = case when ${isHeld('v')} then null else ${now}::timestamptz end
      from decision v join before b on b.id = v.id where m.store_id = ${storeId} and m.id = v.id
      returning m.id)
    insert into decisions (store_id, id, message_id, at, outcome, reason, until, inputs)
    select ${storeId}, gen_random_uuid(), v.id, ${now}, v.outcome, v.reason, v.until, v.inputs
    from decision v join moved on moved.id = v.id
    left join lateral (select d.outcome, d.reason from decisions d where d.store_id = ${storeId} and d.message_id = v.id
      order by d.at desc, d.id desc limit 1) last on true
    where (last.outcome, last.reason) is distinct from (v.outcome, v.reason)`.execute(db)
}

/** Gives claimed rows back, to be looked at again when they are due: those a send refused a moment later than the others. */
export async function releaseClaim(
  { db, storeId }: StoreDb,
  { claim, workerId }: Pick<Claim, 'claim' | 'workerId'>,
  refused: { ids: readonly string[]; wakeAt: Date },
  now: Date,
): Promise<void> {
  await sql`update messages set ${becomesScheduled}, updated_at = ${now},
      wake_at = greatest(due_at,
        case when id = any(${[...refused.ids]}::uuid[]) then ${refused.wakeAt}::timestamptz else ${now}::timestamptz end)
    where store_id = ${storeId} and ${isClaimed('messages')} and worker_id = ${workerId} and claim = ${claim}`.execute(
    db,
  )
}

export interface SendRow {
  id: string
  cart_id: string | null
  cart_version: number | null
  address_hash: string
  /** Of the person's other addresses, whose suppressions count as well. */
  other_hashes: readonly string[]
  to_address: string
  /** What it carries; null: none. */
  coupon_id: string | null
  coupon_code: string | null
  coupon_wording: string | null
  subject: string | null
  body_text: string
  segments: number | null
  cost_micros: number | null
  cost_currency: string | null
  /** No text of the channel may have left for the cart since; null: not asked. */
  text_since: Date | null
  template_id: string | null
  template_version: number | null
  variant_id: string | null
  reason: string
  inputs: Record<string, unknown>
  tokens: readonly { hash: string; purpose: string; target: string | null }[]
}

export interface SendLimits {
  now: Date
  localCopySince: Date
  capSince: Date
  capMax: number
  accountId: string
  month: string
  channel: ChannelName
  badge: string | null
  tokensUntil: Date
}

/** As it was sent. */
export interface SentMessage {
  id: string
  sendingAt: Date
  /** null: it is about no cart. */
  cartVersion: number | null
  addressHash: string
  otherHashes: readonly string[]
  inputs: unknown
  /** Of what it carries; null: nothing. */
  couponWording: string | null
}

/** Whether a row in `sending` may still go to its channel: its cart is unchanged, its price is within the budget. */
export async function mayStillLeave(
  { db, storeId }: StoreDb,
  { id, sendingAt, cartVersion, addressHash, otherHashes, inputs, couponWording }: SentMessage,
): Promise<boolean> {
  const rows = await sql`select 1 from messages m
    left join carts c on c.store_id = m.store_id and c.id = m.cart_id
    join stores s on s.id = m.store_id
    where m.store_id = ${storeId} and m.id = ${id} and ${isSending('m')} and m.sending_at = ${sendingAt}
      and c.version is not distinct from ${cartVersion}::int
      and ${stands({ addressHash: sql`decode(${addressHash}, 'hex')`, otherHashes: sql`array(select decode(h, 'hex') from unnest(${[...otherHashes]}::text[]) h)` }, sendingAt)}
      and ${isBasisInForce(sql`${JSON.stringify(inputs)}::jsonb`)}
      and (m.coupon_id is null or (${wantsCoupon(sql`m.coupon_id`)} and ${couponStands(sql`m.coupon_id`, sql`m.coupon_code`, sql`${couponWording}::text`)}))
      and (coalesce(m.cost_micros, 0) = 0 or not exists (select 1 from sending_budgets b
        left join sending_spend p on p.account_id = b.account_id and p.currency = b.currency
          and p.month = date_trunc('month', m.sending_at at time zone 'UTC')::date
        where b.account_id = s.account_id and (b.currency <> m.cost_currency or p.micros > b.monthly_micros)))`.execute(
    db,
  )
  return rows.rows.length > 0
}

/**
 * D10, of texts and notifications (mails: mail-turn-sql.ts): the one UPDATE that lets rows leave. It takes effect only for rows still held by this claim and (after a step back
 * of the clock) still due, whose cart has not changed, whose flow or campaign (unless a person asked), store and instance run, whose address is
 * not suppressed, whose consent was not withdrawn and whose relaxed rule, where it rests on one, is relaxed still, with a mirror fresh
 * enough, whose coupon stands as the message says it and is theirs still, and a free slot under the frequency cap. Their carts, decisions, links and the plan's counter move in the same statement.
 * Shoppers and the counter are locked by the caller.
 */
export async function startSending(
  { db, storeId }: StoreTx,
  claim: string,
  workerId: string,
  rows: readonly SendRow[],
  limits: SendLimits,
): Promise<Set<string>> {
  const { now, accountId, month, channel, badge } = limits
  const moved = await sql<{ id: string }>`
    with candidate as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as l(id uuid, cart_version int, address_hash text, other_hashes jsonb,
        to_address text, coupon_id uuid, coupon_code text,
        coupon_wording text, subject text, body_text text, template_id uuid, template_version int, variant_id uuid, reason text,
        inputs jsonb, tokens jsonb, segments int, cost_micros bigint, cost_currency text, text_since timestamptz)),
    -- in one order for all, so that a disconnect and a send never wait for each other in a circle; with the steps behind them, whose
    -- time moves next
    locked as materialized (
      select id, cart_id from messages where store_id = ${storeId} and ${aboutTheSame(rows)}
        and ${isOpen('messages')} order by id for update),
    moved as (
      update messages m set ${becomesSending}, worker_id = ${workerId}, judged = null,
        sending_at = ${now}, cart_abandoned_at = c.abandoned_at, decided_at = ${now}, updated_at = ${now}, attempts = m.attempts + 1,
        told_by = case when m.channel = 'push' and m.cart_id is not null
          then array(select jsonb_array_elements_text(c.fold -> 'episode' -> 'toldBy')) end,
        to_address = l.to_address, coupon_id = l.coupon_id, coupon_code = l.coupon_code, subject = l.subject, body_html = null, body_text = l.body_text,
        template_id = l.template_id, template_version = l.template_version, variant_id = l.variant_id, channels = null,
        segments = l.segments, cost_micros = l.cost_micros, cost_currency = l.cost_currency
      from candidate l join locked k on k.id = l.id left join carts c on c.store_id = ${storeId} and c.id = k.cart_id, stores s
      where m.store_id = ${storeId} and m.id = any(${idsOf(rows)}::uuid[]) and m.id = l.id and ${isClaimed('m')} and m.claim = ${claim} and m.wake_at > ${now}
        and m.due_at <= ${now} and m.channel = ${channel}
        and c.version is not distinct from l.cart_version
        and s.id = m.store_id and ${stands({ addressHash: sql`decode(l.address_hash, 'hex')`, otherHashes: sql`array(select decode(h, 'hex') from jsonb_array_elements_text(l.other_hashes) h)` }, now)}
        and (l.text_since is null or not exists (select ${TEXTS_OF_CART} and h.sending_at > l.text_since))
        and exists (select 1 from sync_state y where y.store_id = m.store_id and y.stream = 'order_check'
          and y.completed_start between ${limits.localCopySince} and ${now})
        and ${isBasisInForce(sql`l.inputs`)}
        and (l.coupon_id is null or (${wantsCoupon(sql`l.coupon_id`)} and ${couponStands(sql`l.coupon_id`, sql`l.coupon_code`, sql`l.coupon_wording`)}))
        and not exists (${hadOfSameOffer})
        and (select count(*) from messages h where h.store_id = m.store_id and h.shopper_id = m.shopper_id
          and h.sending_at > ${limits.capSince}) < ${limits.capMax}
      returning m.id, m.cart_id),
    badges as (
      ${writeBadges(
        storeId,
        badge,
        sql`select distinct moved.cart_id as id, ${now}::timestamptz as at, ${now}::timestamptz + interval '24 hours' as answer_by
        from moved where moved.cart_id is not null`,
      )}),
    recorded as (
      insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
      select ${storeId}, gen_random_uuid(), l.id, ${now}, 'send', l.reason, l.inputs
      from candidate l join moved on moved.id = l.id returning 1),
    linked as (
      insert into link_tokens (token_hash, store_id, message_id, cart_id, purpose, target, created_at, expires_at)
      select decode(t.hash, 'hex'), ${storeId}, moved.id, moved.cart_id, t.purpose, t.target, ${now}, ${limits.tokensUntil}
      from moved join candidate l on l.id = moved.id,
        jsonb_to_recordset(l.tokens) as t(hash text, purpose text, target text)
      on conflict (store_id, token_hash) do update set expires_at = excluded.expires_at, target = excluded.target returning 1),
    counted as (
      update plan_usage set used = used + (select count(*) from moved)
      where account_id = ${accountId} and month = ${month}::date and channel = ${channel} and exists (select 1 from moved))
    select id from moved`.execute(db)
  return new Set(moved.rows.map((row) => row.id))
}

/** The messages of the rows' carts, and the rows that have none. */
function aboutTheSame(rows: readonly SendRow[]): RawBuilder<boolean> {
  const cartIds = rows.flatMap((row) => row.cart_id ?? [])
  const ofCarts = sql<boolean>`cart_id = any(${cartIds}::uuid[])`
  const others = rows.filter((row) => row.cart_id === null)
  return others.length === 0 ? ofCarts : sql<boolean>`(${ofCarts} or id = any(${idsOf(others)}::uuid[]))`
}

/** Named apart from the rows, so that the primary key serves whatever a planner thinks of JSON. */
const idsOf = (rows: readonly { id: string }[]): string[] => rows.map((row) => row.id)
