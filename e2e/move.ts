import { readdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { startEmbedded } from '../server/postgres/embedded.ts'

type Ports = readonly number[]

/**
 * Makes a closed house one of other ports: the demo's carts, mails and webhooks name the addresses of the store and of Recoup. None of
 * the new ports may be one of the old ones.
 */
export async function move(dataDir: string, from: Ports, to: Ports): Promise<void> {
  for (const file of readdirSync(dataDir).filter((name) => name.endsWith('.sqlite'))) {
    moveFile(path.join(dataDir, file), from, to)
  }
  const server = await startEmbedded({ dataDir })
  const client = new pg.Client(server.url)
  await client.connect()
  try {
    await moveDatabase(client, from, to)
  } finally {
    await client.end()
    await server.stop()
  }
}

async function moveDatabase(client: pg.Client, from: Ports, to: Ports): Promise<void> {
  const columns = await client.query<{ name: string; place: string; type: string }>(
    `select format('%I', column_name) as name, format('%I.%I', table_schema, table_name) as place, data_type as type
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and data_type in ('text', 'jsonb') and is_generated = 'NEVER'`,
  )
  // What triggers keep in line is so already.
  await client.query('begin; set local session_replication_role = replica')
  const old = client.escapeLiteral(`localhost:(${from.join('|')})`)
  for (const { name, place, type } of columns.rows) {
    await client.query(
      `update ${place} set ${name} = (${replaced(`${name}::text`, from, to)})::${type} where ${name}::text ~ ${old}`,
    )
  }
  await client.query('commit')
}

function moveFile(file: string, from: Ports, to: Ports): void {
  const db = new DatabaseSync(file)
  try {
    const columns = db
      .prepare(
        `select '"' || t.name || '"' as place, '"' || c.name || '"' as name from sqlite_schema t, pragma_table_info(t.name) c
         where t.type = 'table' and c.type = 'TEXT'`,
      )
      .all() as { place: string; name: string }[]
    for (const { place, name } of columns) {
      db.exec(`update ${place} set ${name} = ${replaced(name, from, to)} where instr(${name}, 'localhost:') > 0`)
    }
  } finally {
    db.close()
  }
}

const replaced = (value: string, from: Ports, to: Ports): string =>
  from.reduce((said, port, index) => `replace(${said}, 'localhost:${port}', 'localhost:${to[index]}')`, value)
