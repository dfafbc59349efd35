import { Table, Text } from '@mantine/core'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react'
import type { MouseEvent } from 'react'
import { Link, useNavigate } from 'react-router'
import type { CartView } from '../../shared/carts.ts'
import { Money } from '../ui/Money.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { CartStateText, CartStatus } from './badges.tsx'
import { itemCount, type ListQuery, type SortColumn } from './rules.ts'

const columns: { sort: SortColumn | null; label: string; isNumber?: boolean }[] = [
  { sort: 'customer', label: 'Customer' },
  { sort: 'email', label: 'Email' },
  { sort: 'phone', label: 'Phone' },
  { sort: 'items', label: 'Items', isNumber: true },
  { sort: 'value', label: 'Value', isNumber: true },
  { sort: 'timestamp', label: 'Abandoned' },
  { sort: 'status', label: 'Status' },
  { sort: null, label: 'State' },
]

interface Props {
  carts: CartView[]
  query: ListQuery
  onSort: (column: SortColumn) => void
}

export function CartsTable({ carts, query, onSort }: Props) {
  return (
    <Table.ScrollContainer
      minWidth={860}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': 'Abandoned carts' } }}
    >
      <Table className="rows" verticalSpacing={9} horizontalSpacing={10} fz="sm">
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <SortHeader key={column.label} {...column} query={query} onSort={onSort} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {carts.map((cart) => (
            <CartRow key={cart.id} cart={cart} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function CartRow({ cart }: { cart: CartView }) {
  const navigate = useNavigate()
  // The name is the link for keyboard and screen reader; the rest of the row only makes it easier to hit.
  const open = (event: MouseEvent) => {
    const isLink = event.target instanceof Element && event.target.closest('a')
    if (!isLink && !getSelection()?.toString()) void navigate(`/carts/${cart.id}`)
  }
  return (
    <Table.Tr data-open onClick={open}>
      <Table.Td>
        <Link to={`/carts/${cart.id}`} className="plain-link">
          {cart.customer_name}
        </Link>
      </Table.Td>
      <Table.Td className="shrinks" {...(cart.customer_email && { title: cart.customer_email })}>
        {cart.customer_email ?? <Missing text="No email" />}
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{cart.phone ?? <Missing text="–" />}</Table.Td>
      <Table.Td className="number">{itemCount(cart.items)}</Table.Td>
      <Table.Td className="number">
        <Money amount={cart.total} currency={cart.currency} />
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <TimeAgo at={cart.abandoned_at ?? cart.last_activity} />
      </Table.Td>
      <Table.Td>
        <CartStatus status={cart.status} />
      </Table.Td>
      <Table.Td>
        <CartStateText state={cart.state} />
      </Table.Td>
    </Table.Tr>
  )
}

const Missing = ({ text }: { text: string }) => (
  <Text span c="dimmed" inherit>
    {text}
  </Text>
)

interface HeaderProps {
  sort: SortColumn | null
  label: string
  isNumber?: boolean
  query: ListQuery
  onSort: (column: SortColumn) => void
}

function SortHeader({ sort, label, isNumber, query, onSort }: HeaderProps) {
  if (sort === null) return <Table.Th>{label}</Table.Th>
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
