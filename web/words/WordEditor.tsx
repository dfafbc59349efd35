import { NativeSelect, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { SendChannel } from '../../shared/reminders.ts'
import type { Words } from './rules.ts'
import { unknownVariables } from './rules.ts'
import { CodeHint, StepCoupon } from './StepCoupon.tsx'
import { type CouponEdit, type CouponProblems, couponUse } from './step-coupon.ts'
import { TextFields } from './TextFields.tsx'
import { WordsPreview } from './WordsPreview.tsx'

const LONGEST_SMS = 1_000

interface Props {
  channel: SendChannel
  words: Words
  coupon: CouponEdit
  problems?: CouponProblems & Partial<Record<keyof Words | 'coupon', string>>
  /** What the words can start from; of an email. */
  templates?: { choices: readonly { id: string; name: string }[]; value: string; onChoose: (id: string) => void }
  /** The approved text of WhatsApp; null: none is chosen. */
  approved: string | null
  /** What is to be said of the coupon that the words speak of. */
  children?: React.ReactNode
  isReadOnly?: boolean
  onWords: (next: Partial<Words>) => void
  onCoupon: (next: Partial<CouponEdit>) => void
}

/** Subject, text and coupon of a message, or the message as it will look. */
export function WordEditor(props: Props) {
  const { channel, words, coupon } = props
  const [view, setView] = useState<'edit' | 'preview'>('edit')
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label="Edit or preview"
        value={view}
        onChange={(value) => setView(value as typeof view)}
        w="fit-content"
        data={[
          { value: 'edit', label: 'Edit' },
          { value: 'preview', label: 'Preview' },
        ]}
      />
      {view === 'edit' ? (
        <Fields {...props} />
      ) : (
        <WordsPreview channel={channel} words={words} coupon={coupon.coupon} />
      )}
    </Stack>
  )
}

function Fields({ channel, words, coupon, problems = {}, isReadOnly = false, ...props }: Props) {
  const { templates, approved, children, onWords, onCoupon } = props
  if (channel === 'whatsapp') return <Approved text={approved} />
  const isMail = channel === 'email'
  return (
    <Stack gap="md">
      {isMail && templates && (
        <NativeSelect
          label="Template"
          disabled={isReadOnly}
          data={templates.choices.map(({ id, name }) => ({ value: id, label: name }))}
          value={templates.value}
          onChange={(event) => templates.onChoose(event.currentTarget.value)}
        />
      )}
      <StepCoupon step={coupon} problems={problems} isReadOnly={isReadOnly} onChange={onCoupon} />
      {children}
      <TextFields
        words={words}
        hasSubject={isMail}
        problems={{ subject: unknownText(words.subject), body: unknownText(words.body), ...problems }}
        isReadOnly={isReadOnly}
        coupon={couponUse(coupon)}
        isText={!isMail}
        {...(!isMail && { minRows: 5, longest: LONGEST_SMS })}
        onChange={onWords}
      />
      <CodeHint step={{ ...coupon, channel, ...words, sms: words.body }} />
    </Stack>
  )
}

/** Said while it is typed; the server refuses it. */
function unknownText(text: string): string | undefined {
  const unknown = unknownVariables(text)
  return unknown.length > 0 ? `There is no variable ${unknown.join(', ')}. Select one of those below.` : undefined
}

const Approved = ({ text }: { text: string | null }) => (
  <div>
    <Text fz="sm" fw={550} mb={4}>
      Approved template
    </Text>
    <pre className="snippet">{text ?? 'No template is chosen yet. Choose one under Settings, Sending, WhatsApp.'}</pre>
    <Text fz="sm" c="dimmed" mt={4}>
      WhatsApp delivers only approved templates, which cannot name a coupon.
    </Text>
  </div>
)
