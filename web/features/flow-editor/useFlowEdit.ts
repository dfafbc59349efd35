import { useEffect, useRef, useState } from 'react'
import type { FlowChannels, FlowStep, FlowView } from '../../../shared/marketing/flows.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { ApiError } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { focusFirstError } from '../../core/ui/focusFirstError.ts'
import { useSaveFlow } from '../../kits/flows/queries.ts'
import type { FlowDraft, StepDraft } from './draft.ts'
import { isSameDraft } from './draft.ts'
import { checkFlow, hasProblems, mapRefusedFields, type Problems } from './problems.ts'
import { useHasSideRoom } from './SidePanel.tsx'
import { buildSaveBody } from './saving.ts'

/** Entry conditions, opened beside the flow instead of a message. */
export const ENTRY = 'entry'

export function useFlowEdit(flow: FlowView, channels: FlowChannels) {
  const editing = useFlowDraft(flow)
  const { draft, stored } = editing
  const [requestedId, setRequestedId] = useState<string | null>(null)
  const [isChecked, setChecked] = useState(false)
  const save = useSaveFlow(flow.id)
  const isBeside = useHasSideRoom()
  const opened = requestedId === ENTRY || draft.steps.some(({ key }) => key === requestedId) ? requestedId : null
  // After a restored draft, reopen the part it belongs to.
  useDraft(`flow:${flow.id}:opened`, editing.isDirty ? opened : null, setRequestedId)
  useUndoKeys(editing)

  const found = checkFlow(draft, { minDelayMinutes: flow.minDelayMinutes, stored, channels })
  const refused = readRefusedFields(save.error, draft)
  // Errors are hidden while the user types for the first time.
  const problems = isChecked && hasProblems(found) ? found : refused
  const { open, close } = useOpening(setRequestedId, opened)
  const leadTo = useFocusProblem(opened, setRequestedId)

  const discard = () => {
    editing.forget()
    setChecked(false)
    save.reset()
  }
  const submit = ({ onSaved = () => announce('Flow saved'), onRefused }: Submitting = {}) => {
    setChecked(true)
    if (hasProblems(found)) {
      onRefused?.()
      leadTo(found)
      return
    }
    save.mutate(buildSaveBody(draft, stored), {
      onSuccess: () => {
        discard()
        onSaved()
      },
      onError: (error) => {
        onRefused?.()
        leadTo(readRefusedFields(error, draft))
      },
    })
  }
  return {
    editing,
    problems,
    /** What blocks saving, shown or not. */
    isValid: !hasProblems(found),
    save,
    submit,
    discard,
    opened,
    open,
    close,
    isBesideHidden: opened !== null && isBeside,
  }
}

interface Submitting {
  /** Shown instead of the confirmation. */
  onSaved?: () => void
  /** Before the first error is shown. */
  onRefused?: () => void
}

/** For actions on the stored flow: they save first. null: nothing to save. */
export function toUnsavedFlow({ editing: { isDirty, draft }, save, submit }: FlowEdit): UnsavedFlow | null {
  if (!isDirty) return null
  const delays = draft.steps.map(({ delayMinutes }) => delayMinutes)
  return { delays, hasConditions: draft.conditions !== null, isSaving: save.isPending, save: submit }
}

export interface UnsavedFlow {
  /** Delay of each message in minutes. */
  delays: readonly number[]
  hasConditions: boolean
  isSaving: boolean
  save: (submitting: Submitting) => void
}

export type FlowEdit = ReturnType<typeof useFlowEdit>

/** Closing returns the focus to the element that opened it. */
function useOpening(setOpened: (opened: string | null) => void, opened: string | null) {
  const opener = useRef<HTMLElement | null>(null)
  return {
    open(what: string) {
      if (opened === null) opener.current = document.activeElement as HTMLElement | null
      setOpened(what)
    },
    close() {
      setOpened(null)
      requestAnimationFrame(() => opener.current?.isConnected && opener.current.focus())
    },
  }
}

/** Opens the first part with an error and focuses its field. */
function useFocusProblem(opened: string | null, setOpened: (opened: string) => void) {
  const [pendingId, setPendingId] = useState<string | null>(null)
  useEffect(() => {
    if (pendingId === null) return
    if (opened !== pendingId) return setOpened(pendingId)
    setPendingId(null)
    focusFirstError(document.querySelector('[role=dialog]') ? '[role=dialog]' : 'main')
  }, [pendingId, opened, setOpened])
  return ({ name, conditions, steps }: Problems) => {
    const [first] = steps.keys()
    if (name !== undefined || conditions !== undefined) setPendingId(ENTRY)
    else if (first !== undefined) setPendingId(first)
  }
}

const readRefusedFields = (error: Error | null, draft: FlowDraft): Problems =>
  mapRefusedFields(error instanceof ApiError ? error.fields : {}, draft)

/** A pause this long starts a new undo entry. */
const PAUSE_MS = 1_000

interface EditedFlow {
  /** The flow when editing began. */
  stored: FlowDraft
  history: History<FlowDraft>
}

