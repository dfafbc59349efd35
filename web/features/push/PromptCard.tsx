import { NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { PushPrompt } from '../../../shared/delivery/push.ts'
import { type BarSettings, makeBar } from '../../../shared/delivery/push-bar.ts'
import { focusFirstError } from '../../core/ui/focusFirstError.ts'
import { SaveBar } from '../../core/ui/SaveBar.tsx'
import { Outcome, Section } from './parts.tsx'
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

interface Props {
  storeUrl: string
  storeName: string
  prompt: PushPrompt
  isFixed: boolean
}

/** Settings of the prompt bar: texts, colors, timing; with a live preview (decision 76). */
export function PromptCard({ storeUrl, storeName, prompt, isFixed }: Props) {
  const [base, setBase] = useState(prompt)
  const [form, setForm] = useState(prompt)
  const [result, setResult] = useState<PushActionResult | null>(null)
  const save = useSavePrompt()
  const problems = checkPrompt(form)
  const isDirty = JSON.stringify(form) !== JSON.stringify(base)
  const change = (part: Partial<PushPrompt>) => setForm((before) => ({ ...before, ...part }))
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (Object.keys(problems).length > 0) return focusFirstError()
    save.mutate(
      { storeUrl, prompt: form },
      {
        onSuccess: () => {
          setBase(form)
          setResult(succeeded('Prompt saved successfully'))
        },
        onError: (error) => setResult(toFailure(error)),
      },
    )
  }
  const fields = { form, change, problems, isFixed }
  return (
    <Section
      id="prompt"
      title="Permission prompt"
      text="Shown to shoppers with items in the cart, once every 30 days. If they accept, the browser asks too."
    >
      <Preview bar={buildBar(form, storeName)} />
      <form onSubmit={submit} noValidate className="push-fields">
        <BarTexts {...fields} />
        <BarPlace {...fields} />
        <BarColours {...fields} />
        <SaveBar
          isStanding
          saveLabel="Save prompt"
          isDirty={isDirty}
          isSaving={save.isPending}
          isDisabled={isFixed || storeUrl.trim() === ''}
          problem={result && !result.isGood && <Outcome result={result} />}
          done={result?.isGood && <Outcome result={result} />}
          onSave={submit}
          onDiscard={() => {
            setResult(null)
            setForm(base)
          }}
        />
      </form>
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
        description="{store} is replaced by your store’s name"
        autosize
        minRows={2}
        maxLength={300}
        {...field('text')}
      />
      <div className="push-pair">
        <TextInput label="Accept button" maxLength={30} {...field('accept')} />
        <TextInput label="Decline button" maxLength={30} {...field('decline')} />
      </div>
    </>
  )
}

const SECOND_MS = 1_000

function BarPlace({ form, change, isFixed }: PartProps) {
  return (
    <div className="push-pair">
      <NumberInput
        label="Delay (seconds)"
        description="After the page opens, 0 to 600"
        min={0}
        max={600}
        clampBehavior="strict"
        value={form.delayMs / SECOND_MS}
        disabled={isFixed}
        onChange={(seconds) => change({ delayMs: Math.round(Number(seconds) * SECOND_MS) })}
      />
      <NativeSelect
        label="Position"
        description="On your shop’s pages"
        data={[
          { value: 'bottom', label: 'Bottom of the page' },
          { value: 'top', label: 'Top of the page' },
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
  <div className="push-colours">
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
    <section className="push-preview" aria-label="Preview of the prompt">
      <div ref={place} inert />
    </section>
  )
}
