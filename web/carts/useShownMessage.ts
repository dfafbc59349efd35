import { useState } from 'react'
import { SAMPLE_CART } from '../../shared/reminders.ts'
import { useMessagePreview } from '../words/queries.ts'
import type { Eligibility } from './send-queries.ts'
import { shownFor } from './sending.ts'
import type { Ask } from './useSendDialog.tsx'

interface Wanted {
  ask: Pick<Ask, 'channel' | 'selection'>
  /** undefined: not known yet; null: could not be asked. */
  eligibility: Eligibility | null | undefined
  /** As the server is asked for it, once its writer pauses. */
  message: { subject?: string; body?: string }
  /** More was typed since. */
  isTyping: boolean
}

export type ShownMessage = ReturnType<typeof useShownMessage>

/** The one preview of a dialog: of the message as it is typed, for one of the carts. A newer question ends the one before it. */
export function useShownMessage({ ask: { channel, selection }, eligibility, message, isTyping }: Wanted) {
  const [chosen, choose] = useState<string | null>(null)
  const isKnown = selection.kind === 'carts' && selection.carts.length === 1
  // Of several carts one that gets it is shown, so it is waited for who that is.
  const first =
    isKnown || eligibility !== undefined ? (shownFor(selection, eligibility?.eligible ?? []) ?? SAMPLE_CART) : null
  const cartId = chosen ?? first
  const made = useMessagePreview(cartId ? { cartId, channel, ...message } : null)
  const isStale = isTyping || made.isPlaceholderData
  const ready = useReadyBody(made.data && !isStale && message.body === undefined ? made.data.words?.body : undefined)
  return { cartId, choose, made, message, isStale, ready, problem: isStale ? null : (made.data?.problem ?? null) }
}

/** The words that come along, kept while own ones are typed. */
function useReadyBody(body: string | undefined): string | undefined {
  const [kept, keep] = useState(body)
  if (body !== undefined && body !== kept) keep(body)
  return body ?? kept
}
