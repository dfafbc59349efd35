import { expect, test } from 'vitest'
import { describeDelivered, formatWithRate } from './Report.tsx'

test('shows a figure with its share of the messages sent', () => {
  expect([
    formatWithRate(3, 7),
    formatWithRate(1, 1_000),
    formatWithRate(0, 7),
    formatWithRate(0, 0),
    formatWithRate(1_200, 1_200),
  ]).toEqual(['3 (43%)', '1 (<1%)', '0 (0%)', '0', '1,200 (100%)'])
})

test('reports no failed deliveries when nothing reported a delivery', () => {
  expect([describeDelivered(0, 7), describeDelivered(5, 7), describeDelivered(0, 0)]).toEqual([
    'Not reported',
    '5 (71%)',
    '0',
  ])
})
