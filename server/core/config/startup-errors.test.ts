import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { explainStartupError, StartupError } from './startup-errors.ts'

async function readFailure(work: () => unknown) {
  try {
    await work()
  } catch (error) {
    return error
  }
  throw new Error('expected a failure')
}

function listen(port: number, host = '127.0.0.1') {
  const server = net.createServer()
  return new Promise<net.Server>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}

test('a port in use names its setting', async () => {
  const blocker = await listen(0)
  const { port } = blocker.address() as net.AddressInfo
  const failure = await readFailure(() => listen(port))
  const rest = 'or stop the program that uses it.'
  expect(explainStartupError(failure)).toBe(`Port ${port} is already in use. Set PORT to another one, ${rest}`)
  expect(explainStartupError(failure, { PORT: 3000, MAILBOX_PORT: port })).toContain('Set MAILBOX_PORT to another one')
  blocker.close()
})

test('a foreign address names HOST', async () => {
  const failure = await readFailure(() => listen(0, '192.0.2.1'))
  expect(explainStartupError(failure)).toContain('HOST 192.0.2.1 is not an address of this machine')
})

test('a file in place of the data folder is named', async () => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-errors-')), 'file')
  fs.writeFileSync(file, '')
  const failure = await readFailure(() => fs.mkdirSync(path.join(file, 'data'), { recursive: true }))
  expect(explainStartupError(failure)).toMatch(/cannot be used as a folder/)
  fs.rmSync(path.dirname(file), { recursive: true })
})

test.each([
  ['EACCES', 'may not read or write /d'],
  ['EROFS', 'read-only'],
  ['ENOSPC', 'disk is full'],
])('%s on a folder gives one sentence', (code, message) => {
  expect(explainStartupError(Object.assign(new Error(code), { code, path: '/d', syscall: 'mkdir' }))).toContain(message)
})

test('an unreachable database is named without its password', async () => {
  const server = await listen(0)
  const { port } = server.address() as net.AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const client = new pg.Client(`postgres://me:hunter2@localhost:${port}/x`)
  const failure = await readFailure(() => client.connect())
  const sentence = explainStartupError(new Error('migrating failed', { cause: failure }))
  expect(sentence).toMatch(/^The database at .*does not answer \(ECONNREFUSED\)/)
  expect(sentence).not.toContain('hunter2')
})

test.each([
  ['53300', 'sorry, too many clients already', 'lower DATABASE_POOL and DATABASE_JOBS_POOL'],
  ['08P01', 'unsupported startup parameter: options', 'ignore_startup_parameters'],
  ['08P01', 'no more connections allowed (max_client_conn)', 'max_client_conn, or lower DATABASE_POOL'],
])('%s, %s gives one sentence', (code, message, advice) => {
  expect(explainStartupError(Object.assign(new Error(message), { code }))).toContain(advice)
})

test('keeps our own messages and does not explain bugs', () => {
  expect(explainStartupError(new Error('outer', { cause: new StartupError('Do this.') }))).toBe('Do this.')
  expect(explainStartupError(new TypeError('x is not a function'))).toBeNull()
  expect(explainStartupError('nonsense')).toBeNull()
})
