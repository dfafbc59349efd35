import { Anchor, Group, Table, Text } from '@mantine/core'
import type { CartView, RestorableCart } from '../../shared/carts.ts'
import { Money } from '../ui/Money.tsx'
import { ProductPicture } from '../ui/ProductPicture.tsx'
import { computeTotal, describeDifference } from './rules.ts'

/** Items of the abandoned cart. Shows before the press which ones will not be restored unchanged. */
export function ItemsTable({ cart }: { cart: RestorableCart | CartView }) {
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
  const words = describeDifference(item, currency)
  if (!words) return null
  return (
    <Text fz="xs" c="dimmed">
      {words} {item.outcome === 'choose_again' && item.url && <ChooseAgain url={item.url} name={item.product_name} />}
    </Text>
  )
}

export function ChooseAgain({ url, name }: { url: string; name: string }) {
  return (
    <Anchor href={url} rel="noreferrer" fz="inherit" underline="always" aria-label={`Choose ${name} in the shop`}>
      Choose in the shop
    </Anchor>
  )
}
