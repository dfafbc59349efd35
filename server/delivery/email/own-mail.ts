import { isMailAddress, mailServerTexts } from '../../../shared/mail-server.ts'
import type { EmailChannel } from '../../messages/channels/channel.ts'
import { createNoMailChannel } from '../../messages/channels/mail-way.ts'
import type { Config } from '../../core/config/config.ts'
import type { Db } from '../../core/db/db.ts'
import type { Secrets } from '../../core/common/secrets.ts'
import { openBounceAddresses } from './bounce-addresses.ts'
import * as sql from './mail-server-sql.ts'
import { createSmtpChannel } from './smtp.ts'
import type { MailHeaders } from './smtp-message.ts'
import { type SmtpGuard, type SmtpSettings, settingsOfOwn } from './smtp-settings.ts'

// Mail by an account's own mail server: one channel per account, with few connections, made of what the account has entered. When that
// changes, the next message goes by the new one.

export interface OwnMailDeps {
  config: Config
  db: Db
  secrets: Secrets
  now: () => Date
  /** Certificate authorities and names of a test's own. */
  guard?: Pick<SmtpGuard, 'ca' | 'lookupAll'>
}

export interface OwnMail {
  channel: EmailChannel
  /** Which settings it is made of. */
  key: sql.ServerKey
  /** The address in From; null: none is known, and the channel takes nothing. */
  from: string | null
  /** It took nothing the last time. */
  isFailing: boolean
}

export interface OwnMails {
  /** null: the account has no mail server of its own. */
  of(accountId: string): Promise<OwnMail | null>
  close(): Promise<void>
}

const MOST_KEPT = 2_000
const POOL = 3
/** One account's server that does not answer holds a sender for no longer. */
const TIMEOUTS = { connectMs: 10_000 }

/** Bound to the account: an encrypted password moved to another row does not open. */
const sealContext = (accountId: string): string => `mail server:${accountId}`

export const sealPassword = (secrets: Secrets, accountId: string, password: string): Buffer =>
  secrets.seal(password, sealContext(accountId))

export const openPassword = (secrets: Secrets, row: Pick<sql.MailServerRow, 'account_id' | 'encrypted'>): string =>
  row.encrypted ? secrets.open(row.encrypted, sealContext(row.account_id)) : ''

export function smtpSettingsOf(
  { config, secrets, guard }: Pick<OwnMailDeps, 'config' | 'secrets' | 'guard'>,
  row: sql.MailServerRow,
): SmtpSettings {
  const { host, port, security, user_name: user } = row
  const password = openPassword(secrets, row)
  return settingsOfOwn(
    { host, port, security, user, password },
    { allowsPrivate: config.allowsPrivateStores, ...guard },
  )
}

/** A mail provider sends for the address one signs in with. null only for what was saved before one of the two was required. */
export function ownFrom({
  from_address: from,
  user_name: user,
}: Pick<sql.MailServerRow, 'from_address' | 'user_name'>) {
  return from ?? (isMailAddress(user) ? user : null)
}

/**
 * What a mail by the account's own server gets on its way out: the account's bounce mailbox as its return address. No signature of this
 * installation's: its keys vouch for mail that is sent by its own mail server, and here the account chooses the sender.
 */
export function openOwnMailHeaders(deps: Pick<OwnMailDeps, 'db' | 'now'>) {
  const mailboxOf = openBounceAddresses(deps)
  return async (accountId: string): Promise<MailHeaders> => ({ returnPath: await mailboxOf(accountId) })
}

export function openOwnMails(deps: OwnMailDeps): OwnMails {
  const kept = new Map<string, { key: string; channel: EmailChannel }>()
  const mailHeadersOf = openOwnMailHeaders(deps)
  const close = ({ channel }: { channel: EmailChannel }) => channel.close().catch(() => {})
  const drop = (accountId: string) => {
    const known = kept.get(accountId)
    kept.delete(accountId)
    // What is in flight ends there; the sender does not wait for it.
    if (known) void close(known)
  }
  return {
    async of(accountId) {
      const row = await sql.readMailServer({ accountId, db: deps.db })
      const known = kept.get(accountId)
      if (!row) {
        drop(accountId)
        return null
      }
      const key = `${row.version}:${row.checked_at.getTime()}`
      if (known?.key !== key) drop(accountId)
      const channel = known?.key === key ? known.channel : makeChannel(deps, row, () => mailHeadersOf(accountId))
      // The one that was used last is given up last.
      kept.delete(accountId)
      kept.set(accountId, { key, channel })
      if (kept.size > MOST_KEPT) drop(kept.keys().next().value!)
      const { version, checked_at: checkedAt } = row
      return { channel, key: { version, checkedAt }, from: ownFrom(row), isFailing: row.problem !== null }
    },
    async close() {
      await Promise.all([...kept.values()].map(close))
    },
  }
}

function makeChannel(deps: OwnMailDeps, row: sql.MailServerRow, mailHeaders: () => Promise<MailHeaders>): EmailChannel {
  if (ownFrom(row) === null) return createNoMailChannel(mailServerTexts.noFrom)
  const url = smtpSettingsOf(deps, row)
  return createSmtpChannel({ url, poolSize: POOL, timeouts: TIMEOUTS, mailHeaders, keepsIfSenderRefused: true })
}
