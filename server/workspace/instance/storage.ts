import fs from 'node:fs'
import path from 'node:path'
import type { Config } from '../../core/config/config.ts'

// The disk the embedded database lives on. A server that has none of ours looks after its own.

/** Less than two segments of the database's log: the next larger write fails. */
const FULL_BYTES = 32 * 2 ** 20

/** A sentence when nothing more can be stored, else null. */
export function diskProblem(config: Pick<Config, 'dataDir' | 'databaseUrl'>): string | null {
  if (config.databaseUrl) return null
  const freeMb = Math.min(...foldersOf(config.dataDir).map(freeBytes)) / 2 ** 20
  if (freeMb >= FULL_BYTES / 2 ** 20) return null
  return `the disk of the data folder is full (${Math.floor(freeMb)} MB left): free some space, and it continues automatically`
}

/** The data folder, and where the database had to move if it could not live there (docs/running.md). */
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
