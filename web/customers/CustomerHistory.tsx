import './customers.css'
import { Anchor, Card, Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { CustomerPage as Customer } from '../../shared/customers.ts'
import { CartMarks } from '../carts/badges.tsx'
import { CartMessage } from '../carts/CartMessage.tsx'
import { Facts } from '../ui/Facts.tsx'
import { formatCount, formatCounted } from '../ui/format.ts'
import { Money } from '../ui/Money.tsx'
import { DateTime, TimeAgo } from '../ui/Time.tsx'

// The customer's orders, carts and messages, newest first.

/** Totals by currency, then the store's own lifetime figures. */
export function ValueCard({ value, life }: { value: Customer['value']; life: Customer['life_in_store'] }) {
  return (
    <Card>
      <Title order={2} mb={value.length > 0 ? 'md' : 4}>
        Value
      </Title>
      {value.length === 0 && (
        <Text fz="sm" c="dimmed">
          No orders yet.
        </Text>
      )}
      <div className="customer-values">
        {value.map(({ currency, orders, net, average }) => (
          <Facts
            key={currency}
            entries={[
              [value.length > 1 ? `Paid orders in ${currency}` : 'Paid orders', formatCount(orders)],
              ['Net revenue', <Money key="net" amount={net} currency={currency} />],
              ['Average order', <Money key="average" amount={average} currency={currency} />],
            ]}
          />
        ))}
      </div>
      {life && (
        <>
          <Title order={3} fz="md" mt="md" mb="xs">
            As the store counts
          </Title>
          <Facts
            entries={[
              ['Orders', formatCount(life.orders)],
              ['Spent', <Money key="spent" amount={life.spent} currency={life.currency} />],
            ]}
          />
          <Text fz="xs" c="dimmed" mt="xs">
            Over the whole life of the customer, also of the time whose orders Recoup cannot read.
          </Text>
        </>
      )}
    </Card>
  )
}

interface PartProps {
  title: string
  /** Total, of which the newest are shown. */
  part: { rows: readonly unknown[]; total: number }
  none: string
  children: ReactNode
}

function Part({ title, part, none, children }: PartProps) {
  const { rows, total } = part
  return (
    <Card>
      <Title order={2} mb={total > 0 ? 'md' : 4}>
        {title}
      </Title>
      {total === 0 ? (
        <Text fz="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        children
      )}
      {total > rows.length && (
        <Text fz="sm" c="dimmed" mt="sm">
          The newest {formatCount(rows.length)} of {formatCount(total)}.
        </Text>
      )}
    </Card>
  )
}

export function CartsCard({ carts }: { carts: Customer['carts'] }) {
  return (
    <Part title="Carts" part={carts} none="No carts.">
      <ul className="customer-rows">
        {carts.rows.map((cart) => (
          <li key={cart.id}>
            <div>
              <Anchor component={Link} to={`/carts/${cart.id}`} fz="sm">
                {formatCounted(cart.items, 'item')}, <Money amount={cart.total} currency={cart.currency} />
              </Anchor>
              <Text fz="sm" c="dimmed">
                <TimeAgo at={cart.last_activity} />
              </Text>
            </div>
            <CartMarks status={cart.status} state={cart.state} isInMailbox={cart.is_in_mailbox} />
          </li>
        ))}
      </ul>
    </Part>
  )
}

export function OrdersCard({ orders }: { orders: Customer['orders'] }) {
  return (
    <Part title="Orders" part={orders} none="No orders.">
      <ul className="customer-rows">
        {orders.rows.map((order) => (
          <li key={order.id}>
            <div>
              <Text fz="sm">
                {order.cart_id ? (
                  <Anchor component={Link} to={`/carts/${order.cart_id}`} inherit>
                    Order #{order.id}
                  </Anchor>
                ) : (
                  `Order #${order.id}`
                )}
              </Text>
              <Text fz="sm" c="dimmed">
                <DateTime at={order.at} /> · {order.status}
              </Text>
            </div>
            <Group gap="xs" fz="sm">
              <Money amount={order.total} currency={order.currency} />
              {order.is_purchase && order.net !== order.total && (
                <Text span fz="sm" c="dimmed">
                  net <Money amount={order.net} currency={order.currency} />
                </Text>
              )}
            </Group>
          </li>
        ))}
      </ul>
    </Part>
  )
}

export function MessagesCard({ messages }: { messages: Customer['messages'] }) {
  return (
    <Part title="Messages" part={messages} none="No messages.">
      <Title order={3} fz="sm" mb="sm">
        Newest first
      </Title>
      <div className="customer-messages">
        {messages.rows.map((message) => (
          <CartMessage key={message.id} message={message} />
        ))}
      </div>
    </Part>
  )
}
