import { useState } from 'react'
import { SAMPLE_CART } from '../../../shared/delivery/reminders.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import type { Eligibility } from '../../kits/manual-sends/send-queries.ts'
import type { Selection } from '../../kits/manual-sends/sending.ts'
import { useMessagePreview } from '../../kits/message-editor/queries.ts'
import type { Ask } from './useSendDialog.tsx'

interface PreviewRequest {
  ask: Pick<Ask, 'channel' | 'selection'>
  /** undefined: still loading; null: the request failed. */
  eligibility: Eligibility | null | undefined
  /** The debounced request. */
  message: { subject?: string; body?: string; design?: MailDocument }
  /** Newer input is not rendered yet. */
  isTyping: boolean
}

export type MessagePreview = ReturnType<typeof useMessagePreviewState>

/** The dialog's preview of the typed message for one cart. A newer request cancels the older one. */
export function useMessagePreviewState({
  ask: { channel, selection },
  eligibility,
  message,
  isTyping,
}: PreviewRequest) {
  const [chosen, choose] = useState<string | null>(null)
  const isKnown = selection.kind === 'carts' && selection.carts.length === 1
  // With several carts, wait until an eligible one is known.
  const first =
    isKnown || eligibility !== undefined
      ? (choosePreviewCart(selection, eligibility?.eligible ?? []) ?? SAMPLE_CART)
      : null
  const cartId = chosen ?? first
  const query = useMessagePreview(cartId ? { cartId, channel, ...message } : null)
  const isStale = isTyping || query.isPlaceholderData
  const ready = useDefaultBody(
    query.data && !isStale && message.body === undefined && !message.design ? query.data.words?.body : undefined,
  )
  return { cartId, choose, query, message, isStale, ready, problem: isStale ? null : (query.data?.problem ?? null) }
}

/** Default content, kept while the user types their own. */
function useDefaultBody(body: string | undefined): string | undefined {
  const [lastBody, setLastBody] = useState(body)
  if (body !== undefined && body !== lastBody) setLastBody(body)
  return body ?? lastBody
}

/** Carts to preview, eligible ones first. */
function choosePreviewCart(selection: Selection, eligible: readonly string[]): string | null {
  return eligible[0] ?? (selection.kind === 'carts' ? (selection.carts[0]?.id ?? null) : null)
}
