import { z } from 'zod'
import {
  type DoubtfulSuppression,
  type importableReasons,
  type RemovedEntry,
  removalByReason,
  type SuppressionEntry,
  type SuppressionFilter,
  suppressionChannels,
  suppressionReasons,
  suppressionTexts,
} from '../../../shared/shoppers/suppressions.ts'
import type { Session } from '../../access/members/public.ts'
import { AppError, createId, requireFound } from '../../core/common/public.ts'
import {
  type AccountDb,
  type AccountTx,
  cursorPage,
  type Db,
  readCursor,
  transactAccount,
} from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { isAddressBlameless } from '../../messages/channels/public.ts'
import { skipOpenMessagesTo } from '../../messages/messages/public.ts'
import { insertImported } from './imported-sql.ts'
import * as rules from './rules.ts'
import * as sql from './sql.ts'

// The suppression list (C1): addresses that get no messages of any store of the account. Entries come from shoppers
// (unsubscribe, STOP, complaint), mail servers (bounces), owners and erasures. Each reason is a separate entry. Owners
// can remove entries that are not a shopper's own action (C5), and each removal is recorded.

const MAX_LISTED_REMOVED = 20

export interface EntryPage {
  entries: SuppressionEntry[]
  next: string | null
  total: number
  removed: RemovedEntry[]
}

export async function listEntries(
  deps: Pick<Deps, 'secrets'>,
  account: AccountDb<Db>,
  input: SuppressionFilter & { cursor?: string | undefined; limit: number },
): Promise<EntryPage> {
  const filter = await buildFilter(deps, account, input)
  const page = { after: readCursor(input.cursor, EntryCursor), limit: input.limit + 1 }
  const [rows, total, removed] = await Promise.all([
    sql.selectPage(account, filter, page),
    sql.countEntries(account, filter),
    sql.selectRemoved(account, filter.search, MAX_LISTED_REMOVED),
  ])
  const { pageRows, next } = cursorPage(rows, input.limit, toCursor)
  return {
    entries: pageRows.map(presentEntry),
    next,
    total,
    removed: removed.map(({ removed_by, removed_at, ...row }) => ({
      ...row,
      removedBy: removed_by,
      removedAt: removed_at.toISOString(),
    })),
  }
}

const MAX_CHECKED = 2_000
const MAX_LISTED_DOUBTFUL = 100

/**
 * Applies the current rules (channels/bounce-rules.ts): entries of earlier versions stay until an owner removes them.
 */
export async function listDoubtful(account: AccountDb<Db>): Promise<DoubtfulSuppression[]> {
  const rows = await sql.selectBouncesWithReply(account, MAX_CHECKED)
  return rows
    .filter(({ status, reply }) => isAddressBlameless(status, reply))
    .slice(0, MAX_LISTED_DOUBTFUL)
    .map((row) => ({ ...presentEntry(row), reply: row.reply }))
}

/** Filters by address prefix and, for entries without an address, by the hashes of all readings of the search. */
export async function buildFilter(
  deps: Pick<Deps, 'secrets'>,
  account: AccountDb,
  { search, reason, channel }: SuppressionFilter,
): Promise<sql.EntryFilter> {
  const typed = search?.trim() ?? ''
  const address = typed ? rules.readAddress(typed, await sql.selectCountries(account)) : null
  const addresses = address ? rules.listAliases(address) : []
  return {
    search: typed
      ? { hashes: addresses.map((each) => deps.secrets.addressHash(each)), prefix: rules.normalizePrefix(typed) }
      : null,
    reason: reason ?? null,
    channel: channel ?? null,
  }
}

