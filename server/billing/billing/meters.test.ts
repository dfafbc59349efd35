import { expect, test } from 'vitest'
import { plans } from '../../../shared/billing/billing.ts'
import { buildMeters, computeNearThreshold, findLevel } from './meters.ts'

test.each([
  [0, 500, 'ok'],
  [399, 500, 'ok'],
  [400, 500, 'near'],
  [499, 500, 'near'],
  [500, 500, 'full'],
  [712, 500, 'full'],
  // 80 % of it is not an integer.
  [5, 7, 'ok'],
  [6, 7, 'near'],
  [1, 1, 'full'],
  [1_000_000, -1, 'ok'],
  [0, 0, 'ok'],
  [3, 0, 'ok'],
])('%i of %i is %s: near from 80 %, full from 100 % (decision 87)', (used, limit, level) => {
  expect(findLevel(used, limit)).toBe(level)
  if (limit > 0) expect(used >= computeNearThreshold(limit)).toBe(level !== 'ok')
})

test('has a meter for each metered channel, even without messages', () => {
  const usage = [
    { channel: 'sms', used: 80 },
    { channel: 'push', used: 9 },
  ]
  const waiting = [{ channel: 'whatsapp', held: 4, expiring: 1 }]
  expect(buildMeters(plans.starter.limits, { usage, waiting })).toEqual([
    { channel: 'email', used: 0, limit: 5_000, held: 0, expiring: 0, level: 'ok' },
    { channel: 'sms', used: 80, limit: 100, held: 0, expiring: 0, level: 'near' },
    { channel: 'whatsapp', used: 0, limit: 100, held: 4, expiring: 1, level: 'ok' },
  ])
})
