import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { io, type Socket } from 'socket.io-client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ConnectOptions, openLive } from './socket.ts'

// Against a server that refuses all connections: what the browser requests, when, and by which transport (A 8, A 9).

const sockets: { socket: Socket; options: ConnectOptions }[] = []
let address = ''

/** Connects to this test's server, with much shorter delays. */
function connect(options: ConnectOptions) {
  const soon = { reconnectionDelay: 5, reconnectionDelayMax: 5, randomizationFactor: 0 }
  const socket = io(address, { ...options, ...soon })
  sockets.push({ socket, options })
  return socket
}

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))

let end: (() => unknown) | undefined
afterEach(async () => await end?.())

async function startRefusingServer() {
  const requests: IncomingMessage[] = []
  const server = createServer((request, reply) => {
    requests.push(request)
    reply.writeHead(503).end()
  })
  server.on('upgrade', (request, socket) => {
    requests.push(request)
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { requests, stop: () => server.close() }
}

const listeners = { onChanged: vi.fn(), onNotification: vi.fn(), onJoined: vi.fn(), onSessionDoubt: vi.fn() }
const live = { token: 't', platform: 'woocommerce', storeId: 's', ...listeners }

test('connects as specified: polling before websocket, repeatedly', { tags: ['A9'] }, async () => {
  const { requests, stop } = await startRefusingServer()
  const close = openLive(live, connect)
  end = () => {
    close()
    stop()
  }
  expect(sockets.at(-1)!.options).toMatchObject({
    auth: { token: 't', storeId: 's' },
    transports: ['polling', 'websocket'],
    reconnectionDelay: 1_000,
    reconnectionDelayMax: 10_000,
    timeout: 20_000,
  })
  // Unlimited, the library's default.
  expect(sockets.at(-1)!.socket.io.reconnection()).toBe(true)
  expect(sockets.at(-1)!.socket.io.reconnectionAttempts()).toBe(Infinity)
  await vi.waitFor(() => expect(requests.length).toBeGreaterThan(12), 30_000)
  expect(requests[0]!.url).toMatch(/^\/socket\.io\/\?.*transport=polling/)
})

test('only logs connect errors, and after five of them tries polling only (A 8)', {
  tags: ['A8'],
}, async () => {
  const { requests, stop } = await startRefusingServer()
  const logged = vi.mocked(console.error)
  const close = openLive(live, connect)
  end = () => {
    close()
    stop()
  }
  await vi.waitFor(() => expect(requests.length).toBeGreaterThan(12), 30_000)
  expect(sockets.at(-1)!.socket.io.opts.transports).toEqual(['polling'])
  for (const listener of Object.values(listeners)) expect(listener).not.toHaveBeenCalled()
  // Each error, and nothing else.
  const failures = requests.filter(({ url }) => url?.startsWith('/socket.io/')).length
  expect(logged.mock.calls.length).toBeGreaterThan(5)
  expect(logged.mock.calls.length).toBeLessThanOrEqual(failures)
  expect(new Set(logged.mock.calls.map(([message]) => message))).toEqual(new Set(['The live connection failed:']))
})
