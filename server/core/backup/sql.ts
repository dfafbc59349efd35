import pg from 'pg'

// Every statement of backup and restore. They copy whole tables of all accounts, so they use a plain connection.

/** A table with its stored columns; generated columns are computed again on restore. */
export interface CopiedTable {
  name: string
  columns: string[]
}

export interface SequenceValue {
  name: string
  /** Null until the sequence has produced a value. */
  value: string | null
}

export type Client = pg.Client

/** Opens a connection for `work` and closes it even when `work` fails. */
export async function withClient<T>(url: string, name: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: name })
  // A lost connection also fails the running statement, which reports the error.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

export const quoted = (name: string) => pg.escapeIdentifier(name)

/** All tables except the list of migrations, which is part of the header. */
export async function readTables(client: Client): Promise<CopiedTable[]> {
  const { rows } = await client.query<CopiedTable>(`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
      and c.relname <> 'migrations'
    group by c.relname order by c.relname`)
  return rows
}

export async function hasTables(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    `select exists (select 1 from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r') as there`,
  )
  return rows[0]!.there
}
