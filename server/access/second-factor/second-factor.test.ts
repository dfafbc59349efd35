import { beforeEach, expect, test } from 'vitest'
import { enableSecondFactor, generateCode } from '../../../test/authenticator.ts'
import { createAddress, createIp, createUser, fetchMe, postAuth } from '../../../test/visitor.ts'
import { createWorld } from '../../../test/world.ts'
import { createSecrets } from '../../core/common/secrets.ts'
import { mailResetLink } from '../../workspace/accounts/mails.ts'
import { endSecondFactorByEmail } from './second-factor.ts'

const world = createWorld()

beforeEach(() => {
  world.sent.length = 0
  world.queued.length = 0
})

type User = Awaited<ReturnType<typeof createUser>>
const PATH = '/api/account/second-factor'
const ask = (method: string, path: string, token: string, body?: object) =>
  world.request(method, PATH + path, { token, ...(body && { body }) })
const signIn = ({ email, password }: User, code?: string, ip = createIp()) =>
  postAuth(world, 'login', { email, password, ...(code !== undefined && { code }) }, { ip })
const readState = async (token: string) => (await ask('GET', '', token)).body

async function createProtectedUser() {
  const user = await createUser(world)
  return { ...user, ...(await enableSecondFactor(world, user)) }
}

async function mailsTo(email: string) {
  await world.runJobs()
  return world.sent.filter((mail) => mail.to === email).map((mail) => mail.subject)
}

test('is off at first, requires the password to set up, and is on after a confirmed code', async () => {
  const user = await createUser(world)
  expect(await readState(user.token)).toEqual({ isOn: false, since: null, recoveryCodesLeft: 0 })
  const refused = await ask('POST', '', user.token, { password: 'wrong' })
  expect([refused.status, Object.keys(refused.body.fields)]).toEqual([400, ['password']])
  const begun = await ask('POST', '', user.token, { password: user.password })
  expect(begun.body.uri).toContain(`secret=${begun.body.secret}`)
  expect((await readState(user.token)).isOn).toBe(false)
  expect((await signIn(user)).status).toBe(200)
  const wrong = await ask('POST', '/confirm', user.token, { code: generateCode(begun.body.secret, world.now, 5) })
  expect([wrong.status, Object.keys(wrong.body.fields)]).toEqual([400, ['code']])
  const on = await ask('POST', '/confirm', user.token, { code: generateCode(begun.body.secret, world.now) })
  expect([on.status, on.body.recoveryCodes.length]).toEqual([200, 10])
  expect(await readState(user.token)).toEqual({ isOn: true, since: world.now.toISOString(), recoveryCodesLeft: 10 })
  expect(await mailsTo(user.email)).toEqual(['Two-factor sign-in was switched on'])
})

test('confirming requires a started setup and the newest secret', async () => {
  const user = await createUser(world)
  const none = await ask('POST', '/confirm', user.token, { code: '123456' })
  expect([none.status, none.body.error]).toEqual([409, 'This setup is over. Start again.'])
  const first = await ask('POST', '', user.token, { password: user.password })
  const second = await ask('POST', '', user.token, { password: user.password })
  const old = await ask('POST', '/confirm', user.token, { code: generateCode(first.body.secret, world.now) })
  expect(old.status).toBe(400)
  const right = await ask('POST', '/confirm', user.token, { code: generateCode(second.body.secret, world.now) })
  expect(right.status).toBe(200)
  expect((await ask('POST', '', user.token, { password: user.password })).status).toBe(409)
  expect((await ask('POST', '/confirm', user.token, { code: '123456' })).status).toBe(409)
})

