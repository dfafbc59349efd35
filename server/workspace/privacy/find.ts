import { normalizeEmail } from '../../../shared/contact.ts'
import { dataKindText, type Erasure, type Person, privacyTexts } from '../../../shared/privacy.ts'
import { listStores } from '../../access/stores/store.ts'
import { AppError, requireFound } from '../../core/common/errors.ts'
import type { AccountDb, Db } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { listNumberAliases } from '../../messages/channels/number-aliases.ts'
import { listAliases, readAddress } from '../../shoppers/suppressions/rules.ts'
import { type EntryRow, selectCountries, selectPage } from '../../shoppers/suppressions/suppressions.ts'
import { filterIdentifying, personIn } from './person.ts'
import * as sql from './sql.ts'
import { accountPrivacyTables, privacyTables } from './tables.ts'

// Finds a person (C8): all data that the account's stores link to one address, by the same rules as carts.

export interface Found {
  /** As stored. */
  address: string
  addresses: string[]
  hashes: Buffer[]
}

/** Safety limit: more addresses than a person has. */
const MOST_ADDRESSES = 100

/** Throws `not_found` for an invalid address, or if nothing is stored about it. */
export async function findDataSubject(deps: Deps, account: AccountDb<Db>, typed: string): Promise<Found> {
  const address = readAddress(typed, await selectCountries(account))
  if (!address) throw new AppError('not_found', privacyTexts.nobody)
  const { addresses, isKnown } = await followAddresses(account, listAliases(address))
  const hashes = addresses.map((each) => deps.secrets.addressHash(each))
  if (!isKnown && !(await sql.isKnownByHash(account, hashes))) throw new AppError('not_found', privacyTexts.nobody)
  return { address: address.address, addresses, hashes }
}

/** Follows addresses to people and people to addresses until nothing new is found. */
async function followAddresses(account: AccountDb, start: readonly string[]) {
  const all = new Set(start)
  const stores = await listStores(account)
  let isKnown = false
  for (let fresh = [...start]; fresh.length > 0 && all.size < MOST_ADDRESSES; ) {
    const known = await sql.findLinkedAddresses(account, filterIdentifying(fresh, stores))
    isKnown ||= known.length > 0
    const spelled = known.flatMap((value) => (normalizeEmail(value) ? [value] : listNumberAliases(value)))
    fresh = filterIdentifying([...new Set(spelled)], stores).filter((value) => !all.has(value))
    for (const value of fresh) all.add(value)
  }
  return { addresses: [...all], isKnown }
}

export async function describeDataSubject(deps: Deps, account: AccountDb<Db>, typed: string): Promise<Person> {
  const person = await findDataSubject(deps, account, typed)
  const stores = await listStores(account)
  const known = await Promise.all(stores.map((store) => describeIn(deps, account, store, person)))
  const here = known.filter(({ counts }) => Object.keys(counts).length > 0)
  const [suppressed, erasures] = await Promise.all([
    suppressionsOf(account, person.hashes),
    sql.erasuresOf(account, person.hashes),
  ])
  const firsts = known.flatMap(({ seen }) => (seen.firstSeenAt ? [seen.firstSeenAt] : []))
  return {
    address: person.address,
    addresses: person.addresses,
    names: [...new Set(known.flatMap(({ seen }) => seen.names))],
    stores: here.map(({ store }) => store),
    firstSeenAt: firsts.length > 0 ? new Date(Math.min(...firsts.map(Number))).toISOString() : null,
    counts: addCounts(here.map(({ counts }) => counts)),
    suppressed: suppressed.map(({ channel, reason, created_at }) => ({
      channel,
      reason,
      since: created_at.toISOString(),
    })),
    erasures: erasures.map(presentErasure),
  }
}

async function describeIn(deps: Deps, account: AccountDb, { id, name }: { id: string; name: string }, person: Found) {
  const handle = { storeId: id, db: account.db }
  const rows = await personIn(deps, handle, person)
  const seen = await sql.readVisits(handle, rows)
  const counts: Record<string, number> = {}
  for (const table of privacyTables.filter((each) => each.name in dataKindText)) {
    const count = await sql.countRows(handle, table, rows)
    if (count > 0) counts[table.name] = count
  }
  return { store: { id, name }, seen, counts }
}

async function suppressionsOf(account: AccountDb, hashes: readonly Buffer[]): Promise<EntryRow[]> {
  const filter = { search: { hashes, prefix: '\u{10ffff}' }, reason: null, channel: null }
  return selectPage(account, filter, { after: null, limit: 100 })
}

/** All data, for an export. */
export async function readEverything(deps: Deps, account: AccountDb<Db>, typed: string) {
  const person = await findDataSubject(deps, account, typed)
  const providerIds: string[] = []
  const stores: { id: string; name: string; url: string; tables: Record<string, sql.PersonRow[]> }[] = []
  for (const { id, name, url } of await listStores(account)) {
    const handle = { storeId: id, db: account.db }
    const rows = await personIn(deps, handle, person)
    providerIds.push(...(await sql.providerIdsOf(handle, rows.messageIds)))
    const tables: Record<string, sql.PersonRow[]> = {}
    for (const table of privacyTables.filter((each) => !each.isLeftOut)) {
      const kept = await sql.rowsOf(handle, table, rows)
      if (kept.length > 0) tables[table.name] = kept
    }
    if (Object.keys(tables).length > 0) stores.push({ id, name, url, tables })
  }
  const ofAccount: Record<string, sql.PersonRow[]> = {}
  for (const table of accountPrivacyTables) {
    const kept = await sql.accountRowsOf(account, table, { hashes: person.hashes, providerIds })
    if (kept.length > 0) ofAccount[table.name] = kept
  }
  return { person, stores, account: ofAccount }
}

export async function readErasure(account: AccountDb<Db>, id: string): Promise<Erasure> {
  return presentErasure(requireFound(await sql.erasureById(account, id), 'Erasure'))
}

function presentErasure(row: sql.ErasureRow): Erasure {
  return {
    id: row.id,
    askedAt: row.asked_at.toISOString(),
    askedBy: row.asked_by,
    finishedAt: row.finished_at?.toISOString() ?? null,
    storesTotal: row.stores_total,
    storesDone: row.stores_done,
    counts: row.counts,
  }
}

export function addCounts(all: readonly Record<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) if (count > 0) sums[name] = (sums[name] ?? 0) + count
  }
  return sums
}
