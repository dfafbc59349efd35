import type { AccountDb } from '../../core/db/public.ts'
import type { ChannelCredentialsTable } from '../../core/schema/public.ts'
import type { TextChannelName } from '../../messages/channels/public.ts'

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

export interface StoredCredentials
  extends Pick<
    ChannelCredentialsTable,
    'channel' | 'provider' | 'hook_key' | 'encrypted' | 'check_answer' | 'checked_at' | 'version' | 'templates_at'
  > {
  identity: object
  senders: object
  template: object | null
  templates: object
}

export function toColumns({ channel, ...rest }: StoredCredentials) {
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
