import type { ChannelName } from '../channels/channel.ts'
import { type RawBuilder, type StoreDb, type StoreTx, sql } from '../db.ts'
import { newestHandOver } from './badge-sql.ts'
import { devicePurchase, TEXTS_OF_CART } from './judge-sql.ts'

// Way C's statements: claim, verdict, hand over, outcome. What decisions rest on is loaded in judge-sql.ts.

/** Takes the store for this process; false while another one has it. A lease far in the future is from before a step back of the clock. */
export async function leaseStore({ db, storeId }: StoreDb, now: Date, until: Date): Promise<boolean> {
  const rows = await sql`update store_send set lease_until = ${until}
    where store_id = ${storeId} and coalesce(lease_until <= ${now} or lease_until > ${until}::timestamptz + interval '1 minute', true)
    returning 1`.execute(db)
  return rows.rows.length > 0
}

/** false when it was not this lease any more. */
export async function renewStore({ db, storeId }: StoreDb, held: Date, until: Date): Promise<boolean> {
  const rows = await sql`update store_send set lease_until = ${until}
    where store_id = ${storeId} and lease_until = ${held} returning 1`.execute(db)
  return rows.rows.length > 0
}

export async function freeStore({ db, storeId }: StoreDb, held: Date): Promise<void> {
  await sql`update store_send set lease_until = null where store_id = ${storeId} and lease_until = ${held}`.execute(db)
}

export interface Claim {
  claim: string
  workerId: string
  now: Date
  leaseUntil: Date
  limit: number
}

/** Leases due rows to this claim, the longest waiting first; rows another worker holds are passed over. */
export async function claimDue(
  { db, storeId }: StoreDb,
  { claim, workerId, now, leaseUntil, limit }: Claim,
): Promise<ClaimedId[]> {
  const rows = await sql<ClaimedId>`
    with due as (
      select id from messages where store_id = ${storeId} and state in ('scheduled', 'held', 'claimed') and wake_at <= ${now}
      order by wake_at limit ${limit} for update skip locked)
    update messages m set state = 'claimed', claim = ${claim}, worker_id = ${workerId}, wake_at = ${leaseUntil}, updated_at = ${now}
    from due where m.store_id = ${storeId} and m.id = due.id returning m.id, m.channel`.execute(db)
  return rows.rows
}

export interface ClaimedId {
  id: string
  channel: ChannelName
}

export async function accountOf({ db, storeId }: StoreDb): Promise<string> {
  const row = await db.selectFrom('stores').select('account_id').where('id', '=', storeId).executeTakeFirstOrThrow()
  return row.account_id
}

export interface Verdict {
  id: string
  state: 'held' | 'skipped' | 'cancelled'
  reason: string
  wake_at: Date
  outcome: 'hold' | 'skip' | 'cancel'
  until: Date | null
  inputs: Record<string, unknown>
}

/** Holds, skips and cancels the claim's rows; a record is written when outcome or reason changed (D12). */
export async function applyVerdicts({ db, storeId }: StoreDb, claim: string, verdicts: readonly Verdict[], now: Date) {
  await sql`
    with verdict as (
      select * from jsonb_to_recordset(${JSON.stringify(verdicts)}::jsonb) as v(id uuid, state text, reason text,
        wake_at timestamptz, outcome text, until timestamptz, inputs jsonb)),
    before as (
      select m.id from messages m join verdict v on v.id = m.id where m.store_id = ${storeId}
        and m.state = 'claimed' and m.claim = ${claim} order by m.id for update of m),
    moved as (
      update messages m set state = v.state, reason = v.reason, wake_at = v.wake_at, claim = null, decided_at = ${now},
        updated_at = ${now}, finished_at = case when v.state = 'held' then null else ${now}::timestamptz end,
        attempts = case when v.reason = 'store_unreachable' then m.attempts + 1 else m.attempts end
      from verdict v join before b on b.id = v.id where m.store_id = ${storeId} and m.id = v.id
      returning m.id)
    insert into decisions (store_id, id, message_id, at, outcome, reason, until, inputs)
    select ${storeId}, gen_random_uuid(), v.id, ${now}, v.outcome, v.reason, v.until, v.inputs
    from verdict v join moved on moved.id = v.id
    left join lateral (select d.outcome, d.reason from decisions d where d.store_id = ${storeId} and d.message_id = v.id
      order by d.at desc, d.id desc limit 1) last on true
    where (last.outcome, last.reason) is distinct from (v.outcome, v.reason)`.execute(db)
}

