import type { z } from 'zod'
import type { FlowChannels, FlowCounts, FlowStep, FlowView } from '../../shared/flows.ts'
import { formatMinutes } from '../ui/format.ts'
import type { Words } from '../words/rules.ts'
import { type CouponEdit, couponProblems } from '../words/step-coupon.ts'

// What is edited of a flow, what is wrong with it, and its numbers. Pure.

export interface StepEdit extends CouponEdit {
  step: number
  /** NaN while nothing is typed. */
  delayMinutes: number
  channel: FlowStep['channel']
  /** Of the mail, whether it is one or not. */
  subject: string
  body: string
  /** Of the SMS, whether it is one or not. */
  sms: string
  /** Of the notification, whether it is one or not. */
  pushTitle: string
  pushBody: string
}

export type StepProblems = Partial<
  Record<'delayMinutes' | 'channel' | 'subject' | 'body' | 'coupon' | 'pauseDays' | 'aboveAmount', string>
>

export const channelNames: Record<FlowStep['channel'], string> = {
  email: 'Email',
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  push: 'Push',
}

export const editOf = (steps: FlowStep[]): StepEdit[] =>
  steps.map(({ step, delayMinutes, channel, subject, body, sms, pushTitle, pushBody, coupon, couponShown }) => ({
    ...{ step, delayMinutes, channel, subject, body, sms, pushTitle, pushBody, coupon, couponShown },
  }))

/** What is sent of a step: the words of its channel, and its coupon where that was changed. */
export function savedStep(edit: StepEdit, stored: readonly StepEdit[]) {
  const { step, delayMinutes, channel } = edit
  const { subject, body } = wordsOf(edit)
  const words = channel === 'whatsapp' ? {} : channel === 'sms' ? { body } : { subject, body }
  const coupon = couponOf(edit)
  const before = stored.find((other) => other.step === step)?.coupon ?? null
  return {
    ...{ step, delayMinutes, channel, ...words },
    ...(inText(coupon) !== inText(before) && { coupon }),
  }
}

/** The same as the server takes it: a step by its id, with the words of its first variant. */
export function savedInFlow(
  { steps }: Pick<FlowView, 'steps'>,
  {
    step,
    channel,
    subject = '',
    body = '',
    ...more
  }: ReturnType<typeof savedStep> & { subject?: string; body?: string },
) {
  const known = steps.find((each) => each.step === step)!
  const by = {
    ...{ email: { email: { subject, body } }, sms: { sms: { body } } },
    ...{ push: { push: { title: subject, body } }, whatsapp: {} },
  }
  return {
    ...more,
    id: known.id,
    ...(channel !== known.channel && { channels: [channel] }),
    variants: known.variants.map(({ id, sharePercent }, index) => ({
      ...{ id, sharePercent, words: index === 0 ? by[channel] : {} },
    })),
  }
}

/** Of the channel it goes by; a notification's title stands where a mail has its subject. */
export function wordsOf({ channel, subject, body, sms, pushTitle, pushBody }: StepEdit): Words {
  if (channel === 'push') return { subject: pushTitle, body: pushBody }
  return { subject, body: channel === 'sms' ? sms : body }
}

/** What becomes of a step whose words were changed. */
export function withWords(
  { channel }: Pick<StepEdit, 'channel'>,
  { subject, body }: Partial<Words>,
): Partial<StepEdit> {
  if (channel === 'push') {
    return { ...(subject !== undefined && { pushTitle: subject }), ...(body !== undefined && { pushBody: body }) }
  }
  if (channel === 'sms') return body === undefined ? {} : { sms: body }
  return { ...(subject !== undefined && { subject }), ...(body !== undefined && { body }) }
}

/** The approved words of WhatsApp cannot name one. */
export const couponOf = ({ channel, coupon }: StepEdit) => (channel === 'whatsapp' ? null : coupon)

export const isSameEdit = (a: StepEdit[], b: StepEdit[]) => inText(a) === inText(b)

/** What is empty is not null, and what is only shown is no change. */
const inText = (value: unknown): string =>
  JSON.stringify(value, (key, each: unknown) =>
    key === 'couponShown' ? undefined : Number.isNaN(each) ? 'empty' : each,
  )

