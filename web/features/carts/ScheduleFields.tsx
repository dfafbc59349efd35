import { Group, NativeSelect, TextInput } from '@mantine/core'
import type { Ref } from 'react'
import { type Delay, delays, type Schedule } from '../../kits/manual-sends/sending.ts'

interface Props {
  value: Schedule
  error: string | null
  dateRef: Ref<HTMLInputElement>
  onChange: (next: Schedule) => void
}

/** Delay in hours or days, or a date and time in the browser's zone (B 2, B 9). */
export function ScheduleFields({ value, error, dateRef, onChange }: Props) {
  return (
    <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
      <NativeSelect
        label="Send in"
        data={[...delays]}
        value={value.delay}
        onChange={(event) => onChange({ ...value, delay: event.currentTarget.value as Delay })}
      />
      {value.delay === 'custom' && (
        <TextInput
          ref={dateRef}
          type="datetime-local"
          label="Date and time"
          value={value.date}
          error={error}
          onChange={(event) => onChange({ ...value, date: event.currentTarget.value })}
        />
      )}
    </Group>
  )
}
