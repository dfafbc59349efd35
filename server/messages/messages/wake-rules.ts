import {
  KEYS_UNREADABLE,
  ORDERS_UNREPORTED,
  PLUGIN_OUTDATED,
  STOCK_UNREPORTED,
  STORE_PROBLEM_CODES,
} from '../../../shared/access/store-problems.ts'
import type { ChannelName } from '../channels/public.ts'

// Which channels may open when a hold reason ends.

const ALL_CHANNELS = ['email', 'sms', 'whatsapp', 'push'] as const
const TEXTS = ['sms', 'whatsapp'] as const

/** D3: the store's orders, stock or prices could not be read. */
export const STORE_UNREAD: readonly string[] = [
  'store_unreachable',
  ...[...STORE_PROBLEM_CODES, KEYS_UNREADABLE, ORDERS_UNREPORTED, STOCK_UNREPORTED, PLUGIN_OUTDATED, 'internal'].map(
    (problem) => `store_unreachable:${problem}`,
  ),
]

/** Channels that may open when a reason ends. Reasons that affect every channel alike, such as a pause, open none. */
export const OPENED_CHANNELS: Readonly<Record<string, readonly ChannelName[]>> = {
  mail_not_configured: ['email'],
  mail_server_away: ['email'],
  sender_missing: ['email'],
  sms_not_configured: ['sms'],
  whatsapp_not_configured: ['whatsapp'],
  template_missing: ['whatsapp'],
  budget: TEXTS,
  plan_required: TEXTS,
  plan_limit: ALL_CHANNELS,
  no_consent: ALL_CHANNELS,
  consent_unconfirmed: ALL_CHANNELS,
  consent_pending: ALL_CHANNELS,
}
