import crypto from 'node:crypto'
import type { World } from './world.ts'

// Test support: people who are not signed in, each with an IP address of their own so that rate limits count apart.

export const createAddress = () => `${crypto.randomUUID()}@shop.example.com`
export const createIp = () => `198.51.${crypto.randomInt(256)}.${crypto.randomInt(256)}`

interface From {
  ip?: string
  token?: string
}

export async function postAuth(world: World, path: string, body: object, { ip = createIp(), token }: From = {}) {
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/auth/${path}`,
    payload: body,
    remoteAddress: ip,
    ...(token ? { headers: { authorization: `Bearer ${token}` } } : {}),
  })
  return { status: reply.statusCode, headers: reply.headers, ...reply.json() }
}

export async function fetchMe(world: World, token: string) {
  const reply = await world.app.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${token}` } })
  return { status: reply.statusCode, ...reply.json() }
}

/** Registers a user and confirms the address. */
export async function createUser(world: World, password = 'correct horse') {
  const email = createAddress()
  const { token, user } = await postAuth(world, 'register', { name: 'Ada', email, password })
  await confirmEmail(world, user.id)
  return { email, password, token: token as string, userId: user.id as string }
}

/** Confirms the address as the link in the mail does; removes the queued mail. */
export async function confirmEmail(world: World, userId: string) {
  const { db, now } = world
  await db.updateTable('users').set({ email_confirmed_at: now }).where('id', '=', userId).execute()
  const sent = world.queued.findIndex((each) => each.name === 'accounts.mail-verification')
  if (sent >= 0) world.queued.splice(sent, 1)
}
