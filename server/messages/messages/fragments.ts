import type { ChannelName } from '../channels/channel.ts'
import { channelTraits } from '../channels/traits.ts'
import { type RawBuilder, sql } from '../../core/db/db.ts'

// The state of a message (docs/rules/engine.md, "Sending") as statements read and write it. No other statement names a state: a test of the
// architecture sees to it. What is decided outside SQL asks state-rules.ts.

/** How the statement calls the row; what holds a state may also be a CTE of that name. */
type Row = 'messages' | 'm' | 'b' | 'e' | 'h' | 'k' | 'l' | 'moved' | 'o' | 'said' | 'v'

const of = (row: Row, condition: string): RawBuilder<boolean> => sql.raw(`${row}.state ${condition}`)

// Ten questions, with these names in docs/glossary.md; test/architecture.test.ts counts them.

/** Not sent and not final: to be decided. The condition of the index `messages_to_wake`. */
export const isOpen = (row: Row) => of(row, `in ('scheduled', 'held', 'claimed')`)
export const isHeld = (row: Row) => of(row, `= 'held'`)
export const isClaimed = (row: Row) => of(row, `= 'claimed'`)
/**
 * It may have reached the provider, and it is not settled: its end, its record, its cart's badge and the times of the next steps are not written
 * yet. Until then its row keeps the decision to send it (`judged`) and, once there is one, the answer.
 */
export const isSending = (row: Row) => of(row, `= 'sending'`)
/** A worker began to send it, whatever the result: its step is not repeated (D1). */
export const wasAttempted = (row: Row) => of(row, `in ('sending', 'sent', 'delivered', 'failed', 'unknown')`)
/** It may reach the shopper or has: no answer says that it was refused or has to be tried again. */
export const mayArrive = (row: Row) => sql<boolean>`(${of(row, `in ('sending', 'sent', 'delivered', 'unknown')`)}
  and coalesce(${sql.raw(row)}.answer ->> 'state', 'sent') not in ('failed', 'held'))`
/** The provider took it. */
export const isAccepted = (row: Row) => of(row, `in ('sent', 'delivered')`)
export const isDelivered = (row: Row) => of(row, `= 'delivered'`)
export const isUnknown = (row: Row) => of(row, `= 'unknown'`)
export const isFailed = (row: Row) => of(row, `= 'failed'`)

// What else statements ask of a message, with more than its state.

/**
 * Every claimed message and every one that is being sent has a worker. Only the search for processes that ended asks this: it lets PostgreSQL
 * use the index `messages_of_worker`, which holds what all stores are sending. (A worker that gives a claim back reads its own part of it.)
 */
export const hasWorker = (row: Row) => sql<boolean>`${sql.raw(row)}.worker_id is not null`

/**
 * How many people without an order the account has written to for the first time since, those included whose mail is prepared. What was put
 * off counts when it is tried again.
 */
export const firstMailsSince = (accountId: RawBuilder<unknown>, since: Date) => sql<{ sent: number }>`
  select count(*)::int as sent from stores t cross join lateral (
    select 1 from messages h where h.store_id = t.id and h.is_first_mail and h.sending_at > ${since}
    union all
    select 1 from messages h where h.store_id = t.id and h.is_first_mail and h.sending_at is null and ${isClaimed('h')}) first_mails
  where t.account_id = ${accountId}`

/** A provider was called at some time, also before the present try. Until then, what is written of it is only what is prepared. */
export const wasEverAttempted = (row: Row) =>
  sql<boolean>`(${sql.raw(row)}.attempts > 0 or ${sql.raw(row)}.sending_at is not null)`
/** It was accepted, and came back: not delivered for good, whatever for. */
export const hasBounced = (row: Row) =>
  sql<boolean>`(${isFailed(row)} and ${sql.raw(`${row}.reason`)} ~ '^(bounced|undelivered)(:|$)')`
/** The provider took it, whatever came of it since. */
export const wasAccepted = (row: Row) => sql<boolean>`(${isAccepted(row)} or ${hasBounced(row)})`

/** What reports of a message come to. */
export const reported = ({ failed, delivered }: { failed: RawBuilder<unknown>; delivered: RawBuilder<unknown> }) =>
  sql`case when ${failed} then 'failed' when ${delivered} then 'delivered' else 'sent' end`

/** Whether what was reported, in `said`, moves a message on: never back, whatever the order of arrival (D4). */
export const isMovedByReport = (row: Row) => sql`${sql.raw(`${row}.state`)} <> said.state
        and (${isUnknown(row)} or (${isAccepted(row)} and (not ${isDelivered(row)} or ${isFailed('said')})))`

/** What a member who asked for it is told. */
export const outcomeWord = (
  row: Row,
) => sql<string>`case when ${isAccepted(row)} then 'sent' when ${isUnknown(row)} then 'unknown'
  when ${isOpen(row)} or ${isSending(row)} then 'waiting' else 'failed' end`

/** Whether campaign `g` lets its messages be sent (D5). */
export const isRunningCampaign = sql<boolean>`(g.status in ('scheduled', 'active') and g.deleted_at is null)`

