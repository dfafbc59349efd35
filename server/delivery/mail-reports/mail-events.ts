import type { Config } from '../../core/config/config.ts'
import { AppError } from '../../core/common/errors.ts'
import { isSameSecret } from '../../core/common/secrets.ts'
import type { Deps } from '../../deps.ts'
import { messageOfReturnPath } from '../email/return-path.ts'
import type { MailEventCall, MailName, ProviderReader } from './mail-event.ts'
import { readMailgun } from './mail-events-mailgun.ts'
import { readPostmark } from './mail-events-postmark.ts'
import { readSendgrid } from './mail-events-sendgrid.ts'
import { openSes } from './mail-events-ses.ts'
import { recordMailReport } from './mail-reports.ts'

// What the mail provider reports: the same outcomes as by return address. The provider is the server's own (SMTP_URL), so its address
// and secret come from the configuration. Nothing is believed before the provider's signature is right.

type Provider = NonNullable<Config['mailEvents']>['provider']

const readers: Record<Provider, ProviderReader> = {
  ses: openSes(),
  postmark: readPostmark,
  sendgrid: readSendgrid,
  mailgun: readMailgun,
}

/** The provider says again whatever is not answered by 200. */
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
