import type { PlanLimits } from '../../../shared/billing.ts'
import type { CartBadge } from '../../../shared/carts.ts'
import { channelCopy } from '../../../shared/notifications.ts'
import type { ChannelName, TextChannelName } from './channel.ts'

// What differs between kinds of channels for the engine. Pure; the one place that says it.

export interface ChannelTraits {
  /** Which contact of the shopper it writes to; `subscription`: a browser that has allowed it. */
  contact: 'email' | 'phone' | 'subscription'
  /** Decision 11. null: never changes it. */
  badge: CartBadge | null
  /** null: as many as one wants. */
  limit: keyof PlanLimits | null
  /** T2 and decision 12: sleep is not disturbed, and a cart has one message per cooldown. */
  isText: boolean
  /** In sentences: "The email was not delivered". */
  word: string
  /** Who accepts it, in sentences. */
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
