import { computeNextTry, isFresh } from '../../access/stores/public.ts'
import { isUnknown } from '../compose/public.ts'
import type { DecisionInputs } from './decide.ts'
import type { DecisionContext } from './decision-inputs.ts'
import type * as load from './evaluate-sql.ts'

// Freshness of a store's orders, stock and prices (D3), for the decision about one message. Pure.

/** Half of the interval at which a message asks the plugin for its products again. */
const REPORT_EVERY_MS = 30_000

export function buildOrderCheck(
  { isImagined, isChecked, now, situation, goods }: DecisionContext,
  row: load.ClaimedRow,
): DecisionInputs['orderCheck'] {
  if (isImagined) return { startedAt: now, problem: null, detail: null, nextTryAt: now }
  // An order check without stock and prices is incomplete.
  if (goods && 'problem' in goods) return { startedAt: null, ...goods }
  const { check_started, check_failed, check_failures, check_problem, check_detail } = situation
  const failure = { failures: check_failures, failed_at: check_failed, error_code: check_problem }
  // The plugin's report wakes waiting messages; this is the fallback for a shop that is not asked itself.
  const nextTryAt = goods?.missing ? new Date(now.getTime() + REPORT_EVERY_MS) : computeNextTry(failure, now)
  if (goods?.missing && isFresh(check_started, now) && isUnknown(row, goods)) {
    return { startedAt: null, problem: goods.missing, detail: null, nextTryAt }
  }
  // A message that waits for a report keeps its reason while reports come and expire (D12).
  const waitReason = goods?.missing ? getWaitReason(row) : null
  const [problem, detail] = waitReason === null ? [check_problem, check_detail] : [waitReason, null]
  return { startedAt: isChecked ? check_started : null, problem, detail, nextTryAt }
}

const UNREAD = 'store_unreachable:'

/** The store problem that holds the message; null: another reason. */
const getWaitReason = ({ reason }: load.ClaimedRow): string | null =>
  reason?.startsWith(UNREAD) ? reason.slice(UNREAD.length) : null
