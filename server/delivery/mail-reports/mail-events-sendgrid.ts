import { createPublicKey, verify } from 'node:crypto'
import { z } from 'zod'
import {
  type BounceKind,
  chooseStatus,
  classifyBounce,
  parseStatus,
  removeAddresses,
} from '../../messages/channels/public.ts'
import {
  createForgedError,
  getHeader,
  type MailEventCall,
  type ProviderReader,
  type ProviderReport,
  readJson,
} from './mail-event.ts'

// SendGrid's event webhook: ECDSA over the time and the raw bytes, many events per call.

const Event = z.object({
  event: z.string(),
  'smtp-id': z.string().nullish(),
  reason: z.string().nullish(),
  response: z.string().nullish(),
  status: z.string().nullish(),
  type: z.string().nullish(),
  timestamp: z.number().nullish(),
})
type Event = z.infer<typeof Event>

export const readSendgrid: ProviderReader = (call) => {
  if (!isSigned(call)) throw createForgedError()
  const events = z.array(z.unknown()).safeParse(readJson(call.rawBody)).data ?? []
  return events.flatMap((each) => {
    const event = Event.safeParse(each).data
    if (!event) return []
    const text = removeAddresses(event.reason || event.response || event.event)
    const at = event.timestamp ? { at: new Date(event.timestamp * 1_000) } : {}
    return listKinds(event).map((kind) => ({
      kind,
      status: readStatus(event),
      words: text,
      ...at,
      about: { mark: event['smtp-id'] },
    }))
  })
}

function isSigned(call: MailEventCall): boolean {
  const signature = Buffer.from(getHeader(call, 'x-twilio-email-event-webhook-signature'), 'base64')
  const time = getHeader(call, 'x-twilio-email-event-webhook-timestamp')
  const key = publicKey(call.secret)
  return key !== null && verify('sha256', Buffer.concat([Buffer.from(time), call.rawBody]), key, signature)
}

function publicKey(secret: string) {
  try {
    return createPublicKey({ key: Buffer.from(secret, 'base64'), type: 'spki', format: 'der' })
  } catch {
    return null
  }
}

const readStatus = ({ status, reason }: Event): string | null =>
  chooseStatus(parseStatus(status ?? ''), parseStatus(reason ?? ''))

/** SendGrid's classification: the receiver refused the sender or the mail, not the address. */
const isNotAddressFault = (type: Event['type']) => type === 'blocked'
const softer = (kind: BounceKind) => (kind === 'hard' ? 'refused' : kind)

const OPT_OUTS = ['unsubscribe', 'group_unsubscribe']

/** A mail dropped because its shopper had unsubscribed there reports both. */
function listKinds(event: Event): ProviderReport['kind'][] {
  if (OPT_OUTS.includes(event.event)) return ['opt_out']
  const kind = classifyEvent(event)
  const isOptedOut = event.event === 'dropped' && /unsubscribed/i.test(event.reason ?? '')
  return [...(kind ? [kind] : []), ...(isOptedOut ? ['opt_out' as const] : [])]
}

function classifyEvent(event: Event): ProviderReport['kind'] | null {
  const reason = event.reason ?? ''
  switch (event.event) {
    case 'delivered':
      return 'delivered'
    case 'deferred':
      return 'soft'
    case 'spamreport':
      return 'complaint'
    case 'bounce':
      return isNotAddressFault(event.type)
        ? softer(classifyBounce(readStatus(event), reason))
        : classifyBounce(readStatus(event), reason)
    case 'dropped':
      if (/spam reporting/i.test(reason)) return 'complaint'
      return /bounced address|invalid/i.test(reason) ? 'hard' : 'refused'
    default:
      return null
  }
}
