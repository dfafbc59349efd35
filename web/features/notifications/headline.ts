import type { NotificationView } from '../../../shared/workspace/notification-calls.ts'
import { formatCounted } from '../../core/ui/format.ts'

type NotificationText = Pick<NotificationView, 'type' | 'title' | 'message' | 'data'>

/** Title and text of a row: for a cart, its product and shopper where both are known. Pure. */
export function readHeadline({ type, title, message, data }: NotificationText): { title: string; message: string } {
  const { product, customer, itemCount } = data
  const isAboutCart = type === 'cart_abandoned' || type === 'cart_recovered'
  if (!isAboutCart || !product || !customer) return { title, message }
  const items = typeof itemCount === 'number' ? `, ${formatCounted(itemCount, 'item')}` : ''
  return { title: `${product} · ${customer}`, message: `${title}${items}` }
}
