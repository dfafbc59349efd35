import { beforeEach, expect, test } from 'vitest'
import { type Role, roleNames } from '../../../shared/access/roles.ts'
import { createShop } from '../../../test/shop.ts'
import { createAddress, createIp, createUser, fetchMe, postAuth } from '../../../test/visitor.ts'
import { createWorld } from '../../../test/world.ts'

const world = createWorld()

beforeEach(() => {
  world.sent.length = 0
  world.queued.length = 0
})

const call = (method: string, path: string, token: string, body?: object) =>
  world.request(method, path, { token, ...(body && { body }) })

async function invite(token: string, email: string, role: Role = 'member') {
  const reply = await call('POST', '/api/team/invitations', token, { email, role })
  expect(reply.status, reply.body.error).toBe(200)
  await world.runJobs()
  return linkToken()
}

const linkToken = () => /invite\?token=([\w-]+)/.exec(world.sent.at(-1)!.text)![1]!

async function accept(body: object, token?: string, ip = createIp()) {
  const reply = await world.app.inject({
    method: 'POST',
    url: '/api/team/invitation/accept',
    payload: body,
    remoteAddress: ip,
    headers: { 'user-agent': 'curl/8', ...(token && { authorization: `Bearer ${token}` }) },
  })
  return { status: reply.statusCode, ...reply.json() }
}

/** A new user by invitation. */
async function join(owner: { token: string }, role: Role = 'member') {
  const email = createAddress()
  const token = await invite(owner.token, email, role)
  const joined = await accept({ token, name: 'Mia', password: 'her password' })
  expect(joined.status, joined.error).toBe(200)
  return { email, token: joined.token as string, userId: joined.user.id as string }
}

const readTeam = async (token: string) => (await call('GET', '/api/team', token)).body

test('an invitation is a mail with a link that exists only there', async () => {
  const owner = await createUser(world)
  const email = createAddress()
  const token = await invite(owner.token, email, 'viewer')
  expect(world.sent).toHaveLength(1)
  expect(world.sent[0]).toMatchObject({ to: email, subject: 'Ada invited you to Ada' })
  const row = await world.db.selectFrom('invitations').selectAll().where('email', '=', email).executeTakeFirstOrThrow()
  expect(JSON.stringify(row)).not.toContain(token)
  expect((await readTeam(owner.token)).invitations).toMatchObject([
    { email, role: 'viewer', invitedBy: 'Ada', state: 'sent', mailProblem: null },
  ])
})

test('a new user sets name and password and joins with the invited role', async () => {
  const owner = await createUser(world)
  const email = createAddress()
  const token = await invite(owner.token, email, 'viewer')
  const reply = await call('POST', '/api/team/invitation', '', { token })
  expect(reply.body).toEqual({
    accountName: 'Ada',
    invitedBy: 'Ada',
    email,
    role: 'viewer',
    isKnown: false,
    isYou: false,
  })
  expect(await accept({ token })).toMatchObject({
    status: 400,
    fields: { name: 'Name is required', password: 'Password is required' },
  })
  expect(await accept({ token, name: 'Mia', password: '12345' })).toMatchObject({
    status: 400,
    error: 'Password must be at least 6 characters long',
  })
  const joined = await accept({ token, name: 'Mia', password: 'her password' })
  expect(joined).toMatchObject({ status: 200, user: { email, name: 'Mia', role: 'viewer', accountName: 'Ada' } })
  expect((await fetchMe(world, joined.token)).user.role).toBe('viewer')
  expect((await postAuth(world, 'login', { email, password: 'her password' })).user.accountName).toBe('Ada')
  expect((await readTeam(owner.token)).invitations).toEqual([])
})

