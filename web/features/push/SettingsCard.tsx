import { Button, NativeSelect, NumberInput, Switch, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import {
  type PushFrequency,
  type PushSettings,
  pushFrequencies,
  pushLimits,
  pushTexts,
} from '../../../shared/delivery/push.ts'
import { useLeaveGuard } from '../../core/ui/useLeaveGuard.tsx'
import { Outcome, Section } from './parts.tsx'
import { useSavePush } from './queries.ts'
import { frequencyLabels, type PushActionResult, parseDelay, parseMaximum, succeeded, toFailure } from './rules.ts'

interface Props {
  storeUrl: string
  settings: PushSettings
  isFixed: boolean
  /** A test uses the unsaved values. */
  onContent: (content: { title: string; body: string }) => void
}

/** When notifications are sent, how many, and their content (A 2.9, 4.5, 5, 9). */
export function SettingsCard({ storeUrl, settings, isFixed, onContent }: Props) {
  const { form, change, isDirty, took } = useTyped(settings, onContent)
  const save = useSavePush()
  const [result, setResult] = useState<PushActionResult | null>(null)
  const { question } = useLeaveGuard(isDirty)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const tidied = { ...form, delay: parseDelay(form.delay), maxNotifications: parseMaximum(form.maxNotifications) }
    change(tidied)
    save.mutate(
      { storeUrl, settings: tidied },
      {
        onSuccess: () => {
          took(tidied)
          setResult(succeeded(pushTexts.settingsSaved))
        },
        onError: (error) => setResult(toFailure(error)),
      },
    )
  }
  return (
    <Section
      id="settings"
      title="Notification settings"
      text="To shoppers who left something in the cart and have allowed notifications. The flow of the cart goes on beside it, and the limits on messages per person count for both."
    >
      <form onSubmit={submit}>
        <div className="push-section" style={{ marginTop: 0 }}>
          <Switch
            label="Enable push notifications"
            checked={form.enabled}
            disabled={isFixed}
            onChange={(event) => change({ enabled: event.currentTarget.checked })}
          />
          <Timing form={form} change={change} isFixed={isFixed} />
          <DefaultTexts form={form} change={change} isFixed={isFixed} />
          <div className="push-ways">
            <Button type="submit" loading={save.isPending} disabled={isFixed || storeUrl.trim() === ''}>
              Save settings
            </Button>
          </div>
        </div>
      </form>
      <Outcome result={result} />
      {question}
    </Section>
  )
}

/** Field values. Changes saved elsewhere are taken over until the user edits. */
function useTyped(settings: PushSettings, onContent: Props['onContent']) {
  const [base, setBase] = useState(settings)
  const [form, setForm] = useState(settings)
  const isSame = (one: PushSettings, other: PushSettings) => JSON.stringify(one) === JSON.stringify(other)
  const isDirty = !isSame(form, base)
  if (!isSame(settings, base) && !isDirty) {
    setBase(settings)
    setForm(settings)
  }
  const change = (part: Partial<PushSettings>) => {
    const next = { ...form, ...part }
    setForm(next)
    onContent({ title: next.title, body: next.body })
  }
  return { form, change, isDirty, took: setBase }
}

interface PartProps {
  form: PushSettings
  change: (part: Partial<PushSettings>) => void
  isFixed: boolean
}

function Timing({ form, change, isFixed }: PartProps) {
  return (
    <div className="push-pair">
      <NativeSelect
        label="Frequency"
        data={pushFrequencies.map((value) => ({ value, label: frequencyLabels[value] }))}
        value={form.frequency}
        disabled={isFixed}
        onChange={(event) => change({ frequency: event.currentTarget.value as PushFrequency })}
      />
      {form.frequency === 'custom' && (
        <NumberInput
          label="Custom delay (minutes)"
          description={`0 to ${pushLimits.delayMinutes.toLocaleString('en-US')}, and never before the cart counts as abandoned`}
          min={0}
          max={pushLimits.delayMinutes}
          allowDecimal={false}
          clampBehavior="none"
          value={form.delay}
          disabled={isFixed}
          onChange={(delay) => change({ delay: delay as number })}
          onBlur={() => change({ delay: parseDelay(form.delay) })}
        />
      )}
      <NumberInput
        label="Maximum notifications per customer"
        description={`1 to ${pushLimits.notifications} about one cart, at least 6 hours apart`}
        min={1}
        max={pushLimits.notifications}
        allowDecimal={false}
        clampBehavior="none"
        value={form.maxNotifications}
        disabled={isFixed}
        onChange={(most) => change({ maxNotifications: most as number })}
        onBlur={() => change({ maxNotifications: parseMaximum(form.maxNotifications) })}
      />
    </div>
  )
}

function DefaultTexts({ form, change, isFixed }: PartProps) {
  return (
    <>
      <TextInput
        label="Notification title"
        maxLength={pushLimits.title}
        value={form.title}
        disabled={isFixed}
        onChange={(event) => change({ title: event.currentTarget.value })}
      />
      <Textarea
        label="Notification body"
        description="Variables such as {{ cart_items }} work as in your other messages, except customer_name: notifications name nobody. The picture is the first product’s, and a press leads back to the cart."
        autosize
        minRows={2}
        maxLength={pushLimits.body}
        value={form.body}
        disabled={isFixed}
        onChange={(event) => change({ body: event.currentTarget.value })}
      />
    </>
  )
}
