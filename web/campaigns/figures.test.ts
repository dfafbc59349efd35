import { expect, test } from 'vitest'
import { deliveredText, withRate } from './figures.ts'

test('shows a figure with its share of the messages sent', () => {
  expect([withRate(3, 7), withRate(1, 1_000), withRate(0, 7), withRate(0, 0), withRate(1_200, 1_200)]).toEqual([
    ...['3 (43%)', '1 (<1%)', '0 (0%)', '0', '1,200 (100%)'],
  ])
})

test('reports no failed deliveries when nothing reported a delivery', () => {
  expect([deliveredText(0, 7), deliveredText(5, 7), deliveredText(0, 0)]).toEqual(['Not reported', '5 (71%)', '0'])
})
