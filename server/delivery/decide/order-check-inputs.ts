import { ORDERS_UNREPORTED, PLUGIN_OUTDATED, STOCK_UNREPORTED } from '../../../shared/access/store-problems.ts'
import { isPushOnly } from '../../access/plugin/public.ts'
import { computeNextTry, isFresh, KEY_PROBLEMS } from '../../access/stores/public.ts'
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
  const { check_started, check_failed, check_failures, check_problem, check_detail, plugin_is_reached } = situation
  const failure = { failures: check_failures, failed_at: check_failed, error_code: check_problem }
  // The plugin's report wakes waiting messages; this is the fallback for a shop that is not asked itself.
  const nextTryAt = goods?.missing ? new Date(now.getTime() + REPORT_EVERY_MS) : computeNextTry(failure, now)
  if (goods?.missing && isFresh(check_started, now) && isUnknown(row, goods)) {
    return { startedAt: null, problem: goods.missing, detail: null, nextTryAt }
  }
  const startedAt = isChecked ? check_started : null
  const check = { failures: check_failures, failed_at: check_failed, completed_at: null }
  const isRefused = check_problem !== null && KEY_PROBLEMS.includes(check_problem)
  if (isRefused || !isPushOnly({ is_reached: plugin_is_reached }, check)) {
    return { startedAt, problem: check_problem, detail: check_detail, nextTryAt }
  }
  // A message that waits for a report keeps its reason while reports come and expire (D12).
  return { startedAt, problem: getAwaitedReport(row) ?? ORDERS_UNREPORTED, detail: null, nextTryAt }
}

/** What holds the message until its shop's plugin reports it; null: another reason. */
const getAwaitedReport = ({ reason }: load.ClaimedRow): string | null =>
  [STOCK_UNREPORTED, PLUGIN_OUTDATED].find((problem) => reason === `store_unreachable:${problem}`) ?? null
