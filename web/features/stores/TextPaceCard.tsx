import { Anchor, Card, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import type { StoreView } from '../../../shared/access/stores.ts'
import { formatClock } from '../../core/ui/format.ts'
import { formatSetting } from './rules.ts'

/** Frequency and hours of texts. Stored with the store's other rules, linked here for users who set up the channels. */
export const TextPaceCard = ({ store }: { store: StoreView }) => (
  <Card component="section" aria-label="SMS and WhatsApp limits">
    <Title order={2}>SMS and WhatsApp limits</Title>
    <Text fz="sm" mt={4}>
      Minimum time between two SMS, or two WhatsApp messages, about the same cart:{' '}
      {formatSetting('textCooldownHours', store.textCooldownHours)}.{' '}
      {store.quietFrom !== store.quietUntil &&
        `None is sent from ${formatClock(store.quietFrom)} to ${formatClock(store.quietUntil)} in the shopper’s local time. `}
      <Anchor component={Link} to="/settings/recovery-rules" inherit underline="always">
        Change it under Recovery rules
      </Anchor>
    </Text>
  </Card>
)
