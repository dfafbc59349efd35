import { Checkbox, Table, Text } from '@mantine/core'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react'
import type { MouseEvent, ReactNode } from 'react'
import type { CartView } from '../../shared/carts.ts'
import { Money } from '../ui/Money.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { CartStateText, CartStatus } from './badges.tsx'
import type { Column, ColumnId } from './columns.ts'
import { RecoveryWindow } from './RecoveryWindow.tsx'
import { RowActions, type RowActionsProps } from './RowActions.tsx'
import { itemCount, type ListQuery, type SortColumn } from './rules.ts'

export interface ListedProps extends Omit<RowActionsProps, 'cart' | 'isWhatsappEligible'> {
  carts: CartView[]
  query: ListQuery
  whatsappEligible: ReadonlySet<string>
  isSelected: (cart: CartView) => boolean
  onSelect: (carts: CartView[], isSelected: boolean) => void
  onSort: (column: SortColumn) => void
}

export function CartsTable({ columns, ...list }: ListedProps & { columns: Column[] }) {
  const { carts, query, isSelected, onSelect, onSort } = list
  const selected = carts.filter(isSelected).length
  return (
    <Table.ScrollContainer
      minWidth={columns.length > 4 ? 860 : 560}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': 'Abandoned carts' } }}
    >
      <Table className="rows carts-rows" verticalSpacing={7} horizontalSpacing={9} fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={36}>
              <Checkbox
                size="xs"
                aria-label="Select all carts on this page"
                checked={selected === carts.length}
                indeterminate={selected > 0 && selected < carts.length}
                onChange={(event) => onSelect(carts, event.currentTarget.checked)}
              />
            </Table.Th>
            {columns.map((column) => (
              <SortHeader key={column.id} column={column} query={query} onSort={onSort} />
            ))}
            <Table.Th className="number">Actions</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {carts.map((cart) => (
            <CartRow key={cart.id} cart={cart} columns={columns} list={list} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function CartRow({ cart, columns, list }: { cart: CartView; columns: Column[]; list: ListedProps }) {
  const { isSelected, onSelect, onOpen, onAsk, onSmsStatus, whatsappEligible } = list
  const isChosen = isSelected(cart)
  // The name is the button for keyboard and screen reader; the rest of the row only makes it easier to hit.
  const open = (event: MouseEvent) => {
    const isControl = event.target instanceof Element && event.target.closest('a, button, input, label, [role=menu]')
    if (!isControl && !getSelection()?.toString()) onOpen(cart)
  }
  return (
    <Table.Tr data-open data-selected={isChosen || undefined} onClick={open}>
      <Table.Td>
        <Checkbox
          size="xs"
          aria-label={`Select the cart of ${cart.customer_name}`}
          checked={isChosen}
          onChange={(event) => onSelect([cart], event.currentTarget.checked)}
        />
      </Table.Td>
      {columns.map(({ id, isNumber }) => (
        <Table.Td key={id} {...(isNumber && { className: 'number' })} {...cellOf[id]?.(cart)}>
          {contentOf[id](cart, onOpen)}
        </Table.Td>
      ))}
      <Table.Td>
        <RowActions
          cart={cart}
          isWhatsappEligible={whatsappEligible.has(cart.id)}
          onOpen={onOpen}
          onAsk={onAsk}
          onSmsStatus={onSmsStatus}
        />
      </Table.Td>
    </Table.Tr>
  )
}

/** The address takes the room that is left. */
const cellOf: Partial<Record<ColumnId, (cart: CartView) => object>> = {
  email: (cart) => ({ className: 'shrinks', ...(cart.customer_email && { title: cart.customer_email }) }),
}

const contentOf: Record<ColumnId, (cart: CartView, onOpen: (cart: CartView) => void) => ReactNode> = {
  customer: (cart, onOpen) => (
    <button type="button" className="plain-button" onClick={() => onOpen(cart)}>
      {cart.customer_name}
    </button>
  ),
  email: (cart) => cart.customer_email ?? <Missing text="No email" />,
  phone: (cart) => cart.phone ?? <Missing text="–" />,
  items: (cart) => itemCount(cart.items),
  value: (cart) => <Money amount={cart.total} currency={cart.currency} />,
  timestamp: (cart) => <TimeAgo at={cart.abandoned_at ?? cart.last_activity} />,
  status: (cart) => <CartStatus status={cart.status} />,
  window: (cart) => <RecoveryWindow lastActivity={cart.last_activity} />,
  state: (cart) => <CartStateText state={cart.state} />,
}

const Missing = ({ text }: { text: string }) => (
  <Text span c="dimmed" inherit>
    {text}
  </Text>
)

interface HeaderProps {
  column: Column
  query: ListQuery
  onSort: (column: SortColumn) => void
}

function SortHeader({ column: { sort, label, head, isNumber }, query, onSort }: HeaderProps) {
  if (sort === null) return <Table.Th {...(head && { title: label })}>{head ?? label}</Table.Th>
  const isActive = query.sort === sort
  const Arrow = !isActive ? IconArrowsSort : query.order === 'asc' ? IconArrowUp : IconArrowDown
  return (
    <Table.Th
      {...(isNumber && { className: 'number' })}
      {...(isActive && { 'aria-sort': query.order === 'asc' ? 'ascending' : 'descending' })}
    >
      <button type="button" className="sort" data-active={isActive || undefined} onClick={() => onSort(sort)}>
        {label}
        <Arrow size={14} aria-hidden />
      </button>
    </Table.Th>
  )
}
