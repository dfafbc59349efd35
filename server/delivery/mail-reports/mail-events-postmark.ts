import { z } from 'zod'
import { isSameSecret } from '../../core/common/public.ts'
import { parseStatus, removeAddresses } from '../../messages/channels/public.ts'
import { createForgedError, getHeader, type ProviderReader, type ProviderReport, readJson } from './mail-event.ts'

// Postmark does not sign; it sends the user and password of the webhook's URL. One report per call.

const Event = z.object({
  RecordType: z.string(),
  Type: z.string().nullish(),
  Metadata: z.record(z.string(), z.unknown()).nullish(),
  Description: z.string().nullish(),
  Details: z.string().nullish(),
  SuppressSending: z.boolean().nullish(),
  SuppressionReason: z.string().nullish(),
})

/** Postmark's bounce types. Missing ones say nothing about delivery (auto-responders, address changes). */
const KINDS: Record<string, ProviderReport['kind'] | undefined> = {
  HardBounce: 'hard',
  BadEmailAddress: 'hard',
  ManuallyDeactivated: 'hard',
  SpamComplaint: 'complaint',
  Unsubscribe: 'opt_out',
  SpamNotification: 'refused',
  Blocked: 'refused',
  DMARCPolicy: 'refused',
  VirusNotification: 'refused',
  SoftBounce: 'soft',
  Transient: 'soft',
  DnsError: 'soft',
  Undeliverable: 'soft',
}

export const readPostmark: ProviderReader = (call) => {
  const right = `Basic ${Buffer.from(call.secret).toString('base64')}`
  if (!isSameSecret(getHeader(call, 'authorization'), right)) throw createForgedError()
  const event = Event.safeParse(readJson(call.rawBody)).data
  const kind = event && classifyEvent(event)
  if (!event || !kind) return []
  const text = removeAddresses(event.Details || event.Description || event.Type || event.RecordType)
  const mark = event.Metadata?.recoup
  return [{ kind, status: parseStatus(text), words: text, about: { mark: typeof mark === 'string' ? mark : null } }]
}

/** Reasons in Postmark's suppression list. A manual one is an unsubscribe by the shopper or an entry by the account. */
const SUPPRESSED: Record<string, ProviderReport['kind'] | undefined> = {
  ManualSuppression: 'opt_out',
  SpamComplaint: 'complaint',
  HardBounce: 'hard',
}

function classifyEvent(event: z.infer<typeof Event>): ProviderReport['kind'] | undefined {
  const { RecordType, Type } = event
  if (RecordType === 'SubscriptionChange') {
    return event.SuppressSending ? SUPPRESSED[event.SuppressionReason ?? ''] : undefined
  }
  if (RecordType === 'Delivery') return 'delivered'
  if (RecordType === 'SpamComplaint') return 'complaint'
  return RecordType === 'Bounce' ? KINDS[Type ?? ''] : undefined
}
