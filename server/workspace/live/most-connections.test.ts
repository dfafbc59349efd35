import type { AddressInfo } from 'node:net'
import { Server } from 'socket.io'
import { io } from 'socket.io-client'
import { expect, test, vi } from 'vitest'
import { createStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { buildApp } from '../../app.ts'

// Limit over all networks, including unauthenticated connections.

const world = createWorld()
const MOST = 20_000

test('the server rejects a new connection at twice the maximum of authenticated ones', async () => {
  const attached = vi.spyOn(Server.prototype, 'attach')
  await world.app.close()
  world.app = buildApp(world.deps)
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  const { engine } = attached.mock.contexts.at(-1) as Server
  const { token } = await createStore(world)
  const { port } = world.app.server.address() as AddressInfo
  const isLetIn = async () => {
    const socket = io(`http://127.0.0.1:${port}`, { auth: { token }, forceNew: true, reconnection: false })
    return new Promise<boolean>((resolve) => {
      socket.on('connect', () => resolve(true)).on('connect_error', () => resolve(false))
    }).finally(() => socket.disconnect())
  }
  engine.clientsCount = MOST
  expect(await isLetIn()).toBe(false)
  engine.clientsCount = MOST - 10
  expect(await isLetIn()).toBe(true)
})
