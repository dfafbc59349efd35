import fs from 'node:fs'
import path from 'node:path'
import type { Config } from '../../core/config/config.ts'

// Checks the disk of the embedded database. An external database server monitors its own.

/** Less than two WAL segments: the next large write fails. */
const FULL_BYTES = 32 * 2 ** 20

/** The problem as a sentence; null: enough space. */
export function diskProblem(config: Pick<Config, 'dataDir' | 'databaseUrl'>): string | null {
  if (config.databaseUrl) return null
  const freeMb = Math.min(...foldersOf(config.dataDir).map(freeBytes)) / 2 ** 20
  if (freeMb >= FULL_BYTES / 2 ** 20) return null
  return `the disk of the data folder is full (${Math.floor(freeMb)} MB left): free some space, and it continues automatically`
}

/** The data folder, and the database folder if it had to move (docs/running.md). */
function foldersOf(dataDir: string): string[] {
  try {
    return [dataDir, fs.readFileSync(path.join(dataDir, 'postgres-location'), 'utf8').trim()]
  } catch {
    return [dataDir]
  }
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = fs.statfsSync(folder)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
