import { Checkbox, Text } from '@mantine/core'
import { useState } from 'react'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { formatCounted } from '../../core/ui/format.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import type { PushSetup, Replace } from './queries.ts'

interface Props {
  keys: NonNullable<PushSetup['keys']>
  opened: boolean
  isBusy: boolean
  onReplace: (replace: Replace) => void
  onClose: () => void
}

/** P2: warns what a new key means for current subscribers. */
export function RegenerateDialog({ keys, opened, isBusy, onReplace, onClose }: Props) {
  const [isLeaked, setLeaked] = useState(false)
  return (
    <Confirm
      opened={opened}
      title="Regenerate the VAPID key?"
      confirmLabel="Regenerate"
      isDangerous
      isBusy={isBusy}
      onConfirm={() => onReplace(isLeaked ? 'leaked' : 'moving')}
      onClose={onClose}
    >
      <Notice tone="warn" title="Regenerating invalidates existing customer subscriptions.">
        This affects {formatCounted(keys.subscriptions, 'subscription')}.
      </Notice>
      <Text fz="sm" my="md">
        {isLeaked
          ? 'All of them end at once. These shoppers are not asked again; they can resubscribe with your own button (Manual Button).'
          : 'Each subscription moves to the new key when the shopper visits your shop again. Subscriptions not moved within 180 days are lost.'}
      </Text>
      <Checkbox
        label="The key leaked: end all subscriptions now"
        checked={isLeaked}
        onChange={(event) => setLeaked(event.currentTarget.checked)}
      />
    </Confirm>
  )
}
