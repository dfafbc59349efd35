import type { CartView } from '../../../shared/carts/carts.ts'
import { Thread } from '../../core/ui/Thread.tsx'
import { ThreadDots } from '../../core/ui/ThreadDots.tsx'
import { formatDateTime, useStoreZone } from '../../core/ui/times.ts'
import { buildCartPath } from './path.ts'

const LABEL = 'Progress'
const formatTime = (at: string) => formatDateTime(at)

/** The cart's path in a row; its details are in the tooltip. */
export function CartThread({ cart, onOpen }: { cart: CartView; onOpen: () => void }) {
  useStoreZone()
  return <ThreadDots label={LABEL} stations={buildCartPath(cart, { formatTime })} onOpen={onOpen} />
}

/** The cart's path on its page. `revenue`: what its order brought, as text. */
export function CartPathHead({ cart, revenue }: { cart: CartView; revenue?: string | null | undefined }) {
  useStoreZone()
  return <Thread label={LABEL} stations={buildCartPath(cart, { formatTime, revenue: revenue ?? null })} />
}
