import { COUPONS_NOT_READABLE } from '../../../shared/coupons.ts'
import { couponProblemText, isStoreProblem, problemText } from '../../../shared/store-problems.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import { behindWallText } from '../../access/plugin/rules.ts'
import { newest } from '../../access/stores/rules.ts'
import { readsByReports } from './push-only.ts'
import { ofRights } from './sync-jobs.ts'
import * as sql from './sync-sql.ts'

/** Y3: how fresh each stream is, and what last went wrong in words. The age is that of the newest complete pull of orders. */
export async function readHealth(store: StoreDb<Db>, now: Date) {
  const states = await sql.readStreams(store)
  const isReported = await readsByReports(store, now)
  const pulled = newest(states.filter(isOrderStream).map((each) => each.completed_start))
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
  // What the plugin of a shop that is not reached has reported since counts as a reading.
  const isMended = state.failed_at !== null && state.completed_at !== null && state.completed_at > state.failed_at
  return {
    completedAt: state.completed_at?.toISOString() ?? null,
    failedAt: state.failed_at?.toISOString() ?? null,
    problem: state.error_code && !isMended ? wordsOf(state, isCutOff) : null,
    rowsSeen: state.rows_seen,
    isRunning: state.lease_until !== null && state.lease_until > now,
  }
}

/** A key that may not read or write coupons may do everything else. */
function wordsOf({ stream, error_code, error_detail: detail }: sql.SyncState, isCutOff: boolean): string {
  const code = error_code!
  // Nobody has typed a wrong address.
  const atWall = isCutOff && isStoreProblem(code) ? behindWallText(code) : undefined
  if (atWall) return atWall
  if (stream === 'coupons' && code === 'no_rights') return COUPONS_NOT_READABLE
  const isOfCodes = stream === 'coupon_codes' || stream === 'coupon_tidy'
  return isOfCodes && ofRights(code) ? couponProblemText(code, detail) : problemText(code, detail)
}
