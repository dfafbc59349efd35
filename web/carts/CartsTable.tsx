import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { CartView } from '../../shared/carts.ts'
import { DataList } from '../ui/DataList.tsx'
import type { DataColumn, DataRows } from '../ui/DataTable.tsx'
import { Money } from '../ui/Money.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { CartStateText, CartStatus, ReasonMark } from './badges.tsx'
import { CartCard } from './CartCard.tsx'
import type { Column, ColumnId } from './columns.ts'
import { RecoveryWindow } from './RecoveryWindow.tsx'
import { RowActions, type RowActionsProps } from './RowActions.tsx'
import type { ReasonBadge } from './reason-badges.ts'
import { countItems, type SortColumn } from './rules.ts'

export interface ListedProps
  extends Required<DataRows<CartView, SortColumn>>,
    Omit<RowActionsProps, 'cart' | 'isWhatsappEligible'> {
  whatsappEligible: ReadonlySet<string>
  reasonBadges: ReadonlyMap<string, ReasonBadge>
}

export function CartsTable({ columns, ...list }: ListedProps & { columns: readonly Column[] }) {
  return (
    <DataList
      {...list}
      label="Abandoned carts"
      className="carts-rows"
      minWidth={columns.length > 4 ? 860 : 560}
      columns={columns.map((column) => withContent(column, list))}
      card={(cart) => <CartCard cart={cart} list={list} />}
      actions={(cart) => <RowActions {...list} cart={cart} isWhatsappEligible={list.whatsappEligible.has(cart.id)} />}
    />
  )
}

const withContent = (column: Column, { onOpen, reasonBadges }: ListedProps): DataColumn<CartView, SortColumn> => ({
  ...column,
  ...(column.id === 'email' && { shrinks: (cart: CartView) => cart.customer_email }),
  cell: (cart) => (
    <>
      {contentOf[column.id](cart, onOpen)}
      {column.id === 'customer' && <ReasonMark badge={reasonBadges.get(cart.id)} />}
    </>
  ),
})

const contentOf: Record<ColumnId, (cart: CartView, onOpen: (cart: CartView) => void) => ReactNode> = {
  customer: (cart, onOpen) => (
    <button type="button" className="plain-button" title={cart.customer_name} onClick={() => onOpen(cart)}>
      {cart.customer_name}
    </button>
  ),
  email: (cart) => cart.customer_email ?? <Missing text="No email" />,
  phone: (cart) => cart.phone ?? <Missing text="–" />,
  items: (cart) => countItems(cart.items),
  value: (cart) => <Money amount={cart.total} currency={cart.currency} />,
  timestamp: (cart) => <TimeAgo at={cart.abandoned_at ?? cart.last_activity} />,
  status: (cart) => <CartStatus status={cart.status} isInMailbox={cart.is_in_mailbox} />,
  window: (cart) => <RecoveryWindow cart={cart} />,
  state: (cart) => <CartStateText state={cart.state} />,
}

const Missing = ({ text }: { text: string }) => (
  <Text span c="dimmed" inherit>
    {text}
  </Text>
)
