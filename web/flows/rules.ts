import type { z } from 'zod'
import type { FlowCounts, FlowStep, FlowView } from '../../shared/flows.ts'
import { formatMinutes } from '../ui/format.ts'

// What is edited of a flow, what is wrong with it, and its numbers. Pure.

export interface StepEdit {
  step: number
  /** NaN while nothing is typed. */
  delayMinutes: number
  subject: string
  body: string
}

export type StepProblems = Partial<Record<'delayMinutes' | 'subject' | 'body', string>>

export const editOf = (steps: FlowStep[]): StepEdit[] =>
  steps.map(({ step, delayMinutes, subject, body }) => ({ step, delayMinutes, subject, body }))

export const isSameEdit = (a: StepEdit[], b: StepEdit[]) => JSON.stringify(a) === JSON.stringify(b)

const MAX_DELAY_MINUTES = 43_200

/** Problems by step; a delay has to be longer than that of the step before. */
export function checkSteps(steps: StepEdit[], minDelayMinutes: number): Map<number, StepProblems> {
  const found = new Map<number, StepProblems>()
  steps.forEach(({ step, delayMinutes, subject, body }, index) => {
    const problems: StepProblems = {}
    const before = steps[index - 1]
    if (!(delayMinutes >= minDelayMinutes)) problems.delayMinutes = `At least ${formatMinutes(minDelayMinutes)}`
    else if (delayMinutes > MAX_DELAY_MINUTES) problems.delayMinutes = 'At most 30 days'
    else if (before && delayMinutes <= before.delayMinutes) problems.delayMinutes = 'Later than the message before it'
    if (subject.trim() === '') problems.subject = 'A mail needs a subject'
    if (body.trim() === '') problems.body = 'A mail needs a text'
    if (Object.keys(problems).length > 0) found.set(step, problems)
  })
  return found
}

type Counts = z.infer<typeof FlowCounts>
export type CountKey = Exclude<keyof Counts, 'planned'>

export const countParts: { key: CountKey; label: string; fill: string; meaning: string }[] = [
  { key: 'sent', label: 'Sent', fill: 'sent', meaning: 'accepted by the mail server or delivered' },
  { key: 'inFlight', label: 'On its way', fill: 'flight', meaning: 'handed over, no answer yet' },
  { key: 'waiting', label: 'Waiting', fill: 'waiting', meaning: 'not due yet' },
  { key: 'held', label: 'Held back', fill: 'held', meaning: 'due, but something stands in the way for now' },
  { key: 'skipped', label: 'Not sent', fill: 'skipped', meaning: 'decided against, with a reason' },
  { key: 'cancelled', label: 'Cancelled', fill: 'cancelled', meaning: 'no longer needed, for instance bought' },
  { key: 'unknown', label: 'Unknown', fill: 'unknown', meaning: 'handed over, and no answer came' },
  { key: 'failed', label: 'Failed', fill: 'failed', meaning: 'refused for good' },
]

/** Said once for those who do not see the bar. */
export function countsText(counts: Counts): string {
  const parts = countParts
    .filter(({ key }) => counts[key] > 0)
    .map(({ key, label }) => `${label.toLowerCase()} ${counts[key]}`)
  return `${counts.planned} planned: ${parts.join(', ') || 'none'}`
}

export const stepTitle = (flow: Pick<FlowView, 'steps'>, step: number) =>
  flow.steps.find((other) => other.step === step)?.templateName ?? `Message ${step}`
