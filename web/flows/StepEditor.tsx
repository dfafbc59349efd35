import { Button, Group, Input, Stack, Textarea, TextInput, Tooltip } from '@mantine/core'
import { useRef } from 'react'
import { DurationInput } from '../ui/DurationInput.tsx'
import { insertAt, type StepEdit, type StepProblems, variables } from './rules.ts'

interface Props {
  step: StepEdit
  problems: StepProblems
  isReadOnly: boolean
  onChange: (next: Partial<StepEdit>) => void
}

type Target = 'subject' | 'body'

export function StepEditor({ step, problems, isReadOnly, onChange }: Props) {
  const { fieldOf, insert } = useInsertion(step, onChange)
  return (
    <Stack gap="md">
      <DurationInput
        label="Send after"
        disabled={isReadOnly}
        minutes={step.delayMinutes}
        onChange={(delayMinutes) => onChange({ delayMinutes })}
        error={problems.delayMinutes}
      />
      <TextInput
        label="Subject"
        maxLength={200}
        readOnly={isReadOnly}
        value={step.subject}
        error={problems.subject}
        onChange={(event) => onChange({ subject: event.currentTarget.value })}
        {...fieldOf('subject')}
      />
      <Textarea
        label="Text"
        autosize
        minRows={10}
        maxRows={22}
        readOnly={isReadOnly}
        value={step.body}
        error={problems.body}
        onChange={(event) => onChange({ body: event.currentTarget.value })}
        {...fieldOf('body')}
      />
      {!isReadOnly && <Variables onInsert={insert} />}
    </Stack>
  )
}

type Field = HTMLInputElement | HTMLTextAreaElement

/** Puts a variable where the writer was last, in the subject or in the text. */
function useInsertion(step: StepEdit, onChange: Props['onChange']) {
  const fields = useRef<Partial<Record<Target, Field>>>({})
  const lastUsed = useRef<Target>('body')
  const fieldOf = (target: Target) => ({
    ref: (field: Field | null) => {
      if (field) fields.current[target] = field
    },
    onFocus: () => {
      lastUsed.current = target
    },
  })
  const insert = (name: string) => {
    const target = lastUsed.current
    const field = fields.current[target]
    if (!field) return
    const end = step[target].length
    const next = insertAt(step[target], `{{ ${name} }}`, field.selectionStart ?? end, field.selectionEnd ?? end)
    onChange({ [target]: next.text })
    // After React has written the new text: before that the caret would jump to the end.
    requestAnimationFrame(() => {
      field.focus()
      field.setSelectionRange(next.caret, next.caret)
    })
  }
  return { fieldOf, insert }
}

function Variables({ onInsert }: { onInsert: (name: string) => void }) {
  return (
    <Input.Wrapper label="Variables" description="Press one to insert it where you were writing" labelElement="div">
      <Group gap={6} mt={6}>
        {variables.map(({ name, meaning }) => (
          <Tooltip key={name} label={meaning}>
            <Button variant="default" size="compact-sm" ff="monospace" fw={500} onClick={() => onInsert(name)}>
              {name}
            </Button>
          </Tooltip>
        ))}
      </Group>
    </Input.Wrapper>
  )
}
