import { type AccountDb, type AccountTx, type Db, sql } from '../../core/db/db.ts'
import type { ChannelCredentialsTable, TextTemplate } from '../../core/schema/text-channels.ts'
import type { TextChannelName } from '../../messages/channels/channel.ts'

// SQL for an account's SMS and WhatsApp credentials.

export function readCredentials({ db, accountId }: AccountDb, channel: TextChannelName) {
  return db
    .selectFrom('channel_credentials')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('channel', '=', channel)
    .executeTakeFirst()
}

export type CredentialsRow = NonNullable<Awaited<ReturnType<typeof readCredentials>>>

export function lockCredentials({ db, accountId }: AccountTx, channel: TextChannelName) {
  return db
    .selectFrom('channel_credentials')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('channel', '=', channel)
    .forUpdate()
    .executeTakeFirst()
}

export interface KeptCredentials
  extends Pick<
    ChannelCredentialsTable,
    'channel' | 'provider' | 'hook_key' | 'encrypted' | 'check_answer' | 'checked_at' | 'version' | 'templates_at'
  > {
  identity: object
  senders: object
  template: object | null
  templates: object
}

function columnsOf({ channel, ...rest }: KeptCredentials) {
  const columns = {
    ...rest,
    identity: JSON.stringify(rest.identity),
    senders: JSON.stringify(rest.senders),
    template: rest.template ? JSON.stringify(rest.template) : null,
    templates: JSON.stringify(rest.templates),
    updated_at: rest.checked_at,
  }
  return { channel, columns }
}

export async function saveCredentials({ db, accountId }: AccountTx, kept: KeptCredentials): Promise<void> {
  const { channel, columns } = columnsOf(kept)
  await db
    .insertInto('channel_credentials')
    .values({ account_id: accountId, channel, ...columns })
    .onConflict((conflict) => conflict.columns(['account_id', 'channel']).doUpdateSet(columns))
    .execute()
}

/** Inserts built-in credentials once. They replace other built-in ones, but none that the account entered. */
export async function insertBuiltIn({ db, accountId }: AccountDb, kept: KeptCredentials): Promise<void> {
  const { channel, columns } = columnsOf(kept)
  await db
    .insertInto('channel_credentials')
    .values({ account_id: accountId, channel, ...columns })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'channel'])
        .doUpdateSet(columns)
        .where('channel_credentials.provider', 'in', ['sandbox', 'operator'])
        .where('channel_credentials.provider', '<>', kept.provider),
    )
    .execute()
}

export async function saveTemplates(
  { db, accountId }: AccountDb,
  channel: TextChannelName,
  templates: object,
  now: Date,
): Promise<void> {
  await db
    .updateTable('channel_credentials')
    .set({ templates: JSON.stringify(templates), templates_at: now })
    .where('account_id', '=', accountId)
    .where('channel', '=', channel)
    .execute()
}

export async function saveTemplate(
  { db, accountId }: AccountTx,
  template: TextTemplate,
  version: number,
): Promise<void> {
  await db
    .updateTable('channel_credentials')
    .set({ template: JSON.stringify(template), version })
    .where('account_id', '=', accountId)
    .where('channel', '=', 'whatsapp')
    .execute()
}

export async function deleteCredentials({ db, accountId }: AccountDb, channel: TextChannelName): Promise<boolean> {
  const gone = await db
    .deleteFrom('channel_credentials')
    .where('account_id', '=', accountId)
    .where('channel', '=', channel)
    .where('provider', 'not in', ['sandbox', 'operator'])
    .returning('channel')
    .execute()
  return gone.length > 0
}

export async function isDemoAccount(db: Db, accountId: string): Promise<boolean> {
  const row = await db.selectFrom('accounts').select('is_demo').where('id', '=', accountId).executeTakeFirst()
  return row?.is_demo ?? false
}

/** Records that the operator's number writes to this address. Call before the send. */
export async function recordOperatorContact(
  { db, accountId }: AccountDb,
  addressHash: Buffer,
  now: Date,
): Promise<void> {
  await sql`insert into operator_text_contacts as c (account_id, address_hash, last_at)
    values (${accountId}, ${addressHash}, ${now})
    on conflict (account_id, address_hash) do update set last_at = greatest(c.last_at, excluded.last_at)`.execute(db)
}
