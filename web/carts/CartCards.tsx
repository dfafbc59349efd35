import { Group, NativeSelect, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import type { CartView } from '../../shared/carts.ts'
import { counted } from '../ui/format.ts'
import { Money } from '../ui/Money.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { CartMarks } from './badges.tsx'
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
    <Stack gap="sm" px="md" pb="md">
      <NativeSelect
        label="Sort by"
        data={orders.map(({ value, label }) => ({
          value,
          label: value === query.sort ? `${label} (${query.order === 'asc' ? 'ascending' : 'descending'})` : label,
        }))}
        value={query.sort}
        onChange={(event) => onSort(event.currentTarget.value as SortColumn)}
      />
      <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
        {carts.map((cart) => (
          <li key={cart.id}>
            <CartCard cart={cart} />
          </li>
        ))}
      </Stack>
    </Stack>
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
      <CartMarks status={cart.status} state={cart.state} />
    </Link>
  )
}
