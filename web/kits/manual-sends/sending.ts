import type { CartView } from '../../../shared/carts/carts.ts'
import type { LastMessage, SendChannel } from '../../../shared/delivery/reminders.ts'
import { discountTexts } from '../../../shared/marketing/discount-mail.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { formatCount, formatCountdown, formatCounted, formatMoney, formatPrice } from '../../core/ui/format.ts'
import type { ListFilter } from '../carts/rules.ts'

// When and to whom a manual message may be sent, for display (B 2, 4, 5, 9). The server decides. Pure.

const HOUR_MS = 3_600_000
export const RECOVERY_WINDOW_MS = 24 * HOUR_MS

/** B 9. Values are hours; `custom` asks for a date and time. */
export const delays = [
  { value: '1', label: '1 hour' },
  { value: '2', label: '2 hours' },
  { value: '6', label: '6 hours' },
  { value: '12', label: '12 hours' },
  { value: '24', label: '24 hours' },
  { value: '72', label: '3 days' },
  { value: '168', label: '7 days' },
  { value: 'custom', label: 'Custom date and time' },
] as const
export type Delay = (typeof delays)[number]['value']

/** Values of the schedule dialog; `date` is the browser's local time, as its input returns it. */
export interface Schedule {
  delay: Delay
  date: string
}

export const defaultSchedule: Schedule = { delay: '1', date: '' }

/**
 * Hours from now, rounded, at least 1 (B 5), plus the exact instant if a date was chosen. null: no valid date and time,
 * or a past one.
 */
export function parseDelay({ delay, date }: Schedule, now: number): { delayHours: number; sendAt?: string } | null {
  if (delay !== 'custom') return { delayHours: Number(delay) }
  const at = new Date(date).getTime()
  if (Number.isNaN(at) || at <= now) return null
  return { delayHours: Math.max(1, Math.round((at - now) / HOUR_MS)), sendAt: new Date(at).toISOString() }
}

/** Seconds left of the 24 hours after the last activity (decision 10); null once they are over. */
export function computeRemainingSeconds(lastActivity: string, now: number): number | null {
  const remainingMs = new Date(lastActivity).getTime() + RECOVERY_WINDOW_MS - now
  return remainingMs > 0 ? Math.ceil(remainingMs / 1_000) : null
}

/** The cart was bought or emptied and cannot be recovered. */
export const hasWindow = (state: CartView['state']) => state === 'active' || state === 'abandoned' || state === 'lost'

/** "To Penelope · Sunday Stoneware Mug · $28.00": recipient, first product and number of others, total. */
export function describeRecipient({ customer_name, items, total, currency }: CartView): string {
  const [first, ...others] = items
  const goods = first && `${first.product_name}${others.length > 0 ? ` and ${others.length} more` : ''}`
  return [`To ${customer_name}`, goods, formatMoney(total, currency)].filter(Boolean).join(' · ')
}

/** Why no message may be sent for a cart any more; null if one may. */
export function explainEnded(state: CartView['state']): string | null {
  if (hasBought(state)) return 'The shopper has bought. No more messages are sent for this cart.'
  if (state === 'emptied') return 'The cart was emptied in the shop.'
  if (state === 'merged') return 'This cart was merged with another cart of the same shopper.'
  return null
}

export const hasBought = (state: CartView['state']) => state === 'recovered' || state === 'purchased'

export const formatWindow = (seconds: number | null) => (seconds === null ? 'Expired' : formatCountdown(seconds))

export type TextChannel = Exclude<SendChannel, 'email'>

/** Whether a channel's button of a cart is enabled, and its label if not (B 4). */
export function findTextState(
  cart: CartView,
  channel: TextChannel,
  cooldownHours: number,
  now: number,
): { isSending: boolean; waitSeconds: number | null } {
  const [status, sentAt] =
    channel === 'sms' ? [cart.sms_status, cart.sms_sent_at] : [cart.whatsapp_status, cart.whatsapp_sent_at]
  // A rejected message reached no one, so no cooldown applies.
  const until = sentAt && status !== 'failed' ? new Date(sentAt).getTime() + cooldownHours * HOUR_MS : 0
  return { isSending: status === 'sending', waitSeconds: until > now ? Math.ceil((until - now) / 1_000) : null }
}

export const describeWait = (seconds: number) => `Wait ${formatCountdown(seconds)} before sending again`

export const channelNames: Record<SendChannel, string> = { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp' }
/** Lower-case form for use inside a sentence. */
export const channelText: Record<SendChannel, string> = { email: 'email', sms: 'SMS', whatsapp: 'WhatsApp' }

/** The list's selection: single carts, or all matches of a filter. */
export type Selection =
  | { kind: 'carts'; carts: CartView[] }
  | { kind: 'matching'; filter: ListFilter; count: number; isCapped: boolean }

/** Content of a manual message; `body` null uses the default content. */
export interface MessageText {
  subject: string
  body: string | null
  /** An email as a document, instead of subject and body. */
  design?: MailDocument
}

export const SAMPLE_LABEL = 'Sample cart'

/** The field at which an error in the content is shown. */
export const findErrorField = (problem: string): 'subject' | 'body' =>
  problem.startsWith('The subject ') ? 'subject' : 'body'

type Last = NonNullable<LastMessage>

/** "Last message: email, 2 days ago, “You left something”, opened". */
export const lastChannels: Record<Last['channel'], string> = {
  email: 'email',
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  push: 'push',
}
export const lastOutcomes: Record<Last['outcome'], string> = {
  on_its_way: 'on its way',
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  opened: 'opened',
  clicked: 'link clicked',
  failed: 'not delivered',
  unknown: 'delivery unknown',
}

/** Only SMS are counted in segments. */
export function describeLength(
  channel: string,
  segments: number,
  price: { amount: number; currency: string } | null,
): string {
  const cost = price && formatPrice(price.amount, price.currency)
  return [...(channel === 'sms' ? [formatCounted(segments, 'segment')] : []), ...(cost ? [cost] : [])].join(' · ')
}

/** Final message of a job. The specification has texts for "all" and "none" only. */
export function describeResult({ sent, failed, unknown }: { sent: number; failed: number; unknown: number }): string {
  if (failed + unknown === 0) return discountTexts.sent
  if (sent + unknown === 0) return discountTexts.failed
  const parts = [`${formatCount(sent)} sent`]
  if (failed > 0) parts.push(`${formatCount(failed)} failed`)
  if (unknown > 0) parts.push(`${formatCount(unknown)} without an answer`)
  return parts.join(', ')
}
