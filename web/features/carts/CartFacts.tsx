import { Anchor, Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconShoppingCart } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { CartView } from '../../../shared/carts/carts.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { Facts } from '../../core/ui/Facts.tsx'
import { Money } from '../../core/ui/Money.tsx'
import { ProductPicture } from '../../core/ui/ProductPicture.tsx'
import { DateTime, TimeAgo } from '../../core/ui/Time.tsx'
import { CartStatus, TextStatus } from '../../kits/carts/badges.tsx'
import { countItems } from '../../kits/carts/rules.ts'
import { RecoveryWindow } from './RecoveryWindow.tsx'

export function CustomerCard({ cart }: { cart: CartView }) {
  const { phone, whatsapp } = cart.customer_data
  const mayErase = useHasPermission('privacy:write')
  const address = cart.customer_email ?? cart.phone ?? phone ?? cart.unconfirmed.email ?? cart.unconfirmed.phone
  return (
    <Card>
      <Title order={2} mb="md">
        Customer Information
      </Title>
      <Facts
        entries={[
          ['Name', <CustomerName key="name" cart={cart} />],
          ['Email', cart.customer_email ?? formatUnconfirmed(cart.unconfirmed.email) ?? 'No email'],
          ['Phone', cart.phone ?? phone ?? formatUnconfirmed(cart.unconfirmed.phone) ?? '–'],
          ...(whatsapp ? [['WhatsApp', whatsapp] as [string, string]] : []),
        ]}
      />
      {hasOnlyUnconfirmed(cart) && (
        <Text fz="sm" c="dimmed" mt="sm">
          Your shop had more new contacts than the limit allows. This contact gets no messages until an order or draft
          order confirms it.
        </Text>
      )}
      {mayErase && address && (
        <Anchor
          component={Link}
          to={{ pathname: '/settings/consent', search: `?person=${encodeURIComponent(address)}`, hash: 'person' }}
          fz="sm"
          mt="md"
          w="fit-content"
        >
          Export or erase this person
        </Anchor>
      )}
    </Card>
  )
}

/** Links to the customer's page. */
const CustomerName = ({ cart }: { cart: CartView }) =>
  cart.customer_id ? (
    <Anchor component={Link} to={`/customers/${cart.customer_id}`} inherit>
      {cart.customer_name}
    </Anchor>
  ) : (
    cart.customer_name
  )

const formatUnconfirmed = (address: string | null) => (address ? `${address} (not confirmed)` : null)

const hasOnlyUnconfirmed = ({ customer_email, phone, unconfirmed }: CartView) =>
  (!customer_email && unconfirmed.email !== null) || (!phone && unconfirmed.phone !== null)

export function SummaryCard({ cart }: { cart: CartView }) {
  return (
    <Card>
      <Title order={2} mb="md">
        Cart Summary
      </Title>
      <Facts
        entries={[
          ['Items', countItems(cart.items)],
          ['Total value', <Money key="total" amount={cart.total} currency={cart.currency} />],
          ...(cart.coupons.length > 0
            ? [[cart.coupons.length > 1 ? 'Coupons' : 'Coupon', cart.coupons.join(', ')] as [string, string]]
            : []),
          ['Last activity', <TimeAgo key="activity" at={cart.last_activity} />],
          ['Abandoned', cart.abandoned_at ? <DateTime key="abandoned" at={cart.abandoned_at} /> : 'not yet'],
          ['Recovery window', <RecoveryWindow key="window" cart={cart} />],
          ['Status', <CartStatus key="status" status={cart.status} isInMailbox={cart.is_in_mailbox} />],
          ...buildTextEntry('SMS', cart.sms_status, cart.sms_sent_at),
          ...buildTextEntry('WhatsApp', cart.whatsapp_read_at ? 'read' : cart.whatsapp_status, cart.whatsapp_sent_at),
        ]}
      />
    </Card>
  )
}

/** State of the newest message of a channel, if any. */
function buildTextEntry(name: string, status: string | null, sentAt: string | null): [string, ReactNode][] {
  if (!status) return []
  const state = (
    <Group key={name} gap={6}>
      <TextStatus status={status} />
      {sentAt && (
        <Text span inherit c="dimmed">
          sent <TimeAgo at={sentAt} />
        </Text>
      )}
    </Group>
  )
  return [[name, state]]
}

/** The cart's items and their value. */
export function ProductsCard({ cart }: { cart: CartView }) {
  return (
    <Card>
      <Title order={2} mb="md">
        Products
      </Title>
      <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
        {cart.items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one product may stand in two lines
          <li key={index}>
            <Group wrap="nowrap" gap="sm">
              <ProductPicture url={item.image_url} />
              <Text fz="sm" style={{ flex: 1, minWidth: 0 }}>
                {item.product_name}
                <Text span c="dimmed" inherit display="block" className="tabular">
                  {item.quantity} × <Money amount={item.price} currency={cart.currency} />
                </Text>
              </Text>
              <Text fz="sm" fw={600}>
                <Money amount={item.price * item.quantity} currency={cart.currency} />
              </Text>
            </Group>
          </li>
        ))}
      </Stack>
      {cart.items.length === 0 && <Empty icon={IconShoppingCart} text="The cart is empty." />}
      {cart.items.length > 0 && (
        <Group justify="space-between" mt="md" className="cart-total">
          <Text fw={600}>Total</Text>
          <Text fw={600}>
            <Money amount={cart.total} currency={cart.currency} />
          </Text>
        </Group>
      )}
    </Card>
  )
}
