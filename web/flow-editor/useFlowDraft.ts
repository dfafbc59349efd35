import { useEffect, useState } from 'react'
import type { FlowView } from '../../shared/flows.ts'
import { useDraft } from '../access/drafts.ts'
import { type FlowDraft, isSameDraft, toDraft } from './draft.ts'
import { type Change, endMerge, type History, recordChange, redoChange, startHistory, undoChange } from './history.ts'

/** A pause this long starts a new undo entry. */
const PAUSE_MS = 1_000

interface EditedFlow {
  /** The flow when editing began. */
  stored: FlowDraft
  history: History<FlowDraft>
}

/** The edited flow with undo. Background refetches of its figures keep the edits. */
export function useFlowDraft(flow: FlowView) {
  const [held, setEdited] = useState<EditedFlow | null>(null)
  const [said, say] = useState('')
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
    if (what.part === undefined) say(what.text)
  }
  const go = (to: History<FlowDraft> | null, text: string | undefined, how: string) => {
    if (!to) return
    setEdited({ stored, history: to })
    say(`${how}: ${text}`)
  }
  return {
    draft,
    stored,
    isDirty: edited !== null && !isSameDraft(draft, stored),
    /** Announces undo and redo to screen readers. */
    said,
    change,
    undo: () => go(undoChange(history), history.past.at(-1)?.change.text, 'Taken back'),
    redo: () => go(redoChange(history), history.future.at(-1)?.change.text, 'Done again'),
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

export type FlowEditing = ReturnType<typeof useFlowDraft>

/** Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y. In a text field the browser handles them. */
export function useUndoKeys({ undo, redo }: Pick<FlowEditing, 'undo' | 'redo'>): void {
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
