import { Anchor, Card, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import type { StoreView } from '../../shared/stores.ts'
import { settingWords } from './rules.ts'

/** How often and when texts go. It is set with the store's other rules; whoever sets up the channels looks for it here too. */
export const TextPaceCard = ({ store }: { store: StoreView }) => (
  <Card component="section" aria-label="How often SMS and WhatsApp go">
    <Title order={2}>How often SMS and WhatsApp go</Title>
    <Text fz="sm" mt={4}>
      Between two SMS, or two WhatsApp messages, about the same cart: at least{' '}
      {settingWords('textCooldownHours', store.textCooldownHours)}.{' '}
      {store.quietFrom !== store.quietUntil &&
        `None goes from ${store.quietFrom} to ${store.quietUntil} where the shopper lives. `}
      <Anchor component={Link} to="/settings/recovery-rules" inherit underline="always">
        Change it under Recovery rules
      </Anchor>
    </Text>
  </Card>
)
