import type { TestProject } from 'vitest/node'
import { runOncePerRun } from '../test/once-per-run.ts'
import { openRunFolder } from '../test/run-folder.ts'
import { startSharedInstances } from './shared-instances.ts'

/** Shared by the journeys of a run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { value, release } = await runOncePerRun('instances', async () => {
    const folder = await openRunFolder()
    const instances = await startSharedInstances(folder.value)
    return { value: instances.value, end: () => instances.end().finally(folder.release) }
  })
  project.provide('shared', value)
  return release
}
