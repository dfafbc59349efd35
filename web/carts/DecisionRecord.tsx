import { Stack, Text } from '@mantine/core'
import { IconBan, IconCheck, IconFlag, IconHourglass, IconPlayerSkipForward, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { MessageView } from '../../shared/carts.ts'
import { Unmet } from '../flow-editor/Unmet.tsx'
import { Facts } from '../ui/Facts.tsx'
import { formatCount } from '../ui/format.ts'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { DateTime } from '../ui/Time.tsx'
import { type CheckLine, findDecidedChannel, listChecks } from './checks.ts'
import { type InputEntry, isInstant, readInputs } from './rules.ts'

type Decision = MessageView['decisions'][number]

const outcomes: Record<Decision['outcome'], Parameters<typeof StatusBadge>[0]> = {
  send: { tone: 'good', icon: IconCheck, label: 'Send' },
  hold: { tone: 'warn', icon: IconHourglass, label: 'Hold' },
  skip: { tone: 'quiet', icon: IconPlayerSkipForward, label: 'Do not send' },
  cancel: { tone: 'quiet', icon: IconBan, label: 'Cancel' },
  result: { tone: 'info', icon: IconFlag, label: 'Result' },
}

/** Every decision about a message: the checks and, on request, their input values. */
export function DecisionRecord({ message: { decisions, channel } }: { message: MessageView }) {
  if (decisions.length === 0) return <Text fz="sm">Not checked yet. The checks run when the message is due.</Text>
  return (
    <ol className="story">
      {decisions.map((decision, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a record is only ever added to
        <li key={index}>
          <DecisionEntry decision={decision} checks={listChecks(decision, findDecidedChannel(decision, channel))} />
        </li>
      ))}
    </ol>
  )
}

function DecisionEntry({ decision, checks }: { decision: Decision; checks: CheckLine[] }) {
  // The deciding check already shows it.
  const isTold = checks.at(-1)?.text === decision.explanation
  return (
    <Stack gap={6} align="flex-start">
      <StatusBadge {...outcomes[decision.outcome]} />
      {!isTold && <Text fz="sm">{decision.explanation}</Text>}
      {checks.length > 0 && (
        <ul className="checks" aria-label="Checks">
          {checks.map((check) => (
            <Check key={check.text} {...check} />
          ))}
        </ul>
      )}
      {decision.reason === 'condition' && <Unmet inputs={decision.inputs} />}
      <Text fz="xs" c="dimmed">
        <DateTime at={decision.at} />
        {decision.until && (
          <>
            , checked again <DateTime at={decision.until} />
          </>
        )}
      </Text>
      <details className="technical">
        <summary>Technical details</summary>
        <Facts
          entries={[
            ['Reason code', decision.reason],
            ...readInputs(decision.inputs).map(({ label, value }): [string, ReactNode] => [label, show(value)]),
          ]}
        />
      </details>
    </Stack>
  )
}

const signs = {
  passed: { Sign: IconCheck, word: 'Passed' },
  held: { Sign: IconHourglass, word: 'Held' },
  failed: { Sign: IconX, word: 'Failed' },
}

function Check({ result, text }: CheckLine) {
  const { Sign, word } = signs[result]
  return (
    <li data-result={result}>
      <Sign size={15} role="img" aria-label={word} />
      <span>{text}</span>
    </li>
  )
}

function show(value: InputEntry['value']) {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return formatCount(value)
  return isInstant(value) ? <DateTime at={value} /> : value
}
