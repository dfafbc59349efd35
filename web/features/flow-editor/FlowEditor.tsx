import '../../kits/flows/flows.css'
import './flow-editor.css'
import { Anchor, Button, Group, Title, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconArrowBackUp, IconArrowForwardUp, IconPlus } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { DEFAULT_PUSH } from '../../../shared/delivery/push.ts'
import type { SaveEffect } from '../../../shared/marketing/flows.ts'
import { type FlowChannels, type FlowView, flowTexts } from '../../../shared/marketing/flows.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { ApiError } from '../../core/api/api.ts'
import { formatCount } from '../../core/ui/format.ts'
import { NotSaved } from '../../core/ui/NotSaved.tsx'
import { SaveBar } from '../../core/ui/SaveBar.tsx'
import { useReorder } from '../../core/ui/useReorder.ts'
import { useConditionNames } from '../../kits/flows/condition-queries.ts'
import { useFlowEffect, useFlowReport } from '../../kits/flows/queries.ts'
import { PREVIEW_HASH } from '../../kits/flows/rules.ts'
import { useTemplates } from '../campaigns/queries.ts'
import {
  addStep,
  changeStep,
  copyStep,
  createKeys,
  type FlowDraft,
  findPlaceUp,
  moveStep,
  moveStepUp,
  removeStep,
  type StepDraft,
} from './draft.ts'
import { EntryCard, EntryPanel } from './EntryCard.tsx'
import type { ChosenCart } from './Preview.tsx'
import { SidePanel } from './SidePanel.tsx'
import { StepCard } from './StepCard.tsx'
import { StepPanel } from './StepPanel.tsx'
import { buildSaveBody } from './saving.ts'
import type { FlowEdit } from './useFlowEdit.ts'
import { ENTRY, toUnsavedFlow, type UnsavedFlow, useFlowEdit } from './useFlowEdit.ts'

interface Props {
  flow: FlowView
  channels: FlowChannels
  /** Whether the plan includes conditions and variants. */
  isRulesInPlan: boolean
  /** Shown above the flow; `rename` opens the name field, null without permission. */
  head: (rename: (() => void) | null, unsaved: UnsavedFlow | null) => ReactNode
  /** Shown beside the flow while no part is edited; receives whether there are unsaved changes. */
  children: (isEdited: boolean) => ReactNode
}

/** The flow as a column: entry conditions, then messages on a timeline. */
export function FlowEditor({ flow, channels, isRulesInPlan, head, children }: Props) {
  const edit = useFlowEdit(flow, channels)
  const { editing, problems, opened, open } = edit
  const { draft } = editing
  const isReadOnly = !useHasPermission('flows:write')
  const cart = useState<string | null>(null)
  const names = useConditionNames([draft.conditions, ...draft.steps.map(({ conditions }) => conditions)], flow.currency)
  const rulesPlan = isRulesInPlan ? null : flowTexts.rulesPlan
  const [naming, setNaming] = useState(0)
  usePreviewOpened(draft.steps[0]?.key, opened, open)
  const openEntry = (isForName: boolean) => {
    setNaming(isForName ? naming + 1 : 0)
    open(ENTRY)
  }
  return (
    <>
      {head(isReadOnly ? null : () => openEntry(true), toUnsavedFlow(edit))}
      <div className="flow-layout">
        <section className="flow-column" aria-label="Messages">
          <Toolbar edit={edit} isReadOnly={isReadOnly} />
          <EntryCard
            draft={draft}
            names={names}
            isOpen={opened === ENTRY}
            isWrong={problems.name !== undefined || problems.conditions !== undefined}
            isReadOnly={isReadOnly}
            onOpen={() => openEntry(false)}
          />
          <Steps flow={flow} channels={channels} edit={edit} names={names} isReadOnly={isReadOnly} cart={cart[0]} />
        </section>
        <div className="flow-side">
          <OpenedEditor
            flow={flow}
            channels={channels}
            edit={edit}
            rulesPlan={rulesPlan}
            naming={naming}
            isReadOnly={isReadOnly}
            cart={cart}
          />
          {/* Stays mounted behind an open editor panel. */}
          <div className="flow-beside" hidden={edit.isBesideHidden}>
            {children(editing.isDirty)}
          </div>
        </div>
      </div>
      <EditBar flowId={flow.id} edit={edit} isReadOnly={isReadOnly} />
      <output className="visually-hidden">{editing.said}</output>
    </>
  )
}

/** Shows the preview of the first message by default. */
function usePreviewOpened(first: string | undefined, opened: string | null, open: (key: string) => void) {
  const { hash, key } = useLocation()
  const [led, setLed] = useState<string | null>(null)
  const shouldOpenPreview = hash === PREVIEW_HASH && first !== undefined && led !== key
  useEffect(() => {
    if (!shouldOpenPreview) return
    if (opened !== first) return open(first)
    setLed(key)
    document.querySelector('.step-panel, [role=dialog]')?.querySelector('[aria-label=Preview]')?.scrollIntoView()
  }, [shouldOpenPreview, opened, first, key, open])
}

