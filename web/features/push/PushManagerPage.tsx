import './push.css'
import { Button, NativeSelect, NumberInput, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { PushPrompt } from '../../../shared/delivery/push.ts'
import { DEFAULT_PROMPT, DEFAULT_PUSH } from '../../../shared/delivery/push.ts'
import { type BarSettings, makeBar } from '../../../shared/delivery/push-bar.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { focusFirstError } from '../../core/ui/focusFirstError.ts'
import { useLeaveGuard } from '../../core/ui/useLeaveGuard.tsx'
import { customerFigures, Figures } from './Figures.tsx'
import { PushScreen } from './PushScreen.tsx'
import { NoStore, NotAllowed, Outcome, Section } from './parts.tsx'
import type { PushSetup } from './queries.ts'
import { useSavePrompt } from './queries.ts'
import {
  checkPrompt,
  colourFields,
  type PromptProblems,
  type PushActionResult,
  succeeded,
  toFailure,
  toPickerColour,
} from './rules.ts'
import { LiveCheck } from './Seen.tsx'
import { SettingsCard } from './SettingsCard.tsx'
import { SetupSteps, StoreCard } from './StoreCard.tsx'
import { TestCard } from './TestCard.tsx'

/** A 2.9. */
export const PushManagerPage = () => (
  <PushScreen
    title="Push Notification Manager"
    text="Remind shoppers of their cart in their browser"
    other={{ to: '/push-setup', label: 'Integration' }}
  >
    {(setup, storeId) => <Cards setup={setup} {...(storeId && { storeId })} />}
  </PushScreen>
)

function Cards({ setup, storeId }: { setup: PushSetup | null; storeId?: string }) {
  const mayChange = useHasPermission('flows:write')
  const [storeUrl, setStoreUrl] = useState(setup?.storeUrl ?? '')
  const settings = setup?.settings ?? DEFAULT_PUSH
  const [content, setContent] = useState<{ title: string; body: string }>({
    title: settings.title,
    body: settings.body,
  })
  const isFixed = !setup || !mayChange
  return (
    <Stack gap="md" maw={860}>
      {!setup && <NoStore />}
      {setup && !mayChange && <NotAllowed />}
      <StoreCard storeUrl={storeUrl} onStoreUrl={setStoreUrl} setup={setup} isFixed={isFixed} />
      <SetupSteps />
      {setup && (
        <Section id="seen" title="Live check">
          <LiveCheck places={setup.seen} />
        </Section>
      )}
      <SettingsCard storeUrl={storeUrl} settings={settings} isFixed={isFixed} onContent={setContent} />
      <PromptCard
        storeUrl={storeUrl}
        storeName={setup?.storeName ?? 'Your store'}
        prompt={setup?.prompt ?? DEFAULT_PROMPT}
        isFixed={isFixed}
      />
      <Section id="stats" title="Store statistics">
        <Figures storeId={storeId ?? null} figures={customerFigures} isDisabled={storeUrl.trim() === ''} />
      </Section>
      <TestCard storeUrl={storeUrl} setup={setup} content={content} isFixed={isFixed} />
    </Stack>
  )
}

interface Props {
  storeUrl: string
  storeName: string
  prompt: PushPrompt
  isFixed: boolean
}

/** Settings of the prompt bar: texts, colors, timing; with a live preview (decision 76). */
function PromptCard({ storeUrl, storeName, prompt, isFixed }: Props) {
  const [base, setBase] = useState(prompt)
  const [form, setForm] = useState(prompt)
  const [result, setResult] = useState<PushActionResult | null>(null)
  const save = useSavePrompt()
  const problems = checkPrompt(form)
  const isDirty = JSON.stringify(form) !== JSON.stringify(base)
  const { question } = useLeaveGuard(isDirty)
  const change = (part: Partial<PushPrompt>) => setForm((before) => ({ ...before, ...part }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (Object.keys(problems).length > 0) return focusFirstError()
    save.mutate(
      { storeUrl, prompt: form },
      {
        onSuccess: () => {
          setBase(form)
          setResult(succeeded('Bar saved successfully'))
        },
        onError: (error) => setResult(toFailure(error)),
      },
    )
  }
  const fields = { form, change, problems, isFixed }
  return (
    <Section
      id="prompt"
      title="The bar that asks"
      text="Shoppers with something in the cart see it before the browser asks them, once in 30 days. The browser’s own question comes when they press the first button."
    >
      <form onSubmit={submit} noValidate>
        <div className="push-section" style={{ marginTop: 0 }}>
          <BarTexts {...fields} />
          <BarPlace {...fields} />
          <BarColours {...fields} />
          <Preview bar={buildBar(form, storeName)} />
          <div className="push-ways">
            <Button type="submit" loading={save.isPending} disabled={isFixed || storeUrl.trim() === ''}>
              Save bar
            </Button>
          </div>
        </div>
      </form>
      <Outcome result={result} />
      {question}
    </Section>
  )
}

interface PartProps {
  form: PushPrompt
  change: (part: Partial<PushPrompt>) => void
  problems: PromptProblems
  isFixed: boolean
}

function BarTexts({ form, change, problems, isFixed }: PartProps) {
  const field = (name: 'title' | 'text' | 'accept' | 'decline') => ({
    value: form[name],
    error: problems[name],
    disabled: isFixed,
    onChange: (event: { currentTarget: { value: string } }) => change({ [name]: event.currentTarget.value }),
  })
  return (
    <>
      <TextInput label="Headline" maxLength={80} {...field('title')} />
      <Textarea
        label="Text"
        description="{store} becomes the name of your store"
        autosize
        minRows={2}
        maxLength={300}
        {...field('text')}
      />
      <div className="push-pair">
        <TextInput label="Button that says yes" maxLength={30} {...field('accept')} />
        <TextInput label="Button that says no" maxLength={30} {...field('decline')} />
      </div>
    </>
  )
}

const SECOND_MS = 1_000

function BarPlace({ form, change, isFixed }: PartProps) {
  return (
    <div className="push-pair">
      <NumberInput
        label="Seconds before it comes"
        description="After the page was opened, 0 to 600"
        min={0}
        max={600}
        clampBehavior="strict"
        value={form.delayMs / SECOND_MS}
        disabled={isFixed}
        onChange={(seconds) => change({ delayMs: Math.round(Number(seconds) * SECOND_MS) })}
      />
      <NativeSelect
        label="Place"
        data={[
          { value: 'bottom', label: 'At the bottom of the page' },
          { value: 'top', label: 'At the top of the page' },
        ]}
        value={form.place}
        disabled={isFixed}
        onChange={(event) => change({ place: event.currentTarget.value as PushPrompt['place'] })}
      />
    </div>
  )
}

const colourLabels = {
  background: 'Background color',
  color: 'Text color',
  button: 'Button color',
  buttonColor: 'Button text color',
} as const

const BarColours = ({ form, change, problems, isFixed }: PartProps) => (
  <div className="push-pair">
    {colourFields.map((name) => (
      <TextInput
        key={name}
        label={colourLabels[name]}
        spellCheck={false}
        autoComplete="off"
        value={form[name]}
        error={problems[name]}
        disabled={isFixed}
        onChange={(event) => change({ [name]: event.currentTarget.value.trim().toLowerCase() })}
        leftSection={
          <input
            type="color"
            className="push-swatch"
            aria-label={`Pick the ${colourLabels[name].toLowerCase()}`}
            value={toPickerColour(form[name])}
            disabled={isFixed}
            onChange={(event) => change({ [name]: event.currentTarget.value })}
          />
        }
        leftSectionPointerEvents="all"
        leftSectionWidth={44}
      />
    ))}
  </div>
)

/** An incomplete color keeps the last valid one. */
const buildBar = (form: PushPrompt, storeName: string): BarSettings => ({
  ...form,
  ...Object.fromEntries(colourFields.map((name) => [name, toPickerColour(form[name])])),
  title: form.title.replaceAll('{store}', storeName),
  text: form.text.replaceAll('{store}', storeName),
})

const doNothing = () => {}

/** The bar as shops show it, drawn by the same code. */
function Preview({ bar }: { bar: BarSettings }) {
  const place = useRef<HTMLDivElement>(null)
  const drawn = JSON.stringify(bar)
  useEffect(() => {
    const bar = makeBar(JSON.parse(drawn) as BarSettings, { accept: doNothing, decline: doNothing }, true)
    place.current?.replaceChildren(bar)
  }, [drawn])
  return (
    <section className="push-preview" aria-label="Preview of the bar">
      <div ref={place} inert />
    </section>
  )
}
