import type { CartPath, CartView } from '../../../shared/carts/carts.ts'
import { formatCounted } from '../../core/ui/format.ts'
import type { Outcome, Station } from '../../core/ui/Thread.tsx'
import { countItems } from './rules.ts'

// The stations of a cart: cart, abandoned, message, click, bought. Pure.

type PathCart = Pick<CartView, 'items' | 'state' | 'status' | 'abandoned_at' | 'is_void' | 'path'>

interface Options {
  /** Formats an instant. */
  formatTime: (at: string) => string
  /** What the order brought, as text. */
  revenue?: string | null
}

const NO_PATH: CartPath = {
  reminders: { sent: 0, planned: 0 },
  message: 'none',
  sentAt: null,
  nextAt: null,
  explanation: '',
  clickedAt: null,
}

const OVER = ['recovered', 'purchased', 'emptied', 'lost', 'merged']

export function buildCartPath(cart: PathCart, { formatTime, revenue }: Options): Station[] {
  const path = cart.path ?? NO_PATH
  const isOver = OVER.includes(cart.state)
  return [
    { key: 'cart', label: 'Cart', outcome: 'done', detail: formatCounted(countItems(cart.items), 'item') },
    buildAbandoned(cart, formatTime),
    { key: 'message', label: 'Message', ...describeMessage(path, { isOver, formatTime }) },
    {
      key: 'click',
      label: 'Click',
      ...(path.clickedAt
        ? { outcome: 'done' as const, detail: formatTime(path.clickedAt) }
        : { outcome: isOver ? ('stopped' as const) : ('ahead' as const) }),
    },
    { key: 'bought', label: 'Bought', ...describeEnd(cart, revenue) },
  ]
}

function buildAbandoned({ abandoned_at, state }: PathCart, formatTime: Options['formatTime']): Station {
  const station = { key: 'abandoned', label: 'Abandoned' } as const
  if (abandoned_at) return { ...station, outcome: 'done', detail: formatTime(abandoned_at) }
  return { ...station, outcome: state === 'active' ? 'waiting' : 'stopped' }
}

/** `Reminder 2 of 3 sent, Nov 30, 3:12 PM` */
function describeMessage(
  { reminders, message, sentAt, nextAt, explanation }: CartPath,
  { isOver, formatTime }: Pick<Options, 'formatTime'> & { isOver: boolean },
): Pick<Station, 'outcome' | 'detail'> {
  if (message === 'sent') {
    const what = reminders.sent > 0 ? `Reminder ${reminders.sent} of ${reminders.planned} sent` : 'Sent'
    return { outcome: 'done', detail: `${what}, ${formatTime(sentAt!)}` }
  }
  if (message === 'none') return { outcome: isOver ? 'stopped' : 'ahead', detail: isOver ? 'None sent' : undefined }
  if (message === 'waiting') return { outcome: 'waiting', detail: `Due ${formatTime(nextAt!)}` }
  if (message === 'on_hold') return { outcome: 'held', detail: explanation || 'On hold' }
  return { outcome: message, detail: explanation || (message === 'failed' ? 'Failed' : 'Not sent') }
}

function describeEnd({ state, is_void: isVoid }: PathCart, revenue: string | null | undefined) {
  const ends: Partial<Record<PathCart['state'], { outcome: Outcome; detail: string }>> = {
    recovered: { outcome: 'won', detail: revenue ? `${revenue} recovered` : 'Recovered' },
    purchased: { outcome: 'done', detail: 'Bought, not through a message' },
    emptied: { outcome: 'stopped', detail: 'Cart emptied' },
    lost: { outcome: 'stopped', detail: 'Not bought' },
    merged: { outcome: 'stopped', detail: 'Merged with another cart' },
  }
  if (isVoid) return { outcome: 'stopped' as const, detail: 'The order doesn’t count' }
  return ends[state] ?? { outcome: 'ahead' as const }
}