/** Gives claimed rows back, to be looked at again when they are due: those a hand-over refused a moment later than the others. */
export async function releaseClaim(
  { db, storeId }: StoreDb,
  claim: string,
  refused: { ids: readonly string[]; wakeAt: Date },
  now: Date,
): Promise<void> {
  await sql`update messages set state = 'scheduled', reason = null, claim = null, updated_at = ${now},
      wake_at = greatest(due_at,
        case when id = any(${[...refused.ids]}::uuid[]) then ${refused.wakeAt}::timestamptz else ${now}::timestamptz end)
    where store_id = ${storeId} and state = 'claimed' and claim = ${claim}`.execute(db)
}

/** Serialises with everything recorded of these people; rows that merely refer to one are not kept waiting. */
export async function lockShoppersOf({ db, storeId }: StoreTx, shopperIds: readonly string[]): Promise<void> {
  await sql`select 1 from shoppers where store_id = ${storeId} and id = any(${[...shopperIds]}::uuid[])
    order by id for no key update`.execute(db)
}

/** Locks the account's counter of the month and answers what it says. */
export async function lockUsage({ db }: StoreTx, accountId: string, month: string, channel: string): Promise<number> {
  const read = () =>
    sql<{ used: number }>`select used from plan_usage
    where account_id = ${accountId} and month = ${month}::date and channel = ${channel} for update`.execute(db)
  const known = await read()
  if (known.rows[0]) return known.rows[0].used
  await sql`insert into plan_usage (account_id, month, channel) values (${accountId}, ${month}::date, ${channel})
    on conflict do nothing`.execute(db)
  return (await read()).rows[0]!.used
}

export async function addUsage({ db }: StoreDb, accountId: string, month: string, channel: string, count: number) {
  await sql`update plan_usage set used = greatest(0, used + ${count}::int)
    where account_id = ${accountId} and month = ${month}::date and channel = ${channel}`.execute(db)
}

export interface HandOverRow {
  id: string
  cart_id: string
  cart_version: number
  address_hash: string
  to_address: string
  subject: string | null
  body_html: string | null
  body_text: string
  segments: number | null
  cost_micros: number | null
  cost_currency: string | null
  /** No text of the channel may have left for the cart since; null: not asked. */
  text_since: Date | null
  template_id: string | null
  template_version: number | null
  reason: string
  inputs: Record<string, unknown>
  tokens: readonly { hash: string; purpose: string; target: string | null }[]
}

export interface HandOverLimits {
  now: Date
  mirrorSince: Date
  capSince: Date
  capMax: number
  accountId: string
  month: string
  channel: ChannelName
  badge: string | null
  tokensUntil: Date
}

/** What pause, switching off, disconnect, purchase, unsubscribe and withdrawal take away (D5): of message `m`, its cart `c`, its store `s`. */
const stands = (
  addressHash: RawBuilder<unknown>,
) => sql`(c.status = 'abandoned' or (c.status = 'lost' and m.origin like 'manual:%'))
        and s.is_active
        and not coalesce((select is_paused from instance), false)
        and (m.origin like 'manual:%'
          or exists (select from flows f where f.store_id = m.store_id and 'flow:' || f.id = m.origin and f.is_on))
        and not exists (${devicePurchase})
        and not exists (select from suppressions p where p.account_id = s.account_id
          and p.address_hash = ${addressHash} and p.channel in ('all', m.channel))
        and coalesce((select n.status from consents n where n.store_id = m.store_id and n.channel = m.channel
          and n.address_hash = ${addressHash} order by n.at desc, n.id desc limit 1), '') <> 'withdrawn'`

