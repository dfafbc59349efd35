import { afterEach, expect, test, vi } from 'vitest'
import { createAddress, createIp, createUser, postAuth } from '../../../test/visitor.ts'
import { createWorld } from '../../../test/world.ts'
import { limits } from '../../access/members/limits.ts'
import { computeLockoutS } from '../../access/members/rules.ts'
import { takeMany } from '../../core/db/rate-limits.ts'

const world = createWorld()

afterEach(() => {
  vi.useRealTimers()
})

interface From {
  ip?: string
  cookie?: string | undefined
}

async function signIn(email: string, password: string, { ip = createIp(), cookie }: From = {}) {
  const reply = await world.app.inject({
    method: 'POST',
    url: '/api/auth/login',
    payload: { email, password },
    remoteAddress: ip,
    headers: cookie === undefined ? {} : { cookie },
  })
  const [set] = reply.cookies
  return { status: reply.statusCode, body: reply.json(), set, cookie: set && `${set.name}=${set.value}` }
}

async function guess(email: string, times: number, from?: From) {
  let last = 0
  for (let wrong = 0; wrong < times; wrong += 1) last = (await signIn(email, 'wrong', from)).status
  return last
}

test('wrong passwords from elsewhere do not lock out the user', async () => {
  const { email, password } = await createUser(world)
  const otherClient = { ip: createIp() }
  expect(await guess(email, 6, otherClient)).toBe(429)
  expect((await signIn(email, password, otherClient)).status).toBe(429)
  expect((await signIn(email, password)).status).toBe(200)
})

test('each further lock within a day is twice as long', async () => {
  const { email } = await createUser(world)
  const from = { ip: createIp() }
  const waits: number[] = []
  let now = Date.now()
  for (let round = 0; round < 4; round += 1) {
    await guess(email, 5, from)
    const { body } = await signIn(email, 'wrong', from)
    waits.push(Math.round(body.retryAfterS / 60))
    now += body.retryAfterS * 1_000 + 1_000
    vi.useFakeTimers({ toFake: ['Date'], now })
  }
  expect(waits).toEqual([15, 30, 60, 120])
  expect(computeLockoutS(1_000)).toBe(86_400)
})

test('guesses from very many networks lock new browsers, but none that has signed in before', async () => {
  const { email, password } = await createUser(world)
  const known = await signIn(email, password)
  // All but a few of them, inserted directly.
  await world.db
    .transaction()
    .execute((db) => takeMany(world.deps, limits.signInPerAddress, { db, subject: email, count: 95 }))
  expect((await signIn(email, password)).status).toBe(200)
  await Promise.all(Array.from({ length: 2 }, () => guess(email, 3)))
  expect((await signIn(email, password)).status).toBe(429)
  expect((await signIn(email, password, { cookie: known.cookie })).status).toBe(200)
})

test('a known browser can sign in from a locked network', async () => {
  const { email, password } = await createUser(world)
  const from = { ip: createIp() }
  const { cookie } = await signIn(email, password, from)
  expect(await guess(email, 6, from)).toBe(429)
  expect((await signIn(email, password, { ...from, cookie })).status).toBe(200)
})

test('wrong passwords in a known browser count for that browser', async () => {
  const { email, password } = await createUser(world)
  const { cookie } = await signIn(email, password)
  expect(await guess(email, 5, { cookie })).toBe(401)
  expect((await signIn(email, password, { cookie })).status).toBe(429)
  expect((await signIn(email, password)).status).toBe(200)
})

test('the cookie of a known browser belongs to its user, cannot be forged, and is hidden from scripts', async () => {
  const [user, other] = [await createUser(world), await createUser(world)]
  const { set, cookie } = await signIn(user.email, user.password)
  expect(set).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/api', maxAge: 180 * 86_400 })
  expect(JSON.stringify(set)).not.toContain(user.userId)
  const name = (await signIn(other.email, other.password)).set!.name
  const from = { ip: createIp() }
  await guess(other.email, 5, from)
  const forged = [
    cookie!,
    `${name}=${set!.value}`,
    `${name}=x.y`,
    `${name}=`,
    `${name}=é.é`,
    `${name}=.`,
    '=;;=%E0%A4%A',
  ]
  for (const each of forged) {
    expect([each, (await signIn(other.email, other.password, { ...from, cookie: each })).status]).toEqual([each, 429])
  }
})

test('an unknown address locks like a known one', async () => {
  const [{ email }, unknown] = [await createUser(world), createAddress()]
  const answers = []
  for (const address of [email, unknown]) {
    const from = { ip: createIp() }
    await guess(address, 5, from)
    const { status, body, set } = await signIn(address, 'wrong', from)
    answers.push({ status, error: body.error, set })
  }
  expect(answers[0]).toEqual(answers[1])
})

test('registering a known address is rejected with the same message after any earlier guesses', async () => {
  const { email } = await createUser(world)
  const from = { ip: createIp() }
  for (let count = 0; count < 7; count += 1) {
    const reply = await postAuth(world, 'register', { name: 'Eve', email, password: 'a guess' }, from)
    expect(reply).toMatchObject({ status: 409, error: 'Registration failed. Please try again.' })
  }
})
