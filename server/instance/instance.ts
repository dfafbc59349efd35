import crypto from 'node:crypto'
import fs from 'node:fs'
import { hasDemoAccount } from '../accounts/accounts.ts'
import type { Session } from '../accounts/session.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { wakeMessagesOf } from '../messages/messages.ts'
import * as sql from './sql.ts'

// The running copy of the product. live ⇄ paused: a copied or restored one starts paused, so that two copies never both write
// to the same shoppers (D7). An owner says which one is live.

const COPIED =
  'This looks like a copy or a restored backup of another installation, so nothing is sent. Confirm that this is the live one.'

type InstanceDeps = Pick<Deps, 'config' | 'db' | 'now'>

export async function viewInstance(deps: Deps) {
  const { config, demo } = deps
  const row = await sql.readInstance(deps.db)
  return {
    productName: 'Recoup',
    companyName: config.companyName,
    supportEmail: config.supportEmail,
    hasDemo: config.isDemo && (await hasDemoAccount(deps.db)),
    isPaused: row?.is_paused ?? false,
    pausedReason: row?.paused_reason ?? null,
    demoStoreUrl: config.isLocal ? (demo?.storeUrl ?? null) : null,
    mailboxUrl: config.isLocal ? (demo?.mailboxUrl ?? null) : null,
    phoneUrl: config.isLocal && demo ? (deps.phoneUrl ?? null) : null,
  }
}

/** At start: remembers the place on the first one; paused when the place is another than remembered. Returns whether paused. */
export async function checkInstance(deps: InstanceDeps): Promise<boolean> {
  const fingerprint = await readFingerprint(deps)
  await sql.insertInstance(deps.db, fingerprint, deps.now())
  const row = await sql.readInstance(deps.db)
  if (row && row.fingerprint !== fingerprint && !row.is_paused) await sql.pause(deps.db, COPIED)
  return row !== undefined && (row.is_paused || row.fingerprint !== fingerprint)
}

export async function confirmLive(deps: Deps, session: Session): Promise<void> {
  if (session.isDemo) throw new AppError('forbidden', 'This cannot be done from the demo account.')
  const fingerprint = await readFingerprint(deps)
  await deps.db.transaction().execute(async (tx) => {
    await sql.confirm(tx, fingerprint)
    await wakeMessagesOf(tx, null, ['instance_paused'], deps.now())
  })
}

/** D7: the database, the address, and for the embedded database the machine and the data folder it lies in. */
export async function readFingerprint(deps: InstanceDeps): Promise<string> {
  const { config } = deps
  const place = config.databaseUrl ? [] : [machineId(), folderIdentity(config.dataDir)]
  const parts = [await sql.databaseIdentity(deps.db), config.publicUrl, ...place]
  return crypto.createHash('sha256').update(parts.join('\n')).digest('hex')
}

/** Linux keeps one; elsewhere the folder's device and inode have to do. */
function machineId(): string {
  try {
    return fs.readFileSync('/etc/machine-id', 'utf8').trim()
  } catch {
    return ''
  }
}

/** A folder copied elsewhere gets another inode. Absent: there is nothing yet that could have been copied. */
function folderIdentity(folder: string): string {
  const stat = fs.statSync(folder, { throwIfNoEntry: false })
  return stat ? `${stat.dev}:${stat.ino}` : ''
}
