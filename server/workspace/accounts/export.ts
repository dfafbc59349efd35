import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { z } from 'zod'
import { prepareExport } from '../../../shared/account.ts'
import { accountDownload, addDate } from '../../access/http/downloads.ts'
import { limits } from '../../access/members/limits.ts'
import type { AccountDb, Db } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './export-sql.ts'
import { accountTables, type ExportedTable, storeTables } from './export-tables.ts'

// Streams all data of an account as a zip of JSON Lines files, with constant memory. It contains no secrets
// (export-tables.ts).
// Addresses in consents and suppressions are hashed; the shoppers' file has the same hash beside the address.

const PAGE_SIZE = 1_000

export const accountExport = accountDownload({
  name: 'account',
  path: '/api/account/export/file',
  permission: prepareExport.permission,
  limit: limits.exportPerAccount,
  limitPer: 'account',
  what: z.object({}),
  read: async (deps, account) => {
    const zip = new ZipFile()
    const output = zip.outputStream as Readable
    zip.on('error', (error) => output.destroy(error as Error))
    await fill(deps, account, zip)
    zip.end()
    return { fileName: `${addDate(deps, 'recoup-export')}.zip`, type: 'application/zip', content: output }
  },
})

async function fill(deps: Deps, account: AccountDb<Db>, zip: ZipFile): Promise<void> {
  zip.addBuffer(Buffer.from(README), 'README.txt')
  zip.addBuffer(asJson(await sql.accountRow(account)), 'account.json')
  zip.addBuffer(asLines(await sql.peopleOf(account)), 'members.jsonl')
  for (const table of accountTables) zip.addBuffer(asLines(await sql.rowsOfAccount(account, table)), `${table}.jsonl`)
  for (const store of await sql.storeRows(account)) {
    const folder = `stores/${folderOf(store)}`
    const { capture_key: _, ...row } = store
    zip.addBuffer(asJson(row), `${folder}/store.json`)
    for (const table of storeTables) {
      zip.addReadStreamLazy(`${folder}/${table.name}.jsonl`, { compress: true }, (give) =>
        give(null, Readable.from(linesOf(deps, store.id, table))),
      )
    }
  }
}

async function* linesOf(deps: Deps, storeId: string, table: ExportedTable): AsyncGenerator<Buffer> {
  for await (const page of sql.rowsOf({ storeId, db: deps.db }, table, PAGE_SIZE)) {
    const rows = page.map((row) => without(row, table.without))
    yield asLines(table.name === 'shoppers' ? rows.map((row) => withHashes(deps, row)) : rows)
  }
}

function without(row: sql.ExportedRow, columns: readonly string[] = []): sql.ExportedRow {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !columns.includes(column)))
}

/** In PostgreSQL's JSON format of a hash, so that the files can be joined. */
function withHashes(deps: Deps, row: sql.ExportedRow): sql.ExportedRow {
  const hash = (address: unknown) =>
    typeof address === 'string' ? `\\x${deps.secrets.addressHash(address).toString('hex')}` : null
  return { ...row, email_hash: hash(row.email), phone_hash: hash(row.phone) }
}

const asJson = (row: unknown) => Buffer.from(`${JSON.stringify(row ?? null, null, 2)}\n`)
const asLines = (rows: sql.ExportedRow[]) => Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))

/** "tea-co-3f2a9c11": readable, and unique per store. */
function folderOf(store: { id: string; name?: unknown }): string {
  const words = String(store.name ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)
  return `${words || 'store'}-${store.id.slice(-8)}`
}

const README = `Everything Recoup holds for this account, without passwords, keys and tokens.

*.json    one object
*.jsonl   JSON Lines: one object per line

Money ends in _minor and is in the smallest unit of the currency beside it. Times are ISO 8601.
consents and suppressions name addresses by address_hash; shoppers.jsonl has the same hash as email_hash and phone_hash.
`