test('a link works once, and ends with the next one, a withdrawal, or after seven days', async () => {
  const owner = await createUser(world)
  const email = createAddress()
  const first = await invite(owner.token, email)
  const { invitations } = await readTeam(owner.token)
  const at = `/api/team/invitations/${invitations[0].id}`
  expect((await call('POST', `${at}/resend`, owner.token)).status).toBe(200)
  await world.runJobs()
  const second = linkToken()
  const notFound = {
    status: 400,
    error: 'This invitation is no longer valid. Ask the person who invited you for a new one.',
  }
  const mia = { name: 'Mia', password: 'her password' }
  expect(await accept({ token: first, ...mia })).toMatchObject(notFound)
  const both = await Promise.all([accept({ token: second, ...mia }), accept({ token: second, ...mia })])
  expect(both.map((each) => each.status).sort()).toEqual([200, 400])
  expect(await accept({ token: second, ...mia })).toMatchObject(notFound)

  const other = await invite(owner.token, createAddress())
  const [open] = (await readTeam(owner.token)).invitations
  expect((await call('DELETE', `/api/team/invitations/${open.id}`, owner.token)).status).toBe(200)
  expect(await accept({ token: other, ...mia })).toMatchObject(notFound)

  const late = await invite(owner.token, createAddress())
  world.advance(7 * 86_400_000)
  expect(await accept({ token: late, ...mia })).toMatchObject(notFound)
  expect((await readTeam(owner.token)).invitations[0].state).toBe('expired')
})

test('a known user accepts by password or by an existing session', async () => {
  const owner = await createUser(world)
  const known = await createUser(world)
  const token = await invite(owner.token, known.email, 'admin')
  expect(await accept({ token, password: 'a guess' })).toMatchObject({
    status: 400,
    error: 'Login failed. Please check your credentials.',
  })
  // A session of another user proves nothing.
  expect((await accept({ token, password: 'a guess' }, owner.token)).status).toBe(400)
  const joined = await accept({ token }, known.token)
  expect(joined).toMatchObject({ status: 200, user: { id: known.userId, role: 'admin' } })

  const other = await createUser(world)
  const again = await invite(other.token, known.email)
  expect(await accept({ token: again, password: known.password })).toMatchObject({
    status: 200,
    user: { id: known.userId, role: 'member' },
  })
})

test('the link does not bypass the sign-in throttle', async () => {
  const owner = await createUser(world)
  const known = await createUser(world)
  const token = await invite(owner.token, known.email)
  const ip = createIp()
  const tries = (password: string) => accept({ token, password }, undefined, ip)
  for (let wrong = 0; wrong < 5; wrong += 1) expect((await tries('wrong')).status).toBe(400)
  expect((await tries(known.password)).status).toBe(429)
})

test('sign-in opens the account chosen last; foreign accounts cannot be chosen', async () => {
  const owner = await createUser(world)
  const known = await createUser(world)
  await accept({ token: await invite(owner.token, known.email, 'viewer') }, known.token)
  const { token } = await postAuth(world, 'login', { email: known.email, password: known.password })
  const { accounts } = (await call('GET', '/api/auth/accounts', token)).body
  expect(accounts).toHaveLength(2)
  const own = accounts.find((each: { role: string }) => each.role === 'owner')
  expect(own.isCurrent).toBe(false)
  world.advance(1_000)
  expect((await call('POST', '/api/auth/switch-account', token, { accountId: own.id })).status).toBe(200)
  expect((await fetchMe(world, token)).user.role).toBe('owner')
  const next = await postAuth(world, 'login', { email: known.email, password: known.password })
  expect(next.user.role).toBe('owner')
  const strange = await createUser(world)
  const foreign = (await call('GET', '/api/auth/accounts', strange.token)).body.accounts[0].id
  expect((await call('POST', '/api/auth/switch-account', token, { accountId: foreign })).status).toBe(404)
  expect((await fetchMe(world, token)).user.role).toBe('owner')
})

test("the team page shows the mail server's rejection at the invitation", async () => {
  const owner = await createUser(world)
  world.answer = () => ({ kind: 'rejected', reason: '550 no such user', response: '550', isRecipientFault: true })
  await call('POST', '/api/team/invitations', owner.token, { email: createAddress(), role: 'member' })
  await world.runJobs()
  world.answer = (mail) => ({ kind: 'accepted', providerId: mail.messageId, response: '250' })
  expect((await readTeam(owner.token)).invitations).toMatchObject([
    { state: 'failed', mailProblem: '550 no such user' },
  ])
})

