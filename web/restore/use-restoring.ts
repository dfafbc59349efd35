import { useEffect, useState } from 'react'
import type { CartView, RestorableCart } from '../../shared/carts.ts'
import { type RestoredReply, useRestore } from './queries.ts'
import { isAsAnnounced } from './rules.ts'

export type Press = 'continue' | 'restore'

export interface Restoring {
  /** Which button was pressed last. */
  pressed: Press | null
  /** Asking the server, or on the way to the store. */
  isBusy: boolean
  isLeaving: boolean
  restored: RestoredReply | undefined
  error: Error | null
  press: (which: Press) => void
  retry: () => Promise<unknown>
}

/** One press restores the cart, and "continue" goes on to the store in the same go unless something turned out otherwise than announced. */
export function useRestoring(cartId: string, cart: RestorableCart | CartView): Restoring {
  const restore = useRestore(cartId)
  const [pressed, setPressed] = useState<Press | null>(null)
  const [isLeaving, setLeaving] = useState(false)
  // Back from the store, the browser shows this page as it was left.
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
    // The specification's own effect, also when the send to the store fails.
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