/** Whether the relaxed rule a message rests on, where its decision's `inputs` name one, is relaxed still (C6). */
const isRelaxedStill = (
  inputs: RawBuilder<unknown>,
) => sql`(${inputs} #>> '{consentBasis,kind}' is distinct from 'relaxation'
          or exists (select from consent_relaxations r where r.store_id = m.store_id
            and r.id = (${inputs} #>> '{consentBasis,id}')::uuid and r.ended_at is null))`

/** As it was handed over. */
export interface HandedOver {
  id: string
  handedOverAt: Date
  cartVersion: number
  addressHash: string
  inputs: unknown
}

/** Whether what was handed over then, and is not on the wire yet, would still be: its cart as it was, its price within the budget. */
export async function mayStillLeave(
  { db, storeId }: StoreDb,
  { id, handedOverAt, cartVersion, addressHash, inputs }: HandedOver,
): Promise<boolean> {
  const rows = await sql`select 1 from messages m
    join carts c on c.store_id = m.store_id and c.id = m.cart_id
    join stores s on s.id = m.store_id
    where m.store_id = ${storeId} and m.id = ${id} and m.state = 'handed_over' and m.handed_over_at = ${handedOverAt}
      and c.version = ${cartVersion}
      and ${stands(sql`decode(${addressHash}, 'hex')`)}
      and ${isRelaxedStill(sql`${JSON.stringify(inputs)}::jsonb`)}
      and (coalesce(m.cost_micros, 0) = 0 or not exists (select from sending_budgets b
        left join sending_spend p on p.account_id = b.account_id and p.currency = b.currency
          and p.month = date_trunc('month', m.handed_over_at at time zone 'UTC')::date
        where b.account_id = s.account_id and (b.currency <> m.cost_currency or p.micros > b.monthly_micros)))`.execute(
    db,
  )
  return rows.rows.length > 0
}

/**
 * D10: the one UPDATE that lets rows leave. It takes effect only for rows still held by this claim and (after a step back
 * of the clock) still due, whose cart has not changed, whose flow (unless a person asked), store and instance run, whose address is
 * not suppressed, whose consent was not withdrawn and whose relaxed rule, where it rests on one, is relaxed still, with a mirror fresh
 * enough and a free slot under the frequency cap. Their carts, decisions, links and the plan's counter move in the same statement.
 * Shoppers and the counter are locked by the caller.
 */
export async function handOver(
  { db, storeId }: StoreTx,
  claim: string,
  workerId: string,
  rows: readonly HandOverRow[],
  limits: HandOverLimits,
): Promise<Set<string>> {
  const { now, accountId, month, channel, badge } = limits
  const moved = await sql<{ id: string }>`
    with leaving as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as l(id uuid, cart_version int, address_hash text,
        to_address text, subject text, body_html text, body_text text, template_id uuid, template_version int, reason text,
        inputs jsonb, tokens jsonb, segments int, cost_micros bigint, cost_currency text, text_since timestamptz)),
    -- in one order for all, so that a disconnect and a hand-over never wait for each other in a circle; with the steps behind them, whose
    -- time moves next
    locked as materialized (
      select id from messages where store_id = ${storeId} and cart_id = any(${rows.map((row) => row.cart_id)}::uuid[])
        and state in ('scheduled', 'held', 'claimed') order by id for update),
    moved as (
      update messages m set state = 'handed_over', reason = null, claim = null, worker_id = ${workerId},
        handed_over_at = ${now}, decided_at = ${now}, updated_at = ${now}, attempts = m.attempts + 1,
        to_address = l.to_address, subject = l.subject, body_html = l.body_html, body_text = l.body_text,
        template_id = l.template_id, template_version = l.template_version,
        segments = l.segments, cost_micros = l.cost_micros, cost_currency = l.cost_currency
      from leaving l, locked k, carts c, stores s
      where m.store_id = ${storeId} and m.id = any(${idsOf(rows)}::uuid[]) and m.id = l.id and k.id = l.id and m.state = 'claimed' and m.claim = ${claim} and m.wake_at > ${now}
        and m.due_at <= ${now}
        and c.store_id = m.store_id and c.id = m.cart_id and c.version = l.cart_version
        and s.id = m.store_id and ${stands(sql`decode(l.address_hash, 'hex')`)}
        and (l.text_since is null or not exists (select ${TEXTS_OF_CART} and h.handed_over_at > l.text_since))
        and exists (select from sync_state y where y.store_id = m.store_id and y.stream = 'fence'
          and y.completed_start between ${limits.mirrorSince} and ${now})
        and ${isRelaxedStill(sql`l.inputs`)}
        and (select count(*) from messages h where h.store_id = m.store_id and h.shopper_id = c.shopper_id
          and h.handed_over_at > ${limits.capSince}) < ${limits.capMax}
      returning m.id, m.cart_id),
    carts_moved as (
      update carts c set badge = coalesce(${badge}, c.badge), last_handed_over_at = ${now},
        no_response_at = ${now}::timestamptz + interval '24 hours'
      from moved where c.store_id = ${storeId} and c.id = moved.cart_id and c.badge <> 'Recovered' returning c.id),
    recorded as (
      insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
      select ${storeId}, gen_random_uuid(), l.id, ${now}, 'send', l.reason, l.inputs
      from leaving l join moved on moved.id = l.id returning 1),
    linked as (
      insert into link_tokens (token_hash, store_id, message_id, cart_id, purpose, target, created_at, expires_at)
      select decode(t.hash, 'hex'), ${storeId}, moved.id, moved.cart_id, t.purpose, t.target, ${now}, ${limits.tokensUntil}
      from moved join leaving l on l.id = moved.id,
        jsonb_to_recordset(l.tokens) as t(hash text, purpose text, target text)
      on conflict (token_hash) do update set expires_at = excluded.expires_at, target = excluded.target returning 1),
    counted as (
      update plan_usage set used = used + (select count(*) from moved)
      where account_id = ${accountId} and month = ${month}::date and channel = ${channel} and exists (select from moved))
    select id from moved`.execute(db)
  return new Set(moved.rows.map((row) => row.id))
}

