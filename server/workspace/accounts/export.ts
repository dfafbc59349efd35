import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { z } from 'zod'
import { prepareExport } from '../../../shared/workspace/account.ts'
import { accountDownload, addDate } from '../../access/http/public.ts'
import { limits } from '../../access/members/public.ts'
import { type AccountDb, type Db, type StoreDb, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
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

async function fill(deps: Pick<Deps, 'db' | 'secrets'>, account: AccountDb<Db>, zip: ZipFile): Promise<void> {
  zip.addBuffer(Buffer.from(README), 'README.txt')
  zip.addBuffer(toJson(await accountRow(account)), 'account.json')
  zip.addBuffer(toJsonLines(await listPeople(account)), 'members.jsonl')
  for (const table of accountTables) zip.addBuffer(toJsonLines(await rowsOfAccount(account, table)), `${table}.jsonl`)
  for (const store of await storeRows(account)) {
    const folder = `stores/${buildFolderName(store)}`
    const { capture_key: _, ...row } = store
    zip.addBuffer(toJson(row), `${folder}/store.json`)
    for (const table of storeTables) {
      zip.addReadStreamLazy(`${folder}/${table.name}.jsonl`, { compress: true }, (give) =>
        give(null, Readable.from(streamLines(deps, store.id, table))),
      )
    }
  }
}

async function* streamLines(
  deps: Pick<Deps, 'db' | 'secrets'>,
  storeId: string,
  table: ExportedTable,
): AsyncGenerator<Buffer> {
  for await (const page of streamRows({ storeId, db: deps.db }, table, PAGE_SIZE)) {
    const rows = page.map((row) => without(row, table.without))
    yield toJsonLines(table.name === 'shoppers' ? rows.map((row) => withHashes(deps, row)) : rows)
  }
}

function without(row: ExportedRow, columns: readonly string[] = []): ExportedRow {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !columns.includes(column)))
}

/** In PostgreSQL's JSON format of a hash, so that the files can be joined. */
function withHashes(deps: Pick<Deps, 'secrets'>, row: ExportedRow): ExportedRow {
  const hash = (address: unknown) =>
    typeof address === 'string' ? `\\x${deps.secrets.addressHash(address).toString('hex')}` : null
  return { ...row, email_hash: hash(row.email), phone_hash: hash(row.phone) }
}

const toJson = (row: unknown) => Buffer.from(`${JSON.stringify(row ?? null, null, 2)}\n`)
const toJsonLines = (rows: ExportedRow[]) => Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))

/** "tea-co-3f2a9c11": readable, and unique per store. */
function buildFolderName(store: { id: string; name?: unknown }): string {
  const slug = String(store.name ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)
  return `${slug || 'store'}-${store.id.slice(-8)}`
}

const README = `Everything Recoup holds for this account, without passwords, keys and tokens.

*.json    one object
*.jsonl   JSON Lines: one object per line

Money ends in _minor and is in the smallest unit of the currency beside it. Times are ISO 8601.
consents and suppressions name addresses by address_hash; shoppers.jsonl has the same hash as email_hash and phone_hash.
`

// SQL for the account export. Rows come as PostgreSQL's JSON, in pages along the primary key, so the size of a
// store does not matter.

type ExportedRow = Record<string, unknown>

async function* streamRows({ db, storeId }: StoreDb<Db>, table: ExportedTable, pageSize: number) {
  const columns = sql.join(['store_id', ...table.key.map(([column]) => column)].map((column) => sql.ref(`t.${column}`)))
  let last: ExportedRow | undefined
  for (;;) {
    const after = last
      ? sql`and (${columns}) > (${sql.join([storeId, ...table.key.map(([column, type]) => sql`${last![column]}::${sql.raw(type)}`)])})`
      : sql``
    const { rows } = await sql<{ row: ExportedRow }>`
      select to_jsonb(t) as row from ${sql.table(table.name)} t
      where t.store_id = ${storeId} ${after} order by ${columns} limit ${pageSize}`.execute(db)
    const page = rows.map((each) => each.row)
    yield page
    if (page.length < pageSize) return
    last = page.at(-1)
  }
}

async function accountRow({ db, accountId }: AccountDb<Db>): Promise<ExportedRow | undefined> {
  const { rows } = await sql<{ row: ExportedRow }>`
    select to_jsonb(a) - 'deleted_at' as row from accounts a where a.id = ${accountId} and a.deleted_at is null`.execute(
    db,
  )
  return rows[0]?.row
}

/** Tables keyed by account. None of them grows with a store's traffic. */
async function rowsOfAccount({ db, accountId }: AccountDb<Db>, table: string): Promise<ExportedRow[]> {
  const { rows } = await sql<{ row: ExportedRow }>`
    select to_jsonb(t) - 'token_hash' as row from ${sql.table(table)} t where t.account_id = ${accountId}`.execute(db)
  return rows.map((each) => each.row)
}

async function listPeople({ db, accountId }: AccountDb<Db>): Promise<ExportedRow[]> {
  const { rows } = await sql<{ row: ExportedRow }>`
    select jsonb_build_object('user_id', u.id, 'name', u.name, 'email', u.email, 'role', m.role, 'created_at', m.created_at) as row
    from members m join users u on u.id = m.user_id where m.account_id = ${accountId} order by m.created_at`.execute(db)
  return rows.map((each) => each.row)
}

async function storeRows({ db, accountId }: AccountDb<Db>): Promise<(ExportedRow & { id: string })[]> {
  const { rows } = await sql<{ row: ExportedRow & { id: string } }>`
    select to_jsonb(s) as row from stores s where s.account_id = ${accountId} order by s.connected_at, s.id`.execute(db)
  return rows.map((each) => each.row)
}