test('inviting the same address again renews the invitation; members cannot be invited', async () => {
  const owner = await createUser(world)
  const email = createAddress()
  const first = await invite(owner.token, email, 'member')
  const second = await invite(owner.token, email.toUpperCase(), 'admin')
  expect((await readTeam(owner.token)).invitations).toMatchObject([{ email, role: 'admin' }])
  expect((await accept({ token: first, name: 'Mia', password: 'her password' })).status).toBe(400)
  expect((await accept({ token: second, name: 'Mia', password: 'her password' })).user.role).toBe('admin')
  expect(await call('POST', '/api/team/invitations', owner.token, { email, role: 'member' })).toMatchObject({
    status: 409,
    body: { error: 'This person is already in your team.' },
  })
})

test('a role applies from the next request', async () => {
  const owner = await createUser(world)
  const mia = await join(owner, 'member')
  expect(
    (await call('POST', '/api/team/invitations', mia.token, { email: createAddress(), role: 'viewer' })).status,
  ).toBe(403)
  expect((await call('PATCH', `/api/team/members/${mia.userId}`, owner.token, { role: 'admin' })).status).toBe(200)
  expect(
    (await call('POST', '/api/team/invitations', mia.token, { email: createAddress(), role: 'viewer' })).status,
  ).toBe(200)
})

test('only owners can add, change and remove owners', async () => {
  const owner = await createUser(world)
  const admin = await join(owner, 'admin')
  const mia = await join(owner, 'member')
  const refused = { status: 403, body: { error: 'Only an owner can change or remove an owner.' } }
  expect(await call('PATCH', `/api/team/members/${mia.userId}`, admin.token, { role: 'owner' })).toMatchObject(refused)
  expect(await call('PATCH', `/api/team/members/${admin.userId}`, admin.token, { role: 'owner' })).toMatchObject(
    refused,
  )
  expect(await call('PATCH', `/api/team/members/${owner.userId}`, admin.token, { role: 'viewer' })).toMatchObject(
    refused,
  )
  expect(await call('DELETE', `/api/team/members/${owner.userId}`, admin.token)).toMatchObject(refused)
  const reply = await call('POST', '/api/team/invitations', admin.token, { email: createAddress(), role: 'owner' })
  expect(reply).toMatchObject(refused)
  expect((await call('PATCH', `/api/team/members/${mia.userId}`, owner.token, { role: 'owner' })).status).toBe(200)
})

test('the last owner can neither leave nor step down', async () => {
  const owner = await createUser(world)
  const mia = await join(owner, 'admin')
  const refused = {
    status: 409,
    body: { error: 'An account needs an owner. Make someone else an owner first.' },
  }
  expect(await call('POST', '/api/team/leave', owner.token)).toMatchObject(refused)
  expect(await call('DELETE', `/api/team/members/${owner.userId}`, owner.token)).toMatchObject(refused)
  expect(await call('PATCH', `/api/team/members/${owner.userId}`, owner.token, { role: 'viewer' })).toMatchObject(
    refused,
  )
  await call('PATCH', `/api/team/members/${mia.userId}`, owner.token, { role: 'owner' })
  expect((await call('POST', '/api/team/leave', owner.token)).status).toBe(200)
  expect((await readTeam(mia.token)).members).toMatchObject([{ userId: mia.userId, role: 'owner' }])
})

test('one of two owners remains when they remove each other concurrently', async () => {
  const owner = await createUser(world)
  const mia = await join(owner, 'owner')
  const replies = await Promise.all([
    call('DELETE', `/api/team/members/${mia.userId}`, owner.token),
    call('DELETE', `/api/team/members/${owner.userId}`, mia.token),
  ])
  expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
})

