import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Socket } from 'socket.io-client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

// Against a server that turns everybody away: what the browser asks for, when, and by which way (A 8, A 9).

const made: { socket: Socket; options: Record<string, unknown> }[] = []
let address = ''

vi.mock('socket.io-client', async (original) => {
  const { io } = await original<typeof import('socket.io-client')>()
  return {
    // A page asks where it comes from; here there is no page.
    io: (options: object) => {
      const soon = { reconnectionDelay: 5, reconnectionDelayMax: 5, randomizationFactor: 0 }
      const socket = io(address, { ...options, ...soon })
      made.push({ socket, options: options as Record<string, unknown> })
      return socket
    },
  }
})
const { openLive } = await import('./socket.ts')

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))

let end: (() => unknown) | undefined
afterEach(async () => await end?.())

async function aServerThatRefuses() {
  const asked: IncomingMessage[] = []
  const server = createServer((request, reply) => {
    asked.push(request)
    reply.writeHead(503).end()
  })
  server.on('upgrade', (request, socket) => {
    asked.push(request)
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { asked, stop: () => server.close() }
}

const heard = { onChanged: vi.fn(), onNotification: vi.fn(), onJoined: vi.fn(), onSessionDoubt: vi.fn() }
const live = { token: 't', platform: 'woocommerce', ...heard }

test('connects as the specification says: polling before websocket, again and again', async () => {
  const { asked, stop } = await aServerThatRefuses()
  const close = openLive(live)
  end = () => {
    close()
    stop()
  }
  expect(made.at(-1)!.options).toMatchObject({
    transports: ['polling', 'websocket'],
    reconnectionDelay: 1_000,
    reconnectionDelayMax: 10_000,
    timeout: 20_000,
  })
  // Without end is the library's default; a number would be an end.
  expect(made.at(-1)!.options).not.toHaveProperty('reconnectionAttempts')
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(12), 10_000)
  expect(asked[0]!.url).toMatch(/^\/socket\.io\/\?.*transport=polling/)
})

test('connect errors are only logged, and after five of them only polling is tried (A 8)', async () => {
  const { asked, stop } = await aServerThatRefuses()
  const logged = vi.mocked(console.error)
  const close = openLive(live)
  end = () => {
    close()
    stop()
  }
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(12), 10_000)
  expect(made.at(-1)!.socket.io.opts.transports).toEqual(['polling'])
  for (const listener of Object.values(heard)) expect(listener).not.toHaveBeenCalled()
  // Each of them, and nothing else.
  const failures = asked.filter(({ url }) => url?.startsWith('/socket.io/')).length
  expect(logged.mock.calls.length).toBeGreaterThan(5)
  expect(logged.mock.calls.length).toBeLessThanOrEqual(failures)
  expect(new Set(logged.mock.calls.map(([words]) => words))).toEqual(new Set(['The live connection failed:']))
})
