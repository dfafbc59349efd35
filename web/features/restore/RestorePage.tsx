import { parseToken } from '../../../shared/carts/link-tokens.ts'
import './shopper.css'
import { Anchor, Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import { IconArrowRight, IconCheck, IconInfoCircle, IconX } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { CartView, RestorableCart } from '../../../shared/carts/carts.ts'
import { restoreTexts } from '../../../shared/delivery/restore.ts'
import { ApiError } from '../../core/api/api.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Money } from '../../core/ui/Money.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { ProductPicture } from '../../core/ui/ProductPicture.tsx'

import type { RestoredReply } from './queries.ts'
import { useRestorable, useRestore } from './queries.ts'
import {
  computeTotal,
  describeCoupon,
  describeDifference,
  describeOutcome,
  isAsAnnounced,
  isBought,
  isOmitted,
  isOnOffer,
} from './rules.ts'
import { ShopperPage } from './ShopperPage.tsx'

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
          {restored && !restoring.isRedirecting ? (
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

/** Two buttons (A1): continue to the store's filled checkout, or first see what is restored. */
function RestoreButtons({ restoring, cart }: { restoring: Restoring; cart: RestorableCart | CartView }) {
  const { pressed, isBusy, press } = restoring
  const isEmpty = cart.items.length === 0
  return (
    <Group gap="sm" className="restore-buttons">
      {isOnOffer(cart) ? (
        <Button
          size="md"
          loading={isBusy && pressed === 'continue'}
          disabled={isBusy}
          rightSection={<IconArrowRight size={18} aria-hidden />}
          onClick={() => press('continue')}
        >
          Continue to checkout
        </Button>
      ) : (
        'shopUrl' in cart && (
          <Button component="a" href={cart.shopUrl} rel="noreferrer" size="md">
            Go to the shop
          </Button>
        )
      )}
      <Button
        size="md"
        variant="default"
        loading={isBusy && pressed === 'restore'}
        disabled={isBusy || isEmpty}
        onClick={() => press('restore')}
      >
        Restore Cart
      </Button>
    </Group>
  )
}

/** The items stay in this browser after any reply of the server; failures are shown beside them. */
function RestoreFailed({ restoring: { error, retry } }: { restoring: Restoring }) {
  if (!error) return null
  const isRefused = error instanceof ApiError && !error.isOutage && error.status !== 429
  if (isRefused) {
    return (
      <Notice tone="bad" isLive>
        {error.status === 404 ? restoreTexts.notFound : error.message}
      </Notice>
    )
  }
  return (
    <Stack gap="sm">
      <Notice tone="good" isLive>
        {restoreTexts.restored}
      </Notice>
      <Failed title="Your checkout could not be prepared" error={error} onRetry={retry} />
    </Stack>
  )
}

function Restored({ restored, currency }: { restored: RestoredReply; currency: string }) {
  const { checkoutUrl, items, message, shopUrl } = restored
  const aboutCoupon = checkoutUrl ? describeCoupon(restored.coupon) : null
  return (
    <Stack gap="lg">
      {checkoutUrl ? (
        <Notice tone="good" isLive>
          {message}
        </Notice>
      ) : (
        <Notice tone="warn" isLive>
          None of the items in this cart can be restored. Please choose again in the shop.
        </Notice>
      )}
      {aboutCoupon && (
        <Notice tone="warn" isLive>
          {aboutCoupon}
        </Notice>
      )}
      <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one product may stand in two lines
          <li key={index}>
            <RestoredItem item={item} currency={currency} />
          </li>
        ))}
      </Stack>
      {checkoutUrl ? (
        <Button
          component="a"
          href={checkoutUrl}
          rel="noreferrer"
          size="md"
          rightSection={<IconArrowRight size={18} aria-hidden />}
        >
          Continue to checkout
        </Button>
      ) : (
        <Button component="a" href={shopUrl} rel="noreferrer" size="md">
          Go to the shop
        </Button>
      )}
    </Stack>
  )
}

const signs = {
  ok: IconCheck,
  quantity_clamped: IconInfoCircle,
  price_changed: IconInfoCircle,
  gone: IconX,
  choose_again: IconX,
}

function RestoredItem({ item, currency }: { item: RestoredReply['items'][number]; currency: string }) {
  const Sign = signs[item.outcome]
  const note = describeOutcome(item, currency)
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Sign size={18} aria-hidden style={{ flex: 'none', marginTop: 2 }} />
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text fz="sm" fw={600}>
          {item.product_name}
        </Text>
        {!isOmitted(item) && (
          <Text fz="sm" c="dimmed" className="tabular">
            {item.quantity} × <Money amount={item.price} currency={currency} />
          </Text>
        )}
        {note && (
          <Text fz="sm">
            {note}{' '}
            {item.outcome === 'choose_again' && item.url && <ChooseAgain url={item.url} name={item.product_name} />}
          </Text>
        )}
      </div>
    </Group>
  )
}

