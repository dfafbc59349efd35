import { isCouponUsable } from '../../carts/coupons/public.ts'
import { listIds, type StoreDb, sql } from '../../core/db/public.ts'
import type { ChannelName } from '../../messages/channels/public.ts'
import {
  becomesClaimed,
  becomesScheduled,
  isClaimed,
  isHeld,
  isOpen,
  isSending,
} from '../../messages/messages/public.ts'
import type { DecisionRow } from '../decide/public.ts'
import { isBasisInForce, passesStops, waitsForEarlier, wantsCoupon } from './fragments.ts'

// SQL of the send job around the turn (turn-sql.ts): store lease, claim, decisions, release, and the re-check of a
// delayed send. evaluate-sql.ts loads the inputs of the decisions.

/**
 * Takes the store's lease; false while another process holds it. A lease far in the future predates a backward clock
 * step and is void.
 */
export async function leaseStore({ db, storeId }: StoreDb, now: Date, until: Date): Promise<boolean> {
  const rows = await sql`update send_schedule set lease_until = ${until}
    where store_id = ${storeId} and coalesce(lease_until <= ${now} or lease_until > ${until}::timestamptz + interval '1 minute', true)
    returning 1`.execute(db)
  return rows.rows.length > 0
}

/** Returns false if another lease has replaced this one. */
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
  /**
   * Shoppers with a message in a running batch. They are skipped, so that the cap counts it before the next decision
   * (T1).
   */
  busy?: readonly string[]
}

/** Claims due rows, longest waiting first. Skips rows that another worker has locked. */
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

/** Needed only after a wake: the schedule starts every other run when something is due. */
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
  /** The channels to choose from; null: only `channel`. */
  channels: ChannelName[] | null
}

/** Sets the chosen channels of claimed rows. A channel is fixed once a message has been sent (decision 54). */
export async function setChannels(
  { db, storeId }: StoreDb,
  claim: string,
  chosen: readonly { id: string; channel: ChannelName }[],
): Promise<void> {
  await sql`
    update messages m set channel = l.channel
    from (select w.id, w.channel from jsonb_to_recordset(${JSON.stringify(chosen)}::jsonb) as w(id uuid, channel text) order by w.id) l
    where m.store_id = ${storeId} and m.id = any(${listIds(chosen)}::uuid[]) and m.id = l.id
      and ${isClaimed('m')} and m.claim = ${claim} and l.channel = any(m.channels)`.execute(db)
}

export async function readAccountId({ db, storeId }: StoreDb): Promise<string> {
  const row = await db.selectFrom('stores').select('account_id').where('id', '=', storeId).executeTakeFirstOrThrow()
  return row.account_id
}

/** Holds, skips and cancels the claim's rows. Writes a record only if outcome or reason changed (D12). */
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
      select m.id from messages m where m.store_id = ${storeId} and m.id = any(${listIds(verdicts)}::uuid[])
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

/**
 * Releases claimed rows, which are due again at `due_at`, but not before now; rows that the turn refused not before
 * `wakeAt`.
 */
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

/** The values that the turn checked, for the second check. */
export interface SendingMessage {
  id: string
  sendingAt: Date
  /** null: a message without a cart. */
  cartVersion: number | null
  addressHash: string
  otherHashes: readonly string[]
  inputs: unknown
  /** The wording of its coupon; null: no coupon. */
  couponWording: string | null
}

/** Repeats the turn's checks for a send that was delayed after its commit (D5). */
export async function mayStillSend(
  { db, storeId }: StoreDb,
  { id, sendingAt, cartVersion, addressHash, otherHashes, inputs, couponWording }: SendingMessage,
): Promise<boolean> {
  const rows = await sql`select 1 from messages m
    left join carts c on c.store_id = m.store_id and c.id = m.cart_id
    join stores s on s.id = m.store_id
    where m.store_id = ${storeId} and m.id = ${id} and ${isSending('m')} and m.sending_at = ${sendingAt}
      and c.version is not distinct from ${cartVersion}::int
      and ${passesStops({ addressHash: sql`decode(${addressHash}, 'hex')`, otherHashes: sql`array(select decode(h, 'hex') from unnest(${[...otherHashes]}::text[]) h)` }, sendingAt)}
      and ${isBasisInForce(sql`${JSON.stringify(inputs)}::jsonb`)}
      and (m.coupon_id is null or (${wantsCoupon(sql`m.coupon_id`)} and ${isCouponUsable(sql`m.coupon_id`, sql`m.coupon_code`, sql`${couponWording}::text`)}))
      and (coalesce(m.cost_micros, 0) = 0 or not exists (select 1 from sending_budgets b
        left join sending_spend p on p.account_id = b.account_id and p.currency = b.currency
          and p.month = date_trunc('month', m.sending_at at time zone 'UTC')::date
        where b.account_id = s.account_id and (b.currency <> m.cost_currency or p.micros > b.monthly_micros)))`.execute(
    db,
  )
  return rows.rows.length > 0
}
