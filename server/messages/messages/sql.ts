import type { RawBuilder } from 'kysely'
import { type AccountDb, type Db, type StoreDb, type StoreTx, sql, type Tx } from '../../core/db/public.ts'
import type { ChannelName } from '../channels/public.ts'
import {
  becomesCancelled,
  becomesDue,
  becomesSkipped,
  becomesUndecided,
  isHeld,
  isOpen,
  mayArrive,
  mayPassNow,
  SCHEDULED,
  SKIPPED,
  wasAttempted,
} from './fragments.ts'
import { OPENED_CHANNELS } from './wake-rules.ts'

// SQL for messages. Claim, send and outcome are in send-due-sql.ts.

/** D1 for messages about a cart. */
export const ONCE_PER_CART = sql`(store_id, cart_id, origin_kind, origin_id, step_id,
      (case when origin_kind in ('flow', 'push') then '' else channel end)) where cart_id is not null`

/** For an inserted row: all channels of step `s`, if it has several. */
export const CHANNELS = sql`case when cardinality(s.fallback) > 0 then s.channel || s.fallback end`

/**
 * Inserts rows for every step of the flow that matches each newly abandoned cart (S1), and for the store's own
 * notifications, if enabled and the store is connected (Y4). A step added later skips carts whose time has passed
 * (decision 53). Existing rows stay: the key is unique (D1). Returns the number of rows, and the carts that already got
 * a message of that flow.
 */
export async function scheduleFlows(
  { db, storeId }: StoreTx,
  cartIds: readonly string[],
  now: Date,
): Promise<{ planned: number; behindSent: string[] }> {
  const { rows } = await sql<{ planned: number; behindSent: string[] }>`
    -- Materialized, and read cart by cart: without statistics the planner would compare every new message with every
    -- old one, or read all messages of the store.
    with earlier as materialized (
      select w.cart_id, m.origin_id, m.step_id, m.was_sent from unnest(${[...cartIds]}::uuid[]) as w(cart_id)
      cross join lateral (select m.origin_kind, m.origin_id, m.step_id, m.sending_at is not null as was_sent from messages m
        where m.store_id = ${storeId} and m.cart_id = w.cart_id offset 0) m
      where m.origin_kind in ('flow', 'push')),
    planned as (
      insert into messages (store_id, id, cart_id, shopper_id, origin_kind, origin_id, step_id, step, channel, channels, state, due_at, expires_at, wake_at,
        template_id, created_at, updated_at)
      select c.store_id, gen_random_uuid(), c.id, c.shopper_id, f.kind, f.id, s.id, s.step, s.channel, ${CHANNELS}, ${SCHEDULED},
        c.last_activity_at + s.delay_minutes * interval '1 minute',
        c.last_activity_at + s.delay_minutes * interval '1 minute' + interval '24 hours',
        c.last_activity_at + s.delay_minutes * interval '1 minute', s.template_id, ${now}, ${now}
      from carts c
      join stores r on r.id = c.store_id and r.is_active
      join flows f on f.store_id = c.store_id and f.is_on and c.last_activity_at >= f.takes_from and (f.kind = 'push' or f.id = c.flow_id)
      join flow_steps s on s.store_id = f.store_id and s.flow_id = f.id and s.removed_at is null
        and (s.added_at is null or c.last_activity_at + s.delay_minutes * interval '1 minute' > s.added_at)
      where c.store_id = ${storeId} and c.id = any(${[...cartIds]}::uuid[]) and c.status = 'abandoned'
        -- on any channel: no step is repeated (S2)
        and not exists (select 1 from earlier e where e.cart_id = c.id and e.origin_id = f.id and e.step_id = s.id)
      on conflict ${ONCE_PER_CART} do nothing returning cart_id, origin_id)
    select count(*)::int as planned, coalesce(array_agg(distinct cart_id) filter (
      where (cart_id, origin_id) in (select e.cart_id, e.origin_id from earlier e where e.was_sent)), '{}') as "behindSent"
    from planned`.execute(db)
  return rows[0]!
}

