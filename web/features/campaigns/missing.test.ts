import { expect, test } from 'vitest'
import { findMissingBefore } from './MissingParts.tsx'
import { checkDraft, createDraft } from './rules.ts'

const NOW = Date.parse('2026-11-23T20:00:00Z')
const draft = { ...createDraft('UTC', NOW), name: 'Autumn', subject: 'For {{ nonsense }}', body: '' }

test('lists gaps of earlier steps: no customer chosen, an unknown variable, no text', () => {
  const found = checkDraft(draft, '2026-11-23')
  expect(findMissingBefore(found, 'audience')).toEqual([])
  const noCustomer = { step: 'audience', text: 'Please select at least one customer to send the campaign to.' }
  expect(findMissingBefore(found, 'template')).toEqual([noCustomer])
  expect(findMissingBefore(found, 'schedule')).toEqual([
    noCustomer,
    { step: 'template', text: 'There is no variable nonsense.' },
    { step: 'template', text: 'Enter a message.' },
  ])
})

test('lists nothing for a complete campaign', () => {
  const whole = { ...draft, emails: ['ada@example.com'], subject: 'For {{ customer_name }}', body: 'Hi' }
  expect(findMissingBefore(checkDraft(whole, '2026-11-23'), 'schedule')).toEqual([])
})
