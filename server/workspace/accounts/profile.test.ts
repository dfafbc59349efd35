import { beforeEach, expect, test } from 'vitest'
import { createShop } from '../../../test/shop.ts'
import { createAddress, createIp, createUser, fetchMe, postAuth } from '../../../test/visitor.ts'
import { createWorld } from '../../../test/world.ts'
import { describeDevice } from '../../access/members/device.ts'
import { readConfig } from '../../core/config/config.ts'

const world = createWorld()

beforeEach(() => {
  world.sent.length = 0
  world.queued.length = 0
})

const call = (method: string, path: string, token: string, body?: object) =>
  world.request(method, path, { token, ...(body && { body }) })

const mailTo = (email: string, subject: RegExp) =>
  world.sent.find((mail) => mail.to === email && subject.test(mail.subject))
const linkIn = (text: string) => /confirm-email\?token=([\w-]+)/.exec(text)![1]!

async function askForEmail(user: { token: string; password: string }, email: string) {
  const reply = await call('POST', '/api/auth/change-email', user.token, { email, password: user.password })
  expect(reply.status, reply.body.error).toBe(200)
  await world.runJobs()
  return linkIn(mailTo(email.trim().toLowerCase(), /Confirm/)!.text)
}

const confirm = (token: string, session?: string) =>
  postAuth(world, 'confirm-email', { token }, session === undefined ? {} : { token: session })

async function signInFrom(user: { email: string; password: string }, userAgent: string) {
  const reply = await world.app.inject({
    method: 'POST',
    url: '/api/auth/login',
    payload: { email: user.email, password: user.password },
    remoteAddress: createIp(),
    headers: { 'user-agent': userAgent },
  })
  return reply.json().token as string
}

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'

test('a new address applies once confirmed, and the old one is notified of both steps', async () => {
  const user = await createUser(world)
  const email = createAddress()
  const token = await askForEmail(user, ` ${email.toUpperCase()} `)
  expect(mailTo(user.email, /new email address was requested/)).toBeDefined()
  expect((await fetchMe(world, user.token)).user).toMatchObject({ email: user.email, pendingEmail: email })
  expect((await postAuth(world, 'login', { email, password: user.password })).status).toBe(401)
  expect((await confirm(token, user.token)).status).toBe(200)
  await world.runJobs()
  expect((await fetchMe(world, user.token)).user).toMatchObject({ email, pendingEmail: null })
  expect(mailTo(user.email, /was changed/)!.text).toContain(email)
  expect((await postAuth(world, 'login', { email, password: user.password })).status).toBe(200)
  expect((await postAuth(world, 'login', { email: user.email, password: user.password })).status).toBe(401)
  expect((await confirm(token)).status).toBe(400)
})

test('the API says where the link to a new address went; without a mail server it changes nothing and returns an error', async () => {
  const user = await createUser(world)
  const ask = async () => {
    const body = { email: createAddress(), password: user.password }
    const reply = await call('POST', '/api/auth/change-email', user.token, body)
    return [reply.status, reply.body.message ?? reply.body.error]
  }
  const here = world.deps.config
  expect(await ask()).toEqual([200, expect.stringContaining('built-in mailbox')])
  world.deps.config = readConfig({ DEMO: 'off', SMTP_URL: 'smtp://127.0.0.1:2525' })
  expect(await ask()).toEqual([200, expect.stringContaining('We have sent a link to the new address')])
  expect((await call('DELETE', '/api/auth/change-email', user.token)).status).toBe(200)
  world.queued.length = 0
  world.deps.config = readConfig({ PUBLIC_URL: 'https://recoup.example.com', SUPPORT_EMAIL: 'ops@recoup.example' })
  expect(await ask()).toEqual([
    422,
    expect.stringMatching(/cannot send email.*your address stays.*ops@recoup\.example/),
  ])
  expect([world.queued, (await fetchMe(world, user.token)).user.pendingEmail]).toEqual([[], null])
  world.deps.config = here
})

