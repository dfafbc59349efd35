import type { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { z } from 'zod'
import { CSV_START, formatCsvLine } from '../../../shared/core/csv.ts'
import { exportDataSubject } from '../../../shared/workspace/privacy.ts'
import { accountDownload, addDate, prepareDownload } from '../../access/http/public.ts'
import type { Session } from '../../access/members/public.ts'
import { listStores } from '../../access/stores/public.ts'
import type { AccountDb, Db } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { findDataSubject } from './find.ts'
import { findPerson } from './person.ts'
import type { PersonRow } from './sql.ts'
import * as sql from './sql.ts'
import { accountPrivacyTables, privacyTables } from './tables.ts'

// Exports all data of a person (C8): one JSON file, or a zip of CSV tables.

export type DataSubjectFormat = 'json' | 'csv'

export const dataSubjectDownload = accountDownload({
  name: 'person',
  path: '/api/privacy-export',
  permission: exportDataSubject.permission,
  limit: { name: 'privacy-export', points: 30, windowS: 3_600 },
  what: z.object({ address: z.string(), format: z.enum(['json', 'csv']) }),
  read: async (deps, account, { address, format }) => {
    const { person, ...tables } = await readEverything(deps, account, address)
    const name = addDate(deps, 'person')
    const file = { exportedAt: deps.now().toISOString(), addresses: person.addresses, ...tables }
    if (format === 'json') {
      return { fileName: `${name}.json`, type: 'application/json', content: `${JSON.stringify(file, null, 2)}\n` }
    }
    return { fileName: `${name}.zip`, type: 'application/zip', content: buildZip(tables, person.addresses) }
  },
})

export async function prepareDataSubjectExport(
  deps: Pick<Deps, 'now' | 'pool' | 'secrets'>,
  { account, session }: { account: AccountDb<Db>; session: Session },
  { address, format }: { address: string; format: DataSubjectFormat },
) {
  const person = await findDataSubject(deps, account, address)
  return prepareDownload(deps, dataSubjectDownload, { session, what: { address: person.address, format } })
}

type Tables = Omit<Awaited<ReturnType<typeof readEverything>>, 'person'>

/** One file per table, one line per row; with several stores, the first column names the store. */
function buildZip({ stores, account }: Tables, addresses: readonly string[]): Readable {
  const zip = new ZipFile()
  const names = new Set(stores.flatMap(({ tables }) => Object.keys(tables)))
  for (const name of names) {
    const rows = stores.flatMap((store) => (store.tables[name] ?? []).map((row) => ({ store: store.name, ...row })))
    zip.addBuffer(buildCsv(rows), `${name}.csv`)
  }
  for (const [name, rows] of Object.entries(account)) zip.addBuffer(buildCsv(rows), `${name}.csv`)
  zip.addBuffer(Buffer.from(readme(addresses, [...names, ...Object.keys(account)])), 'README.txt')
  zip.end()
  return zip.outputStream as Readable
}

function buildCsv(rows: readonly PersonRow[]): Buffer {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = rows.map((row) => formatCsvLine(columns.map((column) => toCell(row[column]))))
  return Buffer.from(CSV_START + formatCsvLine(columns) + lines.join(''))
}

function toCell(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'string') return value
  return JSON.stringify(value)
}

const readme = (
  addresses: readonly string[],
  names: readonly string[],
) => `All data stored about ${addresses.join(', ')}.

Each file is a table that opens in a spreadsheet: ${names.map((name) => `${name}.csv`).join(', ')}.

Money ends in _minor and is in the smallest unit of the currency beside it. Times are ISO 8601. An address_hash is a
fingerprint of an address, from which the address cannot be read.
`

/** All data, for an export. */
async function readEverything(deps: Pick<Deps, 'secrets'>, account: AccountDb<Db>, typed: string) {
  const person = await findDataSubject(deps, account, typed)
  const providerIds: string[] = []
  const stores: { id: string; name: string; url: string; tables: Record<string, sql.PersonRow[]> }[] = []
  for (const { id, name, url } of await listStores(account)) {
    const handle = { storeId: id, db: account.db }
    const rows = await findPerson(deps, handle, person)
    providerIds.push(...(await sql.listProviderIds(handle, rows.messageIds)))
    const tables: Record<string, sql.PersonRow[]> = {}
    for (const table of privacyTables.filter((each) => !each.isLeftOut)) {
      const stored = await sql.readRows(handle, table, rows)
      if (stored.length > 0) tables[table.name] = stored
    }
    if (Object.keys(tables).length > 0) stores.push({ id, name, url, tables })
  }
  const ofAccount: Record<string, sql.PersonRow[]> = {}
  for (const table of accountPrivacyTables) {
    const stored = await sql.readAccountRows(account, table, { hashes: person.hashes, providerIds })
    if (stored.length > 0) ofAccount[table.name] = stored
  }
  return { person, stores, account: ofAccount }
}
