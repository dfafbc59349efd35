import { Button, Group, Stack, Text } from '@mantine/core'
import { IconArrowRight, IconCheck, IconInfoCircle, IconX } from '@tabler/icons-react'
import { Money } from '../ui/Money.tsx'
import { Notice } from '../ui/Notice.tsx'
import type { useRestore } from './queries.ts'
import { outcomeText } from './rules.ts'

type Reply = NonNullable<ReturnType<typeof useRestore>['data']>

export function Restored({ restored, currency }: { restored: Reply; currency: string }) {
  return (
    <Stack gap="lg">
      {restored.checkoutUrl ? (
        <Notice tone="good" isLive>
          {restored.message}
        </Notice>
      ) : (
        <Notice tone="warn" isLive>
          Nothing of this cart can be bought any more. We are sorry.
        </Notice>
      )}
      <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
        {restored.items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one product may stand in two lines
          <li key={index}>
            <RestoredItem item={item} currency={currency} />
          </li>
        ))}
      </Stack>
      {restored.checkoutUrl && (
        <Button
          component="a"
          href={restored.checkoutUrl}
          rel="noreferrer"
          size="md"
          rightSection={<IconArrowRight size={18} aria-hidden />}
        >
          Continue to checkout
        </Button>
      )}
    </Stack>
  )
}

const signs = { ok: IconCheck, quantity_clamped: IconInfoCircle, price_changed: IconInfoCircle, gone: IconX }

function RestoredItem({ item, currency }: { item: Reply['items'][number]; currency: string }) {
  const Sign = signs[item.outcome]
  const words = outcomeText(item, currency)
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Sign size={18} aria-hidden style={{ flex: 'none', marginTop: 2 }} />
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text fz="sm" fw={600}>
          {item.product_name}
        </Text>
        {item.outcome !== 'gone' && (
          <Text fz="sm" c="dimmed" className="tabular">
            {item.quantity} × <Money amount={item.price} currency={currency} />
          </Text>
        )}
        {words && <Text fz="sm">{words}</Text>}
      </div>
    </Group>
  )
}
