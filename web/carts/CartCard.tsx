import { Group, Text } from '@mantine/core'
import type { CartView } from '../../shared/carts.ts'
import { formatCounted } from '../ui/format.ts'
import { Money } from '../ui/Money.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { CartStatus, ReasonMark } from './badges.tsx'
import type { ListedProps } from './CartsTable.tsx'
import { RecoveryWindow } from './RecoveryWindow.tsx'
import { RowActions } from './RowActions.tsx'
import { countItems } from './rules.ts'

/** Card layout for screens too narrow for a table. */
export function CartCard({ cart, list }: { cart: CartView; list: ListedProps }) {
  const { onOpen, whatsappEligible, reasonBadges } = list
  return (
    <>
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
        {formatCounted(countItems(cart.items), 'item')} · <TimeAgo at={cart.abandoned_at ?? cart.last_activity} /> ·{' '}
        <RecoveryWindow cart={cart} isAlone />
      </Text>
      <Group gap="sm" justify="space-between" wrap="nowrap">
        <Group gap={6}>
          <CartStatus status={cart.status} isInMailbox={cart.is_in_mailbox} />
          <ReasonMark badge={reasonBadges.get(cart.id)} />
        </Group>
        <RowActions {...list} cart={cart} isWhatsappEligible={whatsappEligible.has(cart.id)} />
      </Group>
    </>
  )
}
