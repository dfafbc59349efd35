import { channelLabels, type MessageView, type TimelineEntry } from '../../../shared/carts/carts.ts'
import { hasOpenMessage } from '../../kits/carts/rules.ts'

// Merges a cart's messages and events into one timeline. Pure.

export type StoryPart = { at: string; isPlanned: boolean } & ({ entry: TimelineEntry } | { message: MessageView })

/**
 * Unsent messages first, the next one on top; history below, newest first. A message is placed at its sending time or
 * its end.
 */
export function buildStory(messages: readonly MessageView[], timeline: readonly TimelineEntry[]): StoryPart[] {
  const isPlanned = (message: MessageView) => hasOpenMessage([message])
  const planned = messages
    .filter(isPlanned)
    .map((message) => ({ at: findPlannedTime(message), isPlanned: true, message }))
  const past: StoryPart[] = [
    ...timeline
      .filter((entry) => !isPartOfMessage(entry, messages))
      .map((entry) => ({ at: entry.at, isPlanned: false, entry })),
    ...messages
      .filter((message) => !isPlanned(message))
      .map((message) => ({ at: findEnd(message), isPlanned: false, message })),
  ]
  return [
    ...planned.sort((a, b) => a.at.localeCompare(b.at) || a.message.step - b.message.step),
    // At the same instant, the entry recorded last comes first.
    ...past.reverse().sort((a, b) => b.at.localeCompare(a.at)),
  ]
}

/** Planned sending time; for a held message, the time of its next check. */
export const findPlannedTime = (message: MessageView): string => findNextCheck(message) ?? message.dueAt

/** Time of the next check, if before the expiry. null: not held, or rescheduled since. */
export function findNextCheck({ state, decisions, dueAt, expiresAt }: MessageView): string | null {
  const last = decisions.at(-1)
  if (state !== 'held' || !last?.until) return null
  if (typeof last.inputs.due === 'string' && last.inputs.due !== dueAt) return null
  return last.until < expiresAt ? last.until : expiresAt
}

/** Outlook of a planned message beyond what its state shows; null if there is none. */
export function describeForecast({ state, channel, forecast }: MessageView): string | null {
  if (!forecast || (forecast.isExpected && forecast.channel === channel)) return null
  // The reason for holding the message is shown elsewhere.
  if (!forecast.isExpected && state === 'held') return null
  const what = forecast.isExpected ? `will be sent by ${channelLabels[forecast.channel]}` : 'will not be sent'
  return `Forecast: ${what}. ${forecast.explanation}`.trim()
}

const findEnd = ({ sentAt, finishedAt, dueAt }: MessageView) => sentAt ?? finishedAt ?? dueAt

/** Late delivery reports appear at their own time; every other step of a message appears under its "Why?". */
const reports = ['bounced', 'complaint', 'opt_out', 'delivered', 'undelivered']

function isPartOfMessage({ kind, at, messageId }: TimelineEntry, messages: readonly MessageView[]): boolean {
  const message = kind.startsWith('message_') && messages.find(({ id }) => id === messageId)
  if (!message) return false
  const isReport = message.decisions.some(
    (decision) =>
      decision.at === at && decision.outcome === 'result' && reports.includes(decision.reason.split(':')[0]!),
  )
  return !(isReport && kind === 'message_result')
}