/** A cart with planned messages is lost 7 days after the last of them (S5). */
export async function moveLostAt({ db, storeId }: StoreTx, cartIds: readonly string[]): Promise<void> {
  await sql`update carts c set lost_at = m.last_due + interval '7 days'
    from (select w.cart_id, l.last_due from unnest(${[...cartIds]}::uuid[]) as w(cart_id)
      cross join lateral (select max(m.due_at) as last_due from messages m
        where m.store_id = ${storeId} and m.cart_id = w.cart_id offset 0) l) m
    where c.store_id = ${storeId} and c.id = any(${[...cartIds]}::uuid[]) and c.id = m.cart_id
      and c.lost_at <> m.last_due + interval '7 days'`.execute(db)
}

/** Cancels the store's open messages that match `which` and records the reason. Returns their number. */
export async function cancelOpen(
  { db, storeId }: StoreTx,
  which: RawBuilder<unknown>,
  reason: string,
  now: Date,
): Promise<number> {
  const rows = await sql`
    with closed as (
      update messages m set ${becomesCancelled(reason, now)}
      from (select id from messages where store_id = ${storeId} and ${which} and ${isOpen('messages')} order by id for update) open
      where m.store_id = ${storeId} and m.id = open.id returning m.id)
    insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
    select ${storeId}, gen_random_uuid(), id, ${now}, 'cancel', ${reason}, '{}' from closed returning 1`.execute(db)
  return rows.rows.length
}

export const cancelForCarts = (tx: StoreTx, cartIds: readonly string[], reason: string, now: Date): Promise<number> =>
  cancelOpen(tx, sql`cart_id = any(${[...cartIds]}::uuid[])`, reason, now)

/** Only for cancelled, never attempted messages. No skipped message has one of these reasons. */
export async function changeCancelReason(
  { db, storeId }: StoreTx,
  cartIds: readonly string[],
  { from, to, now }: { from: string; to: string; now: Date },
): Promise<void> {
  await sql`
    with changed as (
      update messages set reason = ${to}, updated_at = ${now}
      where store_id = ${storeId} and cart_id = any(${[...cartIds]}::uuid[]) and not ${isOpen('messages')} and not ${wasAttempted('messages')} and reason = ${from}
      returning id)
    insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
    select ${storeId}, gen_random_uuid(), id, ${now}, 'cancel', ${to}, '{}' from changed`.execute(db)
}

export const cancelForStore = (tx: StoreTx, reason: string, now: Date) => cancelOpen(tx, sql`true`, reason, now)

/**
 * Closes steps sent for the merged cart on the surviving cart, planned or not, on any channel (S6). Manual messages are
 * no steps: each is sent once, and an unsent copy would show a message that no member requested.
 */
export async function closeAttemptedSteps({ db, storeId }: StoreTx, fromCart: string, intoCart: string, now: Date) {
  await sql`
    with closed as (
      insert into messages (store_id, id, cart_id, shopper_id, origin_kind, origin_id, step_id, step, channel, state, reason, due_at, expires_at, wake_at,
        finished_at, created_at, updated_at)
      select m.store_id, gen_random_uuid(), c.id, c.shopper_id, m.origin_kind, m.origin_id, m.step_id, m.step, m.channel, ${SKIPPED}, 'merged', m.due_at,
        m.expires_at, m.due_at, ${now}, ${now}, ${now}
      from messages m join carts c on c.store_id = m.store_id and c.id = ${intoCart}
      where m.store_id = ${storeId} and m.cart_id = ${fromCart} and m.origin_kind <> 'manual'
        and ${wasAttempted('m')}
      on conflict ${ONCE_PER_CART} do update
        set ${becomesSkipped('merged', now)} where ${isOpen('messages')} returning id),
    elsewhere as (
      update messages m set ${becomesSkipped('merged', now)}
      from (select o.id from messages o where o.store_id = ${storeId} and o.cart_id = ${intoCart} and o.origin_kind = 'campaign' and ${isOpen('o')}
        and exists (select 1 from messages h where h.store_id = o.store_id and h.cart_id = ${fromCart}
          and h.origin_kind = o.origin_kind and h.origin_id = o.origin_id
          and (h.step_id is not distinct from o.step_id and h.channel <> o.channel and ${wasAttempted('h')}
            -- another run: a campaign sends one message per cart, except after a failure
            or h.step_id is distinct from o.step_id and ${mayArrive('h')})) order by o.id for update) open
      where m.store_id = ${storeId} and m.id = open.id returning m.id)
    insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
    select ${storeId}, gen_random_uuid(), id, ${now}, 'skip', 'merged', '{}' from (table closed union all table elsewhere) all_closed`.execute(
    db,
  )
}

