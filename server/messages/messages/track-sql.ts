import { type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { ChannelName } from '../channels/public.ts'
import { becomesSkipped, isOpen, selectOpenTo } from './fragments.ts'

// SQL for touches and opt-outs.

/** Locks the message's shopper, which serialises everything recorded about the person. */
export async function lockMessageShopper({ db, storeId }: StoreTx, messageId: string): Promise<string | undefined> {
  const rows = await sql<{ id: string }>`
    select s.id from messages m join shoppers s on s.store_id = m.store_id and s.id = m.shopper_id
    where m.store_id = ${storeId} and m.id = ${messageId} for no key update of s`.execute(db)
  return rows.rows[0]?.id
}

export function findMessageRecipient({ db, storeId }: StoreDb, messageId: string) {
  return db
    .selectFrom('messages as m')
    .innerJoin('stores as s', 's.id', 'm.store_id')
    .leftJoin('carts as c', (on) => on.onRef('c.store_id', '=', 'm.store_id').onRef('c.id', '=', 'm.cart_id'))
    .select([
      'm.id',
      'm.cart_id',
      'm.channel',
      'm.to_address',
      'm.sending_at',
      's.account_id',
      's.name as store_name',
      's.url as store_url',
      's.home_url',
      's.has_checkout_link',
      'c.merged_into',
    ])
    .where('m.store_id', '=', storeId)
    .where('m.id', '=', messageId)
    .executeTakeFirst()
}

/** The language that a message's recipient chose, and that of the shop's pages; null: unknown. */
export async function readLanguage({ db, storeId }: StoreDb, messageId: string) {
  const row = await db
    .selectFrom('messages as m')
    .innerJoin('shoppers as p', (on) => on.onRef('p.store_id', '=', 'm.store_id').onRef('p.id', '=', 'm.shopper_id'))
    .innerJoin('stores as s', 's.id', 'm.store_id')
    .select(['p.language', 'p.locale', 's.locale as store_locale'])
    .where('m.store_id', '=', storeId)
    .where('m.id', '=', messageId)
    .executeTakeFirst()
  return row ?? { language: null, locale: null, store_locale: null }
}

/**
 * Records that the person unsubscribed by this message, or with null that they reverted it. On a page for several
 * channels only if its own channel is selected.
 */
export async function setUnsubscribed(
  { db, storeId }: StoreTx,
  messageId: string,
  { at, channels }: { at: Date | null; channels?: readonly ChannelName[] },
): Promise<void> {
  await sql`update messages set unsubscribed_at = ${at === null ? null : sql`coalesce(unsubscribed_at, ${at}::timestamptz)`}
    where store_id = ${storeId} and id = ${messageId}
      ${channels ? sql`and channel = any(${[...channels]}::text[])` : sql``}`.execute(db)
}

/** Records another address than planned: the person's first browser was gone. */
export async function setAddress({ db, storeId }: StoreDb, messageId: string, address: string): Promise<void> {
  await db
    .updateTable('messages')
    .set({ to_address: address })
    .where('store_id', '=', storeId)
    .where('id', '=', messageId)
    .where('to_address', 'is not', null)
    .execute()
}

/** Closes open messages to this address on a channel, in every store of the account (C2). */
export async function skipOpenMessagesTo(
  { db }: Pick<StoreTx, 'db'>,
  to: { accountId: string; address: string; channel: ChannelName; now: Date; reason?: string },
): Promise<number> {
  const { accountId, address, channel, now, reason = 'suppressed_unsubscribed' } = to
  const rows = await sql`
    with closed as (
      update messages m set ${becomesSkipped(reason, now)}
      from (${selectOpenTo(accountId, channel, address)}) o
      where m.store_id = o.store_id and m.id = o.id and ${isOpen('m')}
      returning m.store_id, m.id)
    insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
    select store_id, gen_random_uuid(), id, ${now}, 'skip', ${reason}, '{}' from closed returning 1`.execute(db)
  return rows.rows.length
}
