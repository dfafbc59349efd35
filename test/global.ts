import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openPool } from '../server/core/db.ts'
import { startJobQueue } from '../server/core/jobs.ts'
import { createLogger } from '../server/core/logger.ts'
import { migrate } from '../server/database/migrate.ts'
import { startTestPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    databaseUrl: string
    template: string
  }
}

/** One migrated template database per run; each file that needs a database gets a clone of it (`test/world.ts`). */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const external = process.env.DATABASE_URL
  const postgres = external ? null : await startTestPostgres()
  const url = external ?? postgres!.url
  if (!external) await dropLeftBehind(url)
  const template = `recoup_template_${process.pid}_${Date.now().toString(36)}`
  await asAdmin(url, `create database ${template}`)
  const pool = openPool({ url: databaseUrl(url, template), max: 2 })
  await migrate(pool)
  await pool.end()
  const queue = await startJobQueue(databaseUrl(url, template), createLogger('silent'), [], false)
  await queue.stop()
  project.provide('databaseUrl', url)
  project.provide('template', template)
  return async () => {
    await asAdmin(url, `drop database if exists ${template} with (force)`)
    await postgres?.stop()
  }
}

/** Databases of runs that were killed: the server is kept from run to run, and grew by gigabytes. */
async function dropLeftBehind(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select datname as name from pg_database where datname ~ '^recoup_(test|template)_'
       and (pg_stat_file('base/' || oid || '/PG_VERSION', true)).modification < now() - interval '6 hours'`,
  )
  for (const { name } of rows)
    await client.query(`drop database if exists ${client.escapeIdentifier(name)} with (force)`)
  await client.end()
}

/** The same server, another database. */
export function databaseUrl(url: string, name: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`)
}

export async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
