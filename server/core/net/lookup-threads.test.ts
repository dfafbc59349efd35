import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

// The number counts only if its module loads first. The test counts the process's threads.

const countAfter = (modules: readonly string[]) => `
for (const name of ${JSON.stringify(modules)}) await import(name)
const { readFile, readdir } = await import('node:fs/promises')
await readFile('package.json')
console.log((await readdir('/proc/self/task')).length)
process.exit()`

function threadsAfter(modules: readonly string[], own: NodeJS.ProcessEnv = {}): number {
  const env = { PATH: process.env.PATH, ...own }
  const args = ['--input-type=module', '-e', countAfter(modules)]
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8', env }))
}

test.runIf(process.platform === 'linux')(
  'resolves many host names in parallel, and an operator can set how many',
  () => {
    expect(threadsAfter(['./server/core/net/lookup-threads.ts', './server/app.ts'])).toBeGreaterThan(128)
    expect(threadsAfter(['./server/core/net/lookup-threads.ts'], { UV_THREADPOOL_SIZE: '8' })).toBeLessThan(40)
  },
)