/** What the server says of single fields, by step: `steps.0.coupon.pauseDays`. */
export function refusedSteps(fields: Readonly<Record<string, string>>, steps: readonly StepEdit[]) {
  const found = new Map<number, StepProblems>()
  for (const [path, text] of Object.entries(fields)) {
    const [, index, field] = /^steps\.(\d+)\.(?:coupon\.)?(\w+)$/.exec(path) ?? []
    const step = steps[Number(index)]?.step
    if (step === undefined) continue
    const name = isNamed(field) ? field : 'coupon'
    found.set(step, { ...found.get(step), [name]: text })
  }
  return found
}

const NAMED = ['delayMinutes', 'channel', 'subject', 'body', 'pauseDays', 'aboveAmount'] as const
const isNamed = (field: string | undefined): field is (typeof NAMED)[number] =>
  (NAMED as readonly (string | undefined)[]).includes(field)

const MAX_DELAY_MINUTES = 43_200

interface Known {
  minDelayMinutes: number
  stored: readonly StepEdit[]
  /** What stands in the way of a channel. */
  channels: FlowChannels
}

/** Problems by step; a delay has to be longer than that of the step before. A step that is by a channel already may stay so. */
export function checkSteps(steps: StepEdit[], { minDelayMinutes, stored, channels }: Known): Map<number, StepProblems> {
  const found = new Map<number, StepProblems>()
  steps.forEach((each, index) => {
    const { step, delayMinutes, channel } = each
    const problems: StepProblems = { ...wordProblems(each), ...couponProblems(couponOf(each)) }
    const before = steps[index - 1]
    if (!(delayMinutes >= minDelayMinutes)) problems.delayMinutes = `At least ${formatMinutes(minDelayMinutes)}`
    else if (delayMinutes > MAX_DELAY_MINUTES) problems.delayMinutes = 'At most 30 days'
    else if (before && delayMinutes <= before.delayMinutes) problems.delayMinutes = 'Later than the message before it'
    const isNew = stored.find((other) => other.step === step)?.channel !== channel
    const obstacle = isNew && channel !== 'email' ? channels[channel].problem : null
    if (obstacle) problems.channel = obstacle
    if (Object.keys(problems).length > 0) found.set(step, problems)
  })
  return found
}

function wordProblems({ channel, subject, body, sms, pushTitle, pushBody }: StepEdit): StepProblems {
  if (channel === 'push') {
    return {
      ...(pushTitle.trim() === '' && { subject: 'A notification needs a title' }),
      ...(pushBody.trim() === '' && { body: 'A notification needs a text' }),
    }
  }
  if (channel === 'sms') return sms.trim() === '' ? { body: 'An SMS needs a text' } : {}
  if (channel !== 'email') return {}
  return {
    ...(subject.trim() === '' && { subject: 'An email needs a subject' }),
    ...(body.trim() === '' && { body: 'An email needs a text' }),
  }
}

type Counts = z.infer<typeof FlowCounts>
export type CountKey = Exclude<keyof Counts, 'planned'>

export const countParts: { key: CountKey; label: string; fill: string; meaning: string }[] = [
  { key: 'sent', label: 'Sent', fill: 'sent', meaning: 'accepted by the mail server or delivered' },
  { key: 'inFlight', label: 'Sending', fill: 'flight', meaning: 'handed over, no answer yet' },
  { key: 'waiting', label: 'Waiting', fill: 'waiting', meaning: 'not due yet' },
  { key: 'held', label: 'Held back', fill: 'held', meaning: 'due, but temporarily blocked' },
  { key: 'skipped', label: 'Not sent', fill: 'skipped', meaning: 'not sent, with a reason' },
  {
    key: 'cancelled',
    label: 'Cancelled',
    fill: 'cancelled',
    meaning: 'no longer needed, for example after a purchase',
  },
  { key: 'unknown', label: 'Unknown', fill: 'unknown', meaning: 'handed over, but no answer came' },
  { key: 'failed', label: 'Failed', fill: 'failed', meaning: 'permanently refused' },
]

/** Said once for those who do not see the bar. */
export function countsText(counts: Counts): string {
  const parts = countParts
    .filter(({ key }) => counts[key] > 0)
    .map(({ key, label }) => `${label.toLowerCase()} ${counts[key]}`)
  return `${counts.planned} scheduled: ${parts.join(', ') || 'none'}`
}

export const stepTitle = (flow: Pick<FlowView, 'steps'>, step: number) =>
  flow.steps.find((other) => other.step === step)?.templateName ?? `Message ${step}`
