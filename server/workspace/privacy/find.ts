import { normalizeEmail } from '../../../shared/core/contact.ts'
import { dataKindText, type Erasure, type Person, privacyTexts } from '../../../shared/workspace/privacy.ts'
import { listStores } from '../../access/stores/public.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import { type AccountDb, type Db, type StoreDb, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { listNumberAliases } from '../../messages/channels/public.ts'
import {
  type EntryRow,
  listAliases,
  readAddress,
  selectCountries,
  selectPage,
} from '../../shoppers/suppressions/public.ts'
import { filterIdentifying, findPerson } from './person.ts'
import type { StoreDataSubject } from './sql.ts'
import { matchPerson } from './sql.ts'
import type { PrivacyTable } from './tables.ts'
import { privacyTables } from './tables.ts'

// Finds a person (C8): all data that the account's stores link to one address, by the same rules as carts.

export interface FoundPerson {
  /** As stored. */
  address: string
  addresses: string[]
  hashes: Buffer[]
}

/** Safety limit: more addresses than a person has. */
const MAX_ADDRESSES = 100

/** Throws `not_found` for an invalid address, or if nothing is stored about it. */
export async function findDataSubject(
  deps: Pick<Deps, 'secrets'>,
  account: AccountDb<Db>,
  typed: string,
): Promise<FoundPerson> {
  const address = readAddress(typed, await selectCountries(account))
  if (!address) throw new AppError('not_found', privacyTexts.nobody)
  const { addresses, isKnown } = await followAddresses(account, listAliases(address))
  const hashes = addresses.map((each) => deps.secrets.addressHash(each))
  if (!isKnown && !(await isKnownByHash(account, hashes))) throw new AppError('not_found', privacyTexts.nobody)
  return { address: address.address, addresses, hashes }
}

/** Follows addresses to people and people to addresses until nothing new is found. */
async function followAddresses(account: AccountDb, start: readonly string[]) {
  const all = new Set(start)
  const stores = await listStores(account)
  let isKnown = false
  for (let fresh = [...start]; fresh.length > 0 && all.size < MAX_ADDRESSES; ) {
    const known = await findLinkedAddresses(account, filterIdentifying(fresh, stores))
    isKnown ||= known.length > 0
    const spelled = known.flatMap((value) => (normalizeEmail(value) ? [value] : listNumberAliases(value)))
    fresh = filterIdentifying([...new Set(spelled)], stores).filter((value) => !all.has(value))
    for (const value of fresh) all.add(value)
  }
  return { addresses: [...all], isKnown }
}

