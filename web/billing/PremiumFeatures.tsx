import { Card, Group, Text, Title } from '@mantine/core'
import { IconCircleCheck, IconClock, IconMinus } from '@tabler/icons-react'
import type { SubscriptionDetail } from '../../shared/payments.ts'
import { StatusBadge } from '../ui/StatusBadge.tsx'

type Flags = Pick<
  SubscriptionDetail['features'],
  'advancedAnalytics' | 'prioritySupport' | 'customBranding' | 'apiAccess'
>

/** In display order. Marked entries are not built yet (decision 88). */
const flags: readonly { key: keyof Flags; name: string; text: string; isSoon?: true }[] = [
  { key: 'advancedAnalytics', name: 'Advanced Analytics', text: 'Ranges up to a year, trends and tables' },
  { key: 'prioritySupport', name: 'Priority Support', text: 'Your mail to support says which plan it comes from' },
  { key: 'customBranding', name: 'Custom Branding', text: 'Pages and links under your own domain', isSoon: true },
  { key: 'apiAccess', name: 'API Access', text: 'Your own programs read and change your data', isSoon: true },
]

export const PremiumFeatures = ({ features }: { features: Flags }) => (
  <Card>
    <Title order={2} mb="md">
      Premium features
    </Title>
    <ul className="premium">
      {flags.map(({ key, name, text, isSoon }) => (
        <li key={key}>
          <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
            <div>
              <Text fw={550}>{name}</Text>
              <Text fz="sm" c="dimmed">
                {text}
              </Text>
            </div>
            <StatusBadge {...findMark(features[key], isSoon)} />
          </Group>
        </li>
      ))}
    </ul>
  </Card>
)

function findMark(has: boolean, isSoon = false) {
  if (has) return { tone: 'good', icon: IconCircleCheck, label: 'Included' } as const
  if (isSoon) return { tone: 'quiet', icon: IconClock, label: 'Soon' } as const
  return { tone: 'quiet', icon: IconMinus, label: 'Not in this plan' } as const
}
