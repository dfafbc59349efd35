import type { FlowStep } from '../shared/flows.ts'

// Test support: a flow as it is read, as it is saved with some of its steps changed.

export interface StepChange {
  delayMinutes?: number
  channel?: string
  /** Of a mail; of a notification its title. */
  subject?: string
  /** In the channel the step goes by then. */
  body?: string
  coupon?: object | null
}

export const buildSavedSteps = (steps: readonly FlowStep[], change: (step: FlowStep) => StepChange) =>
  steps.map((step) => savedStep(step, change(step)))

function savedStep(
  { id, delayMinutes, channels, variants }: FlowStep,
  { channel, subject, body, ...more }: StepChange,
) {
  const by = channel ?? channels[0]!
  const [first, ...others] = variants
  const mail = { ...first!.words.email, ...(subject !== undefined && { subject }), ...(body !== undefined && { body }) }
  const { title, body: told } = first!.words.push
  const words = {
    ...(by === 'email' && { email: mail }),
    ...(by === 'sms' && { sms: { body: body ?? first!.words.sms.body } }),
    ...(by === 'push' && { push: { title: subject ?? title, body: body ?? told } }),
  }
  const saved = [{ ...first!, words }, ...others.map((each) => ({ ...each, words: {} }))]
  return { id, delayMinutes, variants: saved, ...(channel !== undefined && { channels: [channel] }), ...more }
}
