import { Group, Input, NativeSelect, NumberInput } from '@mantine/core'
import { useId, useState } from 'react'
import { chooseUnit, type DurationUnit, minutesPer, toMinutes } from './duration.ts'

interface Props {
  label: string
  description?: string
  error?: string | null | undefined
  disabled?: boolean
  units?: readonly DurationUnit[]
  /** NaN while empty. */
  minutes: number
  onChange: (minutes: number) => void
}

const allUnits = ['minutes', 'hours', 'days'] as const

export function DurationInput({
  label,
  description,
  error,
  disabled = false,
  units = allUnits,
  minutes,
  onChange,
}: Props) {
  const [unit, setUnit] = useState<DurationUnit>(() => chooseUnit(minutes))
  const id = useId()
  // The value may be replaced from outside (discard): change the unit if it cannot express it in whole numbers.
  const displayedUnit =
    Number.isInteger(minutes / minutesPer[unit]) || Number.isNaN(minutes) ? unit : chooseUnit(minutes)
  const amount = minutes / minutesPer[displayedUnit]
  return (
    <Input.Wrapper label={label} description={description} error={error} id={id} labelElement="label">
      <Group gap="xs" wrap="nowrap" mt={4}>
        <NumberInput
          id={id}
          w={110}
          min={1}
          allowDecimal={false}
          disabled={disabled}
          error={Boolean(error)}
          value={Number.isNaN(amount) ? '' : amount}
          onChange={(value) => onChange(value === '' ? Number.NaN : toMinutes(Number(value), displayedUnit))}
        />
        <NativeSelect
          aria-label={`${label}: unit`}
          disabled={disabled}
          data={units as DurationUnit[]}
          value={displayedUnit}
          onChange={(event) => {
            const next = event.currentTarget.value as DurationUnit
            setUnit(next)
            if (!Number.isNaN(amount)) onChange(toMinutes(amount, next))
          }}
        />
      </Group>
    </Input.Wrapper>
  )
}
