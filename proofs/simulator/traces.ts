import type pg from 'pg'
import type { Harness } from './harness.ts'

// Finds traces of erased people: searches every row of every table as text.

/** Posts wait in this table until they are processed, which drops erased people. */
const WAITING = ['capture_inbox', 'migrations', 'simulator_writes']

const statements = new WeakMap<pg.Pool, Promise<string>>()

/** As `table: address`; returns none while an erasure is running. */
export async function readTraces(pool: pg.Pool, { erased, erasing }: Harness): Promise<string[]> {
  if (erased.size === 0 || erasing.length > 0) return []
  const text = await (statements.get(pool) ?? statements.set(pool, buildStatement(pool)).get(pool)!)
  const traces = [...erased.keys()].flatMap((address) => [address, Buffer.from(address).toString('hex')])
  const { rows } = await pool.query<{ place: string; trace: string }>({ name: 'traces', text, values: [traces] })
  return rows.map(({ place, trace }) => `after the erasure ${place} still says ${trace}`)
}

async function buildStatement(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> all($1) order by 1`,
    [WAITING],
  )
  const places = rows.map(({ name }) => `select '${name}' as place, lower(t::text) as words from "${name}" t`)
  return `select place, trace from (${places.join(' union all ')}) p, unnest($1::text[]) as trace
    where position(trace in words) > 0 limit 20`
}
