import { NativeSelect, NumberInput, Switch, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import {
  type PushFrequency,
  type PushSettings,
  pushFrequencies,
  pushLimits,
  pushTexts,
} from '../../../shared/delivery/push.ts'
import { SaveBar } from '../../core/ui/SaveBar.tsx'
import { Outcome, Section } from './parts.tsx'
import { useGenerateKeys, useSavePush } from './queries.ts'
import {
  frequencyLabels,
  type NotificationText,
  type PushActionResult,
  parseDelay,
  parseMaximum,
  succeeded,
  toFailure,
} from './rules.ts'

interface Props {
  storeUrl: string
  settings: PushSettings
  hasKeys: boolean
  isFixed: boolean
  /** Preview and test use the unsaved texts. */
  onContent: (content: NotificationText) => void
  preview: ReactNode
  children: ReactNode
}

/** When notifications are sent, how many, and their content (A 2.9, 4.5, 5, 9). */
export function SettingsCard({ storeUrl, settings, hasKeys, isFixed, onContent, preview, children }: Props) {
  const { form, change, isDirty, took, discard } = useTyped(settings, onContent)
  const { isSaving, save } = useSaveWithKeys(storeUrl, hasKeys)
  const [result, setResult] = useState<PushActionResult | null>(null)
  const submit = async (event?: FormEvent) => {
    event?.preventDefault()
    const tidied = { ...form, delay: parseDelay(form.delay), maxNotifications: parseMaximum(form.maxNotifications) }
    change(tidied)
    setResult(
      await save(tidied).then(
        () => {
          took(tidied)
          return succeeded(pushTexts.settingsSaved)
        },
        (error: Error) => toFailure(error),
      ),
    )
  }
  return (
    <Section
      id="settings"
      title="Notification settings"
      text="Sent to shoppers who allowed notifications and abandoned a cart. Your flow keeps running; the frequency cap covers both."
    >
      <div className="push-columns">
        {preview}
        <form onSubmit={submit} className="push-fields">
          <Switch
            label="Enable push notifications"
            checked={form.enabled}
            disabled={isFixed}
            onChange={(event) => change({ enabled: event.currentTarget.checked })}
          />
          <DefaultTexts form={form} change={change} isFixed={isFixed} />
          <Timing form={form} change={change} isFixed={isFixed} />
          <SaveBar
            isStanding
            saveLabel="Save settings"
            isDirty={isDirty}
            isSaving={isSaving}
            isDisabled={isFixed || storeUrl.trim() === ''}
            problem={result && !result.isGood && <Outcome result={result} />}
            done={result?.isGood && <Outcome result={result} />}
            onSave={submit}
            onDiscard={() => {
              setResult(null)
              discard()
            }}
          />
        </form>
      </div>
      {children}
    </Section>
  )
}

/** Notifications need a key pair. Switching them on makes it, so an owner with the plugin never sees keys. */
function useSaveWithKeys(storeUrl: string, hasKeys: boolean) {
  const push = useSavePush()
  const keys = useGenerateKeys()
  return {
    isSaving: push.isPending || keys.isPending,
    save: async (settings: PushSettings) => {
      if (settings.enabled && !hasKeys) await keys.mutateAsync({ storeUrl })
      await push.mutateAsync({ storeUrl, settings })
    },
  }
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
  return { form, change, isDirty, took: setBase, discard: () => change(base) }
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
        description="When the first notification is sent"
        data={pushFrequencies.map((value) => ({ value, label: frequencyLabels[value] }))}
        value={form.frequency}
        disabled={isFixed}
        onChange={(event) => change({ frequency: event.currentTarget.value as PushFrequency })}
      />
      {form.frequency === 'custom' && (
        <NumberInput
          label="Custom delay (minutes)"
          description={`0 to ${pushLimits.delayMinutes.toLocaleString('en-US')}, never before the cart is abandoned`}
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
        description={`1 to ${pushLimits.notifications} per cart, at least 6 hours apart`}
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
        description="Variables such as {{ cart_items }} work. Notifications never contain the customer’s name."
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
