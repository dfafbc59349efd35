import type { NotificationTopic } from '../../../shared/workspace/notification-kinds.ts'
import { isMailedAtOnce, readTopic } from '../../../shared/workspace/notification-kinds.ts'
import type { NotificationType } from '../../../shared/workspace/notifications.ts'
import { type AccountDb, type AccountTx, transactAccount } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { type PendingEvent, type Plan, planRows } from './group-rules.ts'
import {
  announceNews,
  insertAccountRows,
  listAccountsWithPending,
  listStoreIds,
  lockGrouping,
  readHours,
  setLastAt,
  takePendingAccountEvents,
  takePendingEvents,
  writePlan,
} from './group-sql.ts'
import type { MailedRow } from './mail-rules.ts'
import { findNextDigest, MAIL_EVERY_MS, ownerTopics } from './mail-rules.ts'
import * as sql from './mails-sql.ts'

// Groups pending events as notifications shortly after the event's transaction, one account at a time. Sending
// transactions therefore never wait for each other, bulk events become one row, and each notification of an account is
// later than the one before.

const ACCOUNTS_AT_ONCE = 100
const ROWS_AT_ONCE = 1_000
const DAY_MS = 86_400_000

/** Tick. Returns the number of processed events. */
export async function groupNotifications(deps: Pick<Deps, 'db' | 'log' | 'now'>): Promise<number> {
  let total = 0
  /** One account's failure does not stop the others; accounts locked by another process are skipped. */
  const passed: string[] = []
  for (;;) {
    const accountIds = await listAccountsWithPending(deps.db, ACCOUNTS_AT_ONCE, passed)
    if (accountIds.length === 0) return total
    for (const accountId of accountIds) {
      const processed = await groupAndLog(deps, accountId)
      if (processed === 0) passed.push(accountId)
      total += processed
    }
  }
}

function groupAndLog(deps: Pick<Deps, 'db' | 'log' | 'now'>, accountId: string): Promise<number> {
  const skipped = ({ id, type }: UnplannedEvent, error: unknown) =>
    deps.log.error({ err: error, accountId, notificationId: id, type }, 'notifications.row_skipped')
  return groupBatch({ accountId, db: deps.db }, deps.now(), skipped).catch((error) => {
    deps.log.error({ err: error, accountId }, 'notifications.gather_failed')
    return 0
  })
}

/** Processes all events of one account. */
export async function groupAccountNotifications(account: AccountDb, now: Date): Promise<void> {
  while ((await groupBatch(account, now)) > 0);
}

type UnplannedEvent = Pick<PendingEvent, 'id' | 'type'>
type OnSkipped = (row: UnplannedEvent, error: unknown) => void

function groupBatch(account: AccountDb, now: Date, onSkipped: OnSkipped = () => {}): Promise<number> {
  return transactAccount(account, async (tx) => {
    const lastAt = await lockGrouping(tx)
    if (!lastAt) return 0
    const pending = await takePendingEvents(tx, ROWS_AT_ONCE)
    const ofAccount = await takePendingAccountEvents(tx, ROWS_AT_ONCE)
    if (pending.length + ofAccount.length === 0) return 0
    const plan = planRows(skipUnplannable(pending, onSkipped), await readAllHours(tx, pending), lastAt)
    const asRows = ofAccount.map((row) => ({ ...row, storeId: '', zone: null, timeZone: 'UTC' }))
    const accountPlan = planRows(skipUnplannable(asRows, onSkipped), [], plan.lastAt)
    await writePlan(tx, plan)
    await insertAccountRows(tx, accountPlan.inserts)
    await setLastAt(tx, accountPlan.lastAt)
    await announce(tx, plan, accountPlan)
    const rows = [...plan.inserts, ...accountPlan.inserts]
    if (rows.length > 0) await scheduleMails(tx, { rows, before: lastAt, now })
    return pending.length + ofAccount.length
  })
}

/** Skips a row that cannot be planned even alone, because it would block all later ones. */
const skipUnplannable = (pending: readonly PendingEvent[], onSkipped: OnSkipped): PendingEvent[] =>
  pending.filter((row) => {
    try {
      planRows([row], [], row.at)
      return true
    } catch (error) {
      onSkipped(row, error)
      return false
    }
  })

async function readAllHours(tx: AccountTx, pending: readonly PendingEvent[]) {
  if (pending.length === 0) return []
  const oldest = Math.min(...pending.map(({ at }) => at.getTime()))
  const storeIds = [...new Set(pending.map(({ storeId }) => storeId))]
  return readHours(tx, storeIds, new Date(oldest - DAY_MS))
}

async function announce(tx: AccountTx, plan: Plan, accountPlan: Plan): Promise<void> {
  const storesOf = (rows: readonly { storeId: string }[]) => [...new Set(rows.map(({ storeId }) => storeId))]
  const news = accountPlan.inserts.length > 0 ? await listStoreIds(tx) : storesOf(plan.inserts)
  await announceNews(tx, { news, grown: storesOf(plan.updates) })
}

/** Call in the transaction that creates the notifications. */
async function scheduleMails(
  tx: AccountTx,
  { rows, before, now }: { rows: readonly Pick<MailedRow, 'type'>[]; before: Date; now: Date },
): Promise<void> {
  const types = rows.map(({ type }) => type)
  const listTopics = (some: readonly NotificationType[]) => [...new Set<NotificationTopic>(some.map(readTopic))]
  const digestAt = findNextDigest(now, await sql.readTimeZone(tx))
  await sql.scheduleMails(tx, {
    before,
    nextAt: now,
    digestAt,
    everyMs: MAIL_EVERY_MS,
    usual: ownerTopics,
    topics: listTopics(types),
    atOnce: listTopics(types.filter(isMailedAtOnce)),
  })
}
