import { Button, NativeSelect, Stack, Switch, Text, Textarea, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import {
  channelNames,
  type Language,
  type PreferenceChannel,
  type PreferenceReason,
  type PreferencesView,
  preferenceReasons,
} from '../../shared/preferences.ts'
import { Notice } from '../ui/Notice.tsx'
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
  const words = shopperCopy[language]
  const wording = view.wordings[language]
  const [changed, setChanged] = useState<Decision['channels']>({})
  const [isPushOff, setPushOff] = useState(false)
  const [why, setWhy] = useState<Pick<Decision, 'reason' | 'note'>>({ reason: null, note: '' })
  const [outcome, setOutcome] = useState<'saved' | 'nothingChanged' | 'stopped' | null>(null)
  const isOn = (channel: PreferenceChannel, now: boolean) => changed[channel] ?? now
  const isLeaving = isPushOff || view.channels.some((each) => each.isOn && !isOn(each.channel, each.isOn))
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
          <legend>{words.channels}</legend>
          {view.channels.map((each) => (
            <div key={each.channel} className="preference">
              <Switch
                label={channelNames[language][each.channel]}
                description={<About each={each} sentence={wording[each.channel]} words={words} />}
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
              words={words}
              isOff={isPushOff}
              onChange={(isOff) => {
                setOutcome(null)
                setPushOff(isOff)
              }}
            />
          )}
        </fieldset>
        {isLeaving && <Why words={words} why={why} onChange={setWhy} />}
        {error && (
          <Notice tone="bad" isLive>
            {error}
          </Notice>
        )}
        {outcome && !error && (
          <Notice tone="good" isLive>
            {words[outcome]}
          </Notice>
        )}
        <Button type="submit" size="md" loading={isSaving}>
          {words.save}
        </Button>
        <div>
          <Button type="button" variant="default" fullWidth loading={isSaving} onClick={() => void decide(true)}>
            {words.stopAll}
          </Button>
          <Text fz="sm" c="dimmed" mt={6} ta="center">
            {words.stopAllHint}
          </Text>
        </div>
      </Stack>
    </form>
  )
}

interface BrowsersProps {
  count: number
  words: ShopperCopy
  isOff: boolean
  onChange: (isOff: boolean) => void
}

/** Can only be switched off: browsers grant permission on the shop's pages. */
const Browsers = ({ count, words, isOff, onChange }: BrowsersProps) => (
  <div className="preference">
    <Switch
      label={words.push}
      description={[words.pushAbout, words.pushIn(count), words.pushAgain].map((each) => (
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
  words: ShopperCopy
}

function About({ each, sentence, words }: AboutProps) {
  return (
    <>
      <span style={{ display: 'block' }}>{sentence}</span>
      <span style={{ display: 'block', marginTop: 2 }}>
        {words.to}: {each.address}
      </span>
      {each.isPending && <strong style={{ display: 'block', marginTop: 2 }}>{words.pending}</strong>}
      {each.lock && <strong style={{ display: 'block', marginTop: 2 }}>{words.lock[each.lock]}</strong>}
    </>
  )
}

interface WhyProps {
  words: ShopperCopy
  why: Pick<Decision, 'reason' | 'note'>
  onChange: (why: Pick<Decision, 'reason' | 'note'>) => void
}

function Why({ words, why, onChange }: WhyProps) {
  return (
    <Stack gap="sm">
      <NativeSelect
        label={words.why}
        value={why.reason ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...why, reason: preferenceReasons.find((reason) => reason === value) ?? null })
        }
        data={[
          { value: '', label: words.whyNone },
          ...preferenceReasons.map((value) => ({ value, label: words.reasons[value] })),
        ]}
      />
      <Textarea
        label={words.note}
        description={words.noteHint}
        autosize
        minRows={2}
        maxLength={500}
        value={why.note}
        onChange={({ currentTarget: { value } }) => onChange({ ...why, note: value })}
      />
    </Stack>
  )
}
