import { expect, test } from 'vitest'
import { firstSteps } from './first-steps.ts'

const store = {
  ...{ name: 'Tea & Co', store_url: 'https://tea.example', captureSeenAt: null },
  ...{ senderName: 'Tea & Co', senderEmail: null, postalAddress: '' },
}
const counts = { orders: 0, products: 3 }
const open = (known: Parameters<typeof firstSteps>[0]) =>
  firstSteps(known).flatMap(({ title, isDone }) => (isDone ? [] : [title]))

test('a store that was just connected has everything before it', () => {
  expect(open({ store, health: { ageSeconds: null, counts }, flows: [{ isOn: false }] })).toEqual([
    'Read its orders and products',
    'See carts as they are filled',
    'Say who writes',
    'Switch the recovery flow on',
    'Wait for the first cart',
  ])
})

test('what is done is ticked, what could not be read is not', () => {
  const ready = { ...store, captureSeenAt: '2026-03-02T15:00:00Z', postalAddress: '1 Main Street' }
  expect(open({ store: ready, health: { ageSeconds: 4, counts }, flows: [{ isOn: true }] })).toEqual([
    'Wait for the first cart',
  ])
  expect(open({ store: ready, health: undefined, flows: undefined })).toContain('Switch the recovery flow on')
})
