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
  /** It was changed. */
  isOwn: boolean
  /** Stands where the text will until it is there. */
  missing: ReactNode
  /** What else is added to it. */
  note?: string
  onReset: () => void
}

interface Props {
  words: Words
  /** A text has none. */
  hasSubject: boolean
  /** A notification has one in the place of a subject. */
  hasTitle?: boolean
  problems: Partial<Record<keyof Words, string | null | undefined>>
  isReadOnly: boolean
  minRows?: number
  longest?: number
  /** Whether its messages have a coupon; undefined: none has. */
  coupon: CouponUse | undefined
  comesAlong: ComesAlong | undefined
  /** It goes out as an SMS. */
  isText: boolean
  /** It is about no cart: the variables of one are not offered. */
  isWithoutCart: boolean
  onChange: (next: Partial<Words>) => void
}

/** Subject and text of a message, with the variables one may put into them. */
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
      {!isReadOnly && <Variables {...{ isText, isWithoutCart }} isNotification={hasTitle} onInsert={insert} />}
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

/** Said while somebody writes. */
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

/** Puts a variable where the writer was last, in the subject or in the text. */
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
      // By keyboard the way from the subject to the variables leads through the text, which is not used by that.
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
    // After React has written the new text: before that the caret would jump to the end.
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
      description={`Select one to insert it at the cursor. A ${part} whose coupon variable is empty is left out of the message.`}
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