/** As a value, of a row that is inserted. */
export const SCHEDULED = sql`'scheduled'`
export const SKIPPED = sql`'skipped'`

const isPutOff = (at: RawBuilder<unknown>) => sql`(${isHeld('m')} and m.reason = 'retry' and m.wake_at > ${at})`

/** Messages `m` by one of their columns and their state, with how many there are (D6): `of`, `state`, `count`. From an index alone. */
export const countedByState = (column: 'origin_id' | 'step', which: RawBuilder<unknown>) => sql`
    select ${sql.ref(`m.${column}`)} as of, m.state, count(*)::int as count from messages m where ${which} group by 1, 2`

/** When the newest message in flight about a row of `carts`, or about a cart that was joined to it, was sent (S2); null: there is none. */
export const sendingOfCart = sql<Date | null>`(select max(m.sending_at) from messages m
  where m.store_id = carts.store_id and m.cart_id = any(array(select carts.id union all select o.id from carts o
      where o.store_id = carts.store_id and o.shopper_id = carts.shopper_id and o.merged_into = carts.id)) and ${isSending('m')} and ${mayArrive('m')})`

// What an UPDATE sets.

/** Due again, whoever held it. */
export const becomesScheduled = sql`state = 'scheduled', reason = null, claim = null`
/**
 * Of an open row `m`: due at that time, whoever held it. What a provider has just put off is not tried again before the provider wanted it
 * (Retry-After).
 */
export const becomesDue = (
  at: RawBuilder<unknown>,
) => sql`state = case when ${isPutOff(at)} then m.state else 'scheduled' end,
        reason = case when ${isPutOff(at)} then m.reason end, claim = null, wake_at = case when ${isPutOff(at)} then m.wake_at else ${at} end`
/** Of an open row: a worker that has it does not any more, and what it decides of it is not written (D10). */
export const isLookedAtAnew = (now: Date) => sql`state = case when ${isClaimed('m')} then 'scheduled' else m.state end,
  reason = case when ${isClaimed('m')} then null else m.reason end, claim = null, wake_at = greatest(m.due_at, ${now})`
/**
 * What may be decided otherwise now that something arrived. Also what a worker has, or is about to take: it may have decided without what
 * arrived, and write so after this.
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
export const becomesCancelled = (reason: string, now: Date) => closed('cancelled', reason, now)
export const becomesSkipped = (reason: string, now: Date) => closed('skipped', reason, now)

const closed = (state: 'cancelled' | 'skipped', reason: string, now: Date) =>
  sql`state = ${sql.lit(state)}, reason = ${reason}, finished_at = ${now}, updated_at = ${now}, claim = null`

/** What an answer in `o` says, unless what came to an end meanwhile, in `e`, closes it (D5). */
export const answered = sql`case when e.id is null then o.state when e.is_cancelled then 'cancelled' else 'skipped' end`

const badged = Object.entries(channelTraits).flatMap(([channel, { badge }]) => (badge ? [{ channel, badge }] : []))

/** The badge a send on this channel gives. */
const badgeOf = (channel: RawBuilder<unknown>) =>
  sql`case ${channel} ${sql.join(
    badged.map((each) => sql`when ${sql.lit(each.channel)} then ${sql.lit(each.badge)}`),
    sql` `,
  )} end`

/** Of a cart and those joined to it: when the newest message that counts was sent, its badge and what is marked of it; no row when none was. */
export const newestSend = (storeId: RawBuilder<unknown>, cartId: RawBuilder<unknown>) => sql`
  select b.sending_at as at, ${badgeOf(sql`b.channel`)} as badge, b.reason from messages b
  where b.store_id = ${storeId} and b.sending_at is not null and ${mayArrive('b')}
    and b.cart_id = any(array(select ${cartId} union all select j.id from carts i join carts j on j.store_id = i.store_id
      and j.shopper_id = i.shopper_id and j.merged_into = i.id where i.store_id = ${storeId} and i.id = ${cartId}))
  order by b.sending_at desc, b.id desc limit 1`

/**
 * Open messages of a channel, in every store of the account, whose cart has this contact; without a cart, whose shopper has it. Not those
 * that may go by another channel as well: their channel is chosen, and asked again when they are sent (decision 54).
 */
export function openTo(accountId: string, channel: ChannelName, address: string) {
  const { contact } = channelTraits[channel]
  if (contact === 'subscription') return openToBrowser(accountId, address)
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

/** Open notifications to this subscription's person, or to whoever has this email address or number. */
const openToBrowser = (accountId: string, address: string) => sql`
    select m.store_id, m.id from stores s
    join (
      select k.store_id, k.shopper_id from shopper_keys k where k.kind in ('email', 'phone') and k.value = ${address}
      union all
      select p.store_id, p.shopper_id from push_subscriptions p where 'push:' || p.id = ${address}) whose on whose.store_id = s.id
    join messages m on m.store_id = whose.store_id and m.shopper_id = whose.shopper_id
    where s.account_id = ${accountId} and m.channel = 'push' and m.channels is null and ${isOpen('m')}`
