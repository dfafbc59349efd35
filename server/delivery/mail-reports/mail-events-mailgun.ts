import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { isSameSecret } from '../../core/common/secrets.ts'
import { chooseStatus, classifyBounce, parseStatus, withoutAddresses } from '../../messages/channels/bounce-rules.ts'
import { forged, type ProviderReader, type ProviderReport, readJson } from './mail-event.ts'

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

export const readMailgun: ProviderReader = ({ rawBody, secret, now }) => {
  const body = Signed.safeParse(readJson(rawBody)).data
  if (!body) throw forged()
  const { timestamp, token, signature } = body.signature
  const right = createHmac('sha256', secret)
    .update(timestamp + token)
    .digest('hex')
  const ageMs = Math.abs(now.getTime() - Number(timestamp) * 1_000)
  if (!isSameSecret(signature, right) || !(ageMs <= FRESH_MS)) throw forged()
  const event = Event.safeParse(body['event-data']).data
  if (!event) return []
  const at = event.timestamp ? { at: new Date(event.timestamp * 1_000) } : {}
  const words = withoutAddresses(wordsOf(event) || event.reason || event.event)
  return kindsOf(event).map((kind) => ({
    ...{ kind, status: statusOf(event), words },
    ...at,
    about: { mark: event.message.headers['message-id'] },
  }))
}

function wordsOf({ 'delivery-status': said }: Event): string {
  return [said?.code && said.code < 600 ? said.code : '', said?.message || said?.description].filter(Boolean).join(' ')
}

const statusOf = (event: Event): string | null =>
  chooseStatus(parseStatus(event['delivery-status']?.['enhanced-code'] ?? ''), parseStatus(wordsOf(event)))

/** A mail dropped because its shopper had unsubscribed there reports both. */
function kindsOf(event: Event): ProviderReport['kind'][] {
  if (event.event === 'unsubscribed') return ['opt_out']
  const kind = kindOf(event)
  const isOptedOut = event.event === 'failed' && event.reason === 'suppress-unsubscribe'
  return [...(kind ? [kind] : []), ...(isOptedOut ? ['opt_out' as const] : [])]
}

function kindOf(event: Event): ProviderReport['kind'] | null {
  if (event.event === 'delivered') return 'delivered'
  if (event.event === 'complained') return 'complaint'
  if (event.event !== 'failed') return null
  if (event.severity === 'temporary') return 'soft'
  // Mailgun did not try to deliver because of an earlier event.
  if (event.reason === 'suppress-bounce') return 'hard'
  if (event.reason === 'suppress-complaint') return 'complaint'
  if (event.reason === 'suppress-unsubscribe') return 'refused'
  return classifyBounce(statusOf(event), wordsOf(event))
}
