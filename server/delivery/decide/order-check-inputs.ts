import { isUnknown } from '../compose/goods-rules.ts'
import { isFresh, nextTry } from '../../access/stores/rules.ts'
import type { DecisionInputs } from './decide.ts'
import type { Context } from './decision-inputs.ts'
import type * as load from './evaluate-sql.ts'

// What is known of a store's orders, stock and prices (D3), for the decision about one message. Pure.

/** Half of the time for which a message asks the plugin for its products again. */
const REPORT_EVERY_MS = 30_000

export function orderCheckOf(
  { isImagined, isChecked, now, situation, goods }: Context,
  row: load.ClaimedRow,
): DecisionInputs['orderCheck'] {
  if (isImagined) return { startedAt: now, problem: null, detail: null, nextTryAt: now }
  // It is not complete without stock and prices.
  if (goods && 'problem' in goods) return { startedAt: null, ...goods }
  const { check_started, check_failed, check_failures, check_problem, check_detail } = situation
  const failure = { failures: check_failures, failed_at: check_failed, error_code: check_problem }
  // A report wakes what waits for it, and a shop that is not asked has no next try of its own.
  const nextTryAt = goods?.missing ? new Date(now.getTime() + REPORT_EVERY_MS) : nextTry(failure, now)
  if (goods?.missing && isFresh(check_started, now) && isUnknown(row, goods)) {
    return { startedAt: null, problem: goods.missing, detail: null, nextTryAt }
  }
  // Reports come and age, and nothing else is known meanwhile: a message that waits for one keeps its reason (D12).
  const kept = goods?.missing ? reasonOf(row) : null
  const [problem, detail] = kept === null ? [check_problem, check_detail] : [kept, null]
  return { startedAt: isChecked ? check_started : null, problem, detail, nextTryAt }
}

const UNREAD = 'store_unreachable:'

/** Why its store was not read when it was held; null: it was not held by that. */
const reasonOf = ({ reason }: load.ClaimedRow): string | null =>
  reason?.startsWith(UNREAD) ? reason.slice(UNREAD.length) : null