export interface OutcomeRow {
  id: string
  /** Of the hand-over that ended. A row handed over again since, by whomever, is not moved by the old one's end. */
  handed_over_at: Date
  state: 'sent' | 'failed' | 'unknown' | 'held'
  reason: string | null
  provider_id: string | null
  response: string
  wake_at: Date | null
  address_hash: string
  /** The word for the record. */
  result: string
  /** What the owner is told; null: nothing. */
  news: { id: string; type: string; title: string; message: string; data: Record<string, unknown> } | null
}

/**
 * Moves rows on from `handed_over`, or from `unknown` when a process taken for dead was only slow and brings a final answer;
 * any other row moves nothing. Proof of non-acceptance frees its slot; what may be tried again is closed instead when cart,
 * store or address came to an end meanwhile (D5, C2). Answers which have moved.
 */
export async function applyOutcomes(
  { db, storeId }: StoreTx,
  workerId: string,
  outcomes: readonly OutcomeRow[],
  now: Date,
): Promise<Set<string>> {
  const rows = await sql<{ id: string }>`
    with outcome as (
      select * from jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb) as o(id uuid, handed_over_at timestamptz,
        state text, reason text, provider_id text, response text, wake_at timestamptz, result text, news jsonb, address_hash text)),
    locked as materialized (
      select id, cart_id, channel, origin from messages where store_id = ${storeId} and id = any(${idsOf(outcomes)}::uuid[])
        and state in ('handed_over', 'unknown') order by id for update),
    over as (
      select k.id, case when c.status in ('recovered', 'purchased') then 'purchased'
          when c.status in ('emptied', 'merged') or (c.status = 'lost' and k.origin not like 'manual:%') then c.status
          when not s.is_active then 'disconnected' else 'suppressed_' || p.reason end as reason, p.reason is null as is_cancelled
      from locked k
      join outcome o on o.id = k.id and o.state = 'held'
      join carts c on c.store_id = ${storeId} and c.id = k.cart_id
      join stores s on s.id = ${storeId}
      left join lateral (select p.reason from suppressions p where p.account_id = s.account_id
        and p.address_hash = decode(o.address_hash, 'hex') and p.channel in ('all', k.channel)
        and s.is_active and c.status in ('active', 'abandoned', 'lost')
        order by suppression_rank(p.reason) limit 1) p on true
      where (c.status not in ('active', 'abandoned') and not (c.status = 'lost' and k.origin like 'manual:%'))
        or not s.is_active or p.reason is not null),
    moved as (
      update messages m set reason = coalesce(e.reason, o.reason),
        provider_id = case when o.state = 'unknown' then m.provider_id else o.provider_id end,
        state = case when e.id is null then o.state when e.is_cancelled then 'cancelled' else 'skipped' end,
        provider_response = o.response, updated_at = ${now}, wake_at = coalesce(least(o.wake_at, m.expires_at), m.wake_at),
        handed_over_at = case when o.state in ('held', 'failed') then null else m.handed_over_at end,
        finished_at = case when o.state = 'held' and e.id is null then null else ${now}::timestamptz end
      from outcome o join locked k on k.id = o.id left join over e on e.id = o.id
      where m.store_id = ${storeId} and m.id = any(${idsOf(outcomes)}::uuid[]) and m.id = o.id
        and m.worker_id = ${workerId} and m.handed_over_at = o.handed_over_at
        -- of an unknown one whose person was erased since, nothing more is written down (C8)
        and (m.state = 'handed_over' or (m.state = 'unknown' and o.state in ('sent', 'failed') and m.to_address is not null))
      returning m.id),
    recorded as (
      insert into decisions (store_id, id, message_id, at, outcome, reason, until, inputs)
      select ${storeId}, gen_random_uuid(), o.id, ${now},
        case when e.id is null then 'result' when e.is_cancelled then 'cancel' else 'skip' end, coalesce(e.reason, o.result),
        case when e.id is null then o.wake_at end, jsonb_build_object('response', o.response)
      from outcome o join moved on moved.id = o.id left join over e on e.id = o.id),
    told as (
      insert into notifications (store_id, id, type, title, message, data, created_at)
      select ${storeId}, n.id, n.type, n.title, n.message, n.data, ${now}
      from outcome o join moved on moved.id = o.id,
        jsonb_to_record(o.news) as n(id uuid, type text, title text, message text, data jsonb)
      where jsonb_typeof(o.news) = 'object')
    select id from moved`.execute(db)
  return new Set(rows.rows.map((row) => row.id))
}

