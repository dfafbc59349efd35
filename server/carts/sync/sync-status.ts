import type { StoreProblemCode } from '../../../shared/access/store-problems.ts'
import { getProblemText, KEYS_UNREADABLE } from '../../../shared/access/store-problems.ts'
import type { ErrorCode } from '../../../shared/core/errors.ts'
import { dashboardTexts } from '../../../shared/insights/dashboard.ts'
import { isAlive, isCalling, isPushOnly, type PluginRow } from '../../access/plugin/public.ts'
import { errorCodeOf, KEY_PROBLEMS, pickNewest } from '../../access/stores/public.ts'
import { AppError } from '../../core/common/public.ts'

// Reports failing syncs of a store to callers that need its figures (decision 28, A 8). Pure.

export interface StreamOutcome {
  stream: string
  completed_at: Date | null
  completed_start: Date | null
  failures: number
  failed_at: Date | null
  error_code: string | null
  error_detail: string | null
}

/** Failures are not reported for this long: a sweep is due every 15 minutes, and after a failure every 5. */
const GRACE_MS = 30 * 60_000

const ORDER_STREAMS = new Set(['order_check', 'sweep', 'import'])

/** Returns null if orders were read within 30 minutes, or no read has failed since the last success. */
export function findSyncProblem(streams: readonly StreamOutcome[], now: Date): AppError | null {
  const orders = streams.filter(({ stream }) => ORDER_STREAMS.has(stream))
  const succeeded = pickNewest(orders.map((each) => each.completed_at))
  if (succeeded && now.getTime() - succeeded.getTime() <= GRACE_MS) return null
  const failed = orders
    .filter((each) => each.error_code && each.failed_at && (!succeeded || each.failed_at > succeeded))
    .sort((one, other) => other.failed_at!.getTime() - one.failed_at!.getTime())[0]
  return failed ? toAppError(failed.error_code!, failed.error_detail) : null
}

/**
 * Whether the plugin shows that the shop is up, or replaces all reads of it. A failed read then hides no figures: the
 * shop may keep Recoup out, and its first report may take until WP-Cron runs.
 */
export function isServedByPlugin(plugin: PluginRow | undefined, streams: readonly StreamOutcome[], now: Date): boolean {
  if (!plugin || plugin.ended_at) return false
  const check = streams.find(({ stream }) => stream === 'order_check')
  if (check?.error_code && KEY_PROBLEMS.includes(check.error_code)) return false
  return plugin.is_reached === null || (isPushOnly(plugin, check) && isAlive(plugin, now)) || isCalling(plugin, now)
}

/** Seconds since the newest complete read of the orders began (Y3). */
export function syncAge(streams: readonly StreamOutcome[], now: Date): number | null {
  const read = pickNewest(streams.filter(({ stream }) => ORDER_STREAMS.has(stream)).map((each) => each.completed_start))
  return read ? Math.max(0, Math.round((now.getTime() - read.getTime()) / 1_000)) : null
}

/** No shop answers at the store's address. */
const UNREACHABLE = new Set(['no_wordpress', 'shop_inactive', 'moved'])

function toAppError(code: string, detail: string | null): AppError {
  const known: ErrorCode | undefined = errorCodeOf[code as StoreProblemCode]
  if (known === 'store_credentials' || code === KEYS_UNREADABLE)
    return new AppError('store_credentials', dashboardTexts.unauthorized)
  if (UNREACHABLE.has(code)) return new AppError('not_found', dashboardTexts.notFound)
  return new AppError('store_unreachable', getProblemText(code, detail))
}
