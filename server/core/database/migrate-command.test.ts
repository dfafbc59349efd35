import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createDatabaseFactory } from '../../../test/databases.ts'
import { isMigrated } from './migrate.ts'

const databases = createDatabaseFactory()
const run = promisify(execFile)

const migrateAt = (env: Record<string, string>) =>
  run(process.execPath, ['server/core/database/main.ts'], { env: { PATH: process.env.PATH, ...env } })

test('npm run migrate updates an external database once', async () => {
  const url = await databases.create()
  expect((await migrateAt({ DATABASE_URL: url })).stdout).toMatch(/Applied \d+ migrations\.\n$/)
  expect(await isMigrated(databases.open(url, 2))).toBe(true)
  expect((await migrateAt({ DATABASE_URL: url })).stdout).toBe('The database is up to date.\n')
})

test('npm run migrate is refused without DATABASE_URL', async () => {
  await expect(migrateAt({})).rejects.toMatchObject({
    code: 1,
    stderr: 'DATABASE_URL is not set. The embedded database is updated when Recoup starts.\n',
  })
})
