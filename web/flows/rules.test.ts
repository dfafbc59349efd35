import { expect, it } from 'vitest'
import { checkSteps, countParts, countsText, isSameEdit } from './rules.ts'

const step = (number: number, delayMinutes: number) => ({ step: number, delayMinutes, subject: 'Hi', body: 'Text' })

it('asks for delays that grow and are allowed', () => {
  expect(checkSteps([step(1, 60), step(2, 1_440)], 15).size).toBe(0)
  expect(checkSteps([step(1, 5)], 15).get(1)).toEqual({ delayMinutes: 'At least 15 minutes' })
  expect(checkSteps([step(1, 60), step(2, 60)], 15).get(2)).toEqual({
    delayMinutes: 'Later than the message before it',
  })
  expect(checkSteps([step(1, Number.NaN)], 1).get(1)).toEqual({ delayMinutes: 'At least 1 minute' })
  expect(checkSteps([step(1, 50_000)], 1).get(1)).toEqual({ delayMinutes: 'At most 30 days' })
})

it('asks for subject and text', () => {
  expect(checkSteps([{ ...step(1, 60), subject: ' ', body: '' }], 15).get(1)).toEqual({
    subject: 'A mail needs a subject',
    body: 'A mail needs a text',
  })
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
  expect(countsText({ ...counts, held: 0 })).toContain('8 planned: sent 1, on its way 1, waiting 1, not sent 1')
})
