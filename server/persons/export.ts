import type { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { mayDo } from '../../shared/roles.ts'
import { type Limit, take } from '../accounts/limits.ts'
import type { Session } from '../accounts/session.ts'
import { member } from '../accounts/sql.ts'
import { CSV_START, csvLine } from '../csv.ts'
import type { AccountDb, Db } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { findPerson, readEverything } from './find.ts'
import type { PersonRow } from './sql.ts'

// Everything kept about one person (C8): as one JSON file for machines, or as a zip of tables for spreadsheets.

export type PersonFormat = 'json' | 'csv'

const LINK_MS = 120_000
const exportPerUser: Limit = { name: 'persons-export', points: 30, windowS: 3_600 }

/** A download carries no token, so its link is its own permission for two minutes. The address is sealed in it. */
export async function preparePersonExport(
  deps: Deps,
  { account, session }: { account: AccountDb<Db>; session: Session },
  { address, format }: { address: string; format: PersonFormat },
) {
  const person = await findPerson(deps, account, address)
  await take(deps, exportPerUser, session.userId)
  const expiresAt = new Date(deps.now().getTime() + LINK_MS)
  const ticket = {
    accountId: session.accountId,
    userId: session.userId,
    address: person.address,
    format,
    until: expiresAt,
  }
  const sealed = deps.secrets.seal(JSON.stringify(ticket), CONTEXT).toString('base64url')
  return { url: `/api/persons-export?ticket=${sealed}`, expiresAt: expiresAt.toISOString() }
}

const CONTEXT = 'persons-export'

interface Ticket {
  accountId: string
  userId: string
  address: string
  format: PersonFormat
  until: string
}

export async function downloadPerson(deps: Deps, sealed: string) {
  const { account, address, format } = await openTicket(deps, sealed)
  const everything = await readEverything(deps, account, address)
  const name = `person-${deps.now().toISOString().slice(0, 10)}`
  const { person, ...tables } = everything
  const file = { exportedAt: deps.now().toISOString(), addresses: person.addresses, ...tables }
  if (format === 'json') {
    return { fileName: `${name}.json`, type: 'application/json', content: `${JSON.stringify(file, null, 2)}\n` }
  }
  return { fileName: `${name}.zip`, type: 'application/zip', content: zipOf(tables, person.addresses) }
}

async function openTicket(deps: Deps, sealed: string) {
  const gone = new AppError('not_found', 'This link is no longer valid. Start the export again.')
  const ticket = read(deps, sealed)
  if (!ticket || new Date(ticket.until) <= deps.now()) throw gone
  const account = { accountId: ticket.accountId, db: deps.db }
  const role = (await member(account, ticket.userId))?.role
  if (!role || !mayDo(role, 'persons:write')) throw gone
  return { account, address: ticket.address, format: ticket.format }
}

function read(deps: Deps, sealed: string): Ticket | null {
  try {
    return JSON.parse(deps.secrets.open(Buffer.from(sealed, 'base64url'), CONTEXT)) as Ticket
  } catch {
    return null
  }
}

type Tables = Omit<Awaited<ReturnType<typeof readEverything>>, 'person'>

/** One file per table, a line per row; of several stores the first column says whose it is. */
function zipOf({ stores, account }: Tables, addresses: readonly string[]): Readable {
  const zip = new ZipFile()
  const names = new Set(stores.flatMap(({ tables }) => Object.keys(tables)))
  for (const name of names) {
    const rows = stores.flatMap((store) => (store.tables[name] ?? []).map((row) => ({ store: store.name, ...row })))
    zip.addBuffer(csvOf(rows), `${name}.csv`)
  }
  for (const [name, rows] of Object.entries(account)) zip.addBuffer(csvOf(rows), `${name}.csv`)
  zip.addBuffer(Buffer.from(readme(addresses, [...names, ...Object.keys(account)])), 'README.txt')
  zip.end()
  return zip.outputStream as Readable
}

function csvOf(rows: readonly PersonRow[]): Buffer {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = rows.map((row) => csvLine(columns.map((column) => cellOf(row[column]))))
  return Buffer.from(CSV_START + csvLine(columns) + lines.join(''))
}

function cellOf(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'string') return value
  return JSON.stringify(value)
}

const readme = (
  addresses: readonly string[],
  names: readonly string[],
) => `Everything kept about ${addresses.join(', ')}.

Each file is a table that opens in a spreadsheet: ${names.map((name) => `${name}.csv`).join(', ')}.

Money ends in _minor and is in the smallest unit of the currency beside it. Times are ISO 8601. An address_hash is a
fingerprint of an address, from which the address cannot be read.
`
