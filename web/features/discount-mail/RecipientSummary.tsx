import { Group, Stack, Text } from '@mantine/core'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { DateTime } from '../../core/ui/Time.tsx'
import { FixLink } from '../../kits/manual-sends/EligibilityView.tsx'
import type { useRecipientCheck } from './queries.ts'
import type { Person } from './rules.ts'

const MAX_NAMES = 5

interface Props {
  isEmpty: boolean
  /** The selection exceeds the limit of one mail. */
  tooMany: string | null
  /** Other problems that block sending. */
  missing: string | null
  eligibility: ReturnType<typeof useRecipientCheck>
  /** Chosen customers whose names are loaded. */
  people: readonly Person[]
}

/** Shown before sending: recipients, and exclusions with reasons. */
export function RecipientSummary({ isEmpty, tooMany, missing, eligibility, people }: Props) {
  if (isEmpty) return <Notice tone="quiet" title="No one is selected yet" />
  if (tooMany) return <Notice tone="warn" isLive title={tooMany} />
  if (eligibility.error) {
    const { error, refetch } = eligibility
    return <Failed title="The recipients could not be checked" error={error} onRetry={() => refetch()} />
  }
  if (!eligibility.data) return <LoadingList count={1} />
  const { eligible, total, reasons } = eligibility.data
  return (
    <Stack gap="sm" aria-busy={eligibility.isPlaceholderData}>
      <Notice
        tone={eligible.length === 0 ? 'warn' : missing ? 'quiet' : 'good'}
        isLive
        title={describeSummary(eligible.length, total, missing)}
      />
      {reasons.length > 0 && (
        <ul className="reasons" aria-label="Excluded, by reason">
          {reasons.map(({ reason, explanation, count, customers, until }) => (
            <li key={reason}>
              <Group justify="space-between" wrap="nowrap" gap="sm" align="baseline">
                <Text fz="sm">
                  {explanation}
                  {until && (
                    <>
                      {' '}
                      Possible from <DateTime at={until} />.
                    </>
                  )}
                  <FixLink reason={reason} />
                </Text>
                {total > 1 && (
                  <Text fz="sm" fw={600} className="tabular">
                    {formatCount(count)}
                  </Text>
                )}
              </Group>
              {total > 1 && <Names ids={customers} people={people} />}
            </li>
          ))}
        </ul>
      )}
    </Stack>
  )
}

type Who = NonNullable<Props['eligibility']['data']>

/** Why it can be sent to none of them; null if it can. */
export function findObstacle({ total, eligible, reasons }: Who): string | null {
  if (eligible.length > 0) return null
  return total === 1 ? (reasons[0]?.explanation ?? null) : explainNone(total)
}

const explainNone = (total: number) => `None of the ${formatCounted(total, 'customer')} would get this email now.`

function describeSummary(eligible: number, total: number, missing: string | null): string {
  if (total === 1) return eligible === 1 ? (missing ?? 'Ready to send') : 'Not ready to send'
  if (eligible === 0) return explainNone(total)
  return `${formatCount(eligible)} of ${formatCounted(total, 'customer')} would get this email now.`
}

function Names({ ids, people }: { ids: string[]; people: readonly Person[] }) {
  const selected = new Set(ids)
  const names = people.filter(({ id }) => selected.has(id)).map(({ name }) => name)
  if (names.length === 0) return null
  const rest = ids.length - Math.min(names.length, MAX_NAMES)
  return (
    <Text fz="xs" c="dimmed">
      {names.slice(0, MAX_NAMES).join(', ')}
      {rest > 0 && ` and ${formatCount(rest)} more`}
    </Text>
  )
}
