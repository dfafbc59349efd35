import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { hasRoomInMemory, MEMORY } from '../test/memory.ts'

declare module 'vitest' {
  interface ProvidedContext {
    instances: string
  }
}

const NAME = 'recoup-houses-'
const LEFT_BEHIND_MS = 6 * 3_600_000

/** Where the furnished houses of a run stand that journeys get copies of (`aSeededInstance`), and all else it writes. */
export default function setup(project: TestProject): () => void {
  const place = hasRoomInMemory() ? MEMORY : os.tmpdir()
  removeLeftBehind(place)
  const instances = mkdtempSync(path.join(place, NAME))
  chmodSync(instances, 0o711)
  project.provide('instances', instances)
  // A sixth of the time went into waiting for a disk on which nothing is to be kept.
  process.env.TMPDIR = instances
  // Dozens of processes are started from the same files: they are compiled once.
  process.env.NODE_COMPILE_CACHE = path.join(instances, 'compiled')
  return () => rmSync(instances, { recursive: true, force: true })
}

/** Of runs that were killed: memory is not given back by itself. */
function removeLeftBehind(place: string): void {
  for (const name of readdirSync(place).filter((each) => each.startsWith(NAME))) {
    const folder = path.join(place, name)
    const { mtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? { mtimeMs: Number.POSITIVE_INFINITY }
    if (mtimeMs < Date.now() - LEFT_BEHIND_MS) rmSync(folder, { recursive: true, force: true })
  }
}
