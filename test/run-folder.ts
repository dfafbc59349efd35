import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { runOncePerRun } from './once-per-run.ts'

/**
 * Creates the folder for everything a run writes: databases, browser profiles, uploads. `npm test` creates it, in
 * memory if there is room, and removes it at any end of the run (`scripts/run.mjs`). Vitest alone creates and removes
 * it here.
 */
export function makeRunFolder(): { folder: string; remove: () => void } {
  const inherited = process.env.TEST_RUN_FOLDER
  if (inherited) return { folder: inherited, remove: () => {} }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'recoup-test-'))
  // When root runs the tests, PostgreSQL runs as another user, who must be able to enter the folder.
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

/** For a global set-up; call its `release` after everything in the folder has stopped. */
export const openRunFolder = (): Promise<{ value: string; release: () => Promise<void> }> =>
  runOncePerRun('folder', async () => {
    const { folder, remove } = makeRunFolder()
    process.env.TMPDIR = folder
    // Dozens of processes load the same files: compile them once.
    process.env.NODE_COMPILE_CACHE = path.join(folder, 'compiled')
    return { value: folder, end: async () => remove() }
  })