/** Adds a manual entry and cancels open messages to the address in the same transaction (C2). */
export async function addEntry(
  deps: Pick<Deps, 'now' | 'secrets'>,
  { account, session }: { account: AccountDb<Db>; session: Session },
  input: { address: string; channels: readonly ('sms' | 'whatsapp')[]; note: string },
): Promise<{ address: string; added: number }> {
  const address = rules.readAddress(input.address, await sql.selectCountries(account))
  if (!address) {
    throw new AppError('invalid', suppressionTexts.unknownAddress, {
      fields: { address: suppressionTexts.unknownAddress },
    })
  }
  const texts = [...new Set(input.channels)]
  const closed = address.kind === 'email' ? (['email'] as const) : texts
  const channels = address.kind === 'phone' && texts.length === 2 ? (['all'] as const) : closed
  const entries = rules
    .listAliases(address)
    .flatMap((each) =>
      channels.map((channel) => ({ address: each, channel, reason: 'manual' as const, note: input.note || null })),
    )
  const now = deps.now()
  const added = await transactAccount(account, async (tx) => {
    const count = await sql.insertEntries(tx, hashEntries(deps, entries), {
      source: 'by hand',
      userId: session.userId,
      at: now,
    })
    for (const each of rules.listAliases(address)) {
      for (const channel of closed) {
        const to = { accountId: account.accountId, address: each, channel, now, reason: 'suppressed_manual' }
        await skipOpenMessagesTo(tx, to)
      }
    }
    return count
  })
  return { address: address.address, added }
}

export async function removeEntry(
  deps: Pick<Deps, 'log' | 'now'>,
  { account, session }: { account: AccountDb<Db>; session: Session },
  id: string,
): Promise<void> {
  const entry = requireFound(rules.readEntryId(id), 'Entry')
  await transactAccount(account, async (tx) => {
    const row = await sql.deleteEntry(tx, entry)
    if (!row) throw new AppError('not_found', suppressionTexts.gone)
    if (removalByReason[row.reason] === 'person') {
      // Rolls back the deletion.
      throw new AppError(
        'conflict',
        suppressionTexts.notRemovableReasons[row.reason as keyof typeof suppressionTexts.notRemovableReasons],
      )
    }
    await sql.recordRemoval(tx, { id: createId(), entry: row, userId: session.userId, at: deps.now() })
  })
  deps.log.info({ accountId: account.accountId, reason: entry.reason, channel: entry.channel }, 'suppressions.removed')
}

/** Imports part of a file. Open messages are skipped later, by their own decision (D2). */
export async function importEntries(
  deps: Pick<Deps, 'now' | 'secrets'>,
  { account, session }: { account: AccountDb<Db>; session: Session },
  file: { rows: readonly rules.FileRow[]; reason: (typeof importableReasons)[number]; fileName: string },
) {
  const countries = await sql.selectCountries(account)
  const { entries, refused } = rules.readRows(file.rows, { reason: file.reason, countries })
  const source = file.fileName ? `file ${file.fileName}` : 'file'
  const by = { source, userId: session.userId, at: deps.now() }
  const inserted = await transactAccount(account, (tx) => sql.insertEntries(tx, hashEntries(deps, entries), by))
  return { taken: inserted, known: entries.length - inserted, refused }
}

/** Adds entries from an import of consents, with the import's id, so that undoing the import removes them. */
export async function suppressImported(
  deps: Pick<Deps, 'now' | 'secrets'>,
  tx: AccountTx,
  importId: string,
  { entries, fileName }: { entries: readonly rules.NewEntry[]; fileName: string },
): Promise<number> {
  if (entries.length === 0) return 0
  return insertImported(tx, importId, hashEntries(deps, entries), { source: `file ${fileName}`, at: deps.now() })
}

const hashEntries = (deps: Pick<Deps, 'secrets'>, entries: readonly rules.NewEntry[]): sql.InsertedEntry[] =>
  entries.map((entry) => ({ ...entry, hash: deps.secrets.addressHash(entry.address).toString('hex') }))

function presentEntry(row: sql.EntryRow): SuppressionEntry {
  return {
    id: rules.buildEntryId(row.address_hash, row.channel, row.reason),
    address: row.address,
    channel: row.channel,
    reason: row.reason,
    source: row.source,
    note: row.note,
    addedBy: row.added_by,
    since: row.created_at.toISOString(),
  }
}

const toCursor = ({ created_at, address_hash, channel, reason }: sql.EntryRow) => ({
  created_at,
  channel,
  reason,
  address_hash: address_hash.toString('hex'),
})

const EntryCursor = z.object({
  created_at: z.coerce.date(),
  address_hash: z
    .hex()
    .max(128)
    .transform((hash) => Buffer.from(hash, 'hex')),
  channel: z.enum(suppressionChannels),
  reason: z.enum(suppressionReasons),
})
