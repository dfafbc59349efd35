import {
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { delayNames } from '../../shared/campaigns.ts'
import { useStore } from '../access/queries.ts'
import { useNow } from '../ui/clock.ts'
import { toKnownZone } from '../ui/zone.ts'
import { frequencyNames } from './frequencies.ts'
import { type Draft, formatToday, type StepProps } from './rules.ts'
import { applySendTime } from './send-time.ts'

const MOST_SPREAD_HOURS = 72
const FIRST_SPREAD_HOURS = 4
const MINUTE_MS = 60_000

/** B 2, step 4: the schedule. */
export function ScheduleStep({ draft, problems, isReadOnly, onChange }: StepProps) {
  const { schedule } = draft
  const zone = toKnownZone(useStore()?.timeZone ?? 'UTC')
  const today = formatToday(zone, useNow(MINUTE_MS))
  const change = (next: Partial<Draft['schedule']>) => onChange({ schedule: { ...schedule, ...next } })
  const { isNow } = draft
  const choose = (when: string) => onChange(applySendTime(when === 'now', draft, zone, Date.now()))
  return (
    <Stack gap="md">
      {isNow !== undefined && (
        <SegmentedControl
          aria-label="When to send"
          data={[
            { value: 'now', label: 'Send now' },
            { value: 'later', label: 'Schedule' },
          ]}
          value={isNow ? 'now' : 'later'}
          onChange={choose}
        />
      )}
      {!isNow && (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextInput
              type="date"
              label="Start date"
              min={today}
              readOnly={isReadOnly}
              value={schedule.startDate}
              error={problems.startDate}
              onChange={(event) => change({ startDate: event.currentTarget.value })}
            />
            <TextInput
              type="time"
              label="Time"
              readOnly={isReadOnly}
              value={schedule.timeOfDay}
              error={problems.timeOfDay}
              onChange={(event) => change({ timeOfDay: event.currentTarget.value.slice(0, 5) })}
            />
          </SimpleGrid>
          <Text fz="sm" c="dimmed">
            Dates and times are in your store’s time zone, {zone}.
          </Text>
          <NativeSelect
            label="Frequency"
            disabled={isReadOnly}
            data={Object.entries(frequencyNames).map(([value, label]) => ({ value, label }))}
            value={schedule.frequency}
            error={problems.frequency}
            onChange={(event) => change({ frequency: event.currentTarget.value as Draft['schedule']['frequency'] })}
          />
        </>
      )}
      {draft.audience === 'abandoned_carts' && (
        <NativeSelect
          label="Send delay"
          description="How long after somebody left the cart they get the message at the earliest"
          disabled={isReadOnly}
          data={Object.entries(delayNames).map(([value, label]) => ({ value, label }))}
          value={String(schedule.delay)}
          onChange={(event) => change({ delay: Number(event.currentTarget.value) })}
        />
      )}
      <Group gap="sm" align="center">
        <Checkbox
          label="Spread each run over hours"
          disabled={isReadOnly}
          checked={schedule.spreadHours !== null}
          onChange={(event) => change({ spreadHours: event.currentTarget.checked ? FIRST_SPREAD_HOURS : null })}
        />
        {schedule.spreadHours !== null && (
          <NumberInput
            aria-label="Hours of each run"
            w={90}
            size="xs"
            min={1}
            max={MOST_SPREAD_HOURS}
            allowDecimal={false}
            readOnly={isReadOnly}
            value={schedule.spreadHours}
            onChange={(hours) => change({ spreadHours: Math.max(1, Number(hours) || 1) })}
          />
        )}
      </Group>
    </Stack>
  )
}
