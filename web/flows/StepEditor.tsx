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
  const subject = useRef<HTMLInputElement>(null)
  const body = useRef<HTMLTextAreaElement>(null)
  const lastUsed = useRef<Target>('body')
  const insert = (name: string) => {
    const target = lastUsed.current
    const field = target === 'subject' ? subject.current : body.current
    if (!field) return
    const { selectionStart, selectionEnd } = field
    const text = step[target]
    const next = insertAt(text, `{{ ${name} }}`, selectionStart ?? text.length, selectionEnd ?? text.length)
    onChange({ [target]: next.text })
    // After React has written the new text: before that the caret would jump to the end.
    requestAnimationFrame(() => {
      field.focus()
      field.setSelectionRange(next.caret, next.caret)
    })
  }
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
        ref={subject}
        label="Subject"
        maxLength={200}
        readOnly={isReadOnly}
        value={step.subject}
        error={problems.subject}
        onFocus={() => {
          lastUsed.current = 'subject'
        }}
        onChange={(event) => onChange({ subject: event.currentTarget.value })}
      />
      <Textarea
        ref={body}
        label="Text"
        autosize
        minRows={10}
        maxRows={22}
        readOnly={isReadOnly}
        value={step.body}
        error={problems.body}
        onFocus={() => {
          lastUsed.current = 'body'
        }}
        onChange={(event) => onChange({ body: event.currentTarget.value })}
      />
      {!isReadOnly && <Variables onInsert={insert} />}
    </Stack>
  )
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
