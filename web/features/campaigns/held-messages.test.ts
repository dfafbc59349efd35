import { expect, test } from 'vitest'
import { describeSent } from './held-messages.ts'

const UNTIL = '2030-11-24T15:00:00Z'
const buildCounts = (more: object) => ({
  planned: 0,
  waiting: 0,
  held: 0,
  inFlight: 0,
  sent: 0,
  skipped: 0,
  failed: 0,
  unknown: 0,
  cancelled: 0,
  ...more,
})
const soon = { delay: 0, spreadHours: null }
const clock = { zone: 'America/New_York', ownZone: 'America/New_York' }

test('states how many are sent, how many are on hold, until when and why', () => {
  const held = { count: 5, firstUntil: UNTIL, explanation: 'Too many messages in 24 hours.' }
  expect(describeSent({ counts: buildCounts({ sent: 7, inFlight: 1, waiting: 2, held: 5 }), held }, soon, clock)).toBe(
    `10 sent or on the way, 5 on hold, the first until Nov 24, 2030, 10:00 AM. Too many messages in 24 hours.`,
  )
  expect(describeSent({ counts: buildCounts({ sent: 1 }), held: { ...held, count: 1 } }, soon, clock)).toMatch(
    /^1 sent or on the way, 1 on hold, until /,
  )
  expect(describeSent({ counts: buildCounts({ sent: 3 }), held: null }, { ...soon, spreadHours: 4 }, clock)).toBe(
    '3 sent or scheduled.',
  )
  expect(describeSent({ counts: buildCounts({ skipped: 3 }), held: null }, soon, clock)).toBe(null)
})
