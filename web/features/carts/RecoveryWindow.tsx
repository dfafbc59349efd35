import type { CartView } from '../../../shared/carts/carts.ts'
import { useNow } from '../../core/ui/clock.ts'
import { computeRemainingSeconds, formatWindow, hasWindow } from '../../kits/manual-sends/sending.ts'

const SECOND_MS = 1_000
const STILL_MS = 3_600_000

type Windowed = Pick<CartView, 'last_activity' | 'state'>

/**
 * Counts down 24 hours from the last activity; at zero it reads "Expired" and nothing else changes (decision 10).
 * `isAlone`: no label beside it. Not shown for bought or emptied carts.
 */
export function RecoveryWindow({ cart, isAlone }: { cart: Windowed; isAlone?: boolean }) {
  if (!hasWindow(cart.state)) return isAlone ? null : <span>–</span>
  return <Counted lastActivity={cart.last_activity} isAlone={isAlone ?? false} />
}

function Counted({ lastActivity, isAlone }: { lastActivity: string; isAlone: boolean }) {
  const isOver = computeRemainingSeconds(lastActivity, Date.now()) === null
  const now = useNow(isOver ? STILL_MS : SECOND_MS)
  const remaining = computeRemainingSeconds(lastActivity, now)
  return (
    <span className={remaining === null ? 'tabular window-over' : 'tabular'}>
      {formatWindow(remaining)}
      {isAlone && remaining !== null && ' left'}
    </span>
  )
}
