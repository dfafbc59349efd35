import path from 'node:path'
import {
  acquireInstanceLock,
  explainStartupError,
  InstanceRunning,
  openDataDir,
  StartupError,
} from '../config/public.ts'
import { hasCluster } from './cluster.ts'
import { startEmbedded } from './embedded.ts'

// Shared code of operator commands: backup, restore, confirm-live.

export const printLine = (sentence: string) => void process.stdout.write(`${sentence}\n`)

/**
 * Runs `work` with the embedded database: the running one, or one started for this call. Creates no database where
 * Recoup has never run.
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
  const postgres = await startEmbedded({ dataDir, say: printLine })
  try {
    await work(postgres.url)
  } finally {
    // Leaves a running Recoup's database up.
    if (lock) await postgres.stop()
    await lock?.release()
  }
}

/** Runs a command. A failure is one sentence on stderr and exit code 1. */
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