interface OpenedProps extends Pick<Props, 'flow' | 'channels'> {
  edit: Edit
  rulesPlan: string | null
  naming: number
  cart: ChosenCart
  isReadOnly: boolean
}

/** The edited part: entry conditions, or one message. */
function OpenedEditor({ flow, channels, edit, naming, ...more }: OpenedProps) {
  const { editing, problems, opened, close } = edit
  const { draft } = editing
  const place = draft.steps.findIndex(({ key }) => key === opened)
  const step = draft.steps[place]
  if (opened === ENTRY) {
    return (
      <SidePanel title="Which carts" of={ENTRY} onClose={close}>
        <EntryPanel
          {...more}
          draft={draft}
          problems={problems}
          naming={naming}
          currency={flow.currency}
          onChange={(next, what, part) => editing.change({ ...draft, ...next }, named(what, part))}
        />
      </SidePanel>
    )
  }
  if (!step) return null
  const change = (next: Partial<StepDraft>, what: string, part?: string) =>
    editing.change(
      changeStep(draft, step.key, next),
      named(`Message ${place + 1}: ${what.toLowerCase()}`, part && `${step.key} ${part}`),
    )
  return (
    <SidePanel title={`${place + 1}. ${step.name}`} of={step.key} onClose={close}>
      <StepPanel
        {...more}
        key={step.key}
        flowId={flow.id}
        step={step}
        entry={draft.conditions}
        problems={problems.steps.get(step.key) ?? {}}
        channels={channels}
        currency={flow.currency}
        createKey={createKeys(draft)}
        up={findMoveUp(editing, place)}
        onChange={change}
      />
    </SidePanel>
  )
}

/** A message due earlier than those above moves in front of them. */
function findMoveUp({ draft, change }: Edit['editing'], from: number) {
  const { key } = draft.steps[from]!
  const to = findPlaceUp(draft, key)
  if (to === null) return null
  return { place: to + 1, move: () => change(moveStepUp(draft, from, to), { text: describeMove(draft, from, to) }) }
}

const describeMove = ({ steps }: FlowDraft, from: number, to: number) =>
  `Message ${from + 1}, ${steps[from]!.name}, is now number ${to + 1} of ${steps.length}`

const named = (text: string, part: string | undefined) => ({ text, ...(part !== undefined && { part }) })

/** Keeps the focus, so keyboard users do not lose their place at the last step. */
const off = (isOff: boolean) => (isOff ? { 'data-disabled': true, 'aria-disabled': true } : {})

type Edit = ReturnType<typeof useFlowEdit>

function Toolbar({ edit: { editing }, isReadOnly }: { edit: Edit; isReadOnly: boolean }) {
  const { undo, redo, undoable, redoable } = editing
  return (
    <Group justify="space-between" gap="sm" mb="sm">
      <Title order={2}>Messages</Title>
      {!isReadOnly && (
        <Group gap={4}>
          <Tooltip label={undoable ? `Undo: ${undoable}` : 'Nothing to undo'}>
            <Button variant="default" size="compact-sm" aria-label="Undo" {...off(!undoable)} onClick={undo}>
              <IconArrowBackUp size={16} aria-hidden />
            </Button>
          </Tooltip>
          <Tooltip label={redoable ? `Redo: ${redoable}` : 'Nothing to redo'}>
            <Button variant="default" size="compact-sm" aria-label="Redo" {...off(!redoable)} onClick={redo}>
              <IconArrowForwardUp size={16} aria-hidden />
            </Button>
          </Tooltip>
        </Group>
      )}
    </Group>
  )
}

/** The report uses the same query; it is fetched once. */
const CARD_DAYS = 30

interface StepsProps extends Pick<Props, 'flow' | 'channels'> {
  edit: Edit
  names: ReturnType<typeof useConditionNames>
  cart: string | null
  isReadOnly: boolean
}

