import { KEYS_UNREADABLE, PLUGIN_OUTDATED, STOCK_UNREPORTED, STORE_PROBLEM_CODES } from '../../../shared/store-problems.ts'
import type { ChannelName } from '../channels/channel.ts'

// A reason that held messages is gone: which channels may be open now that were not before.

const ALL = ['email', 'sms', 'whatsapp', 'push'] as const
const TEXTS = ['sms', 'whatsapp'] as const

/** Of D3: the orders, stock or prices of the store could not be read. */
export const STORE_UNREAD: readonly string[] = [
  'store_unreachable',
  ...[...STORE_PROBLEM_CODES, KEYS_UNREADABLE, STOCK_UNREPORTED, PLUGIN_OUTDATED, 'internal'].map(
    (problem) => `store_unreachable:${problem}`,
  ),
]

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