export async function describeDataSubject(
  deps: Pick<Deps, 'secrets'>,
  account: AccountDb<Db>,
  typed: string,
): Promise<Person> {
  const person = await findDataSubject(deps, account, typed)
  const stores = await listStores(account)
  const known = await Promise.all(stores.map((store) => describeIn(deps, account, store, person)))
  const here = known.filter(({ counts }) => Object.keys(counts).length > 0)
  const [suppressed, erasures] = await Promise.all([
    readSuppressions(account, person.hashes),
    readErasures(account, person.hashes),
  ])
  const firsts = known.flatMap(({ visits }) => (visits.firstSeenAt ? [visits.firstSeenAt] : []))
  return {
    address: person.address,
    addresses: person.addresses,
    names: [...new Set(known.flatMap(({ visits }) => visits.names))],
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

async function describeIn(
  deps: Pick<Deps, 'secrets'>,
  account: AccountDb,
  { id, name }: { id: string; name: string },
  person: FoundPerson,
) {
  const handle = { storeId: id, db: account.db }
  const rows = await findPerson(deps, handle, person)
  const visits = await readVisits(handle, rows)
  const counts: Record<string, number> = {}
  for (const table of privacyTables.filter((each) => each.name in dataKindText)) {
    const count = await countRows(handle, table, rows)
    if (count > 0) counts[table.name] = count
  }
  return { store: { id, name }, visits, counts }
}

async function readSuppressions(account: AccountDb, hashes: readonly Buffer[]): Promise<EntryRow[]> {
  const filter = { search: { hashes, prefix: '\u{10ffff}' }, reason: null, channel: null }
  return selectPage(account, filter, { after: null, limit: 100 })
}

export async function readErasure(account: AccountDb<Db>, id: string): Promise<Erasure> {
  return presentErasure(requireFound(await erasureById(account, id), 'Erasure'))
}

function presentErasure(row: ErasureRow): Erasure {
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

/**
 * All addresses that the account's stores link to one of these. Customer records link addresses as well: a record's
 * address may be another shopper's key (decision 40).
 */
async function findLinkedAddresses({ db, accountId }: AccountDb, addresses: readonly string[]): Promise<string[]> {
  const addressList = sql`${[...addresses]}::text[]`
  const rows = await sql<{ value: string }>`
    with mine as (select id from stores where account_id = ${accountId}),
    record as (
      select mine.id as store_id, c.* from mine cross join lateral (
        select c.customer_id, c.email, c.phone from customers c
          where c.store_id = mine.id and lower(c.email) = any(${addressList})
        union
        select c.customer_id, c.email, c.phone from customers c where c.store_id = mine.id and c.phone = any(${addressList})) c),
    found as (
      select k.store_id, k.shopper_id from mine, unnest(${addressList}) as a(value)
      cross join lateral (select store_id, shopper_id from shopper_keys k where k.store_id = mine.id
        and k.kind in ('email', 'phone') and k.value = a.value) k
      union
      select k.store_id, k.shopper_id from record r
      join shopper_keys k on k.store_id = r.store_id and k.kind = 'customer' and k.value = r.customer_id)
    select u.value from mine join unconfirmed_contacts u on u.store_id = mine.id and u.value = any(${addressList})
    union
    select k.value from found f join shopper_keys k on k.store_id = f.store_id and k.shopper_id = f.shopper_id
      and k.kind in ('email', 'phone')
    union
    select v.value from (
      select email, phone from record
      union all
      select c.email, c.phone from found f
      join shopper_keys k on k.store_id = f.store_id and k.shopper_id = f.shopper_id and k.kind = 'customer'
      join customers c on c.store_id = k.store_id and c.customer_id = k.value) c
    cross join lateral (values (lower(c.email)), (c.phone)) v(value) where v.value is not null`.execute(db)
  return rows.rows.map((row) => row.value)
}

async function countRows({ db }: StoreDb, table: PrivacyTable, person: StoreDataSubject): Promise<number> {
  const rows = await sql<{ n: number }>`
    select count(*) as n from ${sql.table(table.name)} t where t.store_id = ${person.storeId} and ${matchPerson(table, person)}`.execute(
    db,
  )
  return rows.rows[0]!.n
}

async function readVisits({ db, storeId }: StoreDb, person: StoreDataSubject): Promise<VisitTimes> {
  const rows = await sql<VisitTimes>`
    select array(
        select btrim(concat_ws(' ', first_name, last_name)) from shoppers
        where store_id = ${storeId} and id = any(${person.shopperIds}::uuid[])
        union select btrim(concat_ws(' ', first_name, last_name)) from customers
        where store_id = ${storeId} and customer_id = any(${person.customerIds}::text[])) as names,
      (select min(created_at) from shoppers where store_id = ${storeId} and id = any(${person.shopperIds}::uuid[])) as "firstSeenAt"`.execute(
    db,
  )
  return { ...rows.rows[0]!, names: rows.rows[0]!.names.filter(Boolean) }
}

async function isKnownByHash({ db, accountId }: AccountDb, hashes: readonly Buffer[]): Promise<boolean> {
  const anyHash = sql`any(${[...hashes]}::bytea[])`
  const rows = await sql<{ is_known: boolean }>`
    select exists (select 1 from suppressions where account_id = ${accountId} and address_hash = ${anyHash})
      or exists (select 1 from suppression_removals where account_id = ${accountId} and address_hash = ${anyHash})
      or exists (select 1 from person_erasures where account_id = ${accountId} and address_hash = ${anyHash})
      or exists (select 1 from stores s join consents c on c.store_id = s.id and c.address_hash = ${anyHash}
        where s.account_id = ${accountId}) as is_known`.execute(db)
  return rows.rows[0]!.is_known
}

interface ErasureRow {
  id: string
  asked_at: Date
  asked_by: string | null
  finished_at: Date | null
  stores_total: number
  stores_done: number
  counts: Record<string, number>
}

const ERASURE = sql`e.id, e.asked_at, u.name as asked_by, e.finished_at, e.stores_total, e.stores_done, e.counts`

async function readErasures({ db, accountId }: AccountDb, hashes: readonly Buffer[]): Promise<ErasureRow[]> {
  const rows = await sql<ErasureRow>`
    select ${ERASURE} from person_erasures e left join users u on u.id = e.asked_by
    where e.account_id = ${accountId} and e.address_hash = any(${[...hashes]}::bytea[])
    order by e.asked_at desc, e.id desc limit 10`.execute(db)
  return rows.rows
}

async function erasureById({ db, accountId }: AccountDb, id: string): Promise<ErasureRow | undefined> {
  const rows = await sql<ErasureRow>`
    select ${ERASURE} from person_erasures e left join users u on u.id = e.asked_by
    where e.account_id = ${accountId} and e.id = ${id}`.execute(db)
  return rows.rows[0]
}

interface VisitTimes {
  names: string[]
  firstSeenAt: Date | null
}
