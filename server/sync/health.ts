import { COUPONS_NOT_READABLE } from '../../shared/coupons.ts'
import { couponProblemText, problemText } from '../../shared/store-problems.ts'
import type { Db, StoreDb } from '../core/db.ts'
import { newest } from '../stores/rules.ts'
import { ofRights } from './sync-jobs.ts'
import * as sql from './sync-sql.ts'

/** Y3: how fresh each stream is, and what last went wrong in words. The age is that of the newest complete pull of orders. */
export async function readHealth(store: StoreDb<Db>, now: Date) {
  const states = await sql.readStreams(store)
  const pulled = newest(states.filter(isOrderStream).map((each) => each.completed_start))
  return {
    ageSeconds: pulled ? Math.max(0, Math.round((now.getTime() - pulled.getTime()) / 1_000)) : null,
    streams: Object.fromEntries(states.map((state) => [state.stream, viewStream(state, now)])),
    counts: await sql.countLocalCopies(store),
  }
}

function isOrderStream({ stream }: sql.SyncState): boolean {
  return stream === 'sweep' || stream === 'order_check' || stream === 'import'
}

function viewStream(state: sql.SyncState, now: Date) {
  // What the plugin of a shop that is not reached has reported since counts as a reading.
  const isMended = state.failed_at !== null && state.completed_at !== null && state.completed_at > state.failed_at
  return {
    completedAt: state.completed_at?.toISOString() ?? null,
    failedAt: state.failed_at?.toISOString() ?? null,
    problem: state.error_code && !isMended ? wordsOf(state.stream, state.error_code, state.error_detail) : null,
    rowsSeen: state.rows_seen,
    isRunning: state.lease_until !== null && state.lease_until > now,
  }
}

/** A key that may not read or write coupons may do everything else. */
function wordsOf(stream: sql.Stream, code: string, detail: string | null): string {
  if (stream === 'coupons' && code === 'no_rights') return COUPONS_NOT_READABLE
  const isOfCodes = stream === 'coupon_codes' || stream === 'coupon_tidy'
  return isOfCodes && ofRights(code) ? couponProblemText(code, detail) : problemText(code, detail)
}
