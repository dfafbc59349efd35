import type { z } from 'zod'
import { type cartMessages, type MessageView, type TimelineEntry, wayOf } from '../../shared/carts.ts'
import { isSomethingOpen } from './rules.ts'

// One timeline of a cart with its messages in it. Pure.

export type StoryPart = { at: string; isPlanned: boolean } & ({ entry: TimelineEntry } | { message: MessageView })

/** Messages that have not left yet, the next one first; below them what happened, newest first. A message stands where it left or ended. */
export function storyOf(messages: readonly MessageView[], timeline: readonly TimelineEntry[]): StoryPart[] {
  const isPlanned = (message: MessageView) => isSomethingOpen([message])
  const planned = messages.filter(isPlanned).map((message) => ({ at: plannedAt(message), isPlanned: true, message }))
  const past: StoryPart[] = [
    ...timeline
      .filter((entry) => !isToldByMessage(entry, messages))
      .map((entry) => ({ at: entry.at, isPlanned: false, entry })),
    ...messages
      .filter((message) => !isPlanned(message))
      .map((message) => ({ at: endOf(message), isPlanned: false, message })),
  ]
  return [
    ...planned.sort((a, b) => a.at.localeCompare(b.at) || a.message.step - b.message.step),
    // Of the same moment, what is recorded last comes first.
    ...past.reverse().sort((a, b) => b.at.localeCompare(a.at)),
  ]
}

/** The one a cart belongs to; null: none. */
export type CartFlow = z.output<typeof cartMessages.reply>['flow']

/** Why nothing more may come of it. */
export const flowText = ({ name, isOn }: NonNullable<CartFlow>): string =>
  isOn
    ? `The cart belongs to the flow “${name}”.`
    : `The cart belongs to the flow “${name}”, which is switched off, and goes to no other.`

/** When it goes as things stand: one that is held back, when it is looked at again. */
export const plannedAt = (message: MessageView): string => heldUntil(message) ?? message.dueAt

/** When it is looked at again, but not after it expires. null: it is not held back, or its own time has changed since. */
export function heldUntil({ state, decisions, dueAt, expiresAt }: MessageView): string | null {
  const last = decisions.at(-1)
  if (state !== 'held' || !last?.until) return null
  if (typeof last.inputs.due === 'string' && last.inputs.due !== dueAt) return null
  return last.until < expiresAt ? last.until : expiresAt
}

/** What is to become of one that is planned, as far as it is news beside what its state says. null: nothing is. */
export function forecastText({ state, channel, forecast }: MessageView): string | null {
  if (!forecast || (forecast.isExpected && forecast.channel === channel)) return null
  // What holds it is told as its reason.
  if (!forecast.isExpected && state === 'held') return null
  const what = forecast.isExpected ? `it goes by ${wayOf[forecast.channel]}` : 'it will not be sent'
  return `As things stand, ${what}. ${forecast.explanation}`.trim()
}

const endOf = ({ sentAt, finishedAt, dueAt }: MessageView) => sentAt ?? finishedAt ?? dueAt

/** What is reported long after a message left stands at its own time; every other step of a message stands under its "Why?". */
const reports = ['bounced', 'complaint', 'opt_out', 'delivered', 'undelivered']

function isToldByMessage({ kind, at, messageId }: TimelineEntry, messages: readonly MessageView[]): boolean {
  const message = kind.startsWith('message_') && messages.find(({ id }) => id === messageId)
  if (!message) return false
  const isReport = message.decisions.some(
    (decision) =>
      decision.at === at && decision.outcome === 'result' && reports.includes(decision.reason.split(':')[0]!),
  )
  return !(isReport && kind === 'message_result')
}
