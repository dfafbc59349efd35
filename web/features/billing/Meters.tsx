import './billing.css'
import { Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconBan } from '@tabler/icons-react'
import type { Meter } from '../../../shared/billing/billing.ts'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { describeAfterPlan } from './credit-copy.ts'
import { useCredits } from './credit-queries.ts'
import { channelNames, describeHeld, describeStores, describeUsage } from './plan-copy.ts'
import type { Usage } from './queries.ts'

/** Monthly usage per limit (decision 87). */
export function Meters({ usage }: { usage: Usage }) {
  // Unknown values are omitted; the meters do not wait for them.
  const then = describeAfterPlan(useCredits().data)
  const { stores, meters, renewsAt } = usage
  return (
    <Stack gap="md" component="ul" className="meters">
      <li>
        <Group justify="space-between" gap="xs">
          <Text fw={550}>Stores</Text>
          <Text className="tabular">{describeStores(stores)}</Text>
        </Group>
        {stores.limit > 0 && <Bar label="Stores" used={stores.used} limit={stores.limit} level="ok" />}
      </li>
      {meters.map((meter) => (
        <Channel
          key={meter.channel}
          meter={meter}
          renewsAt={renewsAt}
          then={meter.channel === 'sms' && meter.limit > 0 ? then : null}
        />
      ))}
    </Stack>
  )
}

function Channel({ meter, renewsAt, then }: { meter: Meter; renewsAt: string; then: string | null }) {
  const name = channelNames[meter.channel]
  const held = describeHeld(meter, renewsAt)
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Text fw={550}>{name}</Text>
          {meter.level !== 'ok' && <StatusBadge {...marks[meter.level]} />}
        </Group>
        <Text className="tabular">{[describeUsage(meter), ...(then ? [then] : [])].join(', ')}</Text>
      </Group>
      {meter.limit > 0 && <Bar label={name} {...meter} />}
      {held && (
        <Text fz="sm" c="dimmed" mt={4}>
          {held}
        </Text>
      )}
    </li>
  )
}

const marks = {
  near: { tone: 'warn', icon: IconAlertTriangle, label: 'Near the limit' },
  full: { tone: 'bad', icon: IconBan, label: 'Limit reached' },
} as const

function Bar({ label, used, limit, level }: { label: string } & Pick<Meter, 'used' | 'limit' | 'level'>) {
  const percent = Math.min(100, (100 * used) / limit)
  return (
    <div className="meter" data-level={level}>
      <span style={{ width: `${percent}%` }} />
      <meter className="visually-hidden" aria-label={label} max={limit} value={Math.min(used, limit)} />
    </div>
  )
}
