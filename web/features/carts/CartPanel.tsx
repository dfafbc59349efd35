import { Anchor, Drawer, Stack } from '@mantine/core'
import { Link } from 'react-router'
import type { CartView } from '../../../shared/carts/carts.ts'
import { ApiError } from '../../core/api/api.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingCards } from '../../core/ui/Loading.tsx'
import { CartPathHead } from '../../kits/carts/CartThread.tsx'
import { useCart } from '../../kits/carts/queries.ts'
import { CustomerCard, ProductsCard, SummaryCard } from './CartFacts.tsx'
import { RecoveryActions } from './RecoveryActions.tsx'
import type { useSendDialog } from './useSendDialog.tsx'

interface Props extends Pick<ReturnType<typeof useSendDialog>, 'onAsk' | 'onSmsStatus'> {
  /** null: closed. */
  cartId: string | null
  /** The row's data, shown until the full cart has loaded. */
  known: CartView | undefined
  onClose: () => void
}

/** Shows a cart beside the list. */
export function CartPanel({ cartId, known, onClose, ...actions }: Props) {
  return (
    <Drawer
      opened={cartId !== null}
      onClose={onClose}
      position="right"
      size="md"
      title="Cart details"
      attributes={{ header: { role: 'presentation' } }}
      closeButtonProps={{ 'aria-label': 'Close details' }}
    >
      {cartId && <Content cartId={cartId} known={known} {...actions} />}
    </Drawer>
  )
}

function Content({ cartId, known, onAsk, onSmsStatus }: Omit<Props, 'cartId' | 'onClose'> & { cartId: string }) {
  const answer = useCart(cartId, false)
  const cart = answer.data ?? known
  if (!cart) {
    if (answer.isPending) return <LoadingCards count={3} />
    const isMissing = answer.error instanceof ApiError && answer.error.status === 404
    return (
      <Failed
        title={isMissing ? 'Cart not found' : 'The cart could not be loaded'}
        error={answer.error!}
        {...(!isMissing && { onRetry: () => answer.refetch() })}
      />
    )
  }
  return (
    <Stack gap="md">
      <CartPathHead cart={cart} />
      <ProductsCard cart={cart} />
      <SummaryCard cart={cart} />
      <CustomerCard cart={cart} />
      <RecoveryActions cart={cart} onAsk={onAsk} onSmsStatus={onSmsStatus} />
      <Anchor component={Link} to={`/carts/${cart.id}`} fz="sm">
        Messages and history of this cart
      </Anchor>
    </Stack>
  )
}
