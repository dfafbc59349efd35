import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { AppError, isSameSecret } from '../../core/common/public.ts'
import type { Config } from '../../core/config/public.ts'
import type { Deps } from '../../deps.ts'
import { chooseStatus, classifyBounce, parseStatus, removeAddresses } from '../../messages/channels/public.ts'
import { parseReturnPath } from '../email/public.ts'
import type { MailEventCall, MailName, ProviderReader } from './mail-event.ts'
import { createForgedError, type ProviderReport, readJson } from './mail-event.ts'
import { readPostmark } from './mail-events-postmark.ts'
import { readSendgrid } from './mail-events-sendgrid.ts'
import { openSes } from './mail-events-ses.ts'
import { recordMailReport } from './mail-reports.ts'

// Mailgun signs time and token with an HMAC, but not the event itself. So a signature is valid for a short time only,
// and the webhook URL is secret too.

const FRESH_MS = 24 * 3_600_000

const Signed = z.object({
  signature: z.object({ timestamp: z.coerce.string(), token: z.string(), signature: z.string() }),
  'event-data': z.unknown(),
})
const Event = z.object({
  event: z.string(),
  severity: z.string().nullish(),
  reason: z.string().nullish(),
  timestamp: z.number().nullish(),
  message: z.object({ headers: z.object({ 'message-id': z.string().nullish() }) }),
  'delivery-status': z
    .object({
      code: z.number().nullish(),
      'enhanced-code': z.string().nullish(),
      message: z.string().nullish(),
      description: z.string().nullish(),
    })
    .nullish(),
})
type Event = z.infer<typeof Event>

const readMailgun: ProviderReader = ({ rawBody, secret, now }) => {
  const body = Signed.safeParse(readJson(rawBody)).data
  if (!body) throw createForgedError()
  const { timestamp, token, signature } = body.signature
  const right = createHmac('sha256', secret)
    .update(timestamp + token)
    .digest('hex')
  const ageMs = Math.abs(now.getTime() - Number(timestamp) * 1_000)
  if (!isSameSecret(signature, right) || !(ageMs <= FRESH_MS)) throw createForgedError()
  const event = Event.safeParse(body['event-data']).data
  if (!event) return []
  const at = event.timestamp ? { at: new Date(event.timestamp * 1_000) } : {}
  const text = removeAddresses(readResponse(event) || event.reason || event.event)
  return listKinds(event).map((kind) => ({
    kind,
    status: readStatus(event),
    words: text,
    ...at,
    about: { mark: event.message.headers['message-id'] },
  }))
}

function readResponse({ 'delivery-status': status }: Event): string {
  return [status?.code && status.code < 600 ? status.code : '', status?.message || status?.description]
    .filter(Boolean)
    .join(' ')
}

const readStatus = (event: Event): string | null =>
  chooseStatus(parseStatus(event['delivery-status']?.['enhanced-code'] ?? ''), parseStatus(readResponse(event)))

/** A mail dropped because its shopper had unsubscribed there reports both. */
function listKinds(event: Event): ProviderReport['kind'][] {
  if (event.event === 'unsubscribed') return ['opt_out']
  const kind = classifyEvent(event)
  const isOptedOut = event.event === 'failed' && event.reason === 'suppress-unsubscribe'
  return [...(kind ? [kind] : []), ...(isOptedOut ? ['opt_out' as const] : [])]
}

function classifyEvent(event: Event): ProviderReport['kind'] | null {
  if (event.event === 'delivered') return 'delivered'
  if (event.event === 'complained') return 'complaint'
  if (event.event !== 'failed') return null
  if (event.severity === 'temporary') return 'soft'
  // Mailgun did not try to deliver because of an earlier event.
  if (event.reason === 'suppress-bounce') return 'hard'
  if (event.reason === 'suppress-complaint') return 'complaint'
  if (event.reason === 'suppress-unsubscribe') return 'refused'
  return classifyBounce(readStatus(event), readResponse(event))
}

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
  deps: Pick<Deps, 'config' | 'db' | 'log' | 'now' | 'secrets'>,
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
    const messageId = findMessageId(deps, about)
    if (messageId) await recordMailReport(deps, { ...report, messageId, source: provider })
  }
}

function findMessageId(
  { secrets, config }: Pick<Deps, 'config' | 'secrets'>,
  { mark, returnPath }: MailName,
): string | null {
  const id = /^<?([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:@|$)/i.exec(mark ?? '')?.[1]
  if (id) return id.toLowerCase()
  return returnPath && config.bounceAddress ? parseReturnPath(secrets, config.bounceAddress, returnPath) : null
}
