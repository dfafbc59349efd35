import { Text } from '@mantine/core'
import { IconArrowBackUp, IconCheck, IconHelp, IconHourglass, IconX } from '@tabler/icons-react'
import { type LedgerEntry, type LedgerStatus, statusText } from '../../../shared/marketing/ledger.ts'
import type { Tone } from '../../core/ui/Notice.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { DateTime } from '../../core/ui/Time.tsx'
import { channelText, describeEvidence, formatPerson } from './ledger-text.ts'

const statusBadges: Record<LedgerStatus, { tone: Tone; icon: typeof IconCheck }> = {
  granted: { tone: 'good', icon: IconCheck },
  withdrawn: { tone: 'bad', icon: IconX },
  pending: { tone: 'quiet', icon: IconHourglass },
}

const stateBadges = {
  doubted: { tone: 'warn', icon: IconHelp, label: 'Does not count yet' },
  undone: { tone: 'quiet', icon: IconArrowBackUp, label: 'Undone' },
} as const

export function LedgerEntries({ entries, isStale }: { entries: readonly LedgerEntry[]; isStale: boolean }) {
  return (
    <ul className="ledger-entries" aria-label="Consents, newest first" aria-busy={isStale}>
      {entries.map((entry) => (
        <li key={entry.id}>
          <div className="ledger-head">
            <strong>{formatPerson(entry.who, entry.person)}</strong>
            <StatusBadge {...statusBadges[entry.status]} label={statusText[entry.status]} />
            {entry.standing !== 'stands' && <StatusBadge {...stateBadges[entry.standing]} />}
            <span>{channelText[entry.channel]}</span>
            <Text component="span" fz="sm" c="dimmed" className="ledger-time">
              <DateTime at={entry.at} />
            </Text>
          </div>
          <Text fz="sm" c="dimmed">
            {describeEvidence(entry)}
          </Text>
          {entry.wording && (
            <Text fz="sm" mt={2}>
              “{entry.wording}”
            </Text>
          )}
        </li>
      ))}
    </ul>
  )
}
