import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Figure } from './figures.ts'
import { startSink } from './helpers.ts'
import type { Lab } from './lab.ts'
import { median, residentMb } from './measure.ts'
import { startServer } from './server.ts'

// Method: server/main.ts with both roles is started as a process of its own and asked for /readyz every 5 ms: with an empty data
// folder and its own PostgreSQL (made, migrated), again with the folder there is, and with a database that runs already. Memory
// is what the process holds resident after half a minute (ten seconds in a quick run) with nothing to do, without its PostgreSQL.

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
    const idleMb = await idleMemory({ ...env, DATABASE_URL: instance.url }, lab)
    return [
      { name: 'first start to /readyz, database made', value: firstMs / 1_000, unit: 's' },
      { name: 'start to /readyz, own database there', value: againMs / 1_000, unit: 's' },
      { name: 'start to /readyz, database running', value: median(external) / 1_000, unit: 's' },
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
    return { firstMs: first.readyAfterMs, againMs: median(again) }
  } finally {
    rmSync(locationOf(dataDir), { recursive: true, force: true })
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Started by root, the database may have had to go elsewhere. */
function locationOf(dataDir: string): string {
  try {
    return readFileSync(path.join(dataDir, 'postgres-location'), 'utf8').trim()
  } catch {
    return path.join(dataDir, 'postgres')
  }
}

async function idleMemory(env: Record<string, string>, lab: Lab): Promise<number> {
  const server = await startServer(env)
  try {
    await sleep(lab.scale < 1 ? 10_000 : 30_000)
    return residentMb(server.pid)
  } finally {
    await server.stop()
  }
}
