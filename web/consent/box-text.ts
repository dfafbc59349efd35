import type { ConsentBox } from '../../shared/consent-box.ts'

export const boxTitles = { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp' } as const

const LATER_MS = 5 * 60_000

/** Whether the capture script sees a box: never, with this text, with another, or no longer. Pure. */
export function describeBox(
  { seenAt, isCurrent }: Pick<ConsentBox, 'seenAt' | 'isCurrent'>,
  checkoutSeenAt: string | null,
): { state: 'never' | 'current' | 'other' | 'gone'; label: string } {
  if (!seenAt) return { state: 'never', label: checkoutSeenAt ? 'Not on your checkout' : 'Not seen yet' }
  if (checkoutSeenAt && Date.parse(checkoutSeenAt) - Date.parse(seenAt) > LATER_MS) {
    return { state: 'gone', label: 'No longer on your checkout' }
  }
  return isCurrent
    ? { state: 'current', label: 'Seen' }
    : { state: 'other', label: 'Seen with different text, not counted' }
}
