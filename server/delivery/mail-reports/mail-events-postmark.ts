import { z } from 'zod'
import { statusIn, withoutAddresses } from '../../messages/channels/bounce-rules.ts'
import { isSameSecret } from '../../core/common/secrets.ts'
import { forged, headerOf, type ProviderReader, type ProviderReport, readJson } from './mail-event.ts'

// Postmark signs nothing: it sends the user and password that stand in the webhook's address. One report per call.

const Event = z.object({
  RecordType: z.string(),
  Type: z.string().nullish(),
  Metadata: z.record(z.string(), z.unknown()).nullish(),
  Description: z.string().nullish(),
  Details: z.string().nullish(),
  SuppressSending: z.boolean().nullish(),
  SuppressionReason: z.string().nullish(),
})

/** Bounce types as Postmark names them; those left out say nothing of the mail (auto-responders, address changes). */
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
  if (!isSameSecret(headerOf(call, 'authorization'), right)) throw forged()
  const event = Event.safeParse(readJson(call.rawBody)).data
  const kind = event && kindOf(event)
  if (!event || !kind) return []
  const words = withoutAddresses(event.Details || event.Description || event.Type || event.RecordType)
  const mark = event.Metadata?.recoup
  return [{ kind, status: statusIn(words), words, about: { mark: typeof mark === 'string' ? mark : null } }]
}

/** Reasons of Postmark's suppression list; a manual one is the shopper's own unsubscribe, or the account's. */
const SUPPRESSED: Record<string, ProviderReport['kind'] | undefined> = {
  ManualSuppression: 'opt_out',
  SpamComplaint: 'complaint',
  HardBounce: 'hard',
}

function kindOf(event: z.infer<typeof Event>): ProviderReport['kind'] | undefined {
  const { RecordType, Type } = event
  if (RecordType === 'SubscriptionChange') {
    return event.SuppressSending ? SUPPRESSED[event.SuppressionReason ?? ''] : undefined
  }
  if (RecordType === 'Delivery') return 'delivered'
  if (RecordType === 'SpamComplaint') return 'complaint'
  return RecordType === 'Bounce' ? KINDS[Type ?? ''] : undefined
}
