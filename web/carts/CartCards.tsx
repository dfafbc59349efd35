import { Checkbox, Group, NativeSelect, Text } from '@mantine/core'
import type { CartView } from '../../shared/carts.ts'
import { counted } from '../ui/format.ts'
import { Money } from '../ui/Money.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { CartStatus } from './badges.tsx'
import type { ListedProps } from './CartsTable.tsx'
import { columns } from './columns.ts'
import { RecoveryWindow } from './RecoveryWindow.tsx'
import { RowActions } from './RowActions.tsx'
import { itemCount, type SortColumn } from './rules.ts'

/** The list where a table would not fit. */
export function CartCards(list: ListedProps) {
  const { carts, query, onSort, isSelected, onSelect } = list
  const selected = carts.filter(isSelected).length
  return (
    <div>
      <Group px="md" pb="md" gap="sm" wrap="nowrap">
        <Checkbox
          aria-label="Select all carts on this page"
          checked={selected === carts.length}
          indeterminate={selected > 0 && selected < carts.length}
          onChange={(event) => onSelect(carts, event.currentTarget.checked)}
        />
        <NativeSelect
          style={{ flex: 1 }}
          aria-label="Sort by"
          data={columns.flatMap(({ sort, label }) => (sort ? [{ value: sort, label }] : []))}
          value={query.sort}
          onChange={(event) => onSort(event.currentTarget.value as SortColumn)}
        />
        <NativeSelect
          aria-label="Order"
          data={[
            { value: 'desc', label: 'Descending' },
            { value: 'asc', label: 'Ascending' },
          ]}
          value={query.order}
          onChange={() => onSort(query.sort)}
        />
      </Group>
      <ul className="cart-cards">
        {carts.map((cart) => (
          <li key={cart.id} className="cart-card" data-selected={isSelected(cart) || undefined}>
            <CartCard cart={cart} list={list} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function CartCard({ cart, list }: { cart: CartView; list: ListedProps }) {
  const { isSelected, onSelect, onOpen, onAsk, onSmsStatus, whatsappEligible } = list
  return (
    <Group wrap="nowrap" gap="sm" align="flex-start">
      <Checkbox
        mt={2}
        aria-label={`Select the cart of ${cart.customer_name}`}
        checked={isSelected(cart)}
        onChange={(event) => onSelect([cart], event.currentTarget.checked)}
      />
      <div style={{ flex: 1, minWidth: 0 }}>
        <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
          <button type="button" className="plain-button" onClick={() => onOpen(cart)}>
            {cart.customer_name}
          </button>
          <Text fw={600}>
            <Money amount={cart.total} currency={cart.currency} />
          </Text>
        </Group>
        <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {cart.customer_email ?? cart.phone ?? 'No email'}
        </Text>
        <Text fz="sm" c="dimmed" mb="xs">
          {counted(itemCount(cart.items), 'item')} · <TimeAgo at={cart.abandoned_at ?? cart.last_activity} /> ·{' '}
          <RecoveryWindow lastActivity={cart.last_activity} isAlone />
        </Text>
        <Group gap="sm" justify="space-between" wrap="nowrap">
          <CartStatus status={cart.status} />
          <RowActions
            cart={cart}
            isWhatsappEligible={whatsappEligible.has(cart.id)}
            onOpen={onOpen}
            onAsk={onAsk}
            onSmsStatus={onSmsStatus}
          />
        </Group>
      </div>
    </Group>
  )
}
