import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    houses: string
  }
}

/** Where the furnished houses of a run stand that journeys get copies of (`aFurnishedHouse`). */
export default function setup(project: TestProject): () => void {
  const houses = mkdtempSync(path.join(os.tmpdir(), 'recoup-houses-'))
  chmodSync(houses, 0o711)
  project.provide('houses', houses)
  // Dozens of processes are started from the same files: they are compiled once.
  process.env.NODE_COMPILE_CACHE = path.join(houses, 'compiled')
  return () => rmSync(houses, { recursive: true, force: true })
}
