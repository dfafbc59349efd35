import './checks.css'
import { Button, CopyButton } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCheck,
  IconCircleCheck,
  IconCircleX,
  IconCopy,
  IconMinus,
  IconPlayerSkipForward,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Check } from '../../../shared/core/checks.ts'
import { StatusBadge } from './StatusBadge.tsx'

const badges: Record<Check['state'], Parameters<typeof StatusBadge>[0]> = {
  good: { tone: 'good', icon: IconCircleCheck, label: 'OK' },
  warn: { tone: 'warn', icon: IconAlertTriangle, label: 'Needs attention' },
  bad: { tone: 'bad', icon: IconCircleX, label: 'Problem' },
  quiet: { tone: 'quiet', icon: IconMinus, label: 'Not checked' },
  skipped: { tone: 'quiet', icon: IconPlayerSkipForward, label: 'Skipped' },
}

interface Props {
  /** Accessible name of the list. */
  label: string
  checks: readonly Check[]
  /** Action that fixes a check. */
  fixLink?: (check: Check) => ReactNode
}

/** A list of checks, each with its result and what to do. */
export function CheckList({ label, checks, fixLink }: Props) {
  return (
    <ul className="checks" aria-label={label}>
      {checks.map((check) => (
        <li key={check.id}>
          <h3>{check.title}</h3>
          <StatusBadge {...badges[check.state]} />
          <p>{check.finding}</p>
          {check.nextStep && (
            <p>
              <strong>What to do:</strong> {check.nextStep}
            </p>
          )}
          {check.record && <DnsRecord record={check.record} />}
          {check.answer && <pre className="check-answer">{check.answer}</pre>}
          {fixLink && <div className="check-way">{fixLink(check)}</div>}
        </li>
      ))}
    </ul>
  )
}

function DnsRecord({ record }: { record: NonNullable<Check['record']> }) {
  return (
    <div>
      <dl className="check-record">
        <dt>Name</dt>
        <dd>{record.name}</dd>
        <dt>Type</dt>
        <dd>{record.type}</dd>
        <dt>Value</dt>
        <dd>{record.value}</dd>
      </dl>
      <CopyButton value={record.value}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            size="xs"
            mt={6}
            onClick={copy}
            leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          >
            <span aria-live="polite">{copied ? 'Copied' : 'Copy value'}</span>
          </Button>
        )}
      </CopyButton>
    </div>
  )
}