test('a removed member is signed out at once, keeps other accounts, and can register again', async () => {
  const owner = await createUser(world)
  const mia = await join(owner)
  const known = await createUser(world)
  const inside = await accept({ token: await invite(owner.token, known.email) }, known.token)
  for (const { userId } of [mia, known]) {
    expect((await call('DELETE', `/api/team/members/${userId}`, owner.token)).status).toBe(200)
  }
  expect((await fetchMe(world, mia.token)).status).toBe(401)
  expect((await fetchMe(world, inside.token)).status).toBe(401)
  for (const { email } of [mia, known]) {
    expect(world.sent.filter(({ to }) => to === email).at(-1)?.subject).toBe('You are no longer on the team of Ada')
  }
  expect((await fetchMe(world, known.token)).status).toBe(200)
  const registered = await postAuth(world, 'register', { name: 'Mia', email: mia.email, password: 'another one' })
  expect(registered).toMatchObject({ status: 200, user: { role: 'owner' } })
  expect(registered.user.id).not.toBe(mia.userId)
})

test('an invitation ends when its sender loses the right to invite', async () => {
  const owner = await createUser(world)
  const rogue = await join(owner, 'admin')
  const demoted = await join(owner, 'admin')
  const stays = await join(owner, 'admin')
  const leaver = await join(owner, 'admin')
  const tokens: string[] = []
  for (const { token } of [rogue, demoted, leaver]) tokens.push(await invite(token, createAddress(), 'admin'))
  const good = await invite(stays.token, createAddress(), 'admin')
  await call('DELETE', `/api/team/members/${rogue.userId}`, owner.token)
  await call('PATCH', `/api/team/members/${demoted.userId}`, owner.token, { role: 'member' })
  await call('POST', '/api/team/leave', leaver.token)
  expect((await readTeam(owner.token)).invitations).toHaveLength(1)
  const someone = { name: 'Mia', password: 'her password' }
  for (const token of tokens) expect(await accept({ token, ...someone })).toMatchObject({ status: 400 })
  expect(await accept({ token: good, ...someone })).toMatchObject({ status: 200 })
})

test('owner invitations end when the owner becomes an admin, even older ones at acceptance', async () => {
  const owner = await createUser(world)
  const second = await join(owner, 'owner')
  const ofOwner = await invite(second.token, createAddress(), 'owner')
  const ofMember = await invite(second.token, createAddress(), 'member')
  await call('PATCH', `/api/team/members/${second.userId}`, owner.token, { role: 'admin' })
  const someone = { name: 'Mia', password: 'her password' }
  expect(await accept({ token: ofOwner, ...someone })).toMatchObject({ status: 400 })
  await world.db.updateTable('members').set({ role: 'viewer' }).where('user_id', '=', second.userId).execute()
  expect(await accept({ token: ofMember, ...someone })).toMatchObject({ status: 400 })
})

test('only members who may invite see the invitations', async () => {
  const owner = await createUser(world)
  const mia = await join(owner, 'member')
  await invite(owner.token, createAddress())
  expect((await readTeam(mia.token)).invitations).toEqual([])
  expect((await readTeam(mia.token)).members).toHaveLength(2)
  expect((await readTeam(owner.token)).invitations).toHaveLength(1)
})

test('a shopper who becomes a member stops counting, and counts again after leaving (F1)', async () => {
  const shop = await createShop(world)
  const other = await createShop(world)
  const email = createAddress()
  await shop.order({ email })
  await shop.order({ email: createAddress() })
  await other.order({ email })
  const marked = async () =>
    (
      await world.db.selectFrom('shoppers').select(['store_id', 'email']).where('is_member', '=', true).execute()
    ).filter((row) => row.email === email)
  expect(await marked()).toEqual([])
  const joined = await accept({ token: await invite(shop.token, email), name: 'Mia', password: 'her password' })
  expect(await marked()).toEqual([{ store_id: shop.storeId, email }])
  await call('DELETE', `/api/team/members/${joined.user.id}`, shop.token)
  expect(await marked()).toEqual([])
})

test('invitations are limited per address', async () => {
  const owner = await createUser(world)
  const email = createAddress()
  const ask = () => call('POST', '/api/team/invitations', owner.token, { email, role: 'member' })
  for (let count = 0; count < 5; count += 1) expect((await ask()).status).toBe(200)
  expect((await ask()).status).toBe(429)
})

test('the roles are the four of decision 8', { tags: ['A6'] }, () => {
  expect(roleNames).toEqual(['owner', 'admin', 'member', 'viewer'])
})
