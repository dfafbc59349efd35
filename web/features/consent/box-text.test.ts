import { expect, test } from 'vitest'
import { describeBox } from './BoxSettings.tsx'

const formatMinute = (minute: number) => new Date(minute * 60_000).toISOString()

test.each([
  [null, false, null, 'never', 'Not seen yet'],
  [null, false, formatMinute(9), 'never', 'Not on your checkout'],
  [formatMinute(9), true, formatMinute(9), 'current', 'Seen'],
  [formatMinute(8), true, formatMinute(9), 'current', 'Seen'],
  [formatMinute(9), false, formatMinute(9), 'other', 'Seen with different text, not counted'],
  [formatMinute(1), true, formatMinute(9), 'gone', 'No longer on your checkout'],
])('a box seen %s, current: %s, and a checkout seen %s, is %s', (seenAt, isCurrent, checkoutSeenAt, state, label) => {
  expect(describeBox({ seenAt, isCurrent }, checkoutSeenAt)).toEqual({ state, label })
})
