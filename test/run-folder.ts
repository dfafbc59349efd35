import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { oncePerRun } from './once-per-run.ts'

/**
 * The folder of everything a run writes: databases, browsers' profiles, uploads. `npm test` makes it, in memory where there is room, and
 * removes it however the run ends (`scripts/run.mjs`). Where Vitest is started by itself, it is made and removed here.
 */
export function makeRunFolder(): { folder: string; remove: () => void } {
  const given = process.env.TEST_RUN_FOLDER
  if (given) return { folder: given, remove: () => {} }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'recoup-test-'))
  // As root, PostgreSQL runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o711)
  process.env.TEST_RUN_FOLDER = folder
  return {
    folder,
    remove() {
      delete process.env.TEST_RUN_FOLDER
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** For a global set-up; its `release` comes after all that was started in the folder has ended. */
export const openRunFolder = (): Promise<{ value: string; release: () => Promise<void> }> =>
  oncePerRun('folder', async () => {
    const { folder, remove } = makeRunFolder()
    process.env.TMPDIR = folder
    // Dozens of processes start from the same files: they are compiled once.
    process.env.NODE_COMPILE_CACHE = path.join(folder, 'compiled')
    return { value: folder, end: async () => remove() }
  })
