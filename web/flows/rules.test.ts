import { expect, it } from 'vitest'
import { aCoupon } from '../../e2e/coupons/api.ts'
import type { FlowChannels } from '../../shared/flows.ts'
import { withCoupon } from '../words/step-coupon.ts'
import { checkSteps, countParts, countsText, isSameEdit, refusedSteps, type StepEdit, savedStep } from './rules.ts'

const step = (number: number, delayMinutes: number) => ({
  ...{ step: number, delayMinutes, channel: 'email' as const, subject: 'Hi', body: 'Text', sms: 'Short text' },
  ...{ pushTitle: 'Hi', pushBody: 'Your cart', coupon: null, couponShown: null },
})
const coupon = aCoupon()
const free = { sms: { problem: null }, whatsapp: { problem: null, template: 'Hi {{1}}' }, push: { problem: null } }
const check = (steps: StepEdit[], minDelayMinutes: number, channels: FlowChannels = free) =>
  checkSteps(steps, { minDelayMinutes, stored: [step(1, 60)], channels })

it('asks for delays that grow and are allowed', () => {
  expect(check([step(1, 60), step(2, 1_440)], 15).size).toBe(0)
  expect(check([step(1, 5)], 15).get(1)).toEqual({ delayMinutes: 'At least 15 minutes' })
  expect(check([step(1, 60), step(2, 60)], 15).get(2)).toEqual({
    delayMinutes: 'Later than the message before it',
  })
  expect(check([step(1, Number.NaN)], 1).get(1)).toEqual({ delayMinutes: 'At least 1 minute' })
  expect(check([step(1, 50_000)], 1).get(1)).toEqual({ delayMinutes: 'At most 30 days' })
})

it('asks for subject and text', () => {
  expect(check([{ ...step(1, 60), subject: ' ', body: '' }], 15).get(1)).toEqual({
    subject: 'An email needs a subject',
    body: 'An email needs a text',
  })
})

it('asks an SMS for a text, WhatsApp for a template, and each channel to be set up', () => {
  const [sms, whatsapp] = [
    { ...step(1, 60), channel: 'sms' as const, subject: '', body: '' },
    { ...step(1, 60), channel: 'whatsapp' as const },
  ]
  expect(check([sms], 15).size).toBe(0)
  expect(check([{ ...sms, sms: ' ' }], 15).get(1)).toEqual({ body: 'An SMS needs a text' })
  expect(check([{ ...whatsapp, body: '' }], 15).size).toBe(0)
  const without = {
    ...{ sms: { problem: 'Not set up.' }, whatsapp: { problem: 'No template.', template: null } },
    push: { problem: 'Not here.' },
  }
  expect(check([sms], 15, without).get(1)).toEqual({ channel: 'Not set up.' })
  expect(check([whatsapp], 15, without).get(1)).toEqual({ channel: 'No template.' })
  expect(check([{ ...step(1, 60), channel: 'push' }], 15, without).get(1)).toEqual({ channel: 'Not here.' })
  // What it was already is held back and says why; nobody has to change it to save something else.
  expect(checkSteps([sms], { minDelayMinutes: 15, stored: [sms], channels: without }).size).toBe(0)
})

it('sends the words of the channel alone', () => {
  const saved = (each: StepEdit) => savedStep(each, [step(1, 60)])
  expect(saved(step(1, 60))).toEqual({ step: 1, delayMinutes: 60, channel: 'email', subject: 'Hi', body: 'Text' })
  expect(saved({ ...step(1, 60), channel: 'sms' })).toEqual({
    step: 1,
    delayMinutes: 60,
    channel: 'sms',
    body: 'Short text',
  })
  expect(saved({ ...step(1, 60), channel: 'whatsapp' })).toEqual({ step: 1, delayMinutes: 60, channel: 'whatsapp' })
})

it('knows an edit from what is stored', () => {
  expect(isSameEdit([step(1, 60)], [step(1, 60)])).toBe(true)
  expect(isSameEdit([step(1, 60)], [step(1, 61)])).toBe(false)
})

it('sends the coupon of a step where it was changed, and takes it off what goes by WhatsApp', () => {
  const given = (more = {}): StepEdit => ({ ...step(1, 60), ...withCoupon(null, coupon), ...more })
  const saved = (each: StepEdit, stored: StepEdit) => savedStep(each, [stored])
  expect(saved(given(), step(1, 60)).coupon).toEqual({
    ...{ couponId: coupon._id, fallback: 'without', firstOrderOnly: false, pauseDays: 90, aboveAmount: null },
  })
  // One that was deleted in the store meanwhile would be refused.
  expect(saved(given({ subject: 'Other' }), given())).not.toHaveProperty('coupon')
  expect(saved(step(1, 60), given()).coupon).toBeNull()
  expect(saved(given({ channel: 'whatsapp' }), given()).coupon).toBeNull()
  expect(saved(given({ channel: 'whatsapp' }), step(1, 60))).not.toHaveProperty('coupon')
})

it('knows an emptied number from a rule that is off, and no change from news of the coupon', () => {
  const [off, emptied] = [null, Number.NaN].map((pauseDays) => ({
    ...step(1, 60),
    coupon: { ...withCoupon(null, coupon).coupon!, pauseDays },
  }))
  expect(isSameEdit([off!], [emptied!])).toBe(false)
  expect(isSameEdit([{ ...off!, couponShown: { ...coupon, isGone: true } }], [off!])).toBe(true)
})

it('asks for the numbers of the coupon’s rules, unless the step has no coupon', () => {
  const wrong = { ...withCoupon(null, coupon).coupon!, pauseDays: Number.NaN, aboveAmount: 0 }
  expect(check([{ ...step(1, 60), coupon: wrong }], 15).get(1)).toEqual({
    pauseDays: 'Enter a whole number of days between 1 and 3,650',
    aboveAmount: 'Enter an amount greater than 0',
  })
  expect(check([{ ...step(1, 60), channel: 'whatsapp', coupon: wrong }], 15).size).toBe(0)
})

it('brings what the server says of a field to its step', () => {
  const steps = [step(1, 60), step(3, 120)]
  expect([...refusedSteps({ 'steps.1.coupon': 'Gone.', name: 'No.', 'steps.9.body': 'No.' }, steps)]).toEqual([
    [3, { coupon: 'Gone.' }],
  ])
  expect(refusedSteps({ 'steps.0.coupon.pauseDays': 'Less.', 'steps.0.subject': 'Shorter.' }, steps).get(1)).toEqual({
    pauseDays: 'Less.',
    subject: 'Shorter.',
  })
})

it('shows every part that planned is made of', () => {
  const counts = {
    planned: 8,
    waiting: 1,
    held: 1,
    inFlight: 1,
    sent: 1,
    skipped: 1,
    failed: 1,
    unknown: 1,
    cancelled: 1,
  }
  expect(countParts.reduce((sum, { key }) => sum + counts[key], 0)).toBe(counts.planned)
  expect(countsText({ ...counts, held: 0 })).toContain('8 scheduled: sent 1, sending 1, waiting 1, not sent 1')
})
