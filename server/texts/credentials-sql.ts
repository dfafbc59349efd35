import type { TextChannelName } from '../channels/channel.ts'
import type { AccountDb, AccountTx, Db } from '../core/db.ts'
import type { ChannelCredentialsTable, TextTemplate } from '../schema/text-channels.ts'

// Who carries an account's SMS and WhatsApp: SQL and nothing else.

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

export async function saveCredentials({ db, accountId }: AccountTx, kept: KeptCredentials): Promise<void> {
  const { channel, ...rest } = kept
  const columns = {
    ...rest,
    identity: JSON.stringify(kept.identity),
    senders: JSON.stringify(kept.senders),
    template: kept.template ? JSON.stringify(kept.template) : null,
    templates: JSON.stringify(kept.templates),
    updated_at: kept.checked_at,
  }
  await db
    .insertInto('channel_credentials')
    .values({ account_id: accountId, channel, ...columns })
    .onConflict((conflict) => conflict.columns(['account_id', 'channel']).doUpdateSet(columns))
    .execute()
}

/** Made by whoever comes first. */
export async function insertSandbox({ db, accountId }: AccountDb, kept: KeptCredentials): Promise<void> {
  await db
    .insertInto('channel_credentials')
    .values({
      account_id: accountId,
      ...kept,
      identity: JSON.stringify(kept.identity),
      senders: JSON.stringify(kept.senders),
      template: kept.template ? JSON.stringify(kept.template) : null,
      templates: JSON.stringify(kept.templates),
      updated_at: kept.checked_at,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'channel']).doNothing())
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
    .where('provider', '<>', 'sandbox')
    .returning('channel')
    .execute()
  return gone.length > 0
}

export async function isDemoAccount(db: Db, accountId: string): Promise<boolean> {
  const row = await db.selectFrom('accounts').select('is_demo').where('id', '=', accountId).executeTakeFirst()
  return row?.is_demo ?? false
}
