import { writeBadges } from '../../carts/carts/fragments.ts'
import type { ChannelName } from '../../messages/channels/channel.ts'
import { idsOf, type RawBuilder, type StoreTx, sql } from '../../core/db/db.ts'
import { couponStands } from '../../carts/coupons/fragments.ts'
import { hadOfSameOffer } from '../decide/fragments.ts'
import { becomesSending, firstMailsSince, isClaimed, isSending } from '../../messages/messages/fragments.ts'
import { insertNewsOfMessages } from '../../access/notifications/fragments.ts'
import type { OutcomeRow } from '../outcome/outcome.ts'
import { isBasisInForce, stands, wantsCoupon } from './fragments.ts'
import type { Answer } from './settle.ts'

// Messages are sent in three statements (decisions 147 and 149): preparation, the turn, settling.

export interface PreparedRow {
  id: string
  to_address: string
  /** What it carries; null: none. */
  coupon_id: string | null
  coupon_code: string | null
  subject: string | null
  body_html: string | null
  body_text: string
  template_id: string | null
  template_version: number | null
  variant_id: string | null
  is_first_mail: boolean
  /** For the record of the decision. */
  judged: { reason: string; inputs: Record<string, unknown> }
  tokens: readonly { hash: string; purpose: string; target: string | null }[]
}

export interface Preparing {
  claim: string
  now: Date
  tokensUntil: Date
}

