import { execFile } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, inject, test } from 'vitest'
import { replaceDatabase, runAsAdmin } from '../../../test/global.ts'

// Runs operator commands where Recoup has never run.

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-command-test-'))
const emptyDatabase = `recoup_test_${crypto.randomBytes(8).toString('hex')}`

afterAll(async () => {
  fs.rmSync(scratch, { recursive: true })
  await runAsAdmin(inject('databaseUrl'), `drop database if exists ${emptyDatabase}`)
})

interface Ended {
  code: number
  stdout: string
  stderr: string
}

async function run(command: string[], settings: Record<string, string>): Promise<Ended> {
  const env = { ...process.env, DATABASE_URL: '', ...settings }
  const ended = promisify(execFile)(process.execPath, command, { env })
  return ended.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error) => error,
  )
}

const oneSentence = (message: string) => ({ code: 1, stdout: '', stderr: `${message}\n` })

test.each([
  ['confirm-live', ['server/workspace/instance/confirm.ts']],
  ['backup', ['server/core/backup/main.ts', 'backup', path.join(scratch, 'a.zip')]],
])('%s in an unused folder fails with one sentence and creates nothing', async (name, command) => {
  const folder = path.join(scratch, name)
  const message = `There is no database of Recoup in ${folder}. Set DATA_DIR to the data folder that Recoup runs on, or start Recoup once before.`
  expect(await run(command, { DATA_DIR: folder })).toMatchObject(oneSentence(message))
  expect(fs.existsSync(folder)).toBe(false)
})

test('restore in an unused folder reports a missing file in one sentence', async () => {
  const file = path.join(scratch, 'nowhere.zip')
  const ended = await run(['server/core/backup/main.ts', 'restore', file], { DATA_DIR: path.join(scratch, 'restore') })
  expect(ended.code).toBe(1)
  expect(ended.stderr).toMatch(/^.*nowhere\.zip cannot be read as a Recoup backup: .*\n$/)
})

test('confirm-live on an empty database fails with one sentence', async () => {
  await runAsAdmin(inject('databaseUrl'), `create database ${emptyDatabase}`)
  const url = replaceDatabase(inject('databaseUrl'), emptyDatabase)
  const message = 'The database of Recoup is missing or not up to date. Start Recoup once before, then confirm again.'
  expect(await run(['server/workspace/instance/confirm.ts'], { DATABASE_URL: url })).toMatchObject(oneSentence(message))
})