/**
 * A step is due at the last activity plus its delay, and after an earlier sent step no earlier than that send plus the
 * difference of the delays, 12 h at most. A removed step that was sent has no position, so it keeps this distance to
 * both sides. The row's key stays. Returns counts of moved messages.
 */
async function retime(
  { db, storeId }: StoreDb,
  { which, lastActivity, now, counts = MOVED }: RetimeOptions,
): Promise<RetimeCounts> {
  const { rows } = await sql<RetimeCounts>`
    -- Materialized: a plan made before ANALYZE would look these rows up again for each moved row
    with timed as materialized (
      select o.id, greatest(${lastActivity} + s.delay_minutes * interval '1 minute', (
        select max(h.sending_at + least(abs(s.delay_minutes - hs.delay_minutes) * interval '1 minute', interval '12 hours'))
        from messages h join flow_steps hs on hs.store_id = h.store_id and hs.flow_id = s.flow_id and hs.id = h.step_id
        where h.store_id = o.store_id and h.cart_id = o.cart_id and h.origin_kind in ('flow', 'push') and h.origin_id = o.origin_id
          and (hs.delay_minutes < s.delay_minutes or hs.removed_at is not null))) as at
      from messages o
      join carts c on c.store_id = o.store_id and c.id = o.cart_id
      join flow_steps s on s.store_id = o.store_id and o.origin_kind in ('flow', 'push') and s.flow_id = o.origin_id and s.id = o.step_id
      where o.store_id = ${storeId} and ${isOpen('o')} and ${which} order by o.id for update of o),
    moved as (
      update messages m set ${becomesDue(sql`t.at`)}, due_at = t.at, expires_at = t.at + interval '24 hours', updated_at = ${now}
      from timed t where m.store_id = ${storeId} and m.id = t.id and ${isOpen('m')} and m.due_at <> t.at
      returning m.id, m.cart_id, m.origin_kind, m.origin_id, m.step_id, m.channel, m.due_at)
    ${counts}`.execute(db)
  return rows[0]!
}

interface RetimeOptions {
  which: RawBuilder<unknown>
  lastActivity: RawBuilder<unknown>
  now: Date
  counts?: RawBuilder<unknown>
}

/** Only an edit needs the counts, which read the other messages of each cart. */
const MOVED = sql`select count(*)::int as moved, 0 as "dueNow", 0 as overtaken from moved`

/**
 * The rule that a decision applies (server/delivery/decide/evaluate-sql.ts): a later step on the same channel was sent
 * or is also due.
 */
const MOVED_WITH_COUNTS = (storeId: string, now: Date) => sql`
  select (count(*) filter (where not is_overtaken))::int as moved,
    (count(*) filter (where not is_overtaken and due_at <= ${now}))::int as "dueNow",
    (count(*) filter (where is_overtaken))::int as overtaken
  from (select v.due_at, exists (select 1 from messages o
      join flow_steps os on os.store_id = o.store_id and os.flow_id = o.origin_id and os.id = o.step_id and os.removed_at is null
      join flow_steps vs on vs.store_id = o.store_id and vs.flow_id = o.origin_id and vs.id = v.step_id
      left join moved n on n.id = o.id
      where o.store_id = ${storeId} and o.cart_id = v.cart_id and o.origin_kind = v.origin_kind and o.origin_id = v.origin_id
        and os.delay_minutes > vs.delay_minutes
        and case when ${isOpen('o')} then v.channel = any(coalesce(o.channels, array[o.channel]))
            and coalesce(n.due_at, o.due_at) <= ${now}::timestamptz
          else o.channel = v.channel and (o.sending_at is not null or o.reason = 'merged') end) as is_overtaken
    from moved v) told`

