import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pickVariant } from './variants.ts'

// The variant of a split step for a shopper (decision 55).

const shares = (...percents: number[]) => percents.map((sharePercent, index) => ({ id: 'ABCD'[index]!, sharePercent }))

test('is stable per shopper and step', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), fc.integer({ min: 1, max: 99 }), (shopper, step, share) => {
      const of = shares(share, 100 - share)
      const drawn = pickVariant(shopper, step, 'salt', of)
      expect(['A', 'B']).toContain(drawn)
      expect(pickVariant(shopper, step, 'salt', of)).toBe(drawn)
    }),
  )
})

test('follows the shares and is independent between steps and flows', () => {
  const people = Array.from({ length: 4_000 }, (_, index) => `shopper ${index}`)
  const drawn = people.map((person) => pickVariant(person, 'step', 'salt', shares(50, 30, 20)))
  const count = (id: string) => drawn.filter((each) => each === id).length / people.length
  expect(count('A')).toBeCloseTo(0.5, 1)
  expect(count('B')).toBeCloseTo(0.3, 1)
  expect(count('C')).toBeCloseTo(0.2, 1)
  const same = (step: string, salt: string) =>
    people.filter((person, index) => pickVariant(person, step, salt, shares(50, 30, 20)) === drawn[index]).length
  expect(same('another', 'salt')).toBeLessThan(people.length / 2)
  expect(same('step', 'another')).toBeLessThan(people.length / 2)
})

test('is null without variants, and the only one if there is one', () => {
  expect(pickVariant('shopper', 'step', 'salt', [])).toBeNull()
  expect(pickVariant('shopper', 'step', 'salt', shares(100))).toBe('A')
  // Shares that do not add up to 100 are parts of what they add up to.
  expect(pickVariant('shopper', 'step', 'salt', shares(1))).toBe('A')
})
