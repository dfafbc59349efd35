import { expect, test } from 'vitest'
import { missingBefore } from './missing.ts'
import { newDraft, problemsOf } from './rules.ts'

const NOW = Date.parse('2026-11-23T20:00:00Z')
const draft = { ...newDraft('UTC', NOW), name: 'Autumn', subject: 'For {{ nonsense }}', body: '' }

test('lists what earlier steps miss: no customer chosen, an unknown variable, no text', () => {
  const found = problemsOf(draft, '2026-11-23')
  expect(missingBefore(found, 'audience')).toEqual([])
  const nobody = { step: 'audience', text: 'Please select at least one customer to send the campaign to.' }
  expect(missingBefore(found, 'template')).toEqual([nobody])
  expect(missingBefore(found, 'schedule')).toEqual([
    nobody,
    { step: 'template', text: 'There is no variable nonsense.' },
    { step: 'template', text: 'Enter a message.' },
  ])
})

test('lists nothing for a complete campaign', () => {
  const whole = { ...draft, emails: ['ada@example.com'], subject: 'For {{ customer_name }}', body: 'Hi' }
  expect(missingBefore(problemsOf(whole, '2026-11-23'), 'schedule')).toEqual([])
})