test('signing in asks for the code after the right password only', async () => {
  const user = await createProtectedUser()
  const reply = await signIn(user)
  expect([reply.status, reply.code, reply.error]).toEqual([
    401,
    'second_factor',
    'Enter the code from your authenticator app.',
  ])
  expect(reply.fields).toBeUndefined()
  const wrong = await signIn({ ...user, password: 'wrong' }, generateCode(user.secret, world.now))
  expect([wrong.status, wrong.code]).toEqual([401, 'unauthenticated'])
  const code = generateCode(user.secret, world.now)
  const entered = await signIn(user, `${code.slice(0, 3)} ${code.slice(3)}`)
  expect([entered.status, (await fetchMe(world, entered.token)).status]).toEqual([200, 200])
})

test('a code signs in once, also concurrently, and no earlier code works after it', async () => {
  const user = await createProtectedUser()
  const code = generateCode(user.secret, world.now)
  const both = await Promise.all([signIn(user, code), signIn(user, code)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
  const again = await signIn(user, code)
  expect([again.status, again.code, again.fields.code]).toEqual([401, 'second_factor', again.error])
  expect((await signIn(user, generateCode(user.secret, world.now, -1))).status).toBe(401)
  expect((await signIn(user, generateCode(user.secret, world.now, 1))).status).toBe(200)
})

test('the code that switched it on does not sign in', async () => {
  const user = await createProtectedUser()
  expect((await signIn(user, generateCode(user.secret, world.now, -1))).status).toBe(401)
})

test('a recovery code signs in once, also concurrently, and notifies the user', async () => {
  const user = await createProtectedUser()
  const [code = '', other = ''] = user.recoveryCodes
  const both = await Promise.all([signIn(user, code), signIn(user, code)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
  expect((await readState(user.token)).recoveryCodesLeft).toBe(9)
  expect((await signIn(user, code.toUpperCase())).error).toMatch(/recovery code is not right/)
  expect((await signIn(user, other.replaceAll('-', ''))).status).toBe(200)
  expect((await mailsTo(user.email)).filter((subject) => subject === 'A recovery code was used')).toHaveLength(2)
})

test('another user’s codes do not work', async () => {
  const [user, otherUser] = [await createProtectedUser(), await createProtectedUser()]
  expect((await signIn(user, otherUser.recoveryCodes[0])).status).toBe(401)
  expect((await signIn(user, generateCode(otherUser.secret, world.now))).status).toBe(401)
})

test('wrong codes lock out their client like wrong passwords, even with right passwords between them', async () => {
  const user = await createProtectedUser()
  const ip = createIp()
  for (let wrong = 0; wrong < 5; wrong += 1) {
    expect((await signIn(user, '000000', ip)).status).toBe(401)
    if (wrong < 4) expect((await signIn(user, undefined, ip)).status).toBe(401)
  }
  expect((await signIn(user, generateCode(user.secret, world.now), ip)).status).toBe(429)
  expect((await signIn(user, generateCode(user.secret, world.now))).status).toBe(200)
})

test('wrong codes from many clients together lock out new browsers', async () => {
  const user = await createProtectedUser()
  const statuses = await Promise.all(Array.from({ length: 25 }, () => signIn(user, '000000')))
  expect(statuses.filter(({ status }) => status === 401)).toHaveLength(20)
  expect((await signIn(user, generateCode(user.secret, world.now))).status).toBe(429)
})

test('asking for the code does not count as a guess', async () => {
  const user = await createProtectedUser()
  const ip = createIp()
  for (let time = 0; time < 12; time += 1) expect((await signIn(user, undefined, ip)).status).toBe(401)
  expect((await signIn(user, generateCode(user.secret, world.now), ip)).status).toBe(200)
})

test('registering again or accepting an invitation does not bypass the code', async () => {
  const user = await createProtectedUser()
  const again = await postAuth(world, 'register', { name: 'Ada', email: user.email, password: user.password })
  expect([again.status, again.token]).toEqual([409, undefined])
  const host = await createUser(world)
  const invitation = { email: user.email, role: 'member' }
  await world.request('POST', '/api/team/invitations', { token: host.token, body: invitation })
  await world.runJobs()
  const { text } = world.sent.find((mail) => mail.to === user.email && /invited you/.test(mail.subject))!
  const token = /token=([\w-]+)/.exec(text)![1]!
  const accept = (more: object) => world.request('POST', '/api/team/invitation/accept', { body: { token, ...more } })
  const { password } = user
  expect((await accept({ password })).body).toMatchObject({ code: 'second_factor' })
  expect((await accept({ password, code: '000000' })).status).toBe(401)
  const accepted = await accept({ password, code: generateCode(user.secret, world.now) })
  expect(accepted.status).toBe(200)
})

test('a session records whether it showed a code', async () => {
  const user = await createProtectedUser()
  const other = await createUser(world)
  await signIn(user, generateCode(user.secret, world.now))
  const rows = await world.db
    .selectFrom('sessions')
    .select(['user_id', 'second_factor_at'])
    .where('user_id', 'in', [user.userId, other.userId])
    .execute()
  const getFactors = (userId: string) =>
    rows.filter((row) => row.user_id === userId).map((row) => row.second_factor_at !== null)
  expect(getFactors(user.userId)).toEqual([true, true])
  expect(getFactors(other.userId)).toEqual([false])
})

test('a new password keeps the second factor and earlier sessions', async () => {
  const user = await createUser(world)
  const before = await signIn(user)
  const { secret } = await enableSecondFactor(world, user)
  expect((await fetchMe(world, before.token)).status).toBe(200)
  await postAuth(world, 'forgot-password', { email: user.email })
  await world.runJobs()
  const mail = world.sent.find(({ subject }) => subject === 'Reset your password')!
  const token = /token=([\w-]+)/.exec(mail.text)![1]!
  await postAuth(world, 'reset-password', { token, password: 'another horse' })
  const changed = { ...user, password: 'another horse' }
  expect((await signIn(changed)).code).toBe('second_factor')
  expect((await signIn(changed, generateCode(secret, world.now))).status).toBe(200)
})

test('password and code switch it off, and then no code is needed', async () => {
  const user = await createProtectedUser()
  const code = generateCode(user.secret, world.now)
  const end = (body: object) => ask('POST', '/end', user.token, body)
  expect((await end({ password: 'wrong', code })).body.fields).toHaveProperty('password')
  expect((await end({ password: user.password, code: '000000' })).body.fields).toHaveProperty('code')
  expect((await end({ password: user.password })).status).toBe(400)
  expect((await readState(user.token)).isOn).toBe(true)
  expect((await end({ password: user.password, code })).status).toBe(200)
  expect(await readState(user.token)).toEqual({ isOn: false, since: null, recoveryCodesLeft: 0 })
  expect((await signIn(user)).status).toBe(200)
  expect((await end({ password: user.password, code })).status).toBe(409)
  expect(await mailsTo(user.email)).toContain('Two-factor sign-in was switched off')
  const sessions = await world.db.selectFrom('sessions').selectAll().where('user_id', '=', user.userId).execute()
  expect(sessions.filter((session) => session.second_factor_at)).toEqual([])
})

test('a recovery code also switches it off', async () => {
  const user = await createProtectedUser()
  const [code] = user.recoveryCodes
  expect((await ask('POST', '/end', user.token, { password: user.password, code })).status).toBe(200)
  expect((await signIn(user)).status).toBe(200)
})

test('new recovery codes replace the earlier ones', async () => {
  const user = await createProtectedUser()
  const body = { password: user.password, code: generateCode(user.secret, world.now) }
  expect((await ask('POST', '/recovery-codes', user.token, { ...body, code: '000000' })).status).toBe(400)
  const reply = await ask('POST', '/recovery-codes', user.token, body)
  expect(reply.body.recoveryCodes).toHaveLength(10)
  expect((await signIn(user, user.recoveryCodes[0])).status).toBe(401)
  expect((await signIn(user, reply.body.recoveryCodes[0])).status).toBe(200)
  expect(await mailsTo(user.email)).toContain('Your recovery codes were replaced')
})

test('a signed-in user has ten guesses at a code in a quarter of an hour', async () => {
  const user = await createProtectedUser()
  const statuses: number[] = []
  for (let wrong = 0; wrong < 11; wrong += 1) {
    statuses.push((await ask('POST', '/end', user.token, { password: user.password, code: '000000' })).status)
  }
  expect(statuses).toEqual([...Array(10).fill(400), 429])
})

test('the database contains neither the secret nor a recovery code in plain text', async () => {
  const user = await createProtectedUser()
  const { rows } = await world.pool.query(
    `select u.totp_encrypted, array_agg(c.code_hash) as hashes from users u join recovery_codes c on c.user_id = u.id where u.id = $1 group by u.id`,
    [user.userId],
  )
  const stored = Buffer.concat([rows[0].totp_encrypted, ...rows[0].hashes]).toString('latin1')
  expect(stored).not.toContain(user.secret)
  for (const code of user.recoveryCodes) expect(stored).not.toContain(code.replaceAll('-', ''))
})

test('recovery codes still sign in after APP_SECRET has changed', async () => {
  const user = await createProtectedUser()
  const { secrets } = world.deps
  world.deps.secrets = createSecrets('another secret, long enough to be one')
  expect((await signIn(user, generateCode(user.secret, world.now))).status).toBe(401)
  expect((await signIn(user, user.recoveryCodes[0])).status).toBe(200)
  world.deps.secrets = secrets
})

test('an administrator of the server switches it off for a user', async () => {
  const user = await createProtectedUser()
  await expect(endSecondFactorByEmail(world.db, 'nobody@example.com')).rejects.toThrow('No user has the address')
  expect(await endSecondFactorByEmail(world.db, user.email)).toMatch(
    /is off\. Signing in now requires only the password/,
  )
  expect(await endSecondFactorByEmail(world.db, user.email)).toMatch(/^Nothing to do/)
  expect((await signIn(user)).status).toBe(200)
  expect((await readState(user.token)).recoveryCodesLeft).toBe(0)
})

test('the shared demo user cannot have one', async () => {
  const user = await createUser(world)
  const { accountId } = (await fetchMe(world, user.token)).user
  await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', accountId).execute()
  for (const [path, body] of [
    ['', { password: user.password }],
    ['/confirm', { code: '123456' }],
    ['/end', { password: user.password, code: '123456' }],
    ['/recovery-codes', { password: user.password, code: '123456' }],
  ] as const) {
    expect((await ask('POST', path, user.token, body)).status).toBe(403)
  }
})

test('a user with an unconfirmed address cannot lock its owner out', async () => {
  const email = createAddress()
  const { token, user } = await postAuth(world, 'register', { name: 'Mallory', email, password: 'not hers' })
  const refused = await ask('POST', '', token, { password: 'not hers' })
  expect([refused.status, refused.body.error]).toEqual([403, 'Please confirm your email address first.'])
  const begun = await createUser(world)
  const { body } = await ask('POST', '', begun.token, { password: begun.password })
  await world.db.updateTable('users').set({ email_confirmed_at: null }).where('id', '=', begun.userId).execute()
  expect((await ask('POST', '/confirm', begun.token, { code: generateCode(body.secret, world.now) })).status).toBe(403)
  // An older account: a factor is on, the address unconfirmed. The reset confirms it and removes the other person's
  // factor.
  const locked = await createProtectedUser()
  const { userId } = locked
  await world.db.updateTable('users').set({ email_confirmed_at: null }).where('id', '=', userId).execute()
  const reset = async (of: string) => {
    world.sent.length = 0
    await mailResetLink(world.deps, { userId: of })
    const link = /token=([\w-]+)/.exec(world.sent[0]!.text)![1]!
    expect((await postAuth(world, 'reset-password', { token: link, password: 'her own' })).status).toBe(200)
  }
  await reset(userId)
  expect((await signIn({ ...locked, password: 'her own' })).status).toBe(200)
  await reset(user.id)
  expect((await postAuth(world, 'login', { email, password: 'her own' })).status).toBe(200)
})