test('a link to a new address ends with the next one, a cancellation, or after a day', async () => {
  const user = await createUser(world)
  const notFound = {
    status: 400,
    error: 'This link is no longer valid. Ask for a new one under Settings, Account.',
  }
  const first = await askForEmail(user, createAddress())
  const second = await askForEmail(user, createAddress())
  expect(await confirm(first)).toMatchObject(notFound)
  expect((await call('DELETE', '/api/auth/change-email', user.token)).status).toBe(200)
  expect(await confirm(second)).toMatchObject(notFound)
  const third = await askForEmail(user, createAddress())
  world.advance(86_400_000)
  expect(await confirm(third)).toMatchObject(notFound)
  expect((await fetchMe(world, user.token)).user.pendingEmail).toBeNull()
})

test('only the reader of its mail learns that a new address already belongs to a user', async () => {
  const user = await createUser(world)
  const other = await createUser(world)
  const token = await askForEmail(user, other.email)
  expect(await confirm(token)).toMatchObject({ status: 409 })
  expect((await fetchMe(world, user.token)).user.email).toBe(user.email)
})

test('an address gets few links an hour, regardless of the requester', async () => {
  const victim = createAddress()
  const asks = (token: string, password: string) =>
    world.request('POST', '/api/auth/change-email', { token, body: { email: victim, password } })
  const unconfirmed: number[] = []
  for (let n = 0; n < 2; n++) {
    const { token } = await postAuth(world, 'register', { name: 'M', email: createAddress(), password: 'not hers' })
    for (let again = 0; again < 3; again++) unconfirmed.push((await asks(token, 'not hers')).status)
  }
  expect(unconfirmed).toEqual([200, 429, 429, 200, 429, 429])
  const owner = await createUser(world)
  const statuses: number[] = []
  for (let again = 0; again < 4; again++) statuses.push((await asks(owner.token, owner.password)).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  const invited = await world.request('POST', '/api/team/invitations', {
    token: owner.token,
    body: { email: victim, role: 'viewer' },
  })
  expect(invited.status).toBe(429)
  world.queued.length = 0
  expect((await postAuth(world, 'register', { name: 'M', email: victim, password: 'not hers' })).status).toBe(200)
  expect(world.queued.map(({ name }) => name)).toEqual([])
})

test('changes of address and password need the current password, and failures are counted', async () => {
  const user = await createUser(world)
  const wrong = { status: 400, body: { error: 'That is not your current password.' } }
  const email = await call('POST', '/api/auth/change-email', user.token, { email: createAddress(), password: 'wrong' })
  expect(email).toMatchObject({ ...wrong, body: { ...wrong.body, fields: { password: wrong.body.error } } })
  const change = () =>
    call('POST', '/api/auth/change-password', user.token, { current: 'wrong', password: 'brand new' })
  for (let count = 0; count < 9; count += 1) expect(await change()).toMatchObject(wrong)
  expect((await change()).status).toBe(429)
})

test('a new password ends all other sessions and is announced by mail', async () => {
  const user = await createUser(world)
  const elsewhere = await signInFrom(user, FIREFOX)
  const short = await call('POST', '/api/auth/change-password', user.token, {
    current: user.password,
    password: '12345',
  })
  expect(short.body.error).toBe('Password must be at least 6 characters long')
  const reply = await call('POST', '/api/auth/change-password', user.token, {
    current: user.password,
    password: 'brand new',
  })
  expect(reply.body.message).toBe('Your password is changed. One other session was signed out.')
  expect((await fetchMe(world, user.token)).status).toBe(200)
  expect((await fetchMe(world, elsewhere)).status).toBe(401)
  expect((await postAuth(world, 'login', { email: user.email, password: user.password })).status).toBe(401)
  expect((await postAuth(world, 'login', { email: user.email, password: 'brand new' })).status).toBe(200)
  await world.runJobs()
  expect(mailTo(user.email, /password was changed/)).toBeDefined()
})

test('a shopper with the new address counts as a member from then on, and one with the old no longer (F1)', async () => {
  const shop = await createShop(world)
  const user = await createUser(world)
  await world.db.updateTable('members').set({ user_id: user.userId }).where('account_id', '=', shop.accountId).execute()
  const email = createAddress()
  await shop.order({ email })
  await shop.order({ email: user.email })
  await confirm(await askForEmail(user, email))
  const marked = await world.db
    .selectFrom('shoppers')
    .select('email')
    .where('store_id', '=', shop.storeId)
    .where('is_member', '=', true)
    .execute()
  expect(marked).toEqual([{ email }])
})

test('the session list names devices and last use, and marks the current session', async () => {
  const user = await createUser(world)
  const phone = await signInFrom(user, IPHONE)
  world.advance(10 * 60_000)
  await signInFrom(user, FIREFOX)
  const { sessions } = (await call('GET', '/api/auth/sessions', phone)).body
  expect(
    sessions.map((each: { device: string; isCurrent: boolean }) => [each.device, each.isCurrent]).slice(0, 3),
  ).toEqual(
    expect.arrayContaining([
      ['Safari on iPhone', true],
      ['Firefox on Windows', false],
    ]),
  )
  expect(sessions).toHaveLength(3)
  expect(sessions.find((each: { isCurrent: boolean }) => each.isCurrent).lastSeenAt).toBe(world.now.toISOString())
})

test('a user ends one session, all others or all, but none of another user', async () => {
  const user = await createUser(world)
  const [first, second, third] = [
    await signInFrom(user, FIREFOX),
    await signInFrom(user, IPHONE),
    await signInFrom(user, FIREFOX),
  ]
  const readId = async (token: string) =>
    (await call('GET', '/api/auth/sessions', token)).body.sessions.find(
      (each: { isCurrent: boolean }) => each.isCurrent,
    ).id
  const otherUser = await createUser(world)
  expect((await call('DELETE', `/api/auth/sessions/${await readId(first)}`, otherUser.token)).status).toBe(404)
  expect((await call('DELETE', `/api/auth/sessions/${await readId(first)}`, second)).status).toBe(200)
  expect((await fetchMe(world, first)).status).toBe(401)
  expect((await call('POST', '/api/auth/sessions/end', second, { scope: 'others' })).body.ended).toBe(2)
  expect((await fetchMe(world, third)).status).toBe(401)
  expect((await fetchMe(world, second)).status).toBe(200)
  expect((await call('POST', '/api/auth/sessions/end', second, { scope: 'all' })).body.ended).toBe(1)
  expect((await fetchMe(world, second)).status).toBe(401)
  expect((await fetchMe(world, otherUser.token)).status).toBe(200)
})

test('the demo shows visitors only their own session, and locks shared settings', async () => {
  const user = await createUser(world)
  const { account_id } = await world.db
    .selectFrom('members')
    .select('account_id')
    .where('user_id', '=', user.userId)
    .executeTakeFirstOrThrow()
  await signInFrom(user, FIREFOX)
  await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', account_id).execute()
  expect((await call('GET', '/api/auth/sessions', user.token)).body.sessions).toHaveLength(1)
  const other = await world.db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', user.userId)
    .where('device', 'is not', null)
    .executeTakeFirstOrThrow()
  const password = user.password
  const attempts: [string, string, object?][] = [
    ['PATCH', '/api/auth/profile', { name: 'Eve' }],
    ['PATCH', '/api/account', { name: 'Eve' }],
    ['POST', '/api/auth/change-email', { email: createAddress(), password }],
    ['DELETE', '/api/auth/change-email'],
    ['POST', '/api/auth/change-password', { current: password, password: 'brand new' }],
    ['DELETE', `/api/auth/sessions/${other.id}`],
    ['POST', '/api/auth/sessions/end', { scope: 'others' }],
    ['POST', '/api/team/invitations', { email: createAddress(), role: 'viewer' }],
    ['POST', '/api/team/leave'],
    ['PATCH', `/api/team/members/${user.userId}`, { role: 'viewer' }],
    ['DELETE', `/api/team/members/${user.userId}`],
    ['POST', '/api/account/delete', { confirmation: 'delete', password }],
  ]
  for (const [method, path, body] of attempts) {
    const reply = await call(method, path, user.token, body)
    expect([method, path, reply.status]).toEqual([method, path, 403])
  }
})

test('devices have readable names for any user agent', () => {
  expect(describeDevice(IPHONE)).toBe('Safari on iPhone')
  expect(describeDevice(FIREFOX)).toBe('Firefox on Windows')
  for (const unknown of [undefined, '', 'curl/8.1', '\u0000', 'x'.repeat(10_000)])
    expect(describeDevice(unknown)).toBeNull()
})
