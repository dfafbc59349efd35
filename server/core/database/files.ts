// Loads the migrations in db/migrations: plain SQL, each with a unique number, applied in order.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

export interface Migration {
  name: string
  number: number
  text: string
  /** SHA-256 of the text. A released file never changes: the database stores the checksum it was migrated with. */
  checksum: string
  /** Set for a file that begins with `-- no transaction`: the index that its single statement creates or drops. */
  alone: { index: string; isDrop: boolean } | null
}

const FOLDER = new URL('../../../db/migrations/', import.meta.url)
const NAME = /^(\d{4})_[a-z0-9_]+\.sql$/
const NO_TRANSACTION = '-- no transaction'
const ALONE = /^(?:create (?:unique )?index concurrently (\w+) on [^;]+|drop index concurrently if exists (\w+) ?);$/i

/** Oldest first. */
export async function loadMigrations(folder: URL = FOLDER): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const migrations = await Promise.all(
    names.map(async (name) => readMigration(name, await readFile(new URL(name, folder), 'utf8'))),
  )
  for (const [place, { name, number }] of migrations.entries()) {
    const before = migrations[place - 1]
    if (before?.number === number)
      throw new Error(`Two migrations have the number ${number}: ${before.name} and ${name}.`)
  }
  return migrations
}

export function readMigration(name: string, content: string): Migration {
  const number = NAME.exec(name)?.[1]
  if (!number) throw new Error(`${name} is no name of a migration. Call it like 0013_what_it_does.sql.`)
  // A checkout on Windows may have different line endings.
  const text = content.replaceAll('\r\n', '\n')
  const checksum = createHash('sha256').update(text).digest('hex')
  return { name, number: Number(number), text, checksum, alone: findConcurrentIndex(name, text) }
}

/**
 * PostgreSQL cannot build an index concurrently inside a transaction. The statement must be repeatable after an
 * interrupted attempt.
 */
function findConcurrentIndex(name: string, text: string): Migration['alone'] {
  const [first, ...rest] = text.split('\n')
  if (first !== NO_TRANSACTION) return null
  const statement = rest
    .filter((line) => !line.startsWith('--'))
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const [found, built, dropped] = ALONE.exec(statement) ?? []
  if (!found) {
    throw new Error(
      `${name} runs without a transaction, so it may hold one statement only: create index concurrently NAME on …, or drop index concurrently if exists NAME.`,
    )
  }
  return { index: (built ?? dropped)!, isDrop: built === undefined }
}
