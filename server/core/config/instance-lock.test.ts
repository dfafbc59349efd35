import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { acquireInstanceLock } from './instance-lock.ts'

let dataDir: string
beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-lock-test-'))
})
afterEach(() => fs.rmSync(dataDir, { recursive: true, force: true }))

/** Starts a process that takes the lock, reports it and holds it. */
function startAnotherInstance() {
  const module = new URL('./instance-lock.ts', import.meta.url).href
  const code = `
    const { acquireInstanceLock } = await import(${JSON.stringify(module)})
    await acquireInstanceLock(${JSON.stringify(dataDir)}, 'http://localhost:3999').then(() => console.log('mine'), (error) => { console.log(error.message); process.exit(1) })
    setInterval(() => {}, 1000)`
  return spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
}

function readFirstLine(instance: ReturnType<typeof startAnotherInstance>) {
  return new Promise<string>((resolve) => instance.stdout.once('data', (chunk) => resolve(String(chunk).trim())))
}

/** Kills with -9, like a crash. */
function end(instance: ReturnType<typeof startAnotherInstance>) {
  if (instance.exitCode !== null) return Promise.resolve()
  instance.kill('SIGKILL')
  return new Promise<void>((resolve) => instance.once('exit', () => resolve()))
}

test('a second start is refused with the address of the running one', async () => {
  const first = await acquireInstanceLock(dataDir, 'http://localhost:3000')
  const second = acquireInstanceLock(dataDir, 'http://localhost:3100')
  await expect(second).rejects.toThrow(
    `Recoup is already running on this data folder (${dataDir}) at http://localhost:3000.`,
  )
  await first.release()
})

test('the lock is free after a release', async () => {
  for (let round = 0; round < 3; round += 1) {
    const lock = await acquireInstanceLock(dataDir, 'x')
    await lock.release()
  }
})

test('another path to the same data folder finds the same lock', async () => {
  const link = `${dataDir}-link`
  fs.symlinkSync(dataDir, link)
  const lock = await acquireInstanceLock(dataDir, 'x')
  await expect(acquireInstanceLock(link, 'y')).rejects.toThrow('already running')
  await lock.release()
  fs.rmSync(link)
})

test('a killed instance does not block the next start', async () => {
  const killed = startAnotherInstance()
  expect(await readFirstLine(killed)).toBe('mine')
  await expect(acquireInstanceLock(dataDir, 'x')).rejects.toThrow('http://localhost:3999')
  await end(killed)
  const lock = await acquireInstanceLock(dataDir, 'x')
  await lock.release()
})

test('exactly one of several starts takes over a dead socket', async () => {
  const killed = startAnotherInstance()
  await readFirstLine(killed)
  await end(killed)
  const starts = Array.from({ length: 6 }, startAnotherInstance)
  const lines = await Promise.all(starts.map(readFirstLine))
  expect(lines.filter((line) => line === 'mine')).toHaveLength(1)
  expect(lines.filter((line) => line.includes('already running'))).toHaveLength(5)
  await Promise.all(starts.map(end))
  await (await acquireInstanceLock(dataDir, 'x')).release()
})
