import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { launchOptions } from '../e2e/browser.ts'
import { oncePerRun } from '../test/once-per-run.ts'
import { openRunFolder } from '../test/run-folder.ts'

/** One Chromium for all tests of a run: each worker connects to it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { value, release } = await oncePerRun('chromium', async () => {
    const folder = await openRunFolder()
    const server = await chromium.launchServer(launchOptions())
    return { value: server.wsEndpoint(), end: () => server.close().finally(folder.release) }
  })
  project.provide('chromium', value)
  process.env.TEST_CHROMIUM = value
  return release
}
