import { useEffect, useState } from 'react'
import type { CartView, RestorableCart } from '../../shared/carts.ts'
import { type RestoredReply, useRestore } from './queries.ts'
import { isAsAnnounced } from './rules.ts'

export type Press = 'continue' | 'restore'

export interface Restoring {
  /** The button pressed last. */
  pressed: Press | null
  /** A request or the redirect to the store is running. */
  isBusy: boolean
  isLeaving: boolean
  restored: RestoredReply | undefined
  error: Error | null
  press: (which: Press) => void
  retry: () => Promise<unknown>
}

/**
 * Restores the cart in one press. "Continue" also goes to the store unless something differs from what was announced.
 */
export function useRestoring(cartId: string, cart: RestorableCart | CartView): Restoring {
  const restore = useRestore(cartId)
  const [pressed, setPressed] = useState<Press | null>(null)
  const [isLeaving, setLeaving] = useState(false)
  // After Back from the store, browsers show this page from their cache.
  useEffect(() => {
    const stay = (event: PageTransitionEvent) => event.persisted && setLeaving(false)
    addEventListener('pageshow', stay)
    return () => removeEventListener('pageshow', stay)
  }, [])
  const leave = (url: string) => {
    setLeaving(true)
    location.assign(url)
  }
  const run = async (which: Press) => {
    // The specification's own effect, even if sending to the store fails.
    localStorage.setItem('restoredCart', JSON.stringify(cart.items))
    setPressed(which)
    const restored = await restore.mutateAsync().catch(() => undefined)
    if (which === 'continue' && restored?.checkoutUrl && isAsAnnounced(cart, restored)) leave(restored.checkoutUrl)
  }
  return {
    pressed,
    isBusy: restore.isPending || isLeaving,
    isLeaving,
    restored: restore.data,
    error: restore.error,
    press: (which) => void run(which),
    retry: () => run(pressed ?? 'restore'),
  }
}