/** The edited flow with undo. Background refetches of its figures keep the edits. */
function useFlowDraft(flow: FlowView) {
  const [held, setEdited] = useState<EditedFlow | null>(null)
  const [notice, setNotice] = useState('')
  useDraft(`flow:${flow.id}`, held, setEdited)
  const fresh = toDraft(flow)
  // Without unsaved changes, show the refetched flow.
  const edited = held && isOutdated(held, fresh) ? null : held
  const stored = edited?.stored ?? fresh
  const history = edited?.history ?? startHistory(stored)
  const draft = history.present

  useEffect(() => {
    if (!held) return
    const timer = setTimeout(() => setEdited(pauseTyping), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [held])

  const change = (next: FlowDraft, what: Change) => {
    setEdited({ stored, history: recordChange(history, next, what) })
    if (what.part === undefined) setNotice(what.text)
  }
  const go = (to: History<FlowDraft> | null, text: string | undefined, how: string) => {
    if (!to) return
    setEdited({ stored, history: to })
    setNotice(`${how}: ${text}`)
  }
  return {
    draft,
    stored,
    isDirty: edited !== null && !isSameDraft(draft, stored),
    /** Announces undo and redo to screen readers. */
    said: notice,
    change,
    undo: () => go(undoChange(history), history.past.at(-1)?.change.text, 'Undone'),
    redo: () => go(redoChange(history), history.future.at(-1)?.change.text, 'Redone'),
    undoable: history.past.at(-1)?.change.text ?? null,
    redoable: history.future.at(-1)?.change.text ?? null,
    forget: () => setEdited(null),
  }
}

const isOutdated = ({ stored, history }: EditedFlow, fresh: FlowDraft) =>
  isSameDraft(history.present, stored) && !isSameDraft(stored, fresh)

function pauseTyping(edited: EditedFlow | null): EditedFlow | null {
  const history = edited && endMerge(edited.history)
  return history && history !== edited.history ? { ...edited, history } : edited
}

type FlowEditing = ReturnType<typeof useFlowDraft>

/** Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y. In a text field the browser handles them. */
function useUndoKeys({ undo, redo }: Pick<FlowEditing, 'undo' | 'redo'>): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping(event.target)) return
      const key = event.key.toLowerCase()
      const isRedo = (key === 'z' && event.shiftKey) || key === 'y'
      if (key !== 'z' && !isRedo) return
      event.preventDefault()
      if (isRedo) redo()
      else undo()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [undo, redo])
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type))

// Undo and redo of changes since the last save. Pure.

interface History<Value> {
  present: Value
  /** Undo stack, newest last. */
  past: readonly Entry<Value>[]
  /** Redo stack, newest last. */
  future: readonly Entry<Value>[]
}

interface Entry<Value> {
  /** State before the change; in the redo stack, after it. */
  value: Value
  change: Change
}

interface Change {
  /** Description without a full stop: "Message 2 removed". */
  text: string
  /** Consecutive changes of the same part merge, so text is not undone letter by letter. Absent: never merged. */
  part?: string
}

/** The oldest are dropped. */
const MAX_CHANGES = 200

export const startHistory = <Value>(present: Value): History<Value> => ({ present, past: [], future: [] })

export function recordChange<Value>(history: History<Value>, present: Value, change: Change): History<Value> {
  const last = history.past.at(-1)
  const isSamePart = change.part !== undefined && last?.change.part === change.part && history.future.length === 0
  if (isSamePart) return { ...history, present }
  const past = [...history.past, { value: history.present, change }].slice(-MAX_CHANGES)
  return { present, past, future: [] }
}

/** The next change of the same part starts a new entry. */
export function endMerge<Value>(history: History<Value>): History<Value> {
  const last = history.past.at(-1)
  if (last?.change.part === undefined) return history
  return { ...history, past: [...history.past.slice(0, -1), { ...last, change: { text: last.change.text } }] }
}

export function undoChange<Value>({ present, past, future }: History<Value>): History<Value> | null {
  const last = past.at(-1)
  if (!last) return null
  return {
    present: last.value,
    past: past.slice(0, -1),
    future: [...future, { value: present, change: { text: last.change.text } }],
  }
}

export function redoChange<Value>({ present, past, future }: History<Value>): History<Value> | null {
  const next = future.at(-1)
  if (!next) return null
  return {
    present: next.value,
    past: [...past, { value: present, change: { text: next.change.text } }],
    future: future.slice(0, -1),
  }
}

const toDraft = ({ name, conditions, steps }: FlowView): FlowDraft => ({
  name,
  conditions,
  steps: steps.map(toStepDraft),
})

const toStepDraft = (step: FlowStep): StepDraft => {
  const { id, name, delayMinutes, channels, conditions, coupon, couponShown, variants, variantsSoFar } = step
  return {
    key: id,
    id,
    name,
    delayMinutes,
    channels,
    conditions,
    coupon,
    couponShown,
    variantsSoFar,
    variants: variants.map(({ id: variantId, name: letter, sharePercent, words }) => {
      return { key: variantId, id: variantId, name: letter, sharePercent, words }
    }),
  }
}
