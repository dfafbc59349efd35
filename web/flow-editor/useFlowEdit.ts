import { useEffect, useRef, useState } from 'react'
import type { FlowChannels, FlowView } from '../../shared/flows.ts'
import { useDraft } from '../access/drafts.ts'
import { ApiError } from '../api.ts'
import { useSaveFlow } from '../flows/queries.ts'
import { announce } from '../ui/announce.ts'
import { focusFirstError } from '../ui/focusFirstError.ts'
import type { FlowDraft } from './draft.ts'
import { checkFlow, hasProblems, mapRefusedFields, type Problems } from './problems.ts'
import { useHasSideRoom } from './SidePanel.tsx'
import { buildSaveBody } from './saving.ts'
import { useFlowDraft, useUndoKeys } from './useFlowDraft.ts'

/** Entry conditions, opened beside the flow instead of a message. */
export const ENTRY = 'entry'

export function useFlowEdit(flow: FlowView, channels: FlowChannels) {
  const editing = useFlowDraft(flow)
  const { draft, stored } = editing
  const [wanted, setOpened] = useState<string | null>(null)
  const [isChecked, setChecked] = useState(false)
  const save = useSaveFlow(flow.id)
  const isBeside = useHasSideRoom()
  const opened = wanted === ENTRY || draft.steps.some(({ key }) => key === wanted) ? wanted : null
  // After a restored draft, reopen the part it belongs to.
  useDraft(`flow:${flow.id}:opened`, editing.isDirty ? opened : null, setOpened)
  useUndoKeys(editing)

  const found = checkFlow(draft, { minDelayMinutes: flow.minDelayMinutes, stored, channels })
  const refused = readRefusedFields(save.error, draft)
  // Errors are hidden while the user types for the first time.
  const problems = isChecked && hasProblems(found) ? found : refused
  const { open, close } = useOpening(setOpened, opened)
  const leadTo = useFocusProblem(opened, setOpened)

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
  const [wanted, want] = useState<string | null>(null)
  useEffect(() => {
    if (wanted === null) return
    if (opened !== wanted) return setOpened(wanted)
    want(null)
    focusFirstError(document.querySelector('[role=dialog]') ? '[role=dialog]' : 'main')
  }, [wanted, opened, setOpened])
  return ({ name, conditions, steps }: Problems) => {
    const [first] = steps.keys()
    if (name !== undefined || conditions !== undefined) want(ENTRY)
    else if (first !== undefined) want(first)
  }
}

const readRefusedFields = (error: Error | null, draft: FlowDraft): Problems =>
  mapRefusedFields(error instanceof ApiError ? error.fields : {}, draft)
