import { hasMailbox, type MailConfig } from '../../core/config/config.ts'
import type { EmailChannel } from './channel.ts'

// Where the mail of an account goes (decision 29). Pure; the one place that says it.

/** `server`: the mail server of this installation; `mailbox`: the built-in one on this machine; `none`: nowhere, so nothing is sent. */
export type MailWay = 'server' | 'mailbox' | 'none'

/** `own`: the account's own mail server. */
export type AccountMailWay = MailWay | 'own'

/** The demo account writes into the built-in mailbox only, whatever is configured. */
export function accountMailWay(config: MailConfig, account: { isDemo: boolean; hasOwn: boolean }): AccountMailWay {
  if (account.isDemo) return hasMailbox(config) ? 'mailbox' : 'none'
  return account.hasOwn ? 'own' : mailWayOf(config)
}

/** Of the server's own mail, and of accounts without a mail server of their own. */
export function mailWayOf(config: MailConfig): MailWay {
  if (config.smtpUrl) return 'server'
  return config.isLocal ? 'mailbox' : 'none'
}

export const NO_MAIL_SERVER =
  'No mail server is set up, so no email is sent. The server’s administrator must set SMTP_URL and restart it.'

/** Takes nothing: what is handed to it may be tried again once there is a mail server. */
export function createNoMailChannel(why = NO_MAIL_SERVER): EmailChannel {
  return {
    poolSize: 1,
    send: async () => ({ kind: 'retry', reason: 'mail_not_configured', response: why }),
    check: async () => ({ isOk: false, response: why }),
    close: async () => {},
  }
}
