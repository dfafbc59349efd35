import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import type { StoreView } from '../../../shared/access/stores.ts'
import { formatClock } from '../../core/ui/format.ts'
import { SettingLine } from '../../core/ui/SettingCard.tsx'
import { formatSetting } from './rules.ts'

/** Frequency and hours of texts. Stored with the store's other rules, linked here for users who set up the channels. */
export const TextPaceCard = ({ store }: { store: StoreView }) => (
  <SettingLine
    title="SMS and WhatsApp limits"
    about={
      <>
        At most one per cart in {formatSetting('textCooldownHours', store.textCooldownHours)}
        {store.quietFrom !== store.quietUntil &&
          `, and none from ${formatClock(store.quietFrom)} to ${formatClock(store.quietUntil)} in the shopper’s local time`}
        .
      </>
    }
  >
    <Anchor component={Link} to="/settings/recovery-rules" fz="sm" underline="always">
      Change it under Recovery rules
    </Anchor>
  </SettingLine>
)
