import type { z } from 'zod'
import { weeklyReaders } from '../../access/notifications/preferences.ts'
import { readStore, type StoreRow } from '../../access/stores/store.ts'
import { loadEntitlements } from '../../billing/billing/entitlements.ts'
import { hasFeature } from '../../billing/billing/rules.ts'
import { type Db, type StoreDb, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { isCountedBefore, readWeeks } from '../../insights/analytics/weeks.ts'
import { mailMember } from '../accounts/mails.ts'
import { weeklyReport } from './jobs.ts'
import { isInTime, mondayOf, nextReportAt, reportAt } from './week-rules.ts'
import { weekMail } from './weekly-copy.ts'
import * as sql from './weekly-sql.ts'

// Weekly reports by mail (decision 100): once per member, store and week, for any number of processes and crashes.

const STORES_AT_ONCE = 100
/** Delay until the next check whether the week's figures are complete. */
const WAIT_MS = 5 * 60_000

/** Tick: plans the reports of stores in which it is Monday morning. */
export async function planWeeklyReports(deps: Deps): Promise<void> {
  const now = deps.now()
  await sql.startClocks(deps.db, now)
  for (const storeId of await sql.dueClocks(deps.db, now, STORES_AT_ONCE)) {
    await planStore(deps, { storeId, db: deps.db }, now).catch((error) => {
      // Reports of other stores must go on.
      deps.log.error({ err: error, storeId }, 'analytics.weekly_report_failed')
    })
  }
}

async function planStore(deps: Deps, store: StoreDb<Db>, now: Date): Promise<void> {
  const row = await readStore(store)
  if (!row) return
  const monday = mondayOf(now, row.time_zone)
  const readers = await findReaders(store, row, now)
  await transact(store, async (tx) => {
    if (!(await sql.lockClock(tx, now))) return
    if (readers === null) return sql.setClock(tx, new Date(now.getTime() + WAIT_MS))
    for (const userId of await sql.addReports(tx, readers, monday)) {
      await deps.jobs.enqueue(tx.db, weeklyReport, { storeId: store.storeId, userId, monday })
    }
    await sql.setClock(tx, nextReportAt(now, row.time_zone))
  })
}

/** Skips the week before the store was connected, and weeks without carts. null: the week's figures are incomplete. */
async function findReaders(store: StoreDb<Db>, row: StoreRow, now: Date): Promise<string[] | null> {
  const monday = mondayOf(now, row.time_zone)
  const at = reportAt(monday, row.time_zone)
  if (!row.is_active || !isInTime(now, at) || row.connected_at >= at) return []
  if (!(await isCountedBefore(store, monday, row.time_zone))) return null
  if (!(await readWeeks(store, row.currency, monday))) return []
  return weeklyReaders({ accountId: row.account_id, db: store.db })
}

/** Checks the member's current choice. Only a mail that was certainly rejected is retried. */
export async function mailWeeklyReport(
  deps: Deps,
  { storeId, userId, monday }: z.infer<typeof weeklyReport.payload>,
): Promise<void> {
  const store = { storeId, db: deps.db as Db }
  const row = await readStore(store)
  if (!row?.is_active) return
  const account = { accountId: row.account_id, db: store.db }
  if (!(await weeklyReaders(account)).includes(userId)) return
  const weeks = await readWeeks(store, row.currency, monday)
  if (!weeks) return
  const hasProducts = hasFeature(await loadEntitlements(account, deps.now()), 'advanced_analytics')
  const { publicUrl } = deps.config
  if (!(await sql.claimReport(store, { userId, monday }, deps.now()))) return
  try {
    await mailMember(deps, userId, (name) => weekMail(weeks, { name, store: row, publicUrl, hasProducts }))
  } catch (error) {
    await sql.releaseReport(store, { userId, monday })
    throw error
  }
}
