import { createVerify, X509Certificate } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { classifyBounce, parseStatus, removeAddresses } from '../../messages/channels/public.ts'
import { createForgedError, type ProviderReader, type ProviderReport, readJson } from './mail-event.ts'

// Amazon SES by SNS. Messages are signed with a certificate at Amazon, and a subscription is confirmed by calling a URL
// there. Both URLs come from the message, so only Amazon's hosts are called. Only the configured topic is accepted.

const Notice = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: z.string(),
  TopicArn: z.string(),
  Message: z.string(),
  Subject: z.string().nullish(),
  Timestamp: z.string(),
  Token: z.string().nullish(),
  SubscribeURL: z.string().nullish(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.string(),
  SigningCertURL: z.string(),
})
type Notice = z.infer<typeof Notice>

const Recipient = z.object({
  status: z.string().nullish(),
  diagnosticCode: z.string().nullish(),
})
const Event = z.object({
  notificationType: z.string().nullish(),
  eventType: z.string().nullish(),
  mail: z.object({
    source: z.string().nullish(),
    tags: z.record(z.string(), z.array(z.string())).nullish(),
    headers: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  }),
  bounce: z
    .object({
      bounceType: z.string(),
      bounceSubType: z.string().nullish(),
      bouncedRecipients: z.array(Recipient).nullish(),
    })
    .nullish(),
  complaint: z.object({ complaintFeedbackType: z.string().nullish() }).nullish(),
  subscription: z
    .object({
      newTopicPreferences: z
        .object({
          unsubscribeAll: z.boolean().nullish(),
          topicSubscriptionStatus: z.array(z.object({ subscriptionStatus: z.string().nullish() })).nullish(),
        })
        .nullish(),
    })
    .nullish(),
  delivery: z.object({ smtpResponse: z.string().nullish() }).nullish(),
})
type Event = z.infer<typeof Event>

/** SNS hosts by region. A looser pattern would accept any customer's bucket, such as sns.s3-eu-west-1.amazonaws.com. */
const AMAZON = /^sns\.[a-z]{2}(-[a-z]{3,12}){1,2}-\d{1,2}\.amazonaws\.com(\.cn)?$/
const MAX_CERTIFICATES = 10

/** Caches certificates, which Amazon rarely changes. */
export function openSes(): ProviderReader {
  const certificates = new LRUCache<string, string>({ max: MAX_CERTIFICATES })
  return async ({ rawBody, secret }) => {
    const notice = Notice.safeParse(readJson(rawBody)).data
    if (!notice || notice.TopicArn !== secret) throw createForgedError()
    if (!(await isSigned(notice, certificates))) throw createForgedError()
    if (notice.Type === 'SubscriptionConfirmation') await callAmazon(notice.SubscribeURL ?? '')
    return notice.Type === 'Notification' ? readEvent(notice.Message) : []
  }
}

async function isSigned(notice: Notice, certificates: LRUCache<string, string>): Promise<boolean> {
  const at = notice.SigningCertURL
  if (!isAmazons(at) || !new URL(at).pathname.endsWith('.pem')) return false
  const certificate = certificates.get(at) ?? (await callAmazon(at))
  try {
    const { publicKey } = new X509Certificate(certificate)
    const verifier = createVerify(notice.SignatureVersion === '2' ? 'RSA-SHA256' : 'RSA-SHA1')
    if (!verifier.update(signedText(notice)).verify(publicKey, notice.Signature, 'base64')) return false
  } catch {
    return false
  }
  certificates.set(at, certificate)
  return true
}

function signedText(notice: Notice): string {
  const names =
    notice.Type === 'Notification'
      ? (['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const)
      : (['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const)
  return names.flatMap((name) => (notice[name] == null ? [] : [`${name}\n${notice[name]}\n`])).join('')
}

function isAmazons(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, port, username } = new URL(address)
  return protocol === 'https:' && AMAZON.test(hostname) && port === '' && username === ''
}

async function callAmazon(address: string): Promise<string> {
  if (!isAmazons(address)) throw createForgedError()
  const reply = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(10_000) })
  const text = await reply.text()
  if (!reply.ok || text.length > 64 * 1024) throw new Error(`Amazon answered ${reply.status}`)
  return text
}

function readEvent(message: string): ProviderReport[] {
  const event = Event.safeParse(readJson(Buffer.from(message))).data
  const reports = event && readReports(event)
  if (!event || !reports) return []
  const header = event.mail.headers?.find(({ name }) => name.toLowerCase() === 'message-id')
  return [{ ...reports, about: { mark: event.mail.tags?.recoup?.[0] ?? header?.value, returnPath: event.mail.source } }]
}

/** Opted out by SES list management, of everything or of any topic. */
function hasOptedOut(subscription: Event['subscription']): boolean {
  const { unsubscribeAll, topicSubscriptionStatus } = subscription?.newTopicPreferences ?? {}
  const topics = topicSubscriptionStatus ?? []
  return (
    unsubscribeAll === true || topics.some(({ subscriptionStatus }) => /^opt_?out$/i.test(subscriptionStatus ?? ''))
  )
}

function readReports({ eventType, notificationType, bounce, complaint, delivery, subscription }: Event) {
  switch (eventType ?? notificationType) {
    case 'Delivery':
      return {
        kind: 'delivered',
        status: null,
        words: removeAddresses(delivery?.smtpResponse || 'Delivered'),
      } as const
    case 'Complaint':
      if (complaint?.complaintFeedbackType === 'not-spam') return null
      return { kind: 'complaint', status: null, words: complaint?.complaintFeedbackType ?? 'complaint' } as const
    case 'Subscription':
      return hasOptedOut(subscription) ? ({ kind: 'opt_out', status: null, words: 'unsubscribed' } as const) : null
    case 'DeliveryDelay':
      return { kind: 'soft', status: null, words: 'Delivery is delayed.' } as const
    case 'Reject':
      return { kind: 'refused', status: null, words: 'Amazon SES refused the email.' } as const
    case 'Bounce':
      return bounce ? readBounce(bounce) : null
    default:
      return null
  }
}

/** Amazon calls a bounce permanent for any reason; the receiver's status code shows whether the address is bad. */
function readBounce({ bounceType, bounceSubType, bouncedRecipients }: NonNullable<Event['bounce']>) {
  const [recipient] = bouncedRecipients ?? []
  const reports = recipient?.diagnosticCode ?? ''
  const status = parseStatus(recipient?.status ?? '') ?? parseStatus(reports)
  const text = removeAddresses(reports || `${bounceType} ${bounceSubType ?? ''}`)
  if (bounceType !== 'Permanent') return { kind: 'soft', status, words: text } as const
  const isRefused = status !== null && classifyBounce(status, reports) === 'refused'
  return { kind: isRefused ? ('refused' as const) : ('hard' as const), status, words: text }
}
