import { type RawBuilder, sql } from '../../core/db/public.ts'
import { type ChannelName, channelTraits } from '../channels/public.ts'

// The state of a message (docs/rules/engine.md, "Message states") as SQL reads and writes it. An architecture test keeps
// state names out of all other statements. Code outside SQL uses state-rules.ts.

/** The row's alias in the statement, or a CTE that has the state. */
type Row = 'messages' | 'm' | 'b' | 'e' | 'h' | 'k' | 'l' | 'moved' | 'o' | 'said' | 'v'

const isInState = (row: Row, condition: string): RawBuilder<boolean> => sql.raw(`${row}.state ${condition}`)

// Ten conditions, with these names in docs/glossary.md; test/architecture.test.ts counts them.

/** Neither sent nor final: still to be decided. The condition of the index `messages_to_wake`. */
export const isOpen = (row: Row) => isInState(row, `in ('scheduled', 'held', 'claimed')`)
export const isHeld = (row: Row) => isInState(row, `= 'held'`)
export const isClaimed = (row: Row) => isInState(row, `= 'claimed'`)
/**
 * It may have reached the provider and is not settled: final state, record, cart badge and the times of the next steps
 * are not written yet. Until then the row keeps the decision to send (`judged`) and the answer, once there is one.
 */
export const isSending = (row: Row) => isInState(row, `= 'sending'`)
/** A worker began to send it, with any result: its step is not repeated (D1). */
export const wasAttempted = (row: Row) => isInState(row, `in ('sending', 'sent', 'delivered', 'failed', 'unknown')`)
/** It reached the shopper or may do so: no answer refused it or asked for a retry. */
export const mayArrive = (row: Row) => sql<boolean>`(${isInState(row, `in ('sending', 'sent', 'delivered', 'unknown')`)}
  and coalesce(${sql.raw(row)}.answer ->> 'state', 'sent') not in ('failed', 'held'))`
/** The provider accepted it. */
export const isAccepted = (row: Row) => isInState(row, `in ('sent', 'delivered')`)
export const isDelivered = (row: Row) => isInState(row, `= 'delivered'`)
export const isUnknown = (row: Row) => isInState(row, `= 'unknown'`)
export const isFailed = (row: Row) => isInState(row, `= 'failed'`)

// Further conditions that use more than the state.

/**
 * Every claimed or sending message has a worker. Only the search for dead processes uses this condition: it matches the
 * index `messages_of_worker`, which holds the in-flight messages of all stores. (A worker that releases a claim reads
 * its own part of it.)
 */
export const hasWorker = (row: Row) => sql<boolean>`${sql.raw(row)}.worker_id is not null`

/**
 * Number of people without an order to whom the account has sent a first mail since then, including prepared mails. A
 * postponed mail counts when it is retried.
 */
export const selectFirstMailsSince = (accountId: RawBuilder<unknown>, since: Date) => sql<{ sent: number }>`
  select count(*)::int as sent from stores t cross join lateral (
    select 1 from messages h where h.store_id = t.id and h.is_first_mail and h.sending_at > ${since}
    union all
    select 1 from messages h where h.store_id = t.id and h.is_first_mail and h.sending_at is null and ${isClaimed('h')}) first_mails
  where t.account_id = ${accountId}`

/**
 * A provider was called at some time, including earlier attempts. Until then the row only describes a prepared message.
 */
export const wasEverAttempted = (row: Row) =>
  sql<boolean>`(${sql.raw(row)}.attempts > 0 or ${sql.raw(row)}.sending_at is not null)`
/** Accepted and later returned: permanently not delivered, for any reason. */
export const hasBounced = (row: Row) =>
  sql<boolean>`(${isFailed(row)} and ${sql.raw(`${row}.reason`)} ~ '^(bounced|undelivered)(:|$)')`
/** The provider accepted it, even if it failed later. */
export const wasAccepted = (row: Row) => sql<boolean>`(${isAccepted(row)} or ${hasBounced(row)})`

