import crypto from 'node:crypto'
import type pg from 'pg'
import { afterAll, inject } from 'vitest'
import { openPool } from '../server/core/db/db.ts'
import { replaceDatabase, runAsAdmin } from './global.ts'

/** Creates empty databases with pools for a test file. All are closed and dropped when the file ends. */
export function createDatabaseFactory() {
  const server = inject('databaseUrl')
  const names: string[] = []
  const pools: pg.Pool[] = []
  afterAll(async () => {
    for (const pool of pools) await pool.end()
    for (const name of names) await runAsAdmin(server, `drop database if exists ${name} with (force)`)
  })
  return {
    async create(): Promise<string> {
      const name = `recoup_test_${crypto.randomBytes(8).toString('hex')}`
      await runAsAdmin(server, `create database ${name}`)
      names.push(name)
      return replaceDatabase(server, name)
    },
    open(url: string, max = 4): pg.Pool {
      const pool = openPool({ url, max })
      pools.push(pool)
      return pool
    },
  }
}

/** Columns that carts had before migration 0061, besides the present ones. */
const CARTS = `select coalesce(jsonb_agg(to_jsonb(t) || jsonb_build_object('badge', coalesce(b.badge, 'No Action'),
    'last_handed_over_at', b.last_sent_at, 'no_response_at', b.no_response_at, 'is_mailed', w.shopper_id is not null)), '[]') as all
  from carts t left join cart_badges b on b.store_id = t.store_id and b.cart_id = t.id
  left join mailed_shoppers w on w.store_id = t.store_id and w.shopper_id = t.shopper_id`

/** Columns that messages had before migration 0074, besides the present ones. */
const MESSAGES = `select coalesce(jsonb_agg(to_jsonb(t) || jsonb_build_object('handed_over_at', t.sending_at, 'left_at', t.cart_abandoned_at)), '[]')
  as all from messages t`

const ALL: Record<string, string> = { carts: CARTS, messages: MESSAGES }

/** Copies every row of every table, in the columns of that time. */
export async function copyRows(from: pg.Pool, into: pg.Pool): Promise<void> {
  const client = await into.connect()
  const { rows: tables } = await client.query<{ name: string; columns: string }>(
    `select t.table_name as name, string_agg(format('%I', c.column_name), ', ') as columns
     from information_schema.tables t join information_schema.columns c using (table_schema, table_name)
     where t.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER' and t.table_name <> 'migrations'
     group by 1`,
  )
  await client.query(`set session_replication_role = 'replica'`)
  for (const { name, columns } of tables) {
    await client.query(`delete from "${name}"`)
    const all = ALL[name] ?? `select coalesce(jsonb_agg(t), '[]') as all from "${name}" t`
    const { rows } = await from.query<{ all: unknown }>(all)
    await client.query(
      `insert into "${name}" (${columns}) overriding system value
       select ${columns} from jsonb_populate_recordset(null::"${name}", $1::jsonb)`,
      [JSON.stringify(rows[0]!.all)],
    )
  }
  await client.query(`set session_replication_role = 'origin'`)
  client.release()
}
