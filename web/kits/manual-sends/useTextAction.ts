import type { CartView } from '../../../shared/carts/carts.ts'
import { useHasFeature, useHasPermission, useStore } from '../../core/access/queries.ts'
import { useNow } from '../../core/ui/clock.ts'
import { describeWait, explainEnded, findTextState, type TextChannel } from './sending.ts'

const SECOND_MS = 1_000
const STILL_MS = 3_600_000

/**
 * State of a cart's SMS or WhatsApp button: hidden, an upgrade prompt on the free plan (B 6), or a button that may be
 * disabled (B 4).
 */
export type TextAction =
  | { kind: 'none' }
  | { kind: 'upgrade' }
  | { kind: 'button'; isSending: boolean; waits: string | null }

/** Manual SMS and WhatsApp need a larger plan (decision 6). */
export const useIsTextsLocked = () => useHasFeature('manual_texts') === false
export const useCanSend = () => useHasPermission('carts:write')

export function useTextAction(cart: CartView, channel: TextChannel, isEligible: boolean): TextAction {
  const lacksTexts = useIsTextsLocked()
  const may = useCanSend()
  const cooldownHours = useStore()?.textCooldownHours ?? 24
  const hasSent = Boolean(channel === 'sms' ? cart.sms_sent_at : cart.whatsapp_sent_at)
  const now = useNow(hasSent ? SECOND_MS : STILL_MS)
  const { isSending, waitSeconds } = findTextState(cart, channel, cooldownHours, now)
  if (!may || !cart.phone || explainEnded(cart.state)) return { kind: 'none' }
  if (lacksTexts) return { kind: 'upgrade' }
  if (channel === 'whatsapp' && !isEligible && !isSending && waitSeconds === null) return { kind: 'none' }
  return { kind: 'button', isSending, waits: waitSeconds === null ? null : describeWait(waitSeconds) }
}
