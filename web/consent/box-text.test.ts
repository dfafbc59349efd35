import { expect, test } from 'vitest'
import { describeBox } from './BoxSettings.tsx'

const at = (minute: number) => new Date(minute * 60_000).toISOString()

test.each([
  [null, false, null, 'never', 'Not seen yet'],
  [null, false, at(9), 'never', 'Not on your checkout'],
  [at(9), true, at(9), 'current', 'Seen'],
  [at(8), true, at(9), 'current', 'Seen'],
  [at(9), false, at(9), 'other', 'Seen with different text, not counted'],
  [at(1), true, at(9), 'gone', 'No longer on your checkout'],
])('a box seen %s, current: %s, and a checkout seen %s, is %s', (seenAt, isCurrent, checkoutSeenAt, state, label) => {
  expect(describeBox({ seenAt, isCurrent }, checkoutSeenAt)).toEqual({ state, label })
})
