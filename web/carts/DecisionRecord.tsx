import { Stack, Text } from '@mantine/core'
import { IconBan, IconCheck, IconFlag, IconHourglass, IconPlayerSkipForward } from '@tabler/icons-react'
import type { MessageView } from '../../shared/carts.ts'
import { Facts } from '../ui/Facts.tsx'
import { formatCount } from '../ui/format.ts'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { DateTime } from '../ui/Time.tsx'
import { isInstant, type Reading, readInputs } from './rules.ts'

type Decision = MessageView['decisions'][number]

const outcomes: Record<Decision['outcome'], Parameters<typeof StatusBadge>[0]> = {
  send: { tone: 'good', icon: IconCheck, label: 'Send' },
  hold: { tone: 'warn', icon: IconHourglass, label: 'Hold' },
  skip: { tone: 'quiet', icon: IconPlayerSkipForward, label: 'Do not send' },
  cancel: { tone: 'quiet', icon: IconBan, label: 'Cancel' },
  result: { tone: 'info', icon: IconFlag, label: 'Result' },
}

/** Every decision about a message with what was known at that moment. */
export function DecisionRecord({ decisions }: { decisions: Decision[] }) {
  if (decisions.length === 0) return <Text fz="sm">Nothing was decided yet: it is looked at when it is due.</Text>
  return (
    <ol className="story">
      {decisions.map((decision, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a record is only ever added to
        <li key={index}>
          <Stack gap={6} align="flex-start">
            <StatusBadge {...outcomes[decision.outcome]} />
            <Text fz="sm">{decision.explanation}</Text>
            <Text fz="xs" c="dimmed">
              <DateTime at={decision.at} />
              {decision.until && (
                <>
                  , looked at again <DateTime at={decision.until} />
                </>
              )}
            </Text>
            <Facts entries={readInputs(decision.inputs).map(({ label, value }) => [label, show(value)])} />
          </Stack>
        </li>
      ))}
    </ol>
  )
}

function show(value: Reading['value']) {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return formatCount(value)
  return isInstant(value) ? <DateTime at={value} /> : value
}
