import { Group, NativeSelect, Text } from '@mantine/core'
import { IconArrowsSort } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { CartView } from '../../shared/carts.ts'
import { counted } from '../ui/format.ts'
import { Money } from '../ui/Money.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { CartStateText, CartStatus } from './badges.tsx'
import { itemCount, type ListQuery, type SortColumn } from './rules.ts'

const orders: { value: SortColumn; label: string }[] = [
  { value: 'timestamp', label: 'Abandoned' },
  { value: 'value', label: 'Value' },
  { value: 'customer', label: 'Customer' },
  { value: 'email', label: 'Email' },
  { value: 'phone', label: 'Phone' },
  { value: 'items', label: 'Items' },
  { value: 'status', label: 'Status' },
]

interface Props {
  carts: CartView[]
  query: ListQuery
  onSort: (column: SortColumn) => void
}

/** The list where a table would not fit. */
export function CartCards({ carts, query, onSort }: Props) {
  return (
    <div>
      <NativeSelect
        px="md"
        pb="md"
        aria-label="Sort by"
        leftSection={<IconArrowsSort size={16} aria-hidden />}
        data={orders.map(({ value, label }) => ({
          value,
          label: value === query.sort ? `${label} (${query.order === 'asc' ? 'ascending' : 'descending'})` : label,
        }))}
        value={query.sort}
        onChange={(event) => onSort(event.currentTarget.value as SortColumn)}
      />
      <ul className="cart-cards">
        {carts.map((cart) => (
          <li key={cart.id}>
            <CartCard cart={cart} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function CartCard({ cart }: { cart: CartView }) {
  return (
    <Link to={`/carts/${cart.id}`} className="cart-card">
      <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
        <Text fw={600} miw={0}>
          {cart.customer_name}
        </Text>
        <Text fw={600}>
          <Money amount={cart.total} currency={cart.currency} />
        </Text>
      </Group>
      <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {cart.customer_email ?? cart.phone ?? 'No email'}
      </Text>
      <Text fz="sm" c="dimmed" mb="xs">
        {counted(itemCount(cart.items), 'item')} · <TimeAgo at={cart.abandoned_at ?? cart.last_activity} />
      </Text>
      <Group gap="sm">
        <CartStatus status={cart.status} />
        <CartStateText state={cart.state} />
      </Group>
    </Link>
  )
}
