import './flows.css'
import { Anchor, Box, Card, Grid, Text, Title } from '@mantine/core'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import type { FlowChannels, FlowView } from '../../shared/flows.ts'
import { useDraft } from '../access/drafts.ts'
import { useMay } from '../access/queries.ts'
import { ApiError } from '../api.ts'
import { announce } from '../ui/announce.ts'
import { useNow } from '../ui/clock.ts'
import { focusFirstError } from '../ui/focusFirstError.ts'
import { formatMinutes } from '../ui/format.ts'
import { NotSaved } from '../ui/NotSaved.tsx'
import { SaveBar } from '../ui/SaveBar.tsx'
import { tabNote } from '../words/step-coupon.ts'
import { useSaveFlow } from './queries.ts'
import {
  channelNames,
  checkSteps,
  couponOf,
  editOf,
  isSameEdit,
  refusedSteps,
  type StepEdit,
  type StepProblems,
  savedInFlow,
  savedStep,
  stepTitle,
} from './rules.ts'
import { StepEditor } from './StepEditor.tsx'

/** The steps, one of them open with its preview beside it. Counts refresh behind; what is typed stays. */
export function FlowEditor({ flow, channels }: { flow: FlowView; channels: FlowChannels }) {
  const { steps, current, problems, save, isDirty, choose, change, discard, submit } = useFlowEdit(flow, channels)
  const mayWrite = useMay('flows:write')
  const cart = useState<string | null>(null)
  if (!current) return null
  return (
    <>
      <Card>
        <Title order={2} mb={4}>
          Messages
        </Title>
        <Text fz="sm" c="dimmed" mb="md">
          Delays count from the shopper’s last activity. Changes apply to every message not yet sent.
        </Text>
        <StepTabs flow={flow} steps={steps} chosen={current.step} wrong={[...problems.keys()]} onChoose={choose} />
        <Box mt="lg" role="tabpanel" id="step-panel" aria-label={stepTitle(flow, current.step)}>
          <StepEditor
            key={current.step}
            flowId={flow.id}
            step={current}
            problems={problems.get(current.step) ?? {}}
            channels={channels}
            cart={cart}
            isReadOnly={!mayWrite}
            onChange={change}
          />
        </Box>
      </Card>
      <SaveBar
        isDirty={isDirty}
        isSaving={save.isPending}
        isDisabled={!mayWrite}
        problem={save.error && <Refused error={save.error} />}
        onSave={submit}
        onDiscard={discard}
      />
    </>
  )
}

/** With the way to a larger plan, where that has it. */
function Refused({ error }: { error: Error }) {
  return (
    <NotSaved>
      {error.message}
      {error instanceof ApiError && error.code === 'plan_required' && (
        <>
          {' '}
          <Anchor component={Link} to="/pricing" inherit underline="always">
            See the plans
          </Anchor>
        </>
      )}
    </NotSaved>
  )
}

function useFlowEdit(flow: FlowView, channels: FlowChannels) {
  const [edit, setEdit] = useState<StepEdit[] | null>(null)
  const [chosen, choose] = useState(flow.steps[0]?.step ?? 1)
  const [isChecked, setChecked] = useState(false)
  const save = useSaveFlow(flow.id)
  useDraft(`flow:${flow.id}`, edit, setEdit)
  const stored = editOf(flow.steps)
  const steps = edit ?? stored
  const found = checkSteps(steps, { minDelayMinutes: flow.minDelayMinutes, stored, channels })
  const current = steps.find(({ step }) => step === chosen) ?? steps[0]
  const change = (next: Partial<StepEdit>) => {
    const changed = steps.map((step) => (step === current ? { ...step, ...next } : step))
    setEdit(isSameEdit(changed, stored) ? null : changed)
  }
  const discard = () => {
    setEdit(null)
    setChecked(false)
    save.reset()
  }
  const onSuccess = () => {
    discard()
    announce('Flow saved')
  }
  const leadTo = useLead(chosen, choose)
  const submit = () => {
    setChecked(true)
    if (found.size > 0) {
      leadTo([...found.keys()])
      return
    }
    const wanted = steps.map((step) => savedInFlow(flow, savedStep(step, stored)))
    const onError = (error: Error) => leadTo([...refusedBy(error, steps).keys()])
    save.mutate({ name: flow.name, steps: wanted }, { onSuccess, onError })
  }
  // Nobody is told of mistakes while still typing for the first time.
  const problems: typeof found = isChecked && found.size > 0 ? found : refusedBy(save.error, steps)
  return { steps, current, problems, save, isDirty: edit !== null, choose, change, discard, submit }
}

/** To the first of these steps, and its first field that something is wrong with. */
function useLead(chosen: number, choose: (step: number) => void) {
  const [wanted, want] = useState<number | null>(null)
  useEffect(() => {
    if (wanted === null) return
    if (chosen !== wanted) return choose(wanted)
    want(null)
    focusFirstError()
  }, [wanted, chosen, choose])
  return ([first]: number[]) => first !== undefined && want(first)
}

const refusedBy = (error: Error | null, steps: StepEdit[]): Map<number, StepProblems> =>
  refusedSteps(error instanceof ApiError ? error.fields : {}, steps)

interface TabsProps {
  flow: FlowView
  steps: StepEdit[]
  chosen: number
  wrong: number[]
  onChoose: (step: number) => void
}

const MINUTE_MS = 60_000

/** Arrow keys move between the steps, as in every tab list. */
function StepTabs({ flow, steps, chosen, wrong, onChoose }: TabsProps) {
  const list = useRef<HTMLDivElement>(null)
  const now = useNow(MINUTE_MS)
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (!by) return
    event.preventDefault()
    const index = steps.findIndex(({ step }) => step === chosen)
    const next = (index + by + steps.length) % steps.length
    onChoose(steps[next]!.step)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }
  return (
    <Grid gap="sm" role="tablist" aria-label="Messages of the flow" ref={list} onKeyDown={move}>
      {steps.map((each) => (
        <Grid.Col key={each.step} span={{ base: 12, sm: 'auto' }} role="presentation">
          <button
            type="button"
            role="tab"
            aria-selected={each.step === chosen}
            aria-controls="step-panel"
            tabIndex={each.step === chosen ? 0 : -1}
            className="step-tab"
            onClick={() => onChoose(each.step)}
          >
            <Text fw={600} fz="sm">
              {each.step}. {stepTitle(flow, each.step)}
            </Text>
            <Text fz="xs" c={wrong.includes(each.step) ? 'var(--rc-bad)' : 'dimmed'}>
              {wrong.includes(each.step) ? 'Needs a correction' : summaryOf(each, now)}
            </Text>
          </button>
        </Grid.Col>
      ))}
    </Grid>
  )
}

/** "Email after 1 hour · SUMMER10" */
function summaryOf(step: StepEdit, now: number): string {
  const { channel, delayMinutes } = step
  const when = Number.isNaN(delayMinutes) ? '–' : `${channelNames[channel]} after ${formatMinutes(delayMinutes)}`
  const coupon = couponOf(step) && tabNote(step, now)
  return coupon ? `${when} · ${coupon}` : when
}
