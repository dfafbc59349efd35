import { Stack } from '@mantine/core'
import { WordsFields } from '../templates/WordsFields.tsx'
import { DurationInput } from '../ui/DurationInput.tsx'
import type { StepEdit, StepProblems } from './rules.ts'

interface Props {
  step: StepEdit
  problems: StepProblems
  isReadOnly: boolean
  onChange: (next: Partial<StepEdit>) => void
}

export function StepEditor({ step, problems, isReadOnly, onChange }: Props) {
  return (
    <Stack gap="md">
      <DurationInput
        label="Send after"
        disabled={isReadOnly}
        minutes={step.delayMinutes}
        onChange={(delayMinutes) => onChange({ delayMinutes })}
        error={problems.delayMinutes}
      />
      <WordsFields words={step} hasSubject problems={problems} isReadOnly={isReadOnly} onChange={onChange} />
    </Stack>
  )
}
