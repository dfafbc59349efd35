// The demo store's SQLite database, in WAL mode so that committed data survives kill -9.
import { randomBytes } from 'node:crypto'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { makePrivate } from '../private-file.ts'

const schema = `
  create table if not exists meta (key text primary key, value text not null) strict;
  create table if not exists counters (name text primary key, value integer not null) strict;
  create table if not exists api_keys (
    consumer_key text primary key, consumer_secret text not null, permissions text not null, role text not null,
    description text not null
  ) strict;
  create table if not exists nonces (
    consumer_key text not null, nonce text not null, timestamp integer not null, primary key (consumer_key, nonce)
  ) strict;
  create table if not exists products (
    id integer primary key, parent_id integer not null, status text not null, slug text not null, sku text not null,
    doc text not null
  ) strict;
  create table if not exists customers (
    id integer primary key, email text not null unique collate nocase, role text not null, created integer not null,
    modified integer not null, doc text not null
  ) strict;
  create table if not exists coupons (
    id integer primary key, code text not null, status text not null, created integer not null,
    modified integer not null, doc text not null
  ) strict;
  create index if not exists coupons_by_code on coupons (code);
  create table if not exists orders (
    id integer primary key, status text not null, customer_id integer not null, email text not null,
    created integer not null, modified integer not null, doc text not null
  ) strict;
  create index if not exists orders_by_modified on orders (modified);
  create index if not exists orders_by_created on orders (created);
  create index if not exists orders_by_status on orders (status, modified);
  create index if not exists orders_by_email on orders (email);
  create table if not exists order_notes (
    id integer primary key, order_id integer not null, created integer not null, author text not null, note text not null
  ) strict;
  create index if not exists order_notes_by_order on order_notes (order_id);
  create table if not exists refunds (
    id integer primary key, order_id integer not null, created integer not null, amount_minor integer not null,
    reason text not null, is_full integer not null, meta_id integer not null
  ) strict;
  create index if not exists refunds_by_order on refunds (order_id);
  create table if not exists webhooks (
    id integer primary key, name text not null, status text not null, topic text not null, delivery_url text not null,
    secret text not null, failures integer not null default 0, created integer not null, modified integer not null
  ) strict;
  create table if not exists webhook_jobs (
    webhook_id integer not null, argument text not null, due_ms integer not null, primary key (webhook_id, argument)
  ) strict;
  create table if not exists sessions (id text primary key, expires integer not null, doc text not null) strict;
`

const tables =
  'nonces products customers coupons orders order_notes refunds webhooks webhook_jobs sessions counters'.split(' ')

export type Db = { sqlite: DatabaseSync; statements: Map<string, StatementSync> }

export function openDatabase(file: string): Db {
  makePrivate(file)
  const sqlite = new DatabaseSync(file)
  sqlite.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 5000')
  allowRepeatedCodes(sqlite)
  sqlite.exec(schema)
  return { sqlite, statements: new Map() }
}

/** Migrates early files, which required unique codes. In WooCommerce a draft's code can be used again. */
function allowRepeatedCodes(sqlite: DatabaseSync) {
  const old = sqlite.prepare(
    `select 1 from sqlite_master where name = 'coupons' and sql like '%code text not null unique%'`,
  )
  if (!old.get()) return
  sqlite.exec('begin; alter table coupons rename to old_coupons')
  sqlite.exec(schema)
  sqlite.exec('insert into coupons select * from old_coupons; drop table old_coupons; commit')
}

export function clearDatabase(db: Db) {
  for (const table of tables) db.sqlite.exec(`delete from ${table}`)
}

export function selectAll<T>(db: Db, sql: string, ...params: SQLInputValue[]): T[] {
  return prepareCached(db, sql).all(...params) as T[]
}

export function selectOne<T>(db: Db, sql: string, ...params: SQLInputValue[]): T | undefined {
  return prepareCached(db, sql).get(...params) as T | undefined
}

export function run(db: Db, sql: string, ...params: SQLInputValue[]): number {
  return Number(prepareCached(db, sql).run(...params).changes)
}

export function transact<T>(db: Db, work: () => T): T {
  if (db.sqlite.isTransaction) return work()
  db.sqlite.exec('begin immediate')
  try {
    const result = work()
    db.sqlite.exec('commit')
    return result
  } catch (error) {
    db.sqlite.exec('rollback')
    throw error
  }
}

/** As in WordPress, products, orders, refunds and coupons share one id sequence. */
export function takeNextId(db: Db, counter: 'post' | 'item' | 'meta' | 'note' | 'user' | 'webhook'): number {
  const sql = `insert into counters values (?, 1) on conflict (name) do update set value = value + 1 returning value`
  return selectOne<{ value: number }>(db, sql, counter)!.value
}

export function raiseCounter(db: Db, counter: string, atLeast: number) {
  const sql = `insert into counters values (?, ?) on conflict (name) do update set value = max(value, excluded.value)`
  run(db, sql, counter, atLeast)
}

export function readMeta(db: Db, key: string): string | undefined {
  return selectOne<{ value: string }>(db, 'select value from meta where key = ?', key)?.value
}

export function writeMeta(db: Db, key: string, value: string) {
  run(db, 'insert into meta values (?, ?) on conflict (key) do update set value = excluded.value', key, value)
}

/** Secret of this data file for session cookies, cart tokens and nonces. */
export function readStoreSecret(db: Db): string {
  const cached = readMeta(db, 'secret')
  if (cached) return cached
  const fresh = randomBytes(32).toString('hex')
  writeMeta(db, 'secret', fresh)
  return fresh
}

function prepareCached(db: Db, sql: string): StatementSync {
  const cached = db.statements.get(sql)
  if (cached) return cached
  const statement = db.sqlite.prepare(sql)
  db.statements.set(sql, statement)
  return statement
}