/**
 * Before the send: what the messages are, and their links. They stay claimed, and nothing is promised. Their people are locked by the
 * caller. Answers those that are still this claim's.
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
      select id, cart_id, state, claim from messages where store_id = ${storeId} and id = any(${idsOf(rows)}::uuid[])
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

/** Until the transaction ends, no other one of the account counts first mails. Answers how many there were since. */
export async function lockFirstMails({ db }: StoreTx, accountId: string, since: Date): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`first mails ${accountId}`}, 0))`.execute(db)
  const { rows } = await firstMailsSince(sql`${accountId}`, since).execute(db)
  return rows[0]!.sent
}

/** How many other messages of the same person were sent within the cap's window. */
const takenPlaces = (capSince: Date) => sql`select count(*) from messages h
  where h.store_id = m.store_id and h.shopper_id = m.shopper_id and h.sending_at > ${capSince} and h.id <> m.id`

export interface ChosenRow {
  id: string
  /** Whose it was when it was judged. */
  shopper_id: string
  cart_version: number | null
  address_hash: string
  /** Of the person's other addresses, whose suppressions count as well. */
  other_hashes: readonly string[]
  coupon_id: string | null
  coupon_code: string | null
  coupon_wording: string | null
  /** What the decision rests on, as far as it is asked again. */
  inputs: { consentBasis?: unknown }
  /** What the rules of its channel say of it. */
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
  /** Below 0: none. */
  planLimit: number
}

/**
 * What a channel adds to the statement. `m` is the message, `l` the row of what is asked of it (`ChosenRow`, so `l.own` is the channel's own).
 * `condition` also has its cart `c`.
 */
export interface ChannelTerms {
  /** Must hold for the message to be sent. */
  condition: RawBuilder<unknown>
  /** Assignments added to the UPDATE of `m`, each with a comma before it. */
  written: RawBuilder<unknown>
}

/**
 * D10: records replies, and moves other messages to `sending` in their places. It returns the ids of those. A message is sent only if
 * - this claim has it, and it is due, also after the clock was set back;
 * - its person, its cart and its channel are those that were decided on;
 * - its flow or campaign, unless a person asked for it, and its store and instance run;
 * - no step was sent just before it (T4);
 * - its address is not suppressed, its consent not withdrawn, and the override that it needs, if any, still stands;
 * - the store's orders, prices and stock were read recently enough;
 * - its coupon is as the message says, and still this person's;
 * - the frequency cap and the plan have room, which the statement counts along;
 * - its channel allows it (channel-rules.ts).
 * The caller has locked its people in a statement before, so their changes are seen. Rows are locked in one order, the plan's counter last.
 */
export function turnOf(
  storeId: string,
  { answered, chosen }: { answered: readonly AnsweredRow[]; chosen: readonly ChosenRow[] },
  limits: TurnLimits,
  { condition, written }: ChannelTerms,
): RawBuilder<{ id: string }> {
  const { claim, workerId, now, accountId, month, channel, planLimit } = limits
  const counter = sql`account_id = ${accountId} and month = ${month}::date and channel = ${channel}`
  return sql<{ id: string }>`
    with answered as (
      select * from jsonb_to_recordset(${JSON.stringify(answered)}::jsonb) as a(id uuid, sending_at timestamptz, answer jsonb)),
    chosen as (
      select * from jsonb_to_recordset(${JSON.stringify(chosen)}::jsonb) as l(id uuid, shopper_id uuid, cart_version int, address_hash text,
        other_hashes jsonb, coupon_id uuid, coupon_code text, coupon_wording text, inputs jsonb, own jsonb)),
    -- Found by their ids alone, and joined with what is known of them before anything is asked: a planner whose statistics are from before the first
    -- message was taken expects no message in flight. It would read all of them, of the store or of the worker, for each row.
    locked as materialized (
      select id, cart_id, state, worker_id, sending_at, answer from messages
      where store_id = ${storeId} and id = any(${idsOf([...answered, ...chosen])}::uuid[]) order by id for no key update),
    mine as materialized (select l.*, k.cart_id from chosen l join locked k on k.id = l.id where ${isClaimed('k')}),
    room as materialized (
      select used from plan_usage where ${counter} and (select count(*) from locked) > 0 and exists (select 1 from mine) for no key update),
    noted as (
      update messages m set answer = a.answer from answered a join locked k on k.id = a.id
      where m.store_id = ${storeId} and m.id = any(${idsOf(answered)}::uuid[]) and m.id = k.id and k.worker_id = ${workerId}
        and ${isSending('k')} and k.sending_at = a.sending_at and k.answer is null),
    allowed as materialized (
      select m.id, m.shopper_id, l.own from mine l join messages m on m.store_id = ${storeId} and m.id = l.id
      left join carts c on c.store_id = ${storeId} and c.id = l.cart_id, stores s, room
      where m.shopper_id = l.shopper_id and c.version is not distinct from l.cart_version
        and s.id = m.store_id and ${stands({ addressHash: sql`decode(l.address_hash, 'hex')`, otherHashes: sql`array(select decode(h, 'hex') from jsonb_array_elements_text(l.other_hashes) h)` }, now)}
        and exists (select 1 from sync_state y where y.store_id = m.store_id and y.stream = 'order_check'
          and y.completed_start between ${limits.localCopySince} and ${now})
        and ${isBasisInForce(sql`l.inputs`)}
        and (l.coupon_id is null or (${wantsCoupon(sql`l.coupon_id`)} and ${couponStands(sql`l.coupon_id`, sql`l.coupon_code`, sql`l.coupon_wording`)}))
        and not exists (${hadOfSameOffer})
        and (${takenPlaces(limits.capSince)}) < ${limits.capMax}
        and ${condition}
      order by m.due_at, m.id
      limit case when ${planLimit}::int >= 0 then greatest(0, ${planLimit}::int - (select used from room)) end),
    moved as (
      update messages m set ${becomesSending}, sending_at = ${now}${written} from allowed l
      where m.store_id = ${storeId} and m.id = l.id and ${isClaimed('m')} and m.claim = ${claim}
        and m.wake_at > ${now} and m.expires_at > ${now} and m.due_at <= ${now} and m.channel = ${channel} and m.shopper_id = l.shopper_id and m.judged is not null
      returning m.id),
    counted as (
      update plan_usage set used = used + (select count(*) from moved) where ${counter} and exists (select 1 from moved))
    select id from moved`
}

/** Its end, of a message that was accepted or is unknown for good. */
export interface End extends Pick<OutcomeRow, 'state' | 'reason' | 'provider_id' | 'result' | 'news'> {
  response: string | null
  /** For the record. */
  inputs: object
}

export interface MessageToSettle {
  id: string
  sending_at: Date
  /** null: what came back is written down apart. */
  end: End | null
  /** Only where no answer is written down, and by `Silence`. */
  is_unheard: boolean
  /** It counts for the badge: it was accepted or is unknown. */
  is_out: boolean
}

/** Whose answers nobody will write down any more. */
export interface Silence {
  /** Of processes that were last heard of before. */
  deadBefore: Date
  /** Sent before, by any process. */
  lateBefore: Date
}

/** Of message `m`: its process is gone, or it was sent too long ago. */
export const isAbandoned = (silence: Silence | null) =>
  silence === null
    ? sql`false`
    : sql`(m.sending_at < ${silence.lateBefore}
      or not exists (select 1 from workers w where w.id = m.worker_id and w.seen_at >= ${silence.deadBefore}))`

/**
 * Settles messages in flight: their records are written, and the carts of those that went out, as well as those that these were joined to since, get the badge. What
 * has an end comes to it. Answers which were in flight.
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
      select id, state, judged, answer from messages where store_id = ${storeId} and id = any(${idsOf(messages)}::uuid[])
        order by id for update),
    moved as (
      update messages m set state = coalesce(g.state, m.state), reason = g.reason, provider_id = coalesce(g.provider_id, m.provider_id),
        provider_response = g.response, answer = null, judged = null, decided_at = g.sending_at, updated_at = ${now},
        finished_at = case when g.is_ended then ${now}::timestamptz end, attempts = m.attempts + 1, channels = null
      from sending g join locked k on k.id = g.id
      where m.store_id = ${storeId} and m.id = any(${idsOf(messages)}::uuid[]) and m.id = k.id and ${isSending('k')} and m.sending_at = g.sending_at
        and (not g.is_unheard or (k.answer is null and ${isAbandoned(silence)}))
      returning m.id, m.cart_id, m.sending_at, k.judged, g.is_ended, g.is_out, g.result, g.inputs, g.news),
    told as materialized (
      select c.id, w.at, case when c.status in ('abandoned', 'active', 'lost') then w.at + interval '24 hours' end as answer_by
      from (select of as cart_id, max(at) as at from (
        select cart_id as of, sending_at as at from moved where is_out
        union all select o.merged_into, moved.sending_at from moved join carts o on o.store_id = ${storeId} and o.id = moved.cart_id
          where o.merged_into is not null and moved.is_out) each group by of) w
      join carts c on c.store_id = ${storeId} and c.id = w.cart_id order by c.id for no key update of c),
    badges as (
      ${writeBadges(storeId, badge, sql`select id, at, answer_by from told`)}),
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

/** The month's counter of the account has a row, for the turn to lock. */
export async function haveCounter(
  { db }: StoreTx,
  { accountId, month, channel }: Pick<TurnLimits, 'accountId' | 'month' | 'channel'>,
): Promise<void> {
  await sql`insert into plan_usage (account_id, month, channel) values (${accountId}, ${month}::date, ${channel})
    on conflict do nothing`.execute(db)
}
