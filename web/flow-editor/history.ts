// Undo and redo of changes since the last save. Pure.

export interface History<Value> {
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

export interface Change {
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
