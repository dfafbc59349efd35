import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { parseFilterNumber } from './filter-number.ts'

interface Props {
  label: string
  decimals: number
  isReadOnly: boolean
  /** NaN: the input is not a valid number. */
  value: number | null
  error: string | undefined
  onChange: (value: number | null) => void
}

/** Keeps the raw input; invalid numbers are marked and never reinterpreted. */
export function NumberFilter({ label, decimals, isReadOnly, value, error, onChange }: Props) {
  const [typed, setTyped] = useState(textOf(value))
  const read = parseFilterNumber(typed, decimals)
  // Replaced from outside, by a saved audience or a restored draft.
  const isReplaced = !Number.isNaN(value) && !Object.is(read.value, value)
  const text = isReplaced ? textOf(value) : typed
  return (
    <TextInput
      label={label}
      placeholder="Any"
      inputMode="decimal"
      readOnly={isReadOnly}
      value={text}
      error={(isReplaced ? undefined : read.problem) ?? error}
      onChange={(event) => {
        const next = event.currentTarget.value.slice(0, 20)
        setTyped(next)
        onChange(parseFilterNumber(next, decimals).value)
      }}
    />
  )
}

const textOf = (value: number | null): string => (value === null || Number.isNaN(value) ? '' : String(value))
