import { type AccountDb, type Db, type StoreDb, sql } from '../../core/db/db.ts'
import type { ExportedTable } from './export-tables.ts'

// Statements of the account export. Rows come as PostgreSQL's JSON, in pages along the primary key, so the size of a
// store does not matter.

export type ExportedRow = Record<string, unknown>

export async function* rowsOf({ db, storeId }: StoreDb<Db>, table: ExportedTable, pageSize: number) {
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

export async function accountRow({ db, accountId }: AccountDb<Db>): Promise<ExportedRow | undefined> {
  const { rows } = await sql<{ row: ExportedRow }>`
    select to_jsonb(a) - 'deleted_at' as row from accounts a where a.id = ${accountId} and a.deleted_at is null`.execute(
    db,
  )
  return rows[0]?.row
}

/** Tables keyed by account. None of them grows with a store's traffic. */
export async function rowsOfAccount({ db, accountId }: AccountDb<Db>, table: string): Promise<ExportedRow[]> {
  const { rows } = await sql<{ row: ExportedRow }>`
    select to_jsonb(t) - 'token_hash' as row from ${sql.table(table)} t where t.account_id = ${accountId}`.execute(db)
  return rows.map((each) => each.row)
}

export async function peopleOf({ db, accountId }: AccountDb<Db>): Promise<ExportedRow[]> {
  const { rows } = await sql<{ row: ExportedRow }>`
    select jsonb_build_object('user_id', u.id, 'name', u.name, 'email', u.email, 'role', m.role, 'created_at', m.created_at) as row
    from members m join users u on u.id = m.user_id where m.account_id = ${accountId} order by m.created_at`.execute(db)
  return rows.map((each) => each.row)
}

export async function storeRows({ db, accountId }: AccountDb<Db>): Promise<(ExportedRow & { id: string })[]> {
  const { rows } = await sql<{ row: ExportedRow & { id: string } }>`
    select to_jsonb(s) as row from stores s where s.account_id = ${accountId} order by s.connected_at, s.id`.execute(db)
  return rows.map((each) => each.row)
}
