import { insertNewsOfMessages } from '../../access/notifications/public.ts'
import { writeBadges } from '../../carts/carts/public.ts'
import { isCouponUsable } from '../../carts/coupons/public.ts'
import { listIds, type RawBuilder, type StoreTx, sql } from '../../core/db/public.ts'
import type { ChannelName } from '../../messages/channels/public.ts'
import { becomesSending, isClaimed, isSending, selectFirstMailsSince } from '../../messages/messages/public.ts'
import { hadOfSameOffer } from '../decide/public.ts'
import type { OutcomeRow } from '../outcome/public.ts'
import { isBasisInForce, passesStops, wantsCoupon } from './fragments.ts'
import type { Answer } from './settle.ts'

// The three statements of a send (decisions 147 and 149): preparation, the turn, settling.

export interface PreparedRow {
  id: string
  to_address: string
  /** null: without a coupon. */
  coupon_id: string | null
  coupon_code: string | null
  subject: string | null
  body_html: string | null
  body_text: string
  template_id: string | null
  template_version: number | null
  variant_id: string | null
  is_first_mail: boolean
  /** For the decision's record. */
  judged: { reason: string; inputs: Record<string, unknown> }
  tokens: readonly { hash: string; purpose: string; target: string | null }[]
}

export interface Preparing {
  claim: string
  now: Date
  tokensUntil: Date
}

/**
 * Writes content and links of claimed messages before the send; they stay `claimed`. The caller has locked their
 * shoppers. Returns the ids of the rows that this claim still holds.
 */
export async function prepare(
  { db, storeId }: StoreTx,
  rows: readonly PreparedRow[],
  { claim, now, tokensUntil }: Preparing,
): Promise<Set<string>> {
  const prepared = await sql<{ id: string }>`
    with ready as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as l(id uuid, to_address text, coupon_id uuid, coupon_code text,
        subject text, body_html text, body_text text, template_id uuid, template_version int, variant_id uuid, is_first_mail bool,
        judged jsonb, tokens jsonb)),
    locked as materialized (
      select id, cart_id, state, claim from messages where store_id = ${storeId} and id = any(${listIds(rows)}::uuid[])
        order by id for no key update),
    prepared as (
      update messages m set cart_abandoned_at = c.abandoned_at, reason = null, updated_at = ${now}, judged = l.judged,
        to_address = l.to_address, coupon_id = l.coupon_id, coupon_code = l.coupon_code, subject = l.subject, body_html = l.body_html,
        body_text = l.body_text, template_id = l.template_id, template_version = l.template_version, variant_id = l.variant_id,
        is_first_mail = l.is_first_mail
      from ready l join locked k on k.id = l.id left join carts c on c.store_id = ${storeId} and c.id = k.cart_id
      where m.store_id = ${storeId} and m.id = k.id and ${isClaimed('k')} and k.claim = ${claim}
      returning m.id, m.cart_id),
    linked as (
      insert into link_tokens (token_hash, store_id, message_id, cart_id, purpose, target, created_at, expires_at)
      select decode(t.hash, 'hex'), ${storeId}, prepared.id, prepared.cart_id, t.purpose, t.target, ${now}, ${tokensUntil}
      from prepared join ready l on l.id = prepared.id,
        jsonb_to_recordset(l.tokens) as t(hash text, purpose text, target text)
      on conflict (store_id, token_hash) do update set expires_at = excluded.expires_at, target = excluded.target returning 1)
    select id from prepared`.execute(db)
  return new Set(prepared.rows.map((row) => row.id))
}

