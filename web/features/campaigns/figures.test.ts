import { expect, test } from 'vitest'
import { splitDelivered, splitRate } from './Report.tsx'

test('shows a figure with its share of the messages sent', () => {
  expect([splitRate(3, 7), splitRate(1, 1_000), splitRate(0, 7), splitRate(0, 0), splitRate(1_200, 1_200)]).toEqual([
    { value: '3', rate: '43%' },
    { value: '1', rate: '<1%' },
    { value: '0', rate: '0%' },
    { value: '0', rate: null },
    { value: '1,200', rate: '100%' },
  ])
})

test('reports no failed deliveries when nothing reported a delivery', () => {
  expect([splitDelivered(0, 7), splitDelivered(5, 7), splitDelivered(0, 0)]).toEqual([
    { value: '–', rate: 'Not reported' },
    { value: '5', rate: '71%' },
    { value: '0', rate: null },
  ])
})
