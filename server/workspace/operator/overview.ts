import type { OperatorAccount } from '../../../shared/workspace/operator.ts'
import { formatMonth, loadUsage } from '../../billing/billing/public.ts'
import { readBalance } from '../../billing/credits/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { describePage, findPageWindow } from '../../core/db/public.ts'
import type { OperatorActionsTable } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import { readiness } from '../instance/public.ts'
import * as actions from './actions-sql.ts'
import * as sql from './sql.ts'

// What operators see (decision 90): accounts, one account, the health of the installation, and the action log.

/** A message overdue by more than this is late. */
const LATE_MS = 60_000

export async function listAccounts(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { search, show, page, limit }: { search: string; show: 'all' | 'suspended'; page: number; limit: number },
) {
  const filter = { search, isSuspended: show === 'suspended' }
  const total = await sql.countAccounts(db, filter)
  const window = findPageWindow({ page, limit }, total, false)
  const rows = window ? await sql.listAccounts(db, { filter, month: formatMonth(now()), window }) : []
  return { accounts: rows.map(viewAccount), pagination: describePage({ page, limit }, total) }
}

export async function readAccount({ db, now }: Pick<Deps, 'db' | 'now'>, accountId: string) {
  const row = requireFound(await sql.readAccount(db, accountId, formatMonth(now())), 'Account')
  const account = { accountId, db }
  const usage = await loadUsage(account, now())
  const alarms = await sql.listOpenAlarms(db, accountId)
  return {
    account: {
      ...viewAccount(row),
      suspendedReason: row.suspendedReason,
      suspendedBy: row.suspendedBy,
      creditMicros: await readBalance(account),
      members: (await sql.listMembers(db, accountId)).map(({ name, email, role, email_confirmed_at }) => ({
        name,
        email,
        role,
        isConfirmed: email_confirmed_at !== null,
      })),
    },
    usage: { ...usage, renewsAt: usage.renewsAt.toISOString() },
    stores: (await sql.listStores(db, accountId)).map(({ id, name, url, platform, is_active, sending_paused_at }) => ({
      id,
      name,
      url,
      platform,
      isActive: is_active,
      isPaused: sending_paused_at !== null,
      stopped: alarms.filter((alarm) => alarm.storeId === id).map(viewStop),
    })),
    waiting: (await sql.countWaiting(db, accountId)).map((each) => ({
      ...each,
      oldestAt: each.oldestAt.toISOString(),
    })),
    problems: (await sql.listOpenProblems(db, accountId)).map(viewProblem),
    actions: (await actions.listAccountActions(db, accountId)).map(viewAction),
  }
}

export async function readHealth(deps: Pick<Deps, 'config' | 'db' | 'demo' | 'jobs' | 'now' | 'pool'>) {
  const { db, now, jobs } = deps
  const { checks } = await readiness(deps)
  const late = await sql.countLateStores(db, new Date(now().getTime() - LATE_MS))
  return {
    checks: Object.entries(checks).map(([name, state]) => ({ name, state })),
    queues: (await jobs.queues()).toSorted((one, other) => one.name.localeCompare(other.name)),
    late: { stores: late.stores, since: late.since?.toISOString() ?? null },
    alarms: (await sql.listOpenAlarms(db, null)).map((alarm) => {
      const { storeName, accountId, accountName } = alarm
      return { ...viewStop(alarm), storeName, accountId, accountName }
    }),
    problems: (await sql.listOpenProblems(db, null)).map(viewProblem),
  }
}

export async function listActions({ db }: Pick<Deps, 'db'>, { page, limit }: { page: number; limit: number }) {
  const total = await actions.countActions(db)
  const window = findPageWindow({ page, limit }, total, false)
  const rows = window ? await actions.listActions(db, window) : []
  return { actions: rows.map(viewAction), pagination: describePage({ page, limit }, total) }
}

function viewAccount(row: sql.AccountRow): OperatorAccount {
  const { suspendedReason: _reason, suspendedBy: _by, chosen, ...view } = row
  return {
    ...view,
    ...(chosen ?? { plan: null, status: null, source: null, isUnlimited: false }),
    createdAt: row.createdAt.toISOString(),
    suspendedAt: row.suspendedAt?.toISOString() ?? null,
  }
}

const viewStop = ({ stage, cause, since }: sql.AlarmRow) => ({ stage, cause, since: since.toISOString() })

const viewProblem = ({ raisedAt, ...problem }: sql.ProblemRow) => ({ ...problem, raisedAt: raisedAt.toISOString() })

const viewAction = (row: OperatorActionsTable) => ({
  id: row.id,
  at: row.at.toISOString(),
  operatorEmail: row.operator_email,
  accountId: row.account_id,
  accountName: row.account_name,
  action: row.action,
  data: row.data,
})