/** The state that reports give a message. */
export const reportedState = ({ failed, delivered }: { failed: RawBuilder<unknown>; delivered: RawBuilder<unknown> }) =>
  sql`case when ${failed} then 'failed' when ${delivered} then 'delivered' else 'sent' end`

/** Whether the reports in `said` change the state: never backwards, in any order of arrival (D4). */
export const isMovedByReport = (row: Row) => sql`${sql.raw(`${row}.state`)} <> said.state
        and (${isUnknown(row)} or (${isAccepted(row)} and (not ${isDelivered(row)} or ${isFailed('said')})))`

/** The outcome shown to the member who requested the message. */
export const selectOutcome = (
  row: Row,
) => sql<string>`case when ${isAccepted(row)} then 'sent' when ${isUnknown(row)} then 'unknown'
  when ${isOpen(row)} or ${isSending(row)} then 'waiting' else 'failed' end`

/** Whether campaign `g` may send its messages (D5). */
export const isRunningCampaign = sql<boolean>`(g.status in ('scheduled', 'active') and g.deleted_at is null)`

/** State of an inserted row, as a value. */
export const SCHEDULED = sql`'scheduled'`
export const SKIPPED = sql`'skipped'`

const isPutOff = (at: RawBuilder<unknown>) => sql`(${isHeld('m')} and m.reason = 'retry' and m.wake_at > ${at})`

/** Counts messages `m` by a column and their state (D6): `of`, `state`, `count`. Uses only an index. */
export const countByState = (column: 'origin_id' | 'step', which: RawBuilder<unknown>) => sql`
    select ${sql.ref(`m.${column}`)} as of, m.state, count(*)::int as count from messages m where ${which} group by 1, 2`

/** Send time of the newest message in flight about a row of `carts` or a cart merged into it (S2); null: none. */
export const sendingOfCart = sql<Date | null>`(select max(m.sending_at) from messages m
  where m.store_id = carts.store_id and m.cart_id = any(array(select carts.id union all select o.id from carts o
      where o.store_id = carts.store_id and o.shopper_id = carts.shopper_id and o.merged_into = carts.id)) and ${isSending('m')} and ${mayArrive('m')})`

// Assignments for UPDATE.

/** Due again; releases any claim. */
export const becomesScheduled = sql`state = 'scheduled', reason = null, claim = null`
/**
 * For an open row `m`: due at the given time; releases any claim. A message that the provider has postponed waits until
 * its Retry-After.
 */
export const becomesDue = (
  at: RawBuilder<unknown>,
) => sql`state = case when ${isPutOff(at)} then m.state else 'scheduled' end,
        reason = case when ${isPutOff(at)} then m.reason end, claim = null, wake_at = case when ${isPutOff(at)} then m.wake_at else ${at} end`
/** For an open row: decide again. Releases the claim, so that its worker's decision is not written (D10). */
export const becomesUndecided = (
  now: Date,
) => sql`state = case when ${isClaimed('m')} then 'scheduled' else m.state end,
  reason = case when ${isClaimed('m')} then null else m.reason end, claim = null, wake_at = greatest(m.due_at, ${now})`
/**
 * Messages whose decision may change after new data arrived. Includes claimed and due ones: a worker may have decided
 * without the new data and write its decision later.
 */
export const mayPassNow = (
  row: Row,
  now: Date,
) => sql`(${isHeld(row)} and ${sql.ref(`${row}.reason`)} not in ('retry', 'frequency_cap')
  or ${isClaimed(row)} or ${isOpen(row)} and not ${isHeld(row)} and ${sql.ref(`${row}.wake_at`)} <= ${now}::timestamptz + interval '1 minute')`
export const becomesClaimed = (claim: string) =>
  sql`state = 'claimed', claim = ${claim}, judged = null, is_first_mail = false`