/** After a refusal for good or a retry nothing was sent: the cart's badge and clock go back to what they were. */
export async function undoBadge({ db, storeId }: StoreTx, messageId: string): Promise<void> {
  await sql`
    update carts c set
      last_handed_over_at = last.at,
      no_response_at = last.at + interval '24 hours',
      badge = case when c.badge = 'Recovered' then c.badge else coalesce(last.badge, 'No Action') end
    from (select m.cart_id, h.at, h.badge from messages m left join lateral (${newestHandOver(sql`m.store_id`, sql`m.cart_id`)}) h on true
      where m.store_id = ${storeId} and m.id = ${messageId}) last
    where c.store_id = ${storeId} and c.id = last.cart_id`.execute(db)
}

export async function insertSuppression(
  { db }: StoreDb,
  row: {
    accountId: string
    hash: Buffer
    channel: string
    address: string | null
    reason: string
    source: string
    at: Date
  },
): Promise<void> {
  await sql`insert into suppressions (account_id, address_hash, channel, address, reason, source, created_at)
    values (${row.accountId}, ${row.hash}, ${row.channel}, ${row.address}, ${row.reason}, ${row.source}, ${row.at})
    on conflict do nothing`.execute(db)
}

/** Kept once; a person drawn before keeps what they were (F1). */
export async function setArms(
  { db, storeId }: StoreDb,
  arms: readonly { shopperId: string; arm: 'treated' | 'control' }[],
  now: Date,
): Promise<void> {
  await sql`update shoppers s set arm = a.arm, arm_at = ${now}
    from jsonb_to_recordset(${JSON.stringify(arms)}::jsonb) as a("shopperId" uuid, arm text)
    where s.store_id = ${storeId} and s.id = a."shopperId" and s.arm is null`.execute(db)
}

/** Named apart from the rows, so that the primary key serves whatever a planner thinks of JSON. */
const idsOf = (rows: readonly { id: string }[]): string[] => rows.map((row) => row.id)
