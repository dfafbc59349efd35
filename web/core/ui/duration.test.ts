import { expect, it } from 'vitest'
import { chooseUnit, minutesPer, toMinutes } from './duration.ts'

it('chooses the largest unit with a whole number', () => {
  expect([1, 45, 60, 90, 1_440, 4_320].map(chooseUnit)).toEqual([
    'minutes',
    'minutes',
    'hours',
    'minutes',
    'hours',
    'days',
  ])
})

it('round-trips every whole number of minutes', () => {
  for (let minutes = 1; minutes <= 10_080; minutes += 7) {
    const unit = chooseUnit(minutes)
    expect(toMinutes(minutes / minutesPer[unit], unit)).toBe(minutes)
  }
})