export const becomesSending = sql`state = 'sending', reason = null, claim = null`
export const becomesDelivered = sql`state = 'delivered', reason = null`
export const becomesAccepted = sql`state = 'sent', reason = null`
export const becomesFailed = (reason: string) => sql`state = 'failed', reason = ${reason}, claim = null, judged = null`
export const becomesCancelled = (reason: string, now: Date) => becomesFinal('cancelled', reason, now)
export const becomesSkipped = (reason: string, now: Date) => becomesFinal('skipped', reason, now)

const becomesFinal = (state: 'cancelled' | 'skipped', reason: string, now: Date) =>
  sql`state = ${sql.lit(state)}, reason = ${reason}, finished_at = ${now}, updated_at = ${now}, claim = null`

/** The state from the answer in `o`, unless an ended cart or campaign in `e` closes the message (D5). */
export const answeredState = sql`case when e.id is null then o.state when e.is_cancelled then 'cancelled' else 'skipped' end`

const channelBadges = Object.entries(channelTraits).flatMap(([channel, { badge }]) =>
  badge ? [{ channel, badge }] : [],
)

/** The badge for a send on this channel. */
const selectChannelBadge = (channel: RawBuilder<unknown>) =>
  sql`case ${channel} ${sql.join(
    channelBadges.map((each) => sql`when ${sql.lit(each.channel)} then ${sql.lit(each.badge)}`),
    sql` `,
  )} end`

/** The newest message sent about a cart and those merged into it: time, badge and reason. No row when none was sent. */
export const selectNewestSend = (storeId: RawBuilder<unknown>, cartId: RawBuilder<unknown>) => sql`
  select b.sending_at as at, ${selectChannelBadge(sql`b.channel`)} as badge, b.reason from messages b
  where b.store_id = ${storeId} and b.sending_at is not null and ${mayArrive('b')}
    and b.cart_id = any(array(select ${cartId} union all select j.id from carts i join carts j on j.store_id = i.store_id
      and j.shopper_id = i.shopper_id and j.merged_into = i.id where i.store_id = ${storeId} and i.id = ${cartId}))
  order by b.sending_at desc, b.id desc limit 1`

/**
 * Open messages on a channel to this contact, in every store of the account: by the cart, or by the shopper when there
 * is no cart. Excludes messages with alternative channels, which are decided when they are sent (decision 54).
 */
export function selectOpenTo(accountId: string, channel: ChannelName, address: string) {
  const { contact } = channelTraits[channel]
  if (contact === 'subscription') return selectOpenPushTo(accountId, address)
  return sql`
    select m.store_id, m.id from stores s join messages m on m.store_id = s.id
    join carts c on c.store_id = m.store_id and c.id = m.cart_id
    where s.account_id = ${accountId} and ${sql.ref(`c.${contact}`)} = ${address} and m.channel = ${channel} and m.channels is null and ${isOpen('m')}
    union all
    select m.store_id, m.id from stores s join shopper_keys k on k.store_id = s.id and k.kind = ${contact} and k.value = ${address}
    join shoppers p on p.store_id = k.store_id and p.id = k.shopper_id and ${sql.ref(`p.${contact}`)} = ${address}
    join messages m on m.store_id = p.store_id and m.lone_shopper_id = p.id
    where s.account_id = ${accountId} and m.channel = ${channel} and ${isOpen('m')}`
}

/** Open notifications to this subscription's person, or to the person with this email address or number. */
const selectOpenPushTo = (accountId: string, address: string) => sql`
    select m.store_id, m.id from stores s
    join (
      select k.store_id, k.shopper_id from shopper_keys k where k.kind in ('email', 'phone') and k.value = ${address}
      union all
      select p.store_id, p.shopper_id from push_subscriptions p where 'push:' || p.id = ${address}) whose on whose.store_id = s.id
    join messages m on m.store_id = whose.store_id and m.shopper_id = whose.shopper_id
    where s.account_id = ${accountId} and m.channel = 'push' and m.channels is null and ${isOpen('m')}`
