import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeEach } from 'vitest'
import { flakyTests } from './flaky.ts'
import { isFullRun } from './seed.ts'

// Runs for each test file. A file that leaves a timer, connection, server or process behind fails: it would disturb
// later files in the same worker.

/**
 * On a busy machine a request's time limit may outlive the request. A handle that is open after this long is a leak.
 */
const SETTLE_MS = 90_000

/** Lists handles that keep the process alive, without those of the worker itself. */
function listResources(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) {
    if (kind === 'Immediate' || kind === 'CloseReq' || kind.endsWith('Request') || kind.startsWith('FSReq')) continue
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts
}

if (!isFullRun && flakyTests.length > 0) {
  beforeEach(({ task, skip }) => {
    const file = path.relative(process.cwd(), task.file.filepath)
    if (flakyTests.some((each) => each.file === file && each.test === task.name)) skip('flaky')
  })
}

const before = listResources()

/** Registered before any hook of the file, so it runs after all of them. */
afterAll(async () => {
  const end = Date.now() + SETTLE_MS
  let leaks = findGrowth()
  while (leaks.length > 0 && Date.now() < end) {
    await sleep(20)
    leaks = findGrowth()
  }
  if (leaks.length > 0) throw new Error(`The file leaves something behind: ${leaks.join(', ')}`)
})

const findGrowth = () =>
  [...listResources()].flatMap(([kind, count]) => {
    // The sleep of this loop is a timer too.
    const more = count - (before.get(kind) ?? 0)
    return more > 0 ? [`${more} × ${kind}`] : []
  })
