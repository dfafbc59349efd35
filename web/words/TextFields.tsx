import { Button, Group, Input, Textarea, TextInput, Tooltip } from '@mantine/core'
import { useRef } from 'react'
import { CouponHint } from './CouponHint.tsx'
import { type CouponUse, insertAt, mailHint, variables, type Words } from './rules.ts'

interface Props {
  words: Words
  /** A text has none. */
  hasSubject: boolean
  problems?: Partial<Record<keyof Words, string | null | undefined>>
  isReadOnly?: boolean
  minRows?: number
  longest?: number
  /** Whether its messages have a coupon; left out: none has. */
  coupon?: CouponUse
  /** It goes out as an SMS. */
  isText?: boolean
  onChange: (next: Partial<Words>) => void
}

/** Subject and text of a message, with the variables one may put into them. */
export function TextFields({ words, hasSubject, problems = {}, isReadOnly = false, onChange, ...more }: Props) {
  const { isText = false } = more
  const { fieldOf, insert } = useInsertion(words, onChange)
  return (
    <>
      {hasSubject && (
        <TextInput
          label="Subject"
          maxLength={200}
          readOnly={isReadOnly}
          value={words.subject}
          error={problems.subject}
          onChange={(event) => onChange({ subject: event.currentTarget.value })}
          {...fieldOf('subject')}
        />
      )}
      <Textarea
        label="Text"
        {...(hasSubject && { description: mailHint })}
        autosize
        minRows={more.minRows ?? 10}
        maxRows={22}
        {...(more.longest && { maxLength: more.longest })}
        readOnly={isReadOnly}
        value={words.body}
        error={problems.body}
        onChange={(event) => onChange({ body: event.currentTarget.value })}
        {...fieldOf('body')}
      />
      {!isReadOnly && <Variables isText={isText} onInsert={insert} />}
      <CouponHint words={words} coupon={more.coupon ?? 'never'} isText={isText} />
    </>
  )
}

type Target = keyof Words
type Field = HTMLInputElement | HTMLTextAreaElement

/** Puts a variable where the writer was last, in the subject or in the text. */
function useInsertion(words: Words, onChange: Props['onChange']) {
  const fields = useRef<Partial<Record<Target, Field>>>({})
  const lastUsed = useRef<Target>('body')
  const fieldOf = (target: Target) => ({
    ref: (field: Field | null) => {
      if (field) fields.current[target] = field
      else delete fields.current[target]
    },
    onFocus: () => {
      lastUsed.current = target
    },
  })
  const insert = (name: string) => {
    const target = fields.current[lastUsed.current] ? lastUsed.current : 'body'
    const field = fields.current[target]
    if (!field) return
    const end = words[target].length
    const next = insertAt(words[target], `{{ ${name} }}`, field.selectionStart ?? end, field.selectionEnd ?? end)
    onChange({ [target]: next.text })
    // After React has written the new text: before that the caret would jump to the end.
    requestAnimationFrame(() => {
      field.focus()
      field.setSelectionRange(next.caret, next.caret)
    })
  }
  return { fieldOf, insert }
}

function Variables({ isText, onInsert }: { isText: boolean; onInsert: (name: string) => void }) {
  const part = isText ? 'sentence' : 'paragraph'
  return (
    <Input.Wrapper
      label="Variables"
      description={`Select one to insert it at the cursor. A ${part} whose coupon variable is empty is left out of the message.`}
      labelElement="div"
    >
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
