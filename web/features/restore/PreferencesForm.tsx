import { Button, NativeSelect, Stack, Switch, Text, Textarea, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import {
  channelNames,
  type Language,
  type PreferenceChannel,
  type PreferenceReason,
  type PreferencesView,
  preferenceReasons,
} from '../../../shared/delivery/preferences.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { type ShopperCopy, shopperCopy } from './copy.ts'

export interface Decision {
  channels: Partial<Record<PreferenceChannel, boolean>>
  isPushOff: boolean
  isStopAll: boolean
  reason: PreferenceReason | null
  note: string
}

interface Props {
  view: PreferencesView
  language: Language
  isSaving: boolean
  error: string | null
  /** Rejects if nothing was saved. */
  onSave: (decision: Decision) => Promise<unknown>
}

/** The form itself, also shown in the owner's preview. */
export function PreferencesForm({ view, language, isSaving, error, onSave }: Props) {
  const copy = shopperCopy[language]
  const wording = view.wordings[language]
  const [changed, setChanged] = useState<Decision['channels']>({})
  const [isPushOff, setPushOff] = useState(false)
  const [why, setWhy] = useState<Pick<Decision, 'reason' | 'note'>>({ reason: null, note: '' })
  const [outcome, setOutcome] = useState<'saved' | 'nothingChanged' | 'stopped' | null>(null)
  const isOn = (channel: PreferenceChannel, now: boolean) => changed[channel] ?? now
  const isUnsubscribing = isPushOff || view.channels.some((each) => each.isOn && !isOn(each.channel, each.isOn))
  const hasChanged = isPushOff || view.channels.some((each) => each.isOn !== isOn(each.channel, each.isOn))
  const decide = async (isStopAll: boolean) => {
    setOutcome(null)
    try {
      await onSave({ channels: isStopAll ? {} : changed, isPushOff, isStopAll, ...why })
    } catch {
      // The error is shown below; the choices stay.
      return
    }
    setChanged({})
    setPushOff(false)
    setWhy({ reason: null, note: '' })
    setOutcome(isStopAll ? 'stopped' : hasChanged ? 'saved' : 'nothingChanged')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void decide(false)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <div>
          <Title order={1}>{wording.headline}</Title>
          <Text mt="xs">{wording.intro}</Text>
        </div>
        <fieldset className="preference-list" disabled={isSaving}>
          <legend>{copy.channels}</legend>
          {view.channels.map((each) => (
            <div key={each.channel} className="preference">
              <Switch
                label={channelNames[language][each.channel]}
                description={<About each={each} sentence={wording[each.channel]} copy={copy} />}
                checked={isOn(each.channel, each.isOn)}
                disabled={each.lock !== null}
                onChange={({ currentTarget: { checked } }) => {
                  setOutcome(null)
                  setChanged((old) => ({ ...old, [each.channel]: checked }))
                }}
              />
            </div>
          ))}
          {view.browsers > 0 && (
            <Browsers
              count={view.browsers}
              copy={copy}
              isOff={isPushOff}
              onChange={(isOff) => {
                setOutcome(null)
                setPushOff(isOff)
              }}
            />
          )}
        </fieldset>
        {isUnsubscribing && <Why copy={copy} why={why} onChange={setWhy} />}
        {error && (
          <Notice tone="bad" isLive>
            {error}
          </Notice>
        )}
        {outcome && !error && (
          <Notice tone="good" isLive>
            {copy[outcome]}
          </Notice>
        )}
        <Button type="submit" size="md" loading={isSaving}>
          {copy.save}
        </Button>
        <div>
          <Button type="button" variant="default" fullWidth loading={isSaving} onClick={() => void decide(true)}>
            {copy.stopAll}
          </Button>
          <Text fz="sm" c="dimmed" mt={6} ta="center">
            {copy.stopAllHint}
          </Text>
        </div>
      </Stack>
    </form>
  )
}

interface BrowsersProps {
  count: number
  copy: ShopperCopy
  isOff: boolean
  onChange: (isOff: boolean) => void
}

/** Can only be switched off: browsers grant permission on the shop's pages. */
const Browsers = ({ count, copy, isOff, onChange }: BrowsersProps) => (
  <div className="preference">
    <Switch
      label={copy.push}
      description={[copy.pushAbout, copy.pushIn(count), copy.pushAgain].map((each) => (
        <span key={each} style={{ display: 'block', marginTop: 2 }}>
          {each}
        </span>
      ))}
      checked={!isOff}
      onChange={({ currentTarget: { checked } }) => onChange(!checked)}
    />
  </div>
)

interface AboutProps {
  each: PreferencesView['channels'][number]
  sentence: string
  copy: ShopperCopy
}

function About({ each, sentence, copy }: AboutProps) {
  return (
    <>
      <span style={{ display: 'block' }}>{sentence}</span>
      <span style={{ display: 'block', marginTop: 2 }}>
        {copy.to}: {each.address}
      </span>
      {each.isPending && <strong style={{ display: 'block', marginTop: 2 }}>{copy.pending}</strong>}
      {each.lock && <strong style={{ display: 'block', marginTop: 2 }}>{copy.lock[each.lock]}</strong>}
    </>
  )
}

interface WhyProps {
  copy: ShopperCopy
  why: Pick<Decision, 'reason' | 'note'>
  onChange: (why: Pick<Decision, 'reason' | 'note'>) => void
}

function Why({ copy, why, onChange }: WhyProps) {
  return (
    <Stack gap="sm">
      <NativeSelect
        label={copy.why}
        value={why.reason ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...why, reason: preferenceReasons.find((reason) => reason === value) ?? null })
        }
        data={[
          { value: '', label: copy.whyNone },
          ...preferenceReasons.map((value) => ({ value, label: copy.reasons[value] })),
        ]}
      />
      <Textarea
        label={copy.note}
        description={copy.noteHint}
        autosize
        minRows={2}
        maxLength={500}
        value={why.note}
        onChange={({ currentTarget: { value } }) => onChange({ ...why, note: value })}
      />
    </Stack>
  )
}