export interface RetimeCounts {
  moved: number
  /** Moved to a time in the past. */
  dueNow: number
  /** Moved but never sent: a later step was sent or is due. */
  overtaken: number
}

/** Moves open flow steps to the shopper's last activity (S2), which the cart rows may not have yet. */
export async function retimeFlow(tx: StoreTx, activity: readonly CartActivity[], now: Date): Promise<void> {
  const lastActivity = Object.fromEntries(activity.map((each) => [each.cartId, each.lastActivity]))
  await retime(tx, {
    which: sql`o.cart_id = any(${Object.keys(lastActivity)}::uuid[])`,
    lastActivity: sql`(${JSON.stringify(lastActivity)}::jsonb ->> o.cart_id::text)::timestamptz`,
    now,
  })
}

export interface CartActivity {
  cartId: string
  lastActivity: Date
}

/** Moves open steps to their flow's edited delays. Returns counts of moved, due and overtaken messages. */
export async function retimeEdited(tx: StoreTx, flowId: string, now: Date): Promise<RetimeCounts> {
  return retime(tx, {
    which: sql`o.origin_kind in ('flow', 'push') and o.origin_id = ${flowId}`,
    lastActivity: sql`c.last_activity_at`,
    now,
    counts: MOVED_WITH_COUNTS(tx.storeId, now),
  })
}

/**
 * Keeps the distance of later steps after a send, including newly claimed ones; a returned message ends the distance.
 */
export async function spaceNextSteps(store: StoreTx, messageIds: readonly string[], now: Date): Promise<void> {
  const which = sql`(o.cart_id, o.origin_kind, o.origin_id) in (select w.cart_id, w.origin_kind, w.origin_id from messages w
    where w.store_id = ${store.storeId} and w.id = any(${[...messageIds]}::uuid[]))`
  await retime(store, { which, lastActivity: sql`c.last_activity_at`, now })
}

/** Keeps the distance of new steps for carts that already got an earlier step of the flow. */
export async function keepDistance(tx: StoreTx, cartIds: readonly string[], now: Date): Promise<void> {
  await retime(tx, { which: sql`o.cart_id = any(${[...cartIds]}::uuid[])`, lastActivity: sql`c.last_activity_at`, now })
}

/** Reconsiders held messages once they are due. */
export async function wakeHeld({ db, storeId }: StoreTx, cartIds: readonly string[], now: Date): Promise<void> {
  await sql`update messages m set ${becomesUndecided(now)}
    from (select id from messages where store_id = ${storeId} and cart_id = any(${[...cartIds]}::uuid[]) and ${mayPassNow('messages', now)}
      order by id for update) open
    where m.store_id = ${storeId} and m.id = open.id`.execute(db)
}

/**
 * Requests a wake-up of messages held for these reasons. The store's sender performs it (`wakeRequested`), because this
 * transaction cannot see rows held concurrently. Locks the store's row, like `setNextDue`.
 */
export async function requestWake({ db, storeId }: StoreDb, reasons: readonly string[], now: Date): Promise<void> {
  await sql`update send_schedule set ${wakeRequest(reasons, now)} where store_id = ${storeId}`.execute(db)
}

/** Does the same in all stores with open messages of an account, or of all accounts. */
export async function requestWakeOfStores(
  db: Db | Tx,
  accountId: string | null,
  reasons: readonly string[],
  now: Date,
) {
  await sql`update send_schedule q set ${wakeRequest(reasons, now)}
    from (select l.store_id from send_schedule l join stores s on s.id = l.store_id
      where (${accountId}::uuid is null or s.account_id = ${accountId})
        and exists (select 1 from messages m where m.store_id = l.store_id and ${isOpen('m')})
      order by l.store_id for update of l) open
    where q.store_id = open.store_id`.execute(db)
}

