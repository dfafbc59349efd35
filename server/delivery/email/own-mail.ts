import { LRUCache } from 'lru-cache'
import { isMailAddress, mailServerTexts } from '../../../shared/delivery/mail-server.ts'
import type { Secrets } from '../../core/common/public.ts'
import type { Config } from '../../core/config/public.ts'
import type { Db } from '../../core/db/public.ts'
import { createNoMailChannel, type EmailChannel } from '../../messages/channels/public.ts'
import { openBounceAddresses } from './bounce-addresses.ts'
import * as sql from './mail-server-sql.ts'
import { createSmtpChannel } from './smtp.ts'
import type { MailHeaders } from './smtp-message.ts'
import { type SmtpGuard, type SmtpSettings, toSmtpSettings } from './smtp-settings.ts'

// Mail channels for accounts' own mail servers: one per account, with few connections, made from its settings. After a
// change, the next message uses a new channel.

export interface OwnMailDeps {
  config: Config
  db: Db
  secrets: Secrets
  now: () => Date
  /** Certificate authorities and name resolution for tests. */
  guard?: Pick<SmtpGuard, 'ca' | 'lookupAll'>
}

export interface OwnMail {
  channel: EmailChannel
  /** Identifies the settings it was made from. */
  key: sql.ServerKey
  /** The From address; null: unknown, and the channel rejects every mail. */
  from: string | null
  /** The last use failed. */
  isFailing: boolean
}

export interface OwnMails {
  /** null: the account has no mail server of its own. */
  of(accountId: string): Promise<OwnMail | null>
  close(): Promise<void>
}

const MAX_CACHED = 2_000
const POOL = 3
/** Bounds how long an unresponsive server of one account blocks a sender. */
const TIMEOUTS = { connectMs: 10_000 }

/** Encryption context. It binds the password to the account, so that it cannot be decrypted in another row. */
const sealContext = (accountId: string): string => `mail server:${accountId}`

export const sealPassword = (secrets: Secrets, accountId: string, password: string): Buffer =>
  secrets.seal(password, sealContext(accountId))

export const openPassword = (secrets: Secrets, row: Pick<sql.MailServerRow, 'account_id' | 'encrypted'>): string =>
  row.encrypted ? secrets.open(row.encrypted, sealContext(row.account_id)) : ''

export function buildSmtpSettings(
  { config, secrets, guard }: Pick<OwnMailDeps, 'config' | 'secrets' | 'guard'>,
  row: sql.MailServerRow,
): SmtpSettings {
  const { host, port, security, user_name: user } = row
  const password = openPassword(secrets, row)
  return toSmtpSettings(
    { host, port, security, user, password },
    { allowsPrivate: config.allowsPrivateStores, ...guard },
  )
}

/**
 * The From address: as entered, else the user name, since providers send for it. null only for settings older than this
 * requirement.
 */
export function buildOwnFrom({
  from_address: from,
  user_name: user,
}: Pick<sql.MailServerRow, 'from_address' | 'user_name'>) {
  return from ?? (isMailAddress(user) ? user : null)
}

/**
 * Headers for mail by the account's own server: its bounce mailbox as return address. This installation does not sign
 * it, because its keys vouch only for mail of its own mail server, and here the account chooses the sender.
 */
export function openOwnMailHeaders(deps: Pick<OwnMailDeps, 'db' | 'now'>) {
  const mailboxOf = openBounceAddresses(deps)
  return async (accountId: string): Promise<MailHeaders> => ({ returnPath: await mailboxOf(accountId) })
}

export function openOwnMails(deps: OwnMailDeps): OwnMails {
  const close = ({ channel }: { channel: EmailChannel }) => channel.close().catch(() => {})
  const cached = new LRUCache<string, { key: string; channel: EmailChannel }>({
    max: MAX_CACHED,
    // Messages in flight end on the old channel; the sender does not wait for them.
    dispose: (old) => void close(old),
  })
  const mailHeadersOf = openOwnMailHeaders(deps)
  return {
    async of(accountId) {
      const row = await sql.readMailServer({ accountId, db: deps.db })
      const known = cached.get(accountId)
      if (!row) {
        cached.delete(accountId)
        return null
      }
      const key = `${row.version}:${row.checked_at.getTime()}`
      const channel = known?.key === key ? known.channel : makeChannel(deps, row, () => mailHeadersOf(accountId))
      if (known?.key !== key) cached.set(accountId, { key, channel })
      const { version, checked_at: checkedAt } = row
      return { channel, key: { version, checkedAt }, from: buildOwnFrom(row), isFailing: row.problem !== null }
    },
    async close() {
      await Promise.all([...cached.values()].map(close))
    },
  }
}

function makeChannel(deps: OwnMailDeps, row: sql.MailServerRow, mailHeaders: () => Promise<MailHeaders>): EmailChannel {
  if (buildOwnFrom(row) === null) return createNoMailChannel(mailServerTexts.noFrom)
  const url = buildSmtpSettings(deps, row)
  return createSmtpChannel({ url, poolSize: POOL, timeouts: TIMEOUTS, mailHeaders, keepsIfSenderRefused: true })
}
