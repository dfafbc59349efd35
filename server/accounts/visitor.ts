import crypto from 'node:crypto'
import type { World } from '../../test/world.ts'

// Test support: somebody in front of the door, each from an address of their own so that limits count apart.

export const anAddress = () => `${crypto.randomUUID()}@shop.example.com`
export const anIp = () => `198.51.${crypto.randomInt(256)}.${crypto.randomInt(256)}`

interface From {
  ip?: string
  token?: string
}

export async function post(world: World, path: string, body: object, { ip = anIp(), token }: From = {}) {
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/auth/${path}`,
    payload: body,
    remoteAddress: ip,
    ...(token ? { headers: { authorization: `Bearer ${token}` } } : {}),
  })
  return { status: reply.statusCode, headers: reply.headers, ...reply.json() }
}

export async function me(world: World, token: string) {
  const reply = await world.app.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${token}` } })
  return { status: reply.statusCode, ...reply.json() }
}

export async function aUser(world: World, password = 'correct horse') {
  const email = anAddress()
  const { token, user } = await post(world, 'register', { name: 'Ada', email, password })
  return { email, password, token: token as string, userId: user.id as string }
}