function Steps({ flow, channels, edit, names, cart, isReadOnly }: StepsProps) {
  const { editing, problems, opened, open } = edit
  const { draft } = editing
  const { steps } = draft
  const ready = useReadyStep()
  const figures = useFlowReport(flow.id, CARD_DAYS).data?.steps ?? []
  const isFull = steps.length >= MOST_STEPS
  const { handleOf, itemOf } = useReorder(
    steps.map(({ key }) => key),
    (from, to) => editing.change(moveStep(draft, from, to), { text: describeMove(draft, from, to) }),
  )
  const add = (step: Omit<StepDraft, 'delayMinutes'>, after: string | null, text: string) => {
    editing.change(addStep(draft, step, after), { text })
    open(step.key)
  }
  return (
    <>
      <span id="reorder-hint" hidden>
        Drag it, or use the arrow keys.
      </span>
      <ol className="flow-steps" aria-label="Messages in their order">
        {steps.map((step, index) => (
          <StepCard
            key={step.key}
            flowId={flow.id}
            step={step}
            outcome={flow.isOn && step.id !== null ? 'done' : 'ahead'}
            entry={draft.conditions}
            place={index + 1}
            before={steps[index - 1]}
            cart={cart}
            approved={channels.whatsapp.template}
            names={names}
            isOpen={opened === step.key}
            isWrong={problems.steps.has(step.key)}
            isReadOnly={isReadOnly}
            isFull={isFull}
            figures={figures.find(({ stepId }) => stepId === step.id) ?? null}
            item={itemOf(step.key)}
            handle={handleOf(step.key)}
            onOpen={() => open(step.key)}
            onCopy={() => add(copyStep(step, createKeys(draft)), step.key, `Message ${index + 1} copied`)}
            onRemove={() =>
              editing.change(removeStep(draft, step.key), { text: `Message ${index + 1}, ${step.name}, removed` })
            }
          />
        ))}
      </ol>
      {!isReadOnly && (
        <Button
          className="add-step"
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          disabled={isFull}
          onClick={() => add(ready(createKeys(draft), steps.length), null, 'Message added')}
        >
          {isFull ? `A flow has at most ${MOST_STEPS} messages` : 'Add a message'}
        </Button>
      )}
    </>
  )
}

/** Initial content of an added message: a plain reminder. */
function useReadyStep() {
  const templates = useTemplates().data
  return (createKey: () => string, place: number): Omit<StepDraft, 'delayMinutes'> => {
    const texts = {
      email: templates?.flow[place === 0 ? 'first' : 'others'] ?? { subject: '', body: '' },
      sms: { body: templates?.sms ?? '' },
      push: { title: DEFAULT_PUSH.title, body: DEFAULT_PUSH.body },
    }
    return {
      key: createKey(),
      id: null,
      name: 'New message',
      channels: ['email'],
      conditions: null,
      coupon: null,
      couponShown: null,
      variants: [{ key: createKey(), id: null, name: null, sharePercent: 100, words: texts }],
      variantsSoFar: 0,
    }
  }
}

/** The server check is debounced. */
const PAUSE_MS = 800

/** Saves, and first shows the effect on scheduled messages: the server saves in a transaction and rolls back. */
function EditBar({ flowId, edit, isReadOnly }: { flowId: string; edit: FlowEdit; isReadOnly: boolean }) {
  const { editing, save, isValid, submit, discard } = edit
  const { isDirty, draft, stored } = editing
  const canCheck = isDirty && isValid && !isReadOnly
  const body = canCheck ? JSON.stringify(buildSaveBody(draft, stored)) : null
  const [debounced] = useDebouncedValue(body, PAUSE_MS)
  const effect = useFlowEffect(flowId, body === null ? null : debounced)
  const isKnown = debounced === body && effect.data !== undefined && !effect.isPlaceholderData
  const isOfPlan = save.error instanceof ApiError && save.error.code === 'plan_required'
  return (
    <SaveBar
      isDirty={isDirty}
      isSaving={save.isPending}
      isDisabled={isReadOnly}
      problem={
        save.error && (
          <NotSaved>
            {save.error.message} {isOfPlan && <SeePlans />}
          </NotSaved>
        )
      }
      note={isKnown ? describeEffect(effect.data!.effect) : null}
      onSave={() => submit()}
      onDiscard={discard}
    />
  )
}

const SeePlans = () => (
  <Anchor component={Link} to="/pricing" inherit underline="always">
    See plans
  </Anchor>
)

// Describes what a save does to scheduled messages. Pure.

/** "14 messages move, 3 are cancelled". */
export function describeEffect(effect: SaveEffect): string {
  const { moved, dueNow, overtaken, cancelled, added, tooLate, changed } = effect
  const parts: [count: number, one: string, many: string][] = [
    [moved, 'moves', 'move'],
    [cancelled, 'is cancelled', 'are cancelled'],
    [added, 'is added', 'are added'],
    [changed, 'changes', 'change'],
  ]
  const nonEmptyParts = parts.filter(([count]) => count > 0)
  if (nonEmptyParts.length === 0 && tooLate === 0 && overtaken === 0) return 'No planned message is affected'
  const sentence = nonEmptyParts
    .map(([count, one, many], index) => {
      const noun = index > 0 ? '' : count === 1 ? ' message' : ' messages'
      return `${formatCount(count)}${noun} ${count === 1 ? one : many}`
    })
    .join(', ')
  return [
    sentence,
    dueNow > 0 &&
      `${formatCount(dueNow)} of them ${dueNow === 1 ? 'is' : 'are'} due at once, as the new time has passed`,
    overtaken > 0 &&
      `${formatCount(overtaken)} ${overtaken === 1 ? 'message is' : 'messages are'} not sent, as a later one was sent or is due`,
    tooLate > 0 && `${formatCount(tooLate)} ${tooLate === 1 ? 'cart is' : 'carts are'} too late for an added message`,
  ]
    .filter(Boolean)
    .join('. ')
}

const MOST_STEPS = 20
