import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Figure } from './figures.ts'
import { startSink } from './helpers.ts'
import type { Lab } from './lab.ts'
import { computeMedian, readResidentMb } from './measure.ts'
import { startServer } from './server.ts'

// Method: server/main.ts with both roles starts as a separate process, and /readyz is requested every 5 ms: with an
// empty data folder and its own PostgreSQL (created and migrated), again with the existing folder, and with a running
// database. Memory is the idle process's resident memory after half a minute (ten seconds in a quick run), without
// PostgreSQL.

export const bench: Bench = { name: 'start', run }

async function run(lab: Lab): Promise<Figure[]> {
  const sink = await startSink()
  const env = { SMTP_URL: `smtp://127.0.0.1:${sink.port}` }
  const instance = await lab.open()
  try {
    const { firstMs, againMs } = await startEmbedded(env)
    const external: number[] = []
    for (let n = 0; n < 3; n++) {
      const server = await startServer({ ...env, DATABASE_URL: instance.url })
      external.push(server.readyAfterMs)
      await server.stop()
    }
    const idleMb = await measureIdleMemory({ ...env, DATABASE_URL: instance.url }, lab)
    return [
      { name: 'first start to /readyz, database made', value: firstMs / 1_000, unit: 's' },
      { name: 'start to /readyz, own database there', value: againMs / 1_000, unit: 's' },
      { name: 'start to /readyz, database running', value: computeMedian(external) / 1_000, unit: 's' },
      { name: 'idle memory of our process', value: idleMb, unit: 'MB', goal: { below: 180 } },
    ]
  } finally {
    await sink.stop()
    await instance.close()
  }
}

async function startEmbedded(env: Record<string, string>) {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'recoup-bench-'))
  chmodSync(dataDir, 0o711)
  const settings = { ...env, DATA_DIR: dataDir, DATABASE_URL: '' }
  try {
    const first = await startServer(settings)
    await first.stop()
    const again: number[] = []
    for (let n = 0; n < 3; n++) {
      const server = await startServer(settings)
      again.push(server.readyAfterMs)
      await server.stop()
    }
    return { firstMs: first.readyAfterMs, againMs: computeMedian(again) }
  } finally {
    rmSync(readLocation(dataDir), { recursive: true, force: true })
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Started by root, the database may be in another folder. */
function readLocation(dataDir: string): string {
  try {
    return readFileSync(path.join(dataDir, 'postgres-location'), 'utf8').trim()
  } catch {
    return path.join(dataDir, 'postgres')
  }
}

async function measureIdleMemory(env: Record<string, string>, lab: Lab): Promise<number> {
  const server = await startServer(env)
  try {
    await sleep(lab.scale < 1 ? 10_000 : 30_000)
    return readResidentMb(server.pid)
  } finally {
    await server.stop()
  }
}
