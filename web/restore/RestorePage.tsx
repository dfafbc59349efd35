import { parseToken } from '../../shared/link-tokens.ts'
import './shopper.css'
import { Button, Stack, Text, Title } from '@mantine/core'
import { useSearchParams } from 'react-router'
import type { CartView, RestorableCart } from '../../shared/carts.ts'
import { restoreTexts } from '../../shared/restore.ts'
import { ApiError } from '../api.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { ItemsTable } from './ItemsTable.tsx'
import { useRestorable } from './queries.ts'
import { RestoreButtons, RestoreFailed } from './RestoreButtons.tsx'
import { Restored } from './Restored.tsx'
import { isBought, isOnOffer } from './rules.ts'
import { ShopperPage } from './ShopperPage.tsx'
import { useRestoring } from './use-restoring.ts'

/** Target of links in messages (decision 4): public and without personal data. */
export function RestorePage() {
  const cartId = parseToken(useSearchParams()[0].get('cart_id') ?? '')
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
  const restoring = useRestoring(cartId, cart)
  const { restored } = restoring
  const shop = 'storeName' in cart ? { name: cart.storeName, url: cart.shopUrl, brand: cart.brand } : null
  return (
    <ShopperPage
      title="Your cart"
      storeName={shop?.name ?? null}
      storeUrl={shop?.url ?? null}
      brand={shop?.brand ?? null}
    >
      {isBought(cart) || restored?.isOrdered ? (
        <AlreadyBought shopUrl={restored?.shopUrl ?? shop?.url ?? null} />
      ) : (
        <Stack gap="lg">
          <div>
            <Title order={1}>Your cart</Title>
            <Text c="dimmed" mt={4}>
              We saved your items.
            </Text>
          </div>
          {!shop && (
            <Notice tone="info">
              You are signed in to this store. Restoring the cart here is a test and is not counted.
            </Notice>
          )}
          {restored && !restoring.isLeaving ? (
            <Restored restored={restored} currency={cart.currency} />
          ) : (
            <>
              <ItemsTable cart={cart} />
              <RestoreFailed restoring={restoring} />
              {!isOnOffer(cart) && (
                <Notice tone="warn">
                  None of the items in this cart can be restored. Please choose again in the shop.
                </Notice>
              )}
              <RestoreButtons restoring={restoring} cart={cart} />
              {shop?.brand.promise && (
                <Text fz="sm" c="dimmed">
                  {shop.brand.promise}
                </Text>
              )}
            </>
          )}
        </Stack>
      )}
    </ShopperPage>
  )
}

function AlreadyBought({ shopUrl }: { shopUrl: string | null }) {
  return (
    <Stack gap="lg">
      <Title order={1}>{restoreTexts.ordered}</Title>
      <Text>You have already bought the items in this cart, so there is nothing to restore. Thank you!</Text>
      {shopUrl && (
        <Button component="a" href={shopUrl} rel="noreferrer" size="md">
          Go to the shop
        </Button>
      )}
    </Stack>
  )
}