const wakeRequest = (reasons: readonly string[], now: Date) => sql`
  wake_reasons = array(select distinct unnest(wake_reasons || ${[...reasons]}::text[])),
  next_due_at = least(next_due_at, ${now}::timestamptz)`

export async function isWakeRequested({ db, storeId }: StoreDb): Promise<boolean> {
  const { rows } = await sql`select 1 from send_schedule where store_id = ${storeId} and wake_reasons <> '{}'`.execute(
    db,
  )
  return rows.length > 0
}

/**
 * Reconsiders messages held for these reasons, and those with several channels of which one may now be open: their
 * stored reason is another channel's (decision 54). Only for the holder of the store's lease, between two rounds:
 * earlier decisions are written, and later ones see the new state.
 */
export async function wakeRequested({ db, storeId }: StoreDb, now: Date): Promise<void> {
  await sql`
    with asked as materialized (select wake_reasons as reasons from send_schedule where store_id = ${storeId} for update),
    opened as materialized (
      select coalesce(array_agg(distinct c.channel), '{}') as channels from asked, jsonb_each(${JSON.stringify(OPENED_CHANNELS)}::jsonb) as o(reason, channels),
        jsonb_array_elements_text(o.channels) as c(channel) where o.reason = any(asked.reasons)),
    woken as (
      update messages m set wake_at = greatest(m.due_at, ${now})
      from (select h.id from messages h where h.store_id = ${storeId} and ${isHeld('h')}
        and (h.reason = any((select reasons from asked)::text[])
          or h.channels && (select channels from opened)::text[] and ${mayPassNow('h', now)}) order by h.id for update) held
      where m.store_id = ${storeId} and m.id = held.id)
    update send_schedule set wake_reasons = '{}' from asked where store_id = ${storeId}`.execute(db)
}

export async function wakeHeldMessages(
  { db, storeId }: StoreDb,
  messageIds: readonly string[],
  reasons: readonly string[],
  now: Date,
): Promise<void> {
  await sql`update messages m set wake_at = greatest(m.due_at, ${now})
    from (select id from messages where store_id = ${storeId} and id = any(${[...messageIds]}::uuid[]) and ${isHeld('messages')}
      and reason = any(${[...reasons]}::text[]) order by id for update) held
    where m.store_id = ${storeId} and m.id = held.id`.execute(db)
}

/** Stores when the scan should next visit the store. The lock prevents lost updates. */
export async function setNextDue({ db, storeId }: StoreTx): Promise<Date | null> {
  await sql`select 1 from send_schedule where store_id = ${storeId} for update`.execute(db)
  const rows = await sql<{ next_due_at: Date | null }>`
    update send_schedule set next_due_at = least(case when wake_reasons <> '{}' then next_due_at end,
      (select min(wake_at) from messages where store_id = ${storeId} and ${isOpen('messages')}))
    where store_id = ${storeId} returning next_due_at`.execute(db)
  return rows.rows[0]?.next_due_at ?? null
}

export interface HeldByPlan {
  channel: ChannelName
  held: number
  /** The part that reaches its age limit by then. */
  expiring: number
}

/**
 * Messages that wait for a larger plan or the next month, in all stores of the account. Matches the index
 * `messages_held_by_plan`.
 */
export async function countHeldByPlan({ db, accountId }: AccountDb, renewsAt: Date): Promise<HeldByPlan[]> {
  const { rows } = await sql<HeldByPlan>`
    select m.channel, count(*)::int as held, count(*) filter (where m.expires_at <= ${renewsAt}::timestamptz)::int as expiring
    from stores s join messages m on m.store_id = s.id and ${isHeld('m')} and m.reason = 'plan_limit'
    where s.account_id = ${accountId} group by m.channel`.execute(db)
  return rows
}
