import type { ChannelName } from '../channels/channel.ts'

// A reason that held messages is gone: which channels may be open now that were not before.

const ALL = ['email', 'sms', 'whatsapp', 'push'] as const
const TEXTS = ['sms', 'whatsapp'] as const

/** Of reasons that are asked to be woken for. What concerns every channel, as a pause, opens none. */
export const OPENS: Readonly<Record<string, readonly ChannelName[]>> = {
  mail_not_configured: ['email'],
  mail_server_away: ['email'],
  sender_missing: ['email'],
  sms_not_configured: ['sms'],
  whatsapp_not_configured: ['whatsapp'],
  template_missing: ['whatsapp'],
  budget: TEXTS,
  plan_required: TEXTS,
  plan_limit: ALL,
  no_consent: ALL,
  consent_unconfirmed: ALL,
  consent_pending: ALL,
}
