import { Button, Collapse, Group, Input, Stack, Text, Textarea, TextInput, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { pushLimits } from '../../../shared/delivery/push.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import {
  type CouponUse,
  couponWarnings,
  insertAt,
  mailHint,
  nameHint,
  offeredVariables,
  unknownText,
  type Words,
} from './rules.ts'

/** The default text, which the user can change for this message only. */
export interface ComesAlong {
  /** The text was edited. */
  isOwn: boolean
  /** Shown while the text loads. */
  missing: ReactNode
  /** Further content below the text. */
  note?: string
  onReset: () => void
}

interface Props {
  words: Words
  /** An SMS has none. */
  hasSubject: boolean
  /** A notification has a title in place of a subject. */
  hasTitle?: boolean
  problems: Partial<Record<keyof Words, string | null | undefined>>
  isReadOnly: boolean
  minRows?: number
  longest?: number
  /** Whether the messages have a coupon. undefined: none has one. */
  coupon: CouponUse | undefined
  comesAlong: ComesAlong | undefined
  /** The message is an SMS. */
  isText: boolean
  /** The message has no cart, so cart variables are not offered. */
  isWithoutCart: boolean
  onChange: (next: Partial<Words>) => void
}

/** Subject and text of a message, with the variables that they may use. */
export function TextFields({ words, hasSubject, hasTitle = false, problems, isReadOnly, onChange, ...more }: Props) {
  const { isText, isWithoutCart, comesAlong } = more
  const { fieldOf, insert } = useInsertion(words, onChange)
  const fold = useFold(comesAlong)
  const isListed = !isReadOnly && (!fold || fold.isOpen)
  const text = (
    <>
      <Textarea
        label="Text"
        {...(hasSubject && { description: mailHint })}
        autosize
        minRows={more.minRows ?? 10}
        maxRows={22}
        {...(more.longest && { maxLength: more.longest })}
        readOnly={isReadOnly}
        value={words.body}
        error={problems.body ?? unknownText(words.body, isListed)}
        onChange={(event) => onChange({ body: event.currentTarget.value })}
        {...fieldOf('body')}
      />
      {!isReadOnly && (
        <Variables isText={isText} isWithoutCart={isWithoutCart} isNotification={hasTitle} onInsert={insert} />
      )}
    </>
  )
  return (
    <>
      {(hasSubject || hasTitle) && (
        <TextInput
          label={hasTitle ? 'Title' : 'Subject'}
          maxLength={hasTitle ? pushLimits.title : 200}
          readOnly={isReadOnly}
          value={words.subject}
          error={problems.subject ?? unknownText(words.subject, isListed)}
          onChange={(event) => onChange({ subject: event.currentTarget.value })}
          {...fieldOf('subject')}
        />
      )}
      {fold ? <Changeable {...fold}>{text}</Changeable> : text}
      <CouponHint words={words} coupon={more.coupon ?? 'never'} isText={isText} />
      {hasTitle && <NameHint words={words} />}
    </>
  )
}

/** Shown while the user types. */
function NameHint({ words }: { words: Words }) {
  const hint = nameHint(words)
  if (!hint) return null
  return (
    <Notice tone="warn" isLive>
      {hint}
    </Notice>
  )
}

function useFold(comesAlong: ComesAlong | undefined) {
  const [isOpen, { open, toggle }] = useDisclosure(false)
  const isOwn = comesAlong?.isOwn ?? false
  // An edited text is visible, even one typed before the session ended.
  useEffect(() => {
    if (isOwn) open()
  }, [isOwn, open])
  return comesAlong && { ...comesAlong, isOpen, toggle }
}

type Fold = NonNullable<ReturnType<typeof useFold>>

/** Collapsed behind a button until the user edits it. */
function Changeable({ isOpen, toggle, isOwn, missing, note, onReset, children }: Fold & { children: ReactNode }) {
  const Sign = isOpen ? IconChevronUp : IconChevronDown
  return (
    <Stack gap="sm">
      <Button
        variant="default"
        size="compact-sm"
        w="fit-content"
        aria-expanded={isOpen}
        rightSection={<Sign size={14} aria-hidden />}
        onClick={toggle}
      >
        Change the text
      </Button>
      <Collapse expanded={isOpen} keepMounted={false}>
        {missing || (
          <Stack gap="sm">
            {children}
            <Group gap="sm">
              <Text fz="sm" c="dimmed" style={{ flex: '1 1 220px' }}>
                This changes only this message, not the template.{note && ` ${note}`}
              </Text>
              {isOwn && (
                <Button variant="subtle" size="compact-sm" onClick={onReset}>
                  Use the default text
                </Button>
              )}
            </Group>
          </Stack>
        )}
      </Collapse>
    </Stack>
  )
}

type Target = keyof Words
type Field = HTMLInputElement | HTMLTextAreaElement

/** Inserts a variable at the last caret, in the subject or the text. */
function useInsertion(words: Words, onChange: Props['onChange']) {
  const fields = useRef<Partial<Record<Target, Field>>>({})
  const lastUsed = useRef<Target>('body')
  const fieldOf = (target: Target) => {
    const use = () => {
      lastUsed.current = target
    }
    return {
      ref: (field: Field | null) => {
        if (field) fields.current[target] = field
        else delete fields.current[target]
      },
      onPointerDown: use,
      onInput: use,
      // With the keyboard, focus passes through the text on its way to the variables. That does not count as use of the text.
      onKeyUp: ({ key }: { key: string }) => {
        if (key !== 'Tab' && key !== 'Shift') use()
      },
    }
  }
  const insert = (name: string) => {
    const target = fields.current[lastUsed.current] ? lastUsed.current : 'body'
    const field = fields.current[target]
    if (!field) return
    const end = words[target].length
    const next = insertAt(words[target], `{{ ${name} }}`, field.selectionStart ?? end, field.selectionEnd ?? end)
    onChange({ [target]: next.text })
    // After React has rendered the new text; before that the caret would jump to the end.
    requestAnimationFrame(() => {
      field.focus()
      field.setSelectionRange(next.caret, next.caret)
    })
  }
  return { fieldOf, insert }
}

interface VariablesProps {
  isText: boolean
  isWithoutCart: boolean
  isNotification: boolean
  onInsert: (name: string) => void
}

function Variables({ isText, isWithoutCart, isNotification, onInsert }: VariablesProps) {
  const part = isText ? 'sentence' : 'paragraph'
  return (
    <Input.Wrapper
      label="Variables"
      description={`Select one to insert it at the cursor. A ${part} with an empty coupon variable is left out.`}
      labelElement="div"
    >
      <Group gap={6} mt={6}>
        {offeredVariables(isWithoutCart, isNotification).map(({ name, meaning }) => (
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

/** Shown while the user types: the sentences that messages without a coupon omit. */
function CouponHint({ words, coupon, isText }: { words: Words; coupon: CouponUse; isText: boolean }) {
  const warnings = couponWarnings(words, coupon, isText)
  if (warnings.length === 0) return null
  return (
    <Notice tone="warn" isLive>
      {warnings.join(' ')}
    </Notice>
  )
}
