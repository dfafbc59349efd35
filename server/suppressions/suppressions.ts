import {
  type importableReasons,
  type RemovedEntry,
  removalOf,
  type SuppressionEntry,
  type SuppressionFilter,
  suppressionTexts,
} from '../../shared/suppressions.ts'
import type { Session } from '../accounts/session.ts'
import { type AccountDb, type Db, transactAccount } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError, found } from '../errors.ts'
import { newId } from '../ids.ts'
import { skipOpenTo } from '../messages/track-sql.ts'
import * as rules from './rules.ts'
import * as sql from './sql.ts'

// The suppression list (C1): addresses that get no messages of any of the account's stores. Entries come from people (unsubscribe,
// STOP, complaint), from mail servers (bounces), from owners and from erasures; each reason is an entry of its own. Owners take
// off what is not a person's own word (C5), and that is recorded.

const REMOVED_SHOWN = 20

export interface EntryPage {
  entries: SuppressionEntry[]
  next: string | null
  total: number
  removed: RemovedEntry[]
}

export async function listEntries(
  deps: Deps,
  account: AccountDb<Db>,
  wanted: SuppressionFilter & { cursor?: string | undefined; limit: number },
): Promise<EntryPage> {
  const filter = await filterOf(deps, account, wanted)
  const page = { after: wanted.cursor ? readCursor(wanted.cursor) : null, limit: wanted.limit + 1 }
  const [rows, total, removed] = await Promise.all([
    sql.pageOf(account, filter, page),
    sql.countOf(account, filter),
    sql.removedOf(account, filter.search, REMOVED_SHOWN),
  ])
  const shown = rows.slice(0, wanted.limit)
  return {
    entries: shown.map(present),
    next: rows.length > wanted.limit ? cursorOf(shown.at(-1)!) : null,
    total,
    removed: removed.map(({ removed_by, removed_at, ...row }) => ({
      ...row,
      removedBy: removed_by,
      removedAt: removed_at.toISOString(),
    })),
  }
}

/** What was typed finds what begins so, and, hashed in every way it can be read, what has no address any more. */
export async function filterOf(
  deps: Deps,
  account: AccountDb,
  { search, reason, channel }: SuppressionFilter,
): Promise<sql.EntryFilter> {
  const typed = search?.trim() ?? ''
  const address = typed ? rules.readAddress(typed, await sql.countriesOf(account)) : null
  const addresses = address ? rules.addressesOf(address) : []
  return {
    search: typed
      ? { hashes: addresses.map((each) => deps.secrets.addressHash(each)), prefix: rules.prefixOf(typed) }
      : null,
    reason: reason ?? null,
    channel: channel ?? null,
  }
}

/** By hand. What is open to the address is closed in the same commit (C2). */
export async function addEntry(
  deps: Deps,
  { account, session }: { account: AccountDb<Db>; session: Session },
  wanted: { address: string; channels: readonly ('sms' | 'whatsapp')[]; note: string },
): Promise<{ address: string; added: number }> {
  const address = rules.readAddress(wanted.address, await sql.countriesOf(account))
  if (!address) {
    throw new AppError('invalid', suppressionTexts.unknownAddress, {
      fields: { address: suppressionTexts.unknownAddress },
    })
  }
  const texts = [...new Set(wanted.channels)]
  const closed = address.kind === 'email' ? (['email'] as const) : texts
  const channels = address.kind === 'phone' && texts.length === 2 ? (['all'] as const) : closed
  const entries = rules
    .addressesOf(address)
    .flatMap((each) =>
      channels.map((channel) => ({ address: each, channel, reason: 'manual' as const, note: wanted.note || null })),
    )
  const now = deps.now()
  const added = await transactAccount(account, async (tx) => {
    const count = await sql.insertEntries(tx, hashed(deps, entries), {
      source: 'by hand',
      userId: session.userId,
      at: now,
    })
    for (const each of rules.addressesOf(address)) {
      for (const channel of closed) {
        const to = { accountId: account.accountId, address: each, channel, now, reason: 'suppressed_manual' }
        await skipOpenTo(tx, to)
      }
    }
    return count
  })
  return { address: address.address, added }
}

export async function removeEntry(
  deps: Deps,
  { account, session }: { account: AccountDb<Db>; session: Session },
  id: string,
): Promise<void> {
  const entry = found(rules.readEntryId(id), 'Entry')
  await transactAccount(account, async (tx) => {
    const row = await sql.deleteEntry(tx, entry)
    if (!row) throw new AppError('not_found', suppressionTexts.gone)
    if (removalOf[row.reason] === 'person') {
      // Rolls back with it.
      throw new AppError(
        'conflict',
        suppressionTexts.personsAct[row.reason as keyof typeof suppressionTexts.personsAct],
      )
    }
    await sql.recordRemoval(tx, { id: newId(), entry: row, userId: session.userId, at: deps.now() })
  })
  deps.log.info({ accountId: account.accountId, reason: entry.reason, channel: entry.channel }, 'suppressions.removed')
}

/** One part of a file. What is open to its addresses is skipped when its turn comes, as everything is decided then (D2). */
export async function importEntries(
  deps: Deps,
  { account, session }: { account: AccountDb<Db>; session: Session },
  file: { rows: readonly rules.FileRow[]; reason: (typeof importableReasons)[number]; fileName: string },
) {
  const countries = await sql.countriesOf(account)
  const { entries, refused } = rules.readRows(file.rows, { reason: file.reason, countries })
  const source = file.fileName ? `file ${file.fileName}` : 'file'
  const by = { source, userId: session.userId, at: deps.now() }
  const taken = await transactAccount(account, (tx) => sql.insertEntries(tx, hashed(deps, entries), by))
  return { taken, known: entries.length - taken, refused }
}

const hashed = (deps: Deps, entries: readonly rules.NewEntry[]): sql.InsertedEntry[] =>
  entries.map((entry) => ({ ...entry, hash: deps.secrets.addressHash(entry.address).toString('hex') }))

function present(row: sql.EntryRow): SuppressionEntry {
  return {
    id: rules.entryId(row.address_hash, row.channel, row.reason),
    address: row.address,
    channel: row.channel,
    reason: row.reason,
    source: row.source,
    note: row.note,
    addedBy: row.added_by,
    since: row.created_at.toISOString(),
  }
}

const cursorOf = ({ created_at, address_hash, channel, reason }: sql.EntryRow): string =>
  Buffer.from(JSON.stringify([created_at.getTime(), address_hash.toString('hex'), channel, reason])).toString(
    'base64url',
  )

function readCursor(cursor: string): sql.Place {
  try {
    const [at, hash, channel, reason] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const created_at = new Date(at)
    if (Number.isNaN(created_at.getTime())) throw new Error('no time')
    return {
      created_at,
      address_hash: Buffer.from(hash, 'hex'),
      channel: String(channel),
      reason: String(reason),
    } as sql.Place
  } catch (cause) {
    throw new AppError('invalid', 'This page of the list cannot be opened. Start from its beginning.', { cause })
  }
}
