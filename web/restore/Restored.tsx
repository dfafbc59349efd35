import { Button, Group, Stack, Text } from '@mantine/core'
import { IconArrowRight, IconCheck, IconInfoCircle, IconX } from '@tabler/icons-react'
import { Money } from '../ui/Money.tsx'
import { Notice } from '../ui/Notice.tsx'
import { ChooseAgain } from './ItemsTable.tsx'
import type { RestoredReply } from './queries.ts'
import { describeCoupon, describeOutcome, isLeftOut } from './rules.ts'

export function Restored({ restored, currency }: { restored: RestoredReply; currency: string }) {
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
  const words = describeOutcome(item, currency)
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Sign size={18} aria-hidden style={{ flex: 'none', marginTop: 2 }} />
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text fz="sm" fw={600}>
          {item.product_name}
        </Text>
        {!isLeftOut(item) && (
          <Text fz="sm" c="dimmed" className="tabular">
            {item.quantity} × <Money amount={item.price} currency={currency} />
          </Text>
        )}
        {words && (
          <Text fz="sm">
            {words}{' '}
            {item.outcome === 'choose_again' && item.url && <ChooseAgain url={item.url} name={item.product_name} />}
          </Text>
        )}
      </div>
    </Group>
  )
}
