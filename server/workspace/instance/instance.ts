import crypto from 'node:crypto'
import fs from 'node:fs'
import { isOperator, type Session } from '../../access/members/public.ts'
import { findSeller } from '../../billing/billing/public.ts'
import { AppError } from '../../core/common/public.ts'
import { type Db, sql, type Tx } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { chooseMailRoute } from '../../messages/channels/public.ts'
import { wakeMessagesOf } from '../../messages/messages/public.ts'
import { hasDemoAccount } from '../accounts/public.ts'

// The instance. live ⇄ paused: a copied or restored database starts paused, so that two copies never both send to the
// same shoppers (D7). The operator confirms which one is live.

const WHO_CONFIRMS =
  'Only the server’s administrator can confirm this as the live installation: signed in with a confirmed address listed in OPERATOR_EMAILS, or by running npm run confirm-live on the server.'

const COPIED =
  'This looks like a copy or a restored backup of another installation. Nothing is sent until the server’s administrator confirms that it is the live installation.'

type InstanceDeps = Pick<Deps, 'config' | 'db' | 'now'>

export async function viewInstance(
  deps: Pick<Deps, 'config' | 'db' | 'demo' | 'phoneUrl' | 'zones'>,
  session: Session | null,
) {
  const { config, demo } = deps
  const row = await readInstance(deps.db)
  return {
    productName: config.instanceName,
    companyName: config.companyName,
    supportEmail: config.supportEmail,
    termsUrl: config.termsUrl ?? null,
    privacyUrl: config.privacyUrl ?? null,
    imprintUrl: config.imprintUrl ?? null,
    registration: config.registration,
    hasDemo: config.isDemo && (await hasDemoAccount(deps.db)),
    sells: findSeller(config),
    isPaused: row?.is_paused ?? false,
    pausedReason: row?.paused_reason ?? null,
    mayConfirm: row?.is_paused === true && session !== null && (await isOperator(deps, session)),
    mail: chooseMailRoute(config),
    demoStoreUrl: config.isLocal ? (demo?.storeUrl ?? null) : null,
    mailboxUrl: config.isLocal ? (demo?.mailboxUrl ?? null) : null,
    phoneUrl: config.isLocal && demo ? (deps.phoneUrl ?? null) : null,
    locationDataFrom: deps.zones?.builtOn ?? null,
  }
}

/** At start: stores the fingerprint of a first start, and pauses on a different one. Returns whether paused. */
export async function checkInstance(deps: InstanceDeps): Promise<boolean> {
  const fingerprint = await readFingerprint(deps)
  await insertInstance(deps.db, fingerprint, deps.now())
  const row = await readInstance(deps.db)
  if (row && row.fingerprint !== fingerprint && !row.is_paused) await pause(deps.db, COPIED)
  return row !== undefined && (row.is_paused || row.fingerprint !== fingerprint)
}

/** Account owners do not know where else the database runs. */
export async function assertMayConfirm(deps: InstanceDeps, session: Session): Promise<void> {
  if (!(await isOperator(deps, session))) throw new AppError('forbidden', WHO_CONFIRMS)
}

export async function confirmLive(deps: InstanceDeps): Promise<void> {
  const fingerprint = await readFingerprint(deps)
  await deps.db.transaction().execute(async (tx) => {
    await confirm(tx, fingerprint)
    await wakeMessagesOf(tx, null, ['instance_paused'], deps.now())
  })
}

/** At start: releases messages held for a missing mail server or operator SMS account that exists now. */
export async function releaseForProviders({ config, db, now }: InstanceDeps): Promise<void> {
  const reasons = [
    ...(chooseMailRoute(config) === 'none' ? [] : ['mail_not_configured']),
    ...(config.operatorTexts ? ['sms_not_configured'] : []),
  ]
  if (reasons.length > 0) await wakeMessagesOf(db, null, reasons, now())
}

/** D7: identifies the database, the address and, for the embedded database, machine and data folder. */
export async function readFingerprint(deps: InstanceDeps): Promise<string> {
  const { config } = deps
  const place = config.databaseUrl ? [] : [machineId(), folderIdentity(config.dataDir)]
  const parts = [await databaseIdentity(deps.db), config.publicUrl, ...place]
  return crypto.createHash('sha256').update(parts.join('\n')).digest('hex')
}

/** Empty where there is no such file: other systems than Linux. */
function machineId(): string {
  try {
    return fs.readFileSync('/etc/machine-id', 'utf8').trim()
  } catch {
    return ''
  }
}

/** A copied folder has another inode. Absent: there is nothing to copy yet. */
function folderIdentity(folder: string): string {
  const stat = fs.statSync(folder, { throwIfNoEntry: false })
  return stat ? `${stat.dev}:${stat.ino}` : ''
}

// SQL for the instance row and the identity of the database.

function readInstance(db: Db) {
  return db.selectFrom('instance').selectAll().executeTakeFirst()
}

/** Keeps an existing row. */
export function insertInstance(db: Db, fingerprint: string, now: Date) {
  return db
    .insertInto('instance')
    .values({ fingerprint, created_at: now })
    .onConflict((conflict) => conflict.column('is_only').doNothing())
    .execute()
}

export function pause(db: Db, reason: string) {
  return db.updateTable('instance').set({ is_paused: true, paused_reason: reason }).execute()
}

export function confirm(db: Db | Tx, fingerprint: string) {
  return db.updateTable('instance').set({ is_paused: false, paused_reason: null, fingerprint }).execute()
}

/** Constant for a database, different for a restored or copied one on another server. */
async function databaseIdentity(db: Db): Promise<string> {
  const found = await sql<{ identity: string }>`
    select (select system_identifier from pg_control_system())::text || '/' || oid::text as identity
    from pg_database where datname = current_database()
  `.execute(db)
  return found.rows[0]!.identity
}
