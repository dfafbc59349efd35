import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { MAX_CARTS, reminderTexts } from '../../../shared/delivery/reminders.ts'
import { formatCount } from '../../core/ui/format.ts'
import { formatTotal } from '../../core/ui/listQuery.ts'
import { channelNames, type Selection } from '../../kits/manual-sends/sending.ts'
import { useCanSend, useIsTextsLocked } from '../../kits/manual-sends/useTextAction.ts'
import { UpgradePrompt } from './RecoveryActions.tsx'
import type { Ask } from './useSendDialog.tsx'

type Action = Ask['channel'] | 'delete'

interface Props {
  selection: Selection
  /** All matches of the filter, if they exceed the selection. */
  all: Extract<Selection, { kind: 'matching' }> | null
  onSelectAll: () => void
  onClear: () => void
  onAsk: (ask: Ask) => void
  onDelete: () => void
}

/** Actions for the selected carts: choose one, then apply it (B 2). */
export function BulkBar({ selection, all, onSelectAll, onClear, onAsk, onDelete }: Props) {
  const [action, setAction] = useState<Action | ''>('')
  const lacksTexts = useIsTextsLocked()
  const may = useCanSend()
  const size = countSelection(selection)
  if (size === 0) return null
  const locked = lacksTexts && (action === 'sms' || action === 'whatsapp') ? upgrades[action] : null
  const apply = () => {
    if (action === 'delete') onDelete()
    else if (action) onAsk({ channel: action, selection, when: 'now', isBulk: true })
  }
  return (
    <section className="bulk-bar" aria-label="Selected carts">
      <Group gap="sm">
        <Text fw={600} fz="sm" role="status" className="tabular">
          {selection.kind === 'matching'
            ? formatTotal({ total: size, isCapped: selection.isCapped })
            : formatCount(size)}{' '}
          selected
        </Text>
        {all && (
          <Button variant="subtle" size="compact-sm" onClick={onSelectAll}>
            Select all {formatTotal({ total: all.count, isCapped: all.isCapped })} matching
          </Button>
        )}
        <Button variant="subtle" size="compact-sm" onClick={onClear}>
          Clear selection
        </Button>
      </Group>
      <Group gap="sm">
        <NativeSelect
          size="xs"
          aria-label="Bulk action"
          value={action}
          onChange={(event) => setAction(event.currentTarget.value as Action)}
          data={[
            { value: '', label: 'Choose an action' },
            ...(may ? channels.map((value) => ({ value, label: `Send ${channelNames[value]}` })) : []),
            ...(selection.kind === 'carts' ? [{ value: 'delete', label: 'Delete from view' }] : []),
          ]}
        />
        <Button size="xs" disabled={action === '' || locked !== null} onClick={apply}>
          Apply
        </Button>
      </Group>
      {locked && <UpgradePrompt text={locked} />}
      {size > MAX_CARTS && (
        <Text fz="xs" c="dimmed">
          At most {formatCount(MAX_CARTS)} at a time: the newest carts are used.
        </Text>
      )}
    </section>
  )
}

const channels = ['email', 'sms', 'whatsapp'] as const
const upgrades = { sms: reminderTexts.smsPlan, whatsapp: reminderTexts.whatsappPlan }

const countSelection = (selection: Selection) => (selection.kind === 'carts' ? selection.carts.length : selection.count)