/** Items of the abandoned cart. Shows before the press which ones will not be restored unchanged. */
function ItemsTable({ cart }: { cart: RestorableCart | CartView }) {
  const withCoupon = computeTotal(cart)
  return (
    <Table className="restorable" verticalSpacing="sm" horizontalSpacing={6}>
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
                <ProductPicture url={item.image_url} size={64} />
                <div style={{ minWidth: 0 }}>
                  <Text fz="md" fw={550} dir="auto">
                    {item.product_name}
                  </Text>
                  <Text fz="xs" c="dimmed" className="restorable-each tabular">
                    {item.quantity} × <Money amount={item.price} currency={cart.currency} />
                  </Text>
                  {'outcome' in item && <Announced item={item} currency={cart.currency} />}
                </div>
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
          <Table.Th scope="row">Total</Table.Th>
          <Table.Td />
          <Table.Td />
          <Table.Td className="number" fw={700}>
            <Money amount={cart.total} currency={cart.currency} />
          </Table.Td>
        </Table.Tr>
        {'coupon' in cart && cart.coupon && <CouponRow coupon={cart.coupon} currency={cart.currency} />}
        {withCoupon !== null && (
          <Table.Tr>
            <Table.Th scope="row">Total with the coupon</Table.Th>
            <Table.Td />
            <Table.Td />
            <Table.Td className="number" fw={700}>
              <Money amount={withCoupon} currency={cart.currency} />
            </Table.Td>
          </Table.Tr>
        )}
      </Table.Tfoot>
    </Table>
  )
}

/** The discount of the message's coupon, if known. */
function CouponRow({ coupon, currency }: { coupon: NonNullable<RestorableCart['coupon']>; currency: string }) {
  return (
    <Table.Tr>
      <Table.Th scope="row">Coupon {coupon.code}</Table.Th>
      <Table.Td />
      <Table.Td />
      <Table.Td className="number">
        {coupon.saving !== null && (
          <span style={{ whiteSpace: 'nowrap' }}>
            −<Money amount={coupon.saving} currency={currency} />
          </span>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function Announced({ item, currency }: { item: RestorableCart['items'][number]; currency: string }) {
  const note = describeDifference(item, currency)
  if (!note) return null
  return (
    <Text fz="xs" c="dimmed">
      {note} {item.outcome === 'choose_again' && item.url && <ChooseAgain url={item.url} name={item.product_name} />}
    </Text>
  )
}

function ChooseAgain({ url, name }: { url: string; name: string }) {
  return (
    <Anchor href={url} rel="noreferrer" fz="inherit" underline="always" aria-label={`Choose ${name} in the shop`}>
      Choose in the shop
    </Anchor>
  )
}

type Press = 'continue' | 'restore'

interface Restoring {
  /** The button pressed last. */
  pressed: Press | null
  /** A request or the redirect to the store is running. */
  isBusy: boolean
  isRedirecting: boolean
  restored: RestoredReply | undefined
  error: Error | null
  press: (which: Press) => void
  retry: () => Promise<unknown>
}

/**
 * Restores the cart in one press. "Continue" also goes to the store unless something differs from what was announced.
 */
function useRestoring(cartId: string, cart: RestorableCart | CartView): Restoring {
  const restore = useRestore(cartId)
  const [pressed, setPressed] = useState<Press | null>(null)
  const [isRedirecting, setRedirecting] = useState(false)
  // After Back from the store, browsers show this page from their cache.
  useEffect(() => {
    const stay = (event: PageTransitionEvent) => event.persisted && setRedirecting(false)
    addEventListener('pageshow', stay)
    return () => removeEventListener('pageshow', stay)
  }, [])
  const redirect = (url: string) => {
    setRedirecting(true)
    location.assign(url)
  }
  const run = async (which: Press) => {
    // The specification's own effect, even if sending to the store fails.
    localStorage.setItem('restoredCart', JSON.stringify(cart.items))
    setPressed(which)
    const restored = await restore.mutateAsync().catch(() => undefined)
    if (which === 'continue' && restored?.checkoutUrl && isAsAnnounced(cart, restored)) redirect(restored.checkoutUrl)
  }
  return {
    pressed,
    isBusy: restore.isPending || isRedirecting,
    isRedirecting,
    restored: restore.data,
    error: restore.error,
    press: (which) => void run(which),
    retry: () => run(pressed ?? 'restore'),
  }
}
