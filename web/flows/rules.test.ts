import { expect, it } from 'vitest'
import type { FlowChannels } from '../../shared/flows.ts'
import { checkSteps, countParts, countsText, isSameEdit, type StepEdit, savedStep } from './rules.ts'

const step = (number: number, delayMinutes: number) => ({
  ...{ step: number, delayMinutes, channel: 'email' as const, subject: 'Hi', body: 'Text', sms: 'Short text' },
})
const free = { sms: { problem: null }, whatsapp: { problem: null, template: 'Hi {{1}}' } }
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

it('asks an SMS for a text, WhatsApp for a template, and either to be set up', () => {
  const [sms, whatsapp] = [
    { ...step(1, 60), channel: 'sms' as const, subject: '', body: '' },
    { ...step(1, 60), channel: 'whatsapp' as const },
  ]
  expect(check([sms], 15).size).toBe(0)
  expect(check([{ ...sms, sms: ' ' }], 15).get(1)).toEqual({ body: 'An SMS needs a text' })
  expect(check([{ ...whatsapp, body: '' }], 15).size).toBe(0)
  const without = { sms: { problem: 'Not set up.' }, whatsapp: { problem: 'No template.', template: null } }
  expect(check([sms], 15, without).get(1)).toEqual({ channel: 'Not set up.' })
  expect(check([whatsapp], 15, without).get(1)).toEqual({ channel: 'No template.' })
  // What it was already is held back and says why; nobody has to change it to save something else.
  expect(checkSteps([sms], { minDelayMinutes: 15, stored: [sms], channels: without }).size).toBe(0)
})

it('sends the words of the channel alone', () => {
  expect(savedStep(step(1, 60))).toEqual({ step: 1, delayMinutes: 60, channel: 'email', subject: 'Hi', body: 'Text' })
  expect(savedStep({ ...step(1, 60), channel: 'sms' })).toEqual({
    step: 1,
    delayMinutes: 60,
    channel: 'sms',
    body: 'Short text',
  })
  expect(savedStep({ ...step(1, 60), channel: 'whatsapp' })).toEqual({ step: 1, delayMinutes: 60, channel: 'whatsapp' })
})

it('knows an edit from what is stored', () => {
  expect(isSameEdit([step(1, 60)], [step(1, 60)])).toBe(true)
  expect(isSameEdit([step(1, 60)], [step(1, 61)])).toBe(false)
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
