import { Box, Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useSearchParams } from 'react-router'
import type { CartView, RestorableCart } from '../../shared/carts.ts'
import { restoreTexts } from '../../shared/restore.ts'
import { ApiError } from '../api.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { Money } from '../ui/Money.tsx'
import { Notice } from '../ui/Notice.tsx'
import { ProductPicture } from '../ui/ProductPicture.tsx'
import { useRestorable, useRestore } from './queries.ts'
import { Restored } from './Restored.tsx'
import { ShopperPage } from './ShopperPage.tsx'

/** Where a message's link leads the shopper (decision 4): public, and without a word about a person. */
export function RestorePage() {
  const cartId = useSearchParams()[0].get('cart_id') ?? ''
  const cart = useRestorable(cartId)
  if (cart.data) return <RestorableContent cartId={cartId} cart={cart.data} />
  const isUnknown = cart.error instanceof ApiError && !cart.error.isOutage && cart.error.status !== 429
  return (
    <ShopperPage title="Your cart">
      <Stack gap="md">
        <Title order={1}>Your cart</Title>
        {cartId === '' || isUnknown ? (
          <Notice tone="warn" isLive>
            {cartId === '' ? restoreTexts.noCartId : restoreTexts.notFound}
          </Notice>
        ) : cart.error ? (
          <Failed title="Your cart could not be loaded" error={cart.error} onRetry={() => cart.refetch()} />
        ) : (
          <LoadingList count={3} withPicture />
        )}
      </Stack>
    </ShopperPage>
  )
}

function RestorableContent({ cartId, cart }: { cartId: string; cart: RestorableCart | CartView }) {
  const restore = useRestore(cartId)
  const storeName = 'storeName' in cart ? cart.storeName : null
  const start = () => {
    // The spec's own effect, also when the hand-over to the store fails.
    localStorage.setItem('restoredCart', JSON.stringify(cart.items))
    restore.mutate()
  }
  return (
    <ShopperPage title="Your cart" storeName={storeName}>
      <Stack gap="lg">
        <div>
          <Title order={1}>Your cart</Title>
          <Text c="dimmed" mt={4}>
            We kept what you had chosen.
          </Text>
        </div>
        {restore.data ? (
          <Restored restored={restore.data} currency={cart.currency} />
        ) : (
          <>
            <ItemsTable cart={cart} />
            {restore.error && (
              <Notice tone="bad" isLive>
                {restore.error instanceof ApiError && restore.error.status === 404
                  ? restoreTexts.notFound
                  : restore.error.message}
              </Notice>
            )}
            <Button size="md" loading={restore.isPending} disabled={cart.items.length === 0} onClick={start}>
              Restore Cart
            </Button>
          </>
        )}
      </Stack>
    </ShopperPage>
  )
}

function ItemsTable({ cart }: { cart: RestorableCart | CartView }) {
  return (
    <Table verticalSpacing="sm" horizontalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Product</Table.Th>
          <Table.Th className="number">Qty</Table.Th>
          <Table.Th className="number">Price</Table.Th>
          <Table.Th className="number">Total</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {cart.items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one product may stand in two lines
          <Table.Tr key={index}>
            <Table.Td>
              <Group gap="sm" wrap="nowrap">
                <Box className="wide-only">
                  <ProductPicture url={item.image_url} />
                </Box>
                <Text fz="sm">{item.product_name}</Text>
              </Group>
            </Table.Td>
            <Table.Td className="number">{item.quantity}</Table.Td>
            <Table.Td className="number">
              <Money amount={item.price} currency={cart.currency} />
            </Table.Td>
            <Table.Td className="number">
              <Money amount={item.price * item.quantity} currency={cart.currency} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
      <Table.Tfoot>
        <Table.Tr>
          <Table.Th colSpan={3} scope="row">
            Total
          </Table.Th>
          <Table.Td className="number" fw={700}>
            <Money amount={cart.total} currency={cart.currency} />
          </Table.Td>
        </Table.Tr>
      </Table.Tfoot>
    </Table>
  )
}
