import path from 'node:path'
import { openDataDir } from '../config/data-dir.ts'
import { acquireInstanceLock, InstanceRunning } from '../config/instance-lock.ts'
import { explainStartupError, StartupError } from '../config/startup-errors.ts'
import { hasCluster } from './cluster.ts'
import { startEmbedded } from './embedded.ts'

// What commands of whoever runs the server share: backup, restore, confirm-live.

export const say = (sentence: string) => void process.stdout.write(`${sentence}\n`)

/**
 * With the embedded database that a running Recoup has up, or with one that is up for as long as this takes. Where Recoup has never run
 * there is none, and none is made.
 */
export async function withEmbedded(dataDir: string, work: (url: string) => Promise<void>): Promise<void> {
  if (!hasCluster(dataDir)) {
    const folder = path.resolve(dataDir)
    throw new StartupError(
      `There is no database of Recoup in ${folder}. Set DATA_DIR to the data folder that Recoup runs on, or start Recoup once before.`,
    )
  }
  openDataDir(dataDir)
  const lock = await acquireInstanceLock(dataDir, '').catch((error: unknown) => {
    if (error instanceof InstanceRunning) return null
    throw error
  })
  const postgres = await startEmbedded({ dataDir, say })
  try {
    await work(postgres.url)
  } finally {
    // One that a running Recoup has up is left up.
    if (lock) await postgres.stop()
    await lock?.release()
  }
}

/** Runs a command; what goes wrong is one sentence on stderr, and the exit code 1. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const sentence = explainStartupError(error, {})
    const stack = error instanceof Error ? error.stack : String(error)
    process.stderr.write(sentence ? `${sentence}\n` : `Failed: ${stack}\n`)
    process.exitCode = 1
  }
}
