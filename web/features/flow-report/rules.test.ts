import { expect, it } from 'vitest'
import {
  describeComparison,
  describeDelivered,
  listSkipped,
  nameStep,
  type StepFigures,
  sumSteps,
  type VariantFigures,
} from './rules.ts'

const buildVariant = (name: string, comparison: VariantFigures['comparison'] = null): VariantFigures => ({
  variantId: `id-${name}`,
  name,
  isCurrent: true,
  sharePercent: 50,
  people: 80,
  clicked: 9,
  bought: 4,
  revenue: 120,
  comparison,
})
const step: StepFigures = {
  stepId: 'id',
  step: 1,
  name: 'First reminder',
  planned: 200,
  sent: 100,
  delivered: null,
  reporting: 0,
  clicked: 50,
  orders: 10,
  revenue: 400,
  revenuePerRecipient: 4,
  unsubscribed: 1,
  skipped: [],
  variants: [],
  purchasesNeeded: null,
}

it('lists unsent messages by reason with a count per step, most frequent first', () => {
  const skip = (explanation: string, count: number) =>
    ({ reason: explanation, explanation, count }) as unknown as StepFigures['skipped'][number]
  const steps = [
    { ...step, skipped: [skip('No email', 2), skip('Too late', 1)] },
    { ...step, skipped: [skip('Bought', 9), skip('No email', 3)] },
  ]
  expect(listSkipped(steps).map(({ explanation, counts, total }) => [explanation, counts, total])).toEqual([
    ['Bought', [0, 9], 9],
    ['No email', [2, 3], 5],
    ['Too late', [1, 0], 1],
  ])
  expect(listSkipped([step])).toEqual([])
})

it.each([
  [{ sent: 5, delivered: null, reporting: 0 }, 'not reported'],
  [{ sent: 7, delivered: 0, reporting: 2 }, '0 of 2, not reported for 5 emails'],
  [{ sent: 3, delivered: 1, reporting: 2 }, '1 of 2, not reported for 1 email'],
  [{ sent: 2, delivered: 2, reporting: 2 }, '2 of 2'],
])('describes %o delivered as: %s', (figures, text) => expect(describeDelivered(figures)).toBe(text))

it('names a step by its position, and a removed step as such', () => {
  expect(nameStep(step)).toBe('1. First reminder')
  expect(nameStep({ ...step, step: null })).toBe('First reminder (removed)')
  expect([sumSteps([step, step], 'sent'), sumSteps([step, step], 'revenue')]).toEqual([200, 800])
})

it('claims no more about a variant than its interval supports', () => {
  const first = buildVariant('A')
  const text = (comparison: VariantFigures['comparison'], needed: number | null = null) =>
    describeComparison(buildVariant('B', comparison), first, needed)
  expect(describeComparison(first, first, 30)).toBe('The others are compared with this text.')
  expect(text(null, 30)).toBe('Not enough data yet: a comparison needs 30 purchases with each variant.')
  expect(text({ lower: -1.2, upper: 6.4, excludesZero: false })).toBe(
    'No difference proven: the share who bought is between 1.2 percentage points lower and 6.4 percentage points higher than with A.',
  )
  expect(text({ lower: 0.4, upper: 3.149, excludesZero: true })).toBe(
    'Sells more: the share who bought is between 0.4 percentage points and 3.15 percentage points higher than with A.',
  )
  expect(text({ lower: -3, upper: -0.5, excludesZero: true })).toBe(
    'Sells less: the share who bought is between 0.5 percentage points and 3 percentage points lower than with A.',
  )
})
