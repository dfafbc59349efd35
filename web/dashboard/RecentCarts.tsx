import { Anchor, Card, Group, Skeleton, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import { type CartView, cartTexts } from '../../shared/carts.ts'
import { RecentState } from '../carts/badges.tsx'
import { countItems } from '../carts/rules.ts'
import { Failed } from '../ui/Failed.tsx'
import { formatCounted } from '../ui/format.ts'
import { Money } from '../ui/Money.tsx'
import { TimeAgo } from '../ui/Time.tsx'

interface Props {
  carts: CartView[] | undefined
  isPending: boolean
  onRetry: () => unknown
}

export function RecentCarts(props: Props) {
  return (
    <Card padding={0} className="recent">
      <Group justify="space-between" px="lg" pt="lg" pb="sm" gap="sm">
        <Title order={2}>Recent Abandoned Carts</Title>
        <Anchor component={Link} to="/carts" fz="sm" aria-label="View all abandoned carts">
          View all
        </Anchor>
      </Group>
      <Carts {...props} />
    </Card>
  )
}

function Carts({ carts, isPending, onRetry }: Props) {
  if (isPending) {
    return (
      <div className="list-cards" role="status" aria-label="Loading">
        {[1, 2, 3, 4].map((place) => (
          <WaitingCart key={place} />
        ))}
      </div>
    )
  }
  if (!carts) {
    return (
      <div className="recent-inside">
        <Failed title="The carts could not be loaded" error={new Error(cartTexts.loadFailed)} onRetry={onRetry} />
      </div>
    )
  }
  if (carts.length === 0)
    return (
      <Text className="recent-inside" fz="sm" c="dimmed">
        {cartTexts.none}
      </Text>
    )
  return (
    <ul className="list-cards">
      {carts.map((cart) => (
        <li key={cart.id}>
          <RecentCart cart={cart} />
        </li>
      ))}
    </ul>
  )
}

function RecentCart({ cart }: { cart: CartView }) {
  return (
    <Link to={`/carts/${cart.id}`} className="list-card recent-cart">
      <span className="recent-name">{cart.customer_name}</span>
      <span className="recent-value">
        <Money amount={cart.total} currency={cart.currency} />
      </span>
      <span className="recent-more">
        {formatCounted(countItems(cart.items), 'item')} · <TimeAgo at={cart.abandoned_at ?? cart.last_activity} />
      </span>
      <span className="recent-status">
        <RecentState state={cart.state} />
      </span>
    </Link>
  )
}

/** Reserves the height of a cart. */
const WaitingCart = () => (
  <span className="list-card recent-cart recent-waiting">
    <Skeleton h={12} w="60%" />
    <Skeleton h={12} w={56} />
    <Skeleton h={10} w="75%" />
    <Skeleton h={20} w={88} radius="xl" />
  </span>
)
