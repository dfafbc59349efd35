// What was changed since the last saving, to be taken back and done again. Pure.

export interface History<Value> {
  present: Value
  /** The newest last. */
  past: readonly Entry<Value>[]
  /** What was taken back; the newest last. */
  future: readonly Entry<Value>[]
}

interface Entry<Value> {
  /** As it was before the change; of the future: as it was after it. */
  value: Value
  change: Change
}

export interface Change {
  /** What was done, as a sentence without its full stop: "Message 2 removed". */
  text: string
  /** Changes of the same part in a row are one: a word is not taken back letter by letter. Left out: a change by itself. */
  part?: string
}

/** The oldest are forgotten. */
const MOST_CHANGES = 200

export const begunWith = <Value>(present: Value): History<Value> => ({ present, past: [], future: [] })

export function changed<Value>(history: History<Value>, present: Value, change: Change): History<Value> {
  const last = history.past.at(-1)
  const isSamePart = change.part !== undefined && last?.change.part === change.part && history.future.length === 0
  if (isSamePart) return { ...history, present }
  const past = [...history.past, { value: history.present, change }].slice(-MOST_CHANGES)
  return { present, past, future: [] }
}

/** The next change of the same part is one by itself. */
export function settled<Value>(history: History<Value>): History<Value> {
  const last = history.past.at(-1)
  if (last?.change.part === undefined) return history
  return { ...history, past: [...history.past.slice(0, -1), { ...last, change: { text: last.change.text } }] }
}

export function undone<Value>({ present, past, future }: History<Value>): History<Value> | null {
  const last = past.at(-1)
  if (!last) return null
  return {
    present: last.value,
    past: past.slice(0, -1),
    future: [...future, { value: present, change: { text: last.change.text } }],
  }
}

export function redone<Value>({ present, past, future }: History<Value>): History<Value> | null {
  const next = future.at(-1)
  if (!next) return null
  return {
    present: next.value,
    past: [...past, { value: present, change: { text: next.change.text } }],
    future: future.slice(0, -1),
  }
}
