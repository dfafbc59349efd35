import type { PlanLimits } from '../../../shared/billing/billing.ts'
import type { CartBadge } from '../../../shared/carts/carts.ts'
import { channelCopy } from '../../../shared/workspace/notifications.ts'
import type { ChannelName, TextChannelName } from './channel.ts'

// The differences between channels for the engine. Pure; the only place that lists them.

export interface ChannelTraits {
  /** The shopper's contact that it sends to; `subscription`: a browser that allows notifications. */
  contact: 'email' | 'phone' | 'subscription'
  /** The badge of decision 11; null: the badge stays unchanged. */
  badge: CartBadge | null
  /** null: unlimited. */
  limit: keyof PlanLimits | null
  /** Quiet hours and cooldown apply (T2, decision 12): one message per cart and cooldown. */
  isText: boolean
  /** Name in sentences: "The email was not delivered". */
  word: string
  /** The accepting party, in sentences. */
  provider: string
}

export const channelTraits: Readonly<Record<ChannelName, ChannelTraits>> = {
  email: {
    contact: 'email',
    badge: 'Email Sent',
    limit: 'maxEmailsPerMonth',
    isText: false,
    ...channelCopy.email,
  },
  sms: {
    contact: 'phone',
    badge: 'SMS Sent',
    limit: 'maxSmsPerMonth',
    isText: true,
    ...channelCopy.sms,
  },
  whatsapp: {
    contact: 'phone',
    badge: 'WhatsApp Sent',
    limit: 'maxWhatsappPerMonth',
    isText: true,
    ...channelCopy.whatsapp,
  },
  push: { contact: 'subscription', badge: null, limit: null, isText: false, ...channelCopy.push },
}

export const isTextChannelName = (channel: ChannelName): channel is TextChannelName => channelTraits[channel].isText
