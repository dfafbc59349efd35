import type { MessageView, TimelineEntry } from '../../shared/carts.ts'
import { isSomethingOpen } from './rules.ts'

// One timeline of a cart with its messages in it. Pure.

export type Past = { at: string; entry: TimelineEntry } | { at: string; message: MessageView }

export interface Story {
  /** Messages that have not left yet, the next one first. */
  coming: MessageView[]
  /** What happened, newest first; a message stands where it left or ended. */
  past: Past[]
}

export function storyOf(messages: readonly MessageView[], timeline: readonly TimelineEntry[]): Story {
  const coming = messages.filter((message) => isSomethingOpen([message]))
  const past: Past[] = [
    ...timeline.filter((entry) => !isToldByMessage(entry, messages)).map((entry) => ({ at: entry.at, entry })),
    ...messages.filter((message) => !coming.includes(message)).map((message) => ({ at: endOf(message), message })),
  ]
  return {
    coming: coming.sort((a, b) => a.dueAt.localeCompare(b.dueAt) || a.step - b.step),
    // Of the same moment, what is recorded last comes first.
    past: past.reverse().sort((a, b) => b.at.localeCompare(a.at)),
  }
}

const endOf = ({ handedOverAt, finishedAt, dueAt }: MessageView) => handedOverAt ?? finishedAt ?? dueAt

/** What is reported long after a message left stands at its own time; every other step of a message stands under its "Why?". */
const reports = ['bounced', 'complaint', 'delivered', 'undelivered']

function isToldByMessage({ kind, at, messageId }: TimelineEntry, messages: readonly MessageView[]): boolean {
  const message = kind.startsWith('message_') && messages.find(({ id }) => id === messageId)
  if (!message) return false
  const isReport = message.decisions.some(
    (decision) =>
      decision.at === at && decision.outcome === 'result' && reports.includes(decision.reason.split(':')[0]!),
  )
  return !(isReport && kind === 'message_result')
}
