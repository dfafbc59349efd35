import { hasMailbox, type MailConfig } from '../../core/config/public.ts'
import type { EmailChannel } from './channel.ts'

// The route of an account's mail (decision 29). Pure; the only place that decides it.

/** `server`: this installation's mail server; `mailbox`: the built-in one; `none`: no mail is sent. */
export type MailRoute = 'server' | 'mailbox' | 'none'

/** `own`: the account's own mail server. */
export type AccountMailRoute = MailRoute | 'own'

/** The demo account uses only the built-in mailbox, regardless of the configuration. */
export function chooseAccountMailRoute(
  config: MailConfig,
  account: { isDemo: boolean; hasOwn: boolean },
): AccountMailRoute {
  if (account.isDemo) return hasMailbox(config) ? 'mailbox' : 'none'
  return account.hasOwn ? 'own' : chooseMailRoute(config)
}

/** The route of the server's own mail, and of accounts without a mail server. */
export function chooseMailRoute(config: MailConfig): MailRoute {
  if (config.smtpUrl) return 'server'
  return config.isLocal ? 'mailbox' : 'none'
}

export const NO_MAIL_SERVER =
  'No mail server is set up, so no email is sent. The server’s administrator must set SMTP_URL and restart it.'

/** Accepts nothing; every message can be retried once there is a mail server. */
export function createNoMailChannel(why = NO_MAIL_SERVER): EmailChannel {
  return {
    poolSize: 1,
    send: async () => ({ kind: 'retry', reason: 'mail_not_configured', response: why }),
    check: async () => ({ isOk: false, response: why }),
    close: async () => {},
  }
}
