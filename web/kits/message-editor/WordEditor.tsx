import './message-editor.css'
import { Grid, NativeSelect, SegmentedControl, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Approved } from './Approved.tsx'
import { longestText, type WordChannel, type Words } from './rules.ts'
import { CodeHint, StepCoupon } from './StepCoupon.tsx'
import { type CouponEdit, type CouponProblems, couponUse } from './step-coupon.ts'
import { type ComesAlong, TextFields } from './TextFields.tsx'

interface Props {
  channel: WordChannel
  words: Words
  problems?: CouponProblems & { coupon?: string } & Partial<Record<keyof Words, string | null | undefined>>
  /** Templates to start from; email only. */
  templates?: { choices: readonly { id: string; name: string }[]; value: string; onChoose: (id: string) => void }
  /** Chosen here, with its rules. `always`: each message has one that is chosen elsewhere. Omitted: none has one. */
  coupon?: { edit: CouponEdit; onChange: (next: Partial<CouponEdit>) => void } | 'always'
  /** The default text. Without it the text is always editable here. */
  comesAlong?: ComesAlong
  /** The approved WhatsApp template. null: none is chosen. Omitted: only the preview shows it. */
  approved?: string | null
  /** Notes on the coupon that the text mentions. */
  children?: ReactNode
  /** Leads to the editor of an email's design. `isOwn`: the email is designed and has no fields for its text. */
  design?: { link: ReactNode; isOwn: boolean }
  /** Further choices, above the texts. */
  before?: ReactNode
  /** Content above the preview. */
  above?: ReactNode
  preview: ReactNode
  /** Side by side on a page or in a wide dialog; below each other in a panel; else as tabs. */
  layout: 'page' | 'dialog' | 'panel' | 'toggle'
  isReadOnly?: boolean
  /** The recipients may have no cart. */
  isWithoutCart?: boolean
  onWords: (next: Partial<Words>) => void
}

/** Edits and previews the texts of a message of any channel. All screens use it. */
export function WordEditor(props: Props) {
  const { layout, before, above, preview } = props
  if (layout === 'toggle') return <Toggled {...props} />
  if (layout === 'panel') {
    return (
      <Stack gap="md">
        {before}
        <Fields {...props} />
        {above}
        {preview}
      </Stack>
    )
  }
  const [words, shown] =
    layout === 'page'
      ? [
          { base: 12, lg: 6 },
          { base: 12, lg: 6 },
        ]
      : [
          { base: 12, md: 5 },
          { base: 12, md: 7 },
        ]
  return (
    <Grid gap="xl">
      <Grid.Col span={words}>
        <Stack gap="md">
          {before}
          <Fields {...props} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={shown}>
        <Stack gap="md">
          {above}
          {preview}
        </Stack>
      </Grid.Col>
    </Grid>
  )
}

function Toggled(props: Props) {
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
      {view === 'edit' ? <Fields {...props} /> : props.preview}
    </Stack>
  )
}

function Fields({ channel, words, coupon, problems = {}, isReadOnly = false, ...props }: Props) {
  const { templates, approved, comesAlong, children, design, isWithoutCart = false, onWords } = props
  const chosen = coupon === 'always' ? undefined : coupon
  if (channel === 'whatsapp') return <Approved text={approved} coupon={chosen?.edit} />
  const isMail = channel === 'email'
  const isDesigned = isMail && design?.isOwn === true
  return (
    <>
      {isMail && templates && !isDesigned && (
        <NativeSelect
          label="Template"
          disabled={isReadOnly}
          data={templates.choices.map(({ id, name }) => ({ value: id, label: name }))}
          value={templates.value}
          onChange={(event) => templates.onChoose(event.currentTarget.value)}
        />
      )}
      {chosen && (
        <StepCoupon step={chosen.edit} problems={problems} isReadOnly={isReadOnly} onChange={chosen.onChange} />
      )}
      {children}
      {isMail && design?.link}
      {!isDesigned && (
        <TextFields
          words={words}
          hasSubject={isMail}
          hasTitle={channel === 'push'}
          problems={problems}
          isReadOnly={isReadOnly}
          coupon={coupon === 'always' ? 'always' : coupon && couponUse(coupon.edit)}
          comesAlong={comesAlong}
          isText={!isMail}
          isWithoutCart={isWithoutCart}
          {...(!isMail && { minRows: 5, longest: longestText(channel) })}
          onChange={onWords}
        />
      )}
      {chosen && !isDesigned && <CodeHint step={{ ...chosen.edit, channel, ...words, sms: words.body }} />}
    </>
  )
}
