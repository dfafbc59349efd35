import { beforeEach, expect, test } from 'vitest'
import { createAddress, createUser, fetchMe, postAuth } from '../../../test/visitor.ts'
import { createWorld } from '../../../test/world.ts'
import { cleanUpAccounts } from './accounts.ts'

const world = createWorld()

beforeEach(() => {
  world.sent.length = 0
  world.queued.length = 0
})

type Person = Awaited<ReturnType<typeof createUser>>

const call = (method: string, path: string, token: string, body: object) => world.request(method, path, { token, body })

const getToken = (email: string, subject: RegExp) => {
  const mail = world.sent.findLast((each) => each.to === email && subject.test(each.subject))
  return /token=([\w-]+)/.exec(mail!.text)![1]!
}

/** Requests the change and returns the token mailed to the new address. */
async function ask(user: { token: string; password: string }, email: string): Promise<string> {
  const body = { email, password: user.password }
  expect((await call('POST', '/api/auth/change-email', user.token, body)).status).toBe(200)
  await world.runJobs()
  return getToken(email, /Confirm/)
}

/** Changes the address and returns the token mailed to the old one. */
async function change(user: { token: string; password: string; email: string }, email: string): Promise<string> {
  const token = await ask(user, email)
  expect((await postAuth(world, 'confirm-email', { token }, { token: user.token })).status).toBe(200)
  await world.runJobs()
  return getToken(user.email, /address was changed/)
}

async function resetToken(user: Person): Promise<string> {
  await postAuth(world, 'forgot-password', { email: user.email })
  await world.runJobs()
  return getToken(user.email, /Reset/)
}

const signIn = (email: string, password: string) => postAuth(world, 'login', { email, password })
const undo = (token: string, password = 'chosen by the owner') => postAuth(world, 'undo-email', { token, password })
const dead = { status: 400, error: 'This link is no longer valid. A change of address can be undone for 72 hours.' }

test('a requested change of address cannot be confirmed after a password reset', async () => {
  const user = await createUser(world)
  const thief = await ask(user, createAddress())
  const token = await resetToken(user)
  expect((await postAuth(world, 'reset-password', { token, password: 'brand new' })).status).toBe(200)
  expect((await postAuth(world, 'confirm-email', { token: thief })).status).toBe(400)
  expect((await signIn(user.email, 'brand new')).user).toMatchObject({ email: user.email, pendingEmail: null })
})

test('a requested change of address cannot be confirmed after a change of password', async () => {
  const user = await createUser(world)
  const thief = await ask(user, createAddress())
  const passwords = { current: user.password, password: 'brand new' }
  expect((await call('POST', '/api/auth/change-password', user.token, passwords)).status).toBe(200)
  expect((await postAuth(world, 'confirm-email', { token: thief })).status).toBe(400)
  expect((await fetchMe(world, user.token)).user).toMatchObject({ email: user.email, pendingEmail: null })
})

test('confirming a new address ends every other session', async () => {
  const user = await createUser(world)
  const other = await signIn(user.email, user.password)
  const token = await ask(user, createAddress())
  expect((await postAuth(world, 'confirm-email', { token }, { token: other.token })).status).toBe(200)
  expect((await fetchMe(world, user.token)).status).toBe(401)
  expect((await fetchMe(world, other.token)).status).toBe(200)
})

test("another user's session that confirms keeps none of the user's sessions alive", async () => {
  const user = await createUser(world)
  const address = await createUser(world)
  const token = await ask(user, createAddress())
  await postAuth(world, 'confirm-email', { token }, { token: address.token })
  expect((await fetchMe(world, user.token)).status).toBe(401)
  expect((await fetchMe(world, address.token)).status).toBe(200)
})

test('the old address undoes a change, sets a new password and signs everyone out', async () => {
  const user = await createUser(world)
  const stolen = createAddress()
  const token = await change(user, stolen)
  const pending = await ask(user, createAddress())
  expect(await undo(token, '12345')).toMatchObject({
    status: 400,
    error: 'Password must be at least 6 characters long',
  })
  expect(await undo(token)).toMatchObject({
    status: 200,
    message: `The change is undone. Sign in with ${user.email} and your new password.`,
  })
  expect((await fetchMe(world, user.token)).status).toBe(401)
  expect((await signIn(stolen, user.password)).status).toBe(401)
  expect((await signIn(user.email, user.password)).status).toBe(401)
  expect((await signIn(user.email, 'chosen by the owner')).user.email).toBe(user.email)
  expect((await postAuth(world, 'confirm-email', { token: pending })).status).toBe(400)
  expect(await undo(token)).toMatchObject(dead)
})

test('the first address undoes all later changes, and none of those addresses can return', async () => {
  const user = await createUser(world)
  const [second, third] = [createAddress(), createAddress()]
  const fromFirst = await change(user, second)
  world.advance(60_000)
  const fromSecond = await change({ ...user, email: second }, third)
  expect((await undo(fromFirst)).status).toBe(200)
  expect(await undo(fromSecond)).toMatchObject(dead)
  expect((await signIn(user.email, 'chosen by the owner')).status).toBe(200)
})

test('a password set from the new address does not block the undo by the old one', async () => {
  const user = await createUser(world)
  const stolen = { ...user, email: createAddress() }
  const token = await change(user, stolen.email)
  await postAuth(world, 'reset-password', { token: await resetToken(stolen), password: 'of the thief' })
  expect((await undo(token)).status).toBe(200)
  expect((await signIn(stolen.email, 'of the thief')).status).toBe(401)
})

test('for 72 hours no other user gets the old address by registering or changing theirs', async () => {
  const user = await createUser(world)
  const other = await createUser(world)
  const token = await change(user, createAddress())
  const registering = { name: 'Eve', email: user.email, password: 'of the thief' }
  expect((await postAuth(world, 'register', registering)).status).toBe(409)
  expect((await postAuth(world, 'confirm-email', { token: await ask(other, user.email) })).status).toBe(409)
  world.advance(72 * 3_600_000)
  expect(await undo(token)).toMatchObject(dead)
  expect((await postAuth(world, 'register', registering)).status).toBe(200)
  await cleanUpAccounts(world.deps)
  expect(await world.db.selectFrom('email_undos').selectAll().where('user_id', '=', user.userId).execute()).toEqual([])
})

test('a concurrent confirmation and password reset both complete in any order', async () => {
  for (let round = 0; round < 5; round += 1) {
    const user = await createUser(world)
    const confirming = await ask(user, createAddress())
    const resetting = await resetToken(user)
    const replies = await Promise.all([
      postAuth(world, 'confirm-email', { token: confirming }),
      postAuth(world, 'reset-password', { token: resetting, password: 'brand new' }),
    ])
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 400])
  }
})
