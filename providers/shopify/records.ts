// The store's data in one SQLite file. A record is a row with a JSON document; indexed values have their own columns.
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { makePrivate } from '../private-file.ts'
import { type Db, run, selectAll, selectOne } from '../woocommerce/sqlite.ts'
import { firstIds, type Kind, type Records, type StoredRecord } from './model.ts'

export { type Db, readMeta, run, selectAll, selectOne, transact, writeMeta } from '../woocommerce/sqlite.ts'

const schema = `
  create table if not exists meta (key text primary key, value text not null) strict;
  create table if not exists counters (name text primary key, value integer not null) strict;
  create table if not exists records (
    kind text not null, id integer not null, key text, owner integer, created integer not null, updated integer not null,
    doc text not null, primary key (kind, id)
  ) strict;
  create index if not exists records_by_updated on records (kind, updated, id);
  create index if not exists records_by_created on records (kind, created, id);
  create index if not exists records_by_key on records (kind, key collate nocase);
  create index if not exists records_by_owner on records (kind, owner, id);
  create table if not exists tokens (token text primary key, scopes text not null, expires integer, revoked integer not null) strict;
  create table if not exists deliveries (
    id integer primary key, webhook_id integer not null, event_id text not null, topic text not null, triggered integer not null,
    due integer not null, attempt integer not null, body text not null
  ) strict;
  create index if not exists deliveries_by_due on deliveries (due, id);
`

export function openRecords(file: string): Db {
  makePrivate(file)
  const sqlite = new DatabaseSync(file)
  sqlite.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 5000')
  sqlite.exec(schema)
  return { sqlite, statements: new Map() }
}

/** Deletes everything except the app's settings and keys. */
export function clearRecords(db: Db) {
  db.sqlite.exec('delete from records; delete from counters; delete from deliveries')
}

/** Each kind's lookup key and owner. */
const RECORD_KEYS: { [K in Kind]: (doc: Records[K]) => { key?: string | null; owner?: number | null } } = {
  product: ({ handle }) => ({ key: handle }),
  variant: ({ sku, productId }) => ({ key: sku, owner: productId }),
  customer: ({ email }) => ({ key: email }),
  cart: ({ token }) => ({ key: token }),
  checkout: ({ token, customerId }) => ({ key: token, owner: customerId }),
  order: ({ checkoutToken, customerId }) => ({ key: checkoutToken, owner: customerId }),
  discount: () => ({}),
  code: ({ code, discountId }) => ({ key: code, owner: discountId }),
  webhook: ({ topic }) => ({ key: topic }),
  bulk: () => ({}),
}

export function takeNextId(db: Db, name: Kind | 'line' | 'order_number'): number {
  const first = name === 'order_number' ? 1001 : firstIds[name]
  const sql = `insert into counters values (?, ?) on conflict (name) do update set value = value + 1 returning value`
  return selectOne<{ value: number }>(db, sql, name, first)!.value
}

export function save<K extends Kind>(db: Db, kind: K, doc: Records[K]): Records[K] {
  const { key = null, owner = null } = RECORD_KEYS[kind](doc)
  const { id, createdAt, updatedAt } = doc as StoredRecord
  const sql = `insert into records values (?, ?, ?, ?, ?, ?, ?) on conflict (kind, id) do update set
    key = excluded.key, owner = excluded.owner, updated = excluded.updated, doc = excluded.doc`
  run(db, sql, kind, id, key, owner, createdAt, updatedAt, JSON.stringify(doc))
  return doc
}

export function find<K extends Kind>(db: Db, kind: K, id: number): Records[K] | undefined {
  return read<K>(selectOne(db, 'select doc from records where kind = ? and id = ?', kind, id))
}

export function findByKey<K extends Kind>(db: Db, kind: K, key: string): Records[K] | undefined {
  const sql = 'select doc from records where kind = ? and key = ? collate nocase order by id desc limit 1'
  return read<K>(selectOne(db, sql, kind, key))
}

export function listByOwner<K extends Kind>(db: Db, kind: K, owner: number): Records[K][] {
  return listWhere<K>(db, 'kind = ? and owner = ? order by id', kind, owner)
}

export function listAll<K extends Kind>(db: Db, kind: K): Records[K][] {
  return listWhere<K>(db, 'kind = ? order by id', kind)
}

export function remove(db: Db, kind: Kind, id: number): boolean {
  return run(db, 'delete from records where kind = ? and id = ?', kind, id) > 0
}

/** `condition` is SQL and must be trusted text. */
export function listWhere<K extends Kind>(db: Db, condition: string, ...values: SQLInputValue[]): Records[K][] {
  return selectAll<{ doc: string }>(db, `select doc from records where ${condition}`, ...values).map(
    (row) => read<K>(row)!,
  )
}

function read<K extends Kind>(row: { doc: string } | undefined): Records[K] | undefined {
  return row && (JSON.parse(row.doc) as Records[K])
}
