import { z } from 'zod'
import { normalizeEmail, normalizePhone } from '../../../shared/core/contact.ts'
import type { LedgerEntry, LedgerFilter } from '../../../shared/marketing/ledger.ts'
import { AppError } from '../../core/common/public.ts'
import { cursorPage, readCursor, type StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { describeEvidence, standingTexts } from './rules.ts'
import * as sql from './sql.ts'

// The consent ledger: opt-ins and opt-outs with time and proof (C5). It identifies people by a keyed hash: an address
// finds its rows, but no row reveals an address.

export interface LedgerPage {
  entries: LedgerEntry[]
  next: string | null
}

export async function searchLedger(
  deps: Pick<Deps, 'secrets'>,
  store: StoreDb,
  { cursor, limit, ...filter }: LedgerFilter & { cursor?: string | undefined; limit: number },
): Promise<LedgerPage> {
  const typed = await normalizeTypedAddress(store, filter.address)
  const after = readCursor(cursor, Place)
  const hash = typed ? deps.secrets.addressHash(typed) : null
  const rows = await sql.ledgerPage(store, { ...filter, hash, after, limit: limit + 1 })
  const { pageRows, next } = cursorPage(rows, limit, ({ at, id }) => ({ at, id }))
  return { entries: pageRows.map((row) => toEntry(row, typed)), next }
}

/** All entries of a person's stored addresses, newest first. */
export async function listEntries(
  { secrets }: Pick<Deps, 'secrets'>,
  store: StoreDb,
  addresses: readonly string[],
  max: number,
): Promise<LedgerEntry[]> {
  const all = addresses.map(async (address) => {
    const rows = await sql.ledgerPage(store, { hash: secrets.addressHash(address), after: null, limit: max })
    return rows.map((row) => toEntry(row, address))
  })
  const entries = (await Promise.all(all)).flat()
  return entries.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, max)
}

const Place = z.object({ at: z.coerce.date(), id: z.uuid() })

export const toEntry = (row: sql.LedgerRow, typed: string | null): LedgerEntry => ({
  id: row.id,
  who: typed ?? row.who,
  person: row.hash.slice(0, 8),
  channel: row.channel,
  status: row.status,
  isConfirmed: row.is_confirmed,
  standing: row.standing,
  source: row.source,
  wording: row.wording,
  at: row.at.toISOString(),
  evidence: [...standingTexts[row.standing], ...describeEvidence(row.evidence, row.is_confirmed)],
})

/** The normalized address, as it was hashed; null: no search. */
export async function normalizeTypedAddress(store: StoreDb, text: string): Promise<string | null> {
  if (text === '') return null
  const address = text.includes('@') ? normalizeEmail(text) : normalizePhone(text, (await sql.readPlace(store)).country)
  if (address) return address
  throw new AppError('invalid', 'Enter a full email address or phone number to find its entries.', {
    fields: { address: 'Enter a full email address or phone number.' },
  })
}
