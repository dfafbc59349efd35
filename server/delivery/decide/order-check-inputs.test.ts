import { expect, test } from 'vitest'
import { MINUTE } from '../../../test/message-scene.ts'
import type { DecisionContext } from './decision-inputs.ts'
import type { ClaimedRow } from './evaluate-sql.ts'
import { buildOrderCheck } from './order-check-inputs.ts'

const now = new Date('2026-11-30T12:00:00Z')
const stale = new Date(now.getTime() - 2 * MINUTE)

/** The problem that holds a message of a store whose last order check is too old. */
function findProblem(known: {
  isReached: boolean | null
  failures?: number
  problem?: string | null
  reason?: string | null
  missing?: string
}) {
  const { isReached, failures = 0, problem = null, reason = null, missing } = known
  const situation = {
    check_started: stale,
    check_failed: failures > 0 ? stale : null,
    check_failures: failures,
    check_problem: problem,
    check_detail: null,
    plugin_is_reached: isReached,
  }
  const goods = { terms: new Map(), ...(missing && { missing }) }
  const context = { isImagined: false, isChecked: true, now, situation, goods } as unknown as DecisionContext
  return buildOrderCheck(context, { reason } as ClaimedRow).problem
}

test('a message of an unreachable shop waits for the plugin’s report, with or without products', () => {
  expect(findProblem({ isReached: false })).toBe('orders_unreported')
  expect(findProblem({ isReached: false, missing: 'stock_unreported' })).toBe('orders_unreported')
  expect(findProblem({ isReached: true, failures: 3, problem: 'timeout' })).toBe('orders_unreported')
  // The reason from before its reports were asked for.
  const held = { isReached: true, failures: 3, problem: 'timeout', reason: 'store_unreachable:timeout' }
  expect(findProblem(held)).toBe('orders_unreported')
})

test.each([
  'keys_unreadable',
  'wrong_key',
  'wrong_secret',
])('a message of an unreachable shop names %s, which only the owner can mend', (problem) => {
  expect(findProblem({ isReached: true, failures: 3, problem })).toBe(problem)
})

test('a message that waits for stock, or for a newer plugin, keeps its reason', () => {
  for (const problem of ['stock_unreported', 'plugin_outdated']) {
    expect(findProblem({ isReached: false, reason: `store_unreachable:${problem}`, missing: problem })).toBe(problem)
  }
})

test('a message of a shop that Recoup reads names the error of the read', () => {
  expect(findProblem({ isReached: null, failures: 4, problem: 'timeout' })).toBe('timeout')
  expect(findProblem({ isReached: true, failures: 2, problem: 'timeout' })).toBe('timeout')
  expect(findProblem({ isReached: null })).toBeNull()
})
