import { Stack, Text, Title } from '@mantine/core'
import { isDesigned } from '../../../shared/messages/mail-document.ts'
import { useNow } from '../../core/ui/clock.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { formatClock, formatCount, formatCounted, formatDay } from '../../core/ui/format.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { formatLongStoreTime } from '../../core/ui/times.ts'
import { readSubject } from '../../kits/mail-editor/documents.ts'
import { AudienceCount } from './AudienceCount.tsx'
import { useDebouncedCount } from './AudienceStep.tsx'
import { frequencyNames } from './frequencies.ts'
import { useReport } from './report-queries.ts'
import { type Draft, describeEnd, describeRun, typeNames } from './rules.ts'
import { useStoreClock } from './StoreTime.tsx'

const MINUTE_MS = 60_000

/** B 2: summary before creation, with the next run and the audience size. */
export function Summary({ draft, campaignId }: { draft: Draft; campaignId?: string | undefined }) {
  const clock = useStoreClock()
  const { zone } = clock
  const lastRun = useReport(campaignId ?? null).data?.runs[0]
  const now = useNow(MINUTE_MS)
  const count = useDebouncedCount(draft, campaignId)
  const { name, type, schedule, emails, mode, audience } = draft
  const isChosenByHand = audience === 'specific_customers' || mode === 'selected'
  const target = isChosenByHand
    ? formatCounted(emails.length, 'customer')
    : count?.data
      ? formatCount(count.data.total)
      : '…'
  const end = describeEnd(count?.data?.minutes ?? null, schedule.spreadHours)
  return (
    <Stack gap="sm" component="section" aria-label="Summary">
      <Title order={3}>Summary</Title>
      <Facts
        entries={[
          ['Name', name],
          ['Type', typeNames[type]],
          ['Target count', target],
          ...(type === 'email'
            ? [['Subject', isDesigned(draft.design) ? readSubject(draft.design) : draft.subject] as [string, string]]
            : []),
          [
            'Start date',
            draft.isNow ? 'Now' : /^\d{4}-\d\d-\d\d$/.test(schedule.startDate) ? formatDay(schedule.startDate) : '–',
          ],
          ...(draft.isNow ? [] : [timeFact(schedule.timeOfDay, zone)]),
          ['Frequency', frequencyNames[schedule.frequency]],
        ]}
      />
      <Text fz="sm">
        {draft.isNow
          ? 'Sending starts when you create it and confirm.'
          : describeRun(schedule, { zone, now, isNew: campaignId === undefined })}{' '}
        {end}
        {lastRun && ` Last sent on ${formatLongStoreTime(lastRun.startedAt, clock)}.`}
      </Text>
      {count ? <AudienceCount count={count} /> : <Notice tone="quiet" title="No one is selected yet" />}
    </Stack>
  )
}

const timeFact = (time: string, zone: string): [string, string] => [
  'Time',
  /^\d\d:\d\d$/.test(time) ? `${formatClock(time)} (${zone})` : '–',
]
