import crypto from 'node:crypto'
import type pg from 'pg'
import { afterAll, inject } from 'vitest'
import { openPool } from '../server/core/db.ts'
import { asAdmin, databaseUrl } from './global.ts'

/** Empty databases of a test file, with pools on them. All are closed and dropped when the file ends. */
export function emptyDatabases() {
  const server = inject('databaseUrl')
  const names: string[] = []
  const pools: pg.Pool[] = []
  afterAll(async () => {
    for (const pool of pools) await pool.end()
    for (const name of names) await asAdmin(server, `drop database if exists ${name} with (force)`)
  })
  return {
    async create(): Promise<string> {
      const name = `recoup_test_${crypto.randomBytes(8).toString('hex')}`
      await asAdmin(server, `create database ${name}`)
      names.push(name)
      return databaseUrl(server, name)
    },
    open(url: string, max = 4): pg.Pool {
      const pool = openPool({ url, max })
      pools.push(pool)
      return pool
    },
  }
}
