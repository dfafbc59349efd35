import { type ChildProcess, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

const module = new URL('./shutdown.ts', import.meta.url).href

/** Starts a process that drains as given; `hasLauncher` adds an IPC channel as under `npm start`. */
async function processThat(drain: string, { hasLauncher = false } = {}) {
  const code = `
    const { onShutdown } = await import(${JSON.stringify(module)})
    const shutdown = onShutdown(${drain}, { limitMs: 300, onError: (error) => console.log(error.message) })
    const before = shutdown.isStopping()
    setInterval(() => {}, 1000)
    console.log('up')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit', ...(hasLauncher ? (['ipc'] as const) : [])],
  }) as ChildProcess & { stdout: NodeJS.ReadableStream }
  const exit = new Promise((resolve) => child.once('exit', resolve))
  await new Promise((resolve) => child.stdout.once('readable', resolve))
  return { child, end: async () => ({ said: await text(child.stdout), code: await exit }) }
}

const politely = `async (reason) => { await new Promise((r) => setTimeout(r, 50)); console.log('drained after ' + reason) }`

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s drains and ends with 0', async (signal) => {
  const { child, end } = await processThat(politely)
  child.kill(signal)
  expect(await end()).toEqual({ said: `up\ndrained after ${signal}\n`, code: 0 })
})

test('isStopping is true while the process drains', async () => {
  const { child, end } = await processThat('async () => console.log(before, shutdown.isStopping())')
  child.kill('SIGINT')
  expect(await end()).toEqual({ said: 'up\nfalse true\n', code: 0 })
})

test('a Ctrl-C received twice drains once', async () => {
  const { child, end } = await processThat(politely)
  child.kill('SIGINT')
  child.kill('SIGINT')
  child.kill('SIGTERM')
  const { said: output, code } = await end()
  expect(output.match(/drained/g)).toHaveLength(1)
  expect(code).toBe(0)
})

test('the server stops when its launcher dies', async () => {
  const { child, end } = await processThat(politely, { hasLauncher: true })
  child.disconnect()
  expect(await end()).toEqual({ said: 'up\ndrained after launcher gone\n', code: 0 })
})

test('ends with 1 when the drain fails or takes too long', async () => {
  const slow = await processThat('() => new Promise(() => {})')
  slow.child.kill('SIGTERM')
  expect(await slow.end()).toEqual({ said: 'up\nnot drained within 300 ms\n', code: 1 })
  const failing = await processThat(`async () => { throw new Error('no') }`)
  failing.child.kill('SIGTERM')
  expect(await failing.end()).toEqual({ said: 'up\nno\n', code: 1 })
})