/** Counts the account's first mails since then. Locks the count for the account until the transaction ends. */
export async function lockFirstMails({ db }: StoreTx, accountId: string, since: Date): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`first mails ${accountId}`}, 0))`.execute(db)
  const { rows } = await selectFirstMailsSince(sql`${accountId}`, since).execute(db)
  return rows[0]!.sent
}

/** Counts the shopper's other messages within the frequency cap's window. */
const countWithinCap = (capSince: Date) => sql`select count(*) from messages h
  where h.store_id = m.store_id and h.shopper_id = m.shopper_id and h.sending_at > ${capSince} and h.id <> m.id`

export interface CandidateRow {
  id: string
  /** The recipient at the time of the decision. */
  shopper_id: string
  cart_version: number | null
  address_hash: string
  /** Hashes of the shopper's other addresses; a suppression of one of them also stops the message. */
  other_hashes: readonly string[]
  coupon_id: string | null
  coupon_code: string | null
  coupon_wording: string | null
  /** The inputs of the decision that the turn checks again. */
  inputs: { consentBasis?: unknown }
  /** Values for the condition of its channel. */
  own: object
}

export interface AnsweredRow {
  id: string
  sending_at: Date
  answer: Answer
}

export interface TurnLimits {
  claim: string
  workerId: string
  now: Date
  localCopySince: Date
  capSince: Date
  capMax: number
  accountId: string
  month: string
  channel: ChannelName
  /** Messages per month; below 0: unlimited. */
  planLimit: number
}

/**
 * SQL that a channel adds to the turn. `m` is the message, `l` its `CandidateRow`, `l.own` the channel's values in it.
 * `condition` may also use the cart `c`.
 */
export interface ChannelTerms {
  /** Must hold for the message to be sent. */
  condition: RawBuilder<unknown>
  /** Assignments added to the UPDATE of `m`, each with a comma before it. */
  assignments: RawBuilder<unknown>
}

/**
 * Stores replies and moves further messages to `sending` in their slots (D10). Selects the ids of the moved ones. A
 * message is sent only if
 * - this claim holds it, and it is due, even after the clock was set back;
 * - its shopper, cart version and channel are those of the decision;
 * - its store and the instance are running, and so is its flow or campaign, if it has one;
 * - no earlier step of its flow is in flight (T4);
 * - the cart is not bought, and no order of it awaits payment;
 * - the address is not suppressed, the consent not withdrawn, and the consent override it needs, if any, is in force;
 * - the last order check is recent enough;
 * - its coupon is still valid as the message describes it, and still meant for it;
 * - the frequency cap and the plan, which the statement also counts, have room;
 * - its channel allows it (channel-rules.ts).
 *
 * The caller has locked the shoppers in an earlier statement, so their changes are visible. Rows are locked in one
 * order, the plan's counter last.
 */
export function turnStatement(
  storeId: string,
  { answered, candidates }: { answered: readonly AnsweredRow[]; candidates: readonly CandidateRow[] },
  limits: TurnLimits,
  { condition, assignments }: ChannelTerms,
): RawBuilder<{ id: string }> {
  const { claim, workerId, now, accountId, month, channel, planLimit } = limits
  const counter = sql`account_id = ${accountId} and month = ${month}::date and channel = ${channel}`
  return sql<{ id: string }>`
    with answered as (
      select * from jsonb_to_recordset(${JSON.stringify(answered)}::jsonb) as a(id uuid, sending_at timestamptz, answer jsonb)),
    candidates as (
      select * from jsonb_to_recordset(${JSON.stringify(candidates)}::jsonb) as l(id uuid, shopper_id uuid, cart_version int, address_hash text,
        other_hashes jsonb, coupon_id uuid, coupon_code text, coupon_wording text, inputs jsonb, own jsonb)),
    -- Rows are found by id alone, before any condition. A planner whose statistics predate the first send expects no message in
    -- flight, and would otherwise read all messages of the store or the worker for each row.
    locked as materialized (
      select id, cart_id, state, worker_id, sending_at, answer from messages
      where store_id = ${storeId} and id = any(${listIds([...answered, ...candidates])}::uuid[]) order by id for no key update),
    mine as materialized (select l.*, k.cart_id from candidates l join locked k on k.id = l.id where ${isClaimed('k')}),
    room as materialized (
      select used from plan_usage where ${counter} and (select count(*) from locked) > 0 and exists (select 1 from mine) for no key update),
    noted as (
      update messages m set answer = a.answer from answered a join locked k on k.id = a.id
      where m.store_id = ${storeId} and m.id = any(${listIds(answered)}::uuid[]) and m.id = k.id and k.worker_id = ${workerId}
        and ${isSending('k')} and k.sending_at = a.sending_at and k.answer is null),
    allowed as materialized (
      select m.id, m.shopper_id, l.own from mine l join messages m on m.store_id = ${storeId} and m.id = l.id
      left join carts c on c.store_id = ${storeId} and c.id = l.cart_id, stores s, room
      where m.shopper_id = l.shopper_id and c.version is not distinct from l.cart_version
        and s.id = m.store_id and ${passesStops({ addressHash: sql`decode(l.address_hash, 'hex')`, otherHashes: sql`array(select decode(h, 'hex') from jsonb_array_elements_text(l.other_hashes) h)` }, now)}
        and exists (select 1 from sync_state y where y.store_id = m.store_id and y.stream = 'order_check'
          and y.completed_start between ${limits.localCopySince} and ${now})
        and ${isBasisInForce(sql`l.inputs`)}
        and (l.coupon_id is null or (${wantsCoupon(sql`l.coupon_id`)} and ${isCouponUsable(sql`l.coupon_id`, sql`l.coupon_code`, sql`l.coupon_wording`)}))
        and not exists (${hadOfSameOffer})
        and (${countWithinCap(limits.capSince)}) < ${limits.capMax}
        and ${condition}
      order by m.due_at, m.id
      limit case when ${planLimit}::int >= 0 then greatest(0, ${planLimit}::int - (select used from room)) end),
    moved as (
      update messages m set ${becomesSending}, sending_at = ${now}${assignments} from allowed l
      where m.store_id = ${storeId} and m.id = l.id and ${isClaimed('m')} and m.claim = ${claim}
        and m.wake_at > ${now} and m.expires_at > ${now} and m.due_at <= ${now} and m.channel = ${channel} and m.shopper_id = l.shopper_id and m.judged is not null
      returning m.id),
    counted as (
      update plan_usage set used = used + (select count(*) from moved) where ${counter} and exists (select 1 from moved))
    select id from moved`
}

/** The final state of a message that was accepted or is unknown for good. */
export interface End extends Pick<OutcomeRow, 'state' | 'reason' | 'provider_id' | 'result' | 'news'> {
  response: string | null
  /** Inputs of the result, for the decision's record. */
  inputs: object
}

export interface MessageToSettle {
  id: string
  sending_at: Date
  /** null: the caller applies the reply in a statement of its own. */
  end: End | null
  /** Settled without a reply: only if its row still has none and `Silence` holds. */
  is_unheard: boolean
  /** Accepted or unknown, so it counts for the cart's badge. */
  is_out: boolean
}

/** When a message in flight is abandoned: no process will record its reply. */
export interface Silence {
  /** Its process sent its last heartbeat before this time. */
  deadBefore: Date
  /** It was sent before this time, by any process. */
  lateBefore: Date
}

/** SQL condition: message `m` was sent by a dead process, or too long ago. */
export const isAbandoned = (silence: Silence | null) =>
  silence === null
    ? sql`false`
    : sql`(m.sending_at < ${silence.lateBefore}
      or not exists (select 1 from workers w where w.id = m.worker_id and w.seen_at >= ${silence.deadBefore}))`

/**
 * Settles messages in flight: writes their records, their ends if they have one, and the badges of their carts. A cart
 * that was joined to another one since gives the badge to that one too. Returns the ids of the messages that were still
 * in flight.
 */
export async function settle(
  { db, storeId }: StoreTx,
  messages: readonly MessageToSettle[],
  { badge, now, silence }: { badge: string | null; now: Date; silence: Silence | null },
): Promise<Set<string>> {
  const rows = messages.map(({ end, ...message }) => ({ ...end, ...message, is_ended: end !== null }))
  const moved = await sql<{ id: string }>`
    with sending as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(id uuid, sending_at timestamptz, is_ended bool, is_unheard bool, is_out bool,
        state text, reason text, provider_id text, response text, result text, inputs jsonb, news jsonb)),
    locked as materialized (
      select id, state, judged, answer from messages where store_id = ${storeId} and id = any(${listIds(messages)}::uuid[])
        order by id for update),
    moved as (
      update messages m set state = coalesce(g.state, m.state), reason = g.reason, provider_id = coalesce(g.provider_id, m.provider_id),
        provider_response = g.response, answer = null, judged = null, decided_at = g.sending_at, updated_at = ${now},
        finished_at = case when g.is_ended then ${now}::timestamptz end, attempts = m.attempts + 1, channels = null
      from sending g join locked k on k.id = g.id
      where m.store_id = ${storeId} and m.id = any(${listIds(messages)}::uuid[]) and m.id = k.id and ${isSending('k')} and m.sending_at = g.sending_at
        and (not g.is_unheard or (k.answer is null and ${isAbandoned(silence)}))
      returning m.id, m.cart_id, m.sending_at, k.judged, g.is_ended, g.is_out, g.result, g.inputs, g.news),
    badged as materialized (
      select c.id, w.at, case when c.status in ('abandoned', 'active', 'lost') then w.at + interval '24 hours' end as answer_by
      from (select of as cart_id, max(at) as at from (
        select cart_id as of, sending_at as at from moved where is_out
        union all select o.merged_into, moved.sending_at from moved join carts o on o.store_id = ${storeId} and o.id = moved.cart_id
          where o.merged_into is not null and moved.is_out) each group by of) w
      join carts c on c.store_id = ${storeId} and c.id = w.cart_id order by c.id for no key update of c),
    badges as (
      ${writeBadges(storeId, badge, sql`select id, at, answer_by from badged`)}),
    recorded as (
      insert into decisions (store_id, id, message_id, at, outcome, reason, inputs, result, result_at, result_inputs)
      select ${storeId}, gen_random_uuid(), moved.id, moved.sending_at, 'send', coalesce(moved.judged ->> 'reason', 'ok'), coalesce(moved.judged -> 'inputs', '{}'),
        moved.result, case when moved.is_ended then ${now}::timestamptz end, moved.inputs
      from moved returning 1),
    news as (
      ${insertNewsOfMessages(storeId, sql`select moved.news from moved`, now)})
    select id from moved`.execute(db)
  return new Set(moved.rows.map((row) => row.id))
}

/** Creates the account's usage row of the month if it is missing, because the turn locks it. */
export async function ensureUsageRow(
  { db }: StoreTx,
  { accountId, month, channel }: Pick<TurnLimits, 'accountId' | 'month' | 'channel'>,
): Promise<void> {
  await sql`insert into plan_usage (account_id, month, channel) values (${accountId}, ${month}::date, ${channel})
    on conflict do nothing`.execute(db)
}
