import { type AccountDb, type AccountTx, type Db, type StoreTx, sql } from '../../core/db/db.ts'
import type { TextChannelName } from '../../messages/channels/channel.ts'
import { maskAddress } from '../../messages/channels/mask.ts'
import { becomesSkipped, isOpen, openTo } from '../../messages/messages/fragments.ts'
import { consentCounts } from '../../shoppers/consent/fragments.ts'
import type { Keyword } from './keywords.ts'

// SQL for shoppers' replies and their consequences for an account.

export interface KeptInbound {
  channel: TextChannelName
  eventKey: string
  addressHash: Buffer
  keyword: Keyword | null
  at: Date
  now: Date
}

/** Stores a reply. Returns false if it was delivered before. */
export async function keepInbound({ db, accountId }: AccountTx, kept: KeptInbound): Promise<boolean> {
  const rows = await db
    .insertInto('inbound_messages')
    .values({
      account_id: accountId,
      channel: kept.channel,
      event_key: kept.eventKey,
      address_hash: kept.addressHash,
      keyword: kept.keyword,
      at: kept.at,
      received_at: kept.now,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'channel', 'event_key']).doNothing())
    .returning('event_key')
    .execute()
  return rows.length > 0
}

/** Serializes replies from the same address, since each is compared with earlier ones. */
export async function lockAddress({ db, accountId }: AccountTx, hash: Buffer): Promise<void> {
  const name = `${accountId}:inbound:${hash.toString('hex')}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db)
}

/** Returns the time of the newest reply from this address. */
export async function loadLastReplyAt(
  { db, accountId }: AccountTx,
  channel: TextChannelName,
  addressHash: Buffer,
): Promise<Date | null> {
  const row = await db
    .selectFrom('inbound_messages')
    .select((eb) => eb.fn.max('at').as('at'))
    .where('account_id', '=', accountId)
    .where('channel', '=', channel)
    .where('address_hash', '=', addressHash)
    .executeTakeFirst()
  return row?.at ?? null
}

/** Whether a later reply says the opposite. */
export async function hasLaterKeyword(
  { db, accountId }: AccountTx,
  than: { channel: TextChannelName; addressHash: Buffer; at: Date; keyword: 'stop' | 'start' },
): Promise<boolean> {
  const later = await db
    .selectFrom('inbound_messages')
    .select('event_key')
    .where('account_id', '=', accountId)
    .where('channel', '=', than.channel)
    .where('address_hash', '=', than.addressHash)
    .where('keyword', '=', than.keyword === 'stop' ? 'start' : 'stop')
    .where('at', '>', than.at)
    .limit(1)
    .executeTakeFirst()
  return later !== undefined
}

export interface OptOut {
  channel: TextChannelName
  addressHash: Buffer
  /** E.164. */
  phone: string
  source: string
  at: Date
}

/** Suppresses the address. Returns false if it was suppressed before. */
export async function suppressText({ db, accountId }: AccountTx, out: OptOut): Promise<boolean> {
  const rows =
    await sql`insert into suppressions (account_id, address_hash, channel, address, reason, source, created_at)
    values (${accountId}, ${out.addressHash}, ${out.channel}, ${out.phone}, 'unsubscribed', ${out.source}, ${out.at})
    on conflict do nothing returning 1`.execute(db)
  return rows.rows.length > 0
}

/**
 * Records the withdrawal in the ledger of each store of the account that lacks it, because the sender is the account's
 * (C5).
 */
export async function withdrawConsents({ db, accountId }: AccountTx, out: OptOut): Promise<void> {
  await sql`
    insert into consents (store_id, id, address_hash, channel, status, source, at, who)
    select s.id, gen_random_uuid(), ${out.addressHash}, ${out.channel}, 'withdrawn', ${out.source}, ${out.at},
      ${maskAddress(out.channel, out.phone)}
    from stores s where s.account_id = ${accountId} and (
      select status from consents c where c.store_id = s.id and c.address_hash = ${out.addressHash} and c.channel = ${out.channel}
      and ${consentCounts('c')} order by c.at desc, c.id desc limit 1) is distinct from 'withdrawn'`.execute(db)
}

/** Closes open messages to this number in all stores of the account (C2). */
export async function closeOpenTexts({ db, accountId }: AccountTx, out: OptOut, now: Date): Promise<void> {
  await sql`
    with gone as (
      update messages m set ${becomesSkipped('suppressed_unsubscribed', now)}
      from (${openTo(accountId, out.channel, out.phone)}) o
      where m.store_id = o.store_id and m.id = o.id and ${isOpen('m')}
      returning m.store_id, m.id)
    insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
    select store_id, gen_random_uuid(), id, ${now}, 'skip', 'suppressed_unsubscribed', '{}' from gone`.execute(db)
}

/** Marks the newest message to this number as answered. */
export async function markAnswered({ db, accountId }: AccountTx, out: OptOut): Promise<void> {
  await sql`
    update messages m set unsubscribed_at = coalesce(m.unsubscribed_at, ${out.at}::timestamptz)
    from (select h.store_id, h.id from stores s
      join shopper_keys k on k.store_id = s.id and k.kind = 'phone' and k.value = ${out.phone}
      join messages h on h.store_id = k.store_id and h.shopper_id = k.shopper_id and h.sending_at <= ${out.at}
        and h.channel = ${out.channel}
      where s.account_id = ${accountId} order by h.sending_at desc limit 1) newest
    where m.store_id = newest.store_id and m.id = newest.id`.execute(db)
}

/** Removes the shopper's own opt-out, and no other suppression. Returns false if there was none. */
export async function unsuppressText({ db, accountId }: AccountTx, out: OptOut): Promise<boolean> {
  const rows = await sql`delete from suppressions where account_id = ${accountId} and address_hash = ${out.addressHash}
    and channel = ${out.channel} and reason = 'unsubscribed' returning 1`.execute(db)
  return rows.rows.length > 0
}

/** Unanswered opt-in requests to this number, with the newest ledger entry on the consent. */
const openRequests = (out: OptOut) => sql`
  opt_in_requests q join stores s on s.id = q.store_id
  cross join lateral (select status, is_confirmed, at from consents c where c.store_id = q.store_id
    and c.address_hash = q.address_hash and c.channel = q.channel and ${consentCounts('c')} order by at desc, id desc limit 1) newest
  where q.channel = ${out.channel} and q.address_hash = ${out.addressHash}
    and q.state in ('asked', 'answered') and newest.status in ('pending', 'granted') and not newest.is_confirmed
    and not exists (select 1 from suppressions p where p.account_id = s.account_id and p.address_hash = q.address_hash
      and p.channel in ('all', q.channel))`

/** The store with the newest unanswered request; undefined: none. */
export async function findAskingStore({ db, accountId }: AccountTx, out: OptOut): Promise<string | undefined> {
  const rows = await sql<{ storeId: string }>`
    select q.store_id as "storeId" from ${openRequests(out)} and s.account_id = ${accountId}
    order by q.asked_at desc nulls last limit 1`.execute(db)
  return rows.rows[0]?.storeId
}

/** Confirms the consent for this store. Returns false if another reply was faster. */
export async function confirmConsent(
  { db, storeId }: StoreTx,
  out: OptOut,
  { id, who }: { id: string; who: string },
): Promise<boolean> {
  const rows = await sql`
    with asked as (
      select q.wording, newest.at from ${openRequests(out)} and q.store_id = ${storeId} for update of q),
    answered as (
      update opt_in_requests set state = 'answered'
      where store_id = ${storeId} and channel = ${out.channel} and address_hash = ${out.addressHash}
        and exists (select 1 from asked))
    insert into consents (store_id, id, address_hash, channel, status, is_confirmed, source, wording, at, who)
    select ${storeId}, ${id}, ${out.addressHash}, ${out.channel}, 'granted', true, ${out.source}, wording,
      greatest(${out.at}::timestamptz, at), ${who}
    from asked returning 1`.execute(db)
  return rows.rows.length > 0
}

/** Restores the consent before a STOP, if the STOP is the newest entry. START creates no consent that never existed. */
export async function restoreConsents({ db, accountId }: AccountTx, out: OptOut, undoes: string): Promise<void> {
  await sql`
    insert into consents (store_id, id, address_hash, channel, status, is_confirmed, source, at, who)
    select s.id, gen_random_uuid(), ${out.addressHash}, ${out.channel}, 'granted', said.confirmed[2], ${out.source}, ${out.at},
      ${maskAddress(out.channel, out.phone)}
    from stores s cross join lateral (
      select array_agg(status order by at desc, id desc) as words, array_agg(source order by at desc, id desc) as sources,
          array_agg(is_confirmed order by at desc, id desc) as confirmed
      from (select status, source, is_confirmed, at, id from consents c
        where c.store_id = s.id and c.address_hash = ${out.addressHash} and c.channel = ${out.channel}
        and ${consentCounts('c')} order by at desc, id desc limit 2) newest) said
    where s.account_id = ${accountId} and said.words[1] = 'withdrawn' and said.sources[1] = ${undoes}
      and said.words[2] = 'granted'`.execute(db)
}

export async function queueReply(
  { db, accountId }: AccountTx,
  channel: TextChannelName,
  eventKey: string,
  replyTo: string,
) {
  await db
    .updateTable('inbound_messages')
    .set({ reply_to: replyTo })
    .where('account_id', '=', accountId)
    .where('channel', '=', channel)
    .where('event_key', '=', eventKey)
    .execute()
}

/** Takes the pending reply, so that no other process sends it. */
export async function takeReply({ db, accountId }: AccountDb, channel: TextChannelName, eventKey: string) {
  const rows = await sql<{ reply_to: string; keyword: Keyword }>`
    update inbound_messages t set reply_to = null from (
      select event_key, reply_to from inbound_messages
      where account_id = ${accountId} and channel = ${channel} and event_key = ${eventKey} for update) old
    where t.account_id = ${accountId} and t.channel = ${channel} and t.event_key = old.event_key and old.reply_to is not null
    returning old.reply_to, t.keyword`.execute(db)
  return rows.rows[0]
}

/** The store named in a reply: the newest connected one. */
export function senderOf({ db, accountId }: AccountDb) {
  return db
    .selectFrom('stores')
    .select(['sender_name', 'name', 'url', 'home_url'])
    .where('account_id', '=', accountId)
    .where('is_active', '=', true)
    .orderBy('connected_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function deleteOldInbound(db: Db, receivedBefore: Date): Promise<void> {
  await db.deleteFrom('inbound_messages').where('received_at', '<', receivedBefore).execute()
  await db.deleteFrom('operator_text_contacts').where('last_at', '<', receivedBefore).execute()
}
