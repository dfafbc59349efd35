import { getCouponProblemText, getProblemText, isStoreProblem } from '../../../shared/access/store-problems.ts'
import { COUPONS_NOT_READABLE } from '../../../shared/carts/coupons.ts'
import { explainFirewall } from '../../access/plugin/public.ts'
import { pickNewest } from '../../access/stores/public.ts'
import type { Db, StoreDb } from '../../core/db/public.ts'
import { isMissingPermission } from './sync-jobs.ts'
import * as sql from './sync-sql.ts'
import { isReportedByPlugin } from './unreachable.ts'

/** Y3: age and last error of each stream. The age is that of the newest complete read of orders. */
export async function readHealth(store: StoreDb<Db>, now: Date) {
  const states = await sql.readStreams(store)
  const isReported = await isReportedByPlugin(store, now)
  const pulled = pickNewest(states.filter(isOrderStream).map((each) => each.completed_start))
  return {
    ageSeconds: pulled ? Math.max(0, Math.round((now.getTime() - pulled.getTime()) / 1_000)) : null,
    ...(isReported !== undefined && { isReported }),
    streams: Object.fromEntries(
      states.map((state) => [state.stream, viewStream(state, now, isReported !== undefined)]),
    ),
    counts: await sql.countLocalCopies(store),
  }
}

function isOrderStream({ stream }: sql.SyncState): boolean {
  return stream === 'sweep' || stream === 'order_check' || stream === 'import'
}

function viewStream(state: sql.SyncState, now: Date, isCutOff: boolean) {
  // Later reports of the plugin count as a successful read of an unreachable shop.
  const isResolved = state.failed_at !== null && state.completed_at !== null && state.completed_at > state.failed_at
  return {
    completedAt: state.completed_at?.toISOString() ?? null,
    failedAt: state.failed_at?.toISOString() ?? null,
    problem: state.error_code && !isResolved ? describeProblem(state, isCutOff) : null,
    rowsSeen: state.rows_seen,
    isRunning: state.lease_until !== null && state.lease_until > now,
  }
}

/** A key without permission for coupons may do everything else, so coupons have their own text. */
function describeProblem({ stream, error_code, error_detail: detail }: sql.SyncState, isCutOff: boolean): string {
  const code = error_code!
  // The address is right, so the usual advice to check it would mislead.
  const atWall = isCutOff && isStoreProblem(code) ? explainFirewall(code) : undefined
  if (atWall) return atWall
  if (stream === 'coupons' && code === 'no_rights') return COUPONS_NOT_READABLE
  const isOfCodes = stream === 'coupon_codes' || stream === 'coupon_tidy'
  return isOfCodes && isMissingPermission(code) ? getCouponProblemText(code, detail) : getProblemText(code, detail)
}
