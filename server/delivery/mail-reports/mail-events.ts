import { AppError } from '../../core/common/errors.ts'
import { isSameSecret } from '../../core/common/secrets.ts'
import type { Config } from '../../core/config/config.ts'
import type { Deps } from '../../deps.ts'
import { messageOfReturnPath } from '../email/return-path.ts'
import type { MailEventCall, MailName, ProviderReader } from './mail-event.ts'
import { readMailgun } from './mail-events-mailgun.ts'
import { readPostmark } from './mail-events-postmark.ts'
import { readSendgrid } from './mail-events-sendgrid.ts'
import { openSes } from './mail-events-ses.ts'
import { recordMailReport } from './mail-reports.ts'

// Reports of the mail provider by webhook, with the same outcomes as by return address. The provider is that of
// SMTP_URL, so URL and secret come from the configuration. A report counts only with a valid signature.

type Provider = NonNullable<Config['mailEvents']>['provider']

const readers: Record<Provider, ProviderReader> = {
  ses: openSes(),
  postmark: readPostmark,
  sendgrid: readSendgrid,
  mailgun: readMailgun,
}

/** Records the reports of a call. The provider repeats every call without a 200 response. */
export async function takeMailEvents(
  deps: Deps,
  called: { provider: string; key: string },
  call: Pick<MailEventCall, 'rawBody' | 'headers'>,
): Promise<void> {
  const { mailEvents } = deps.config
  if (!mailEvents || called.provider !== mailEvents.provider || !isSameSecret(called.key, mailEvents.key)) {
    throw new AppError('not_found', 'Address not found')
  }
  const { provider, secret } = mailEvents
  const reports = await readers[provider]({ ...call, secret, now: deps.now() })
  for (const { about, ...report } of reports) {
    const messageId = messageIdOf(deps, about)
    if (messageId) await recordMailReport(deps, { ...report, messageId, source: provider })
  }
}

function messageIdOf({ secrets, config }: Deps, { mark, returnPath }: MailName): string | null {
  const id = /^<?([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:@|$)/i.exec(mark ?? '')?.[1]
  if (id) return id.toLowerCase()
  return returnPath && config.bounceAddress ? messageOfReturnPath(secrets, config.bounceAddress, returnPath) : null
}
