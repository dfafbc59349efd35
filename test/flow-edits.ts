import type { FlowStep } from '../shared/marketing/flows.ts'

// Test support: turns the steps of a flow, as the API returns them, into the body of a save with some steps changed.

export interface StepChange {
  delayMinutes?: number
  channel?: string
  /** Subject of an email, or title of a notification. */
  subject?: string
  /** Content for the step's channel after the change. */
  body?: string
  coupon?: object | null
}

export const buildSavedSteps = (steps: readonly FlowStep[], change: (step: FlowStep) => StepChange) =>
  steps.map((step) => buildSavedStep(step, change(step)))

function buildSavedStep(
  { id, delayMinutes, channels, variants }: FlowStep,
  { channel, subject, body, ...more }: StepChange,
) {
  const by = channel ?? channels[0]!
  const [first, ...others] = variants
  const mail = { ...first!.words.email, ...(subject !== undefined && { subject }), ...(body !== undefined && { body }) }
  const { title, body: pushBody } = first!.words.push
  const texts = {
    ...(by === 'email' && { email: mail }),
    ...(by === 'sms' && { sms: { body: body ?? first!.words.sms.body } }),
    ...(by === 'push' && { push: { title: subject ?? title, body: body ?? pushBody } }),
  }
  const saved = [{ ...first!, words: texts }, ...others.map((each) => ({ ...each, words: {} }))]
  return { id, delayMinutes, variants: saved, ...(channel !== undefined && { channels: [channel] }), ...more }
}
