import { beforeEach, expect, test } from 'vitest'
import { createAddress, createIp, createUser, fetchMe, postAuth } from '../../../test/visitor.ts'
import { createWorld } from '../../../test/world.ts'
import { hashToken } from '../../core/common/secrets.ts'
import { mailResetLink } from './mails.ts'

const world = createWorld({ SMTP_URL: 'smtp://127.0.0.1:2525' })

beforeEach(() => {
  world.sent.length = 0
  world.queued.length = 0
})

async function resetToken(userId: string): Promise<string> {
  world.sent.length = 0
  await mailResetLink(world.deps, { userId })
  return /token=([\w-]+)/.exec(world.sent[0]!.text)![1]!
}

test('forgot password gives the same answer for known and unknown addresses', { tags: ['A7'] }, async () => {
  const { email, userId } = await createUser(world)
  const known = await postAuth(world, 'forgot-password', { email })
  const unknown = await postAuth(world, 'forgot-password', { email: createAddress() })
  for (const reply of [known, unknown]) {
    expect(reply).toMatchObject({
      status: 200,
      message: 'If an account exists for that address, we have sent a link to reset the password.',
    })
  }
  expect(world.queued.map((each) => each.name)).toEqual(Array(2).fill('accounts.mail-reset'))
  expect(world.queued[0]!.payload).toEqual({ userId })
  await mailResetLink(world.deps, world.queued[1]!.payload as { userId: string })
  expect(world.sent).toEqual([])
})

test('forgot password says that the link goes to the built-in mailbox, or nowhere without a mail server', async () => {
  const { email } = await createUser(world)
  const { config } = world.deps
  const answers = async () => [
    await postAuth(world, 'forgot-password', { email }),
    await postAuth(world, 'forgot-password', { email: createAddress() }),
  ]
  try {
    world.deps.config = { ...config, smtpUrl: undefined, isLocal: true }
    for (const reply of await answers()) expect(reply.message).toMatch(/^If an account exists .* built-in mailbox\.$/)
    world.deps.config = { ...config, smtpUrl: undefined, isLocal: false, supportEmail: 'ops@mugs.example' }
    world.queued.length = 0
    for (const reply of await answers()) {
      expect([reply.status, reply.error]).toEqual([
        422,
        'This server cannot send email, so no link was sent. Ask its administrator to reset your password: ops@mugs.example',
      ])
    }
    expect(world.queued).toEqual([])
  } finally {
    world.deps.config = config
  }
})

test('an invalid address gets no link, and the answer states it', async () => {
  const before = world.queued.length
  expect(await postAuth(world, 'forgot-password', { email: 'nonsense' })).toMatchObject({
    status: 400,
    fields: { email: 'Please enter a valid email address.' },
  })
  expect(world.queued.length).toBe(before)
})

test('forgot password is limited per address and per client', async () => {
  const email = createAddress()
  const from = { ip: createIp() }
  for (let count = 0; count < 3; count += 1)
    expect((await postAuth(world, 'forgot-password', { email }, from)).status).toBe(200)
  expect((await postAuth(world, 'forgot-password', { email }, from)).status).toBe(429)
  const ip = createIp()
  for (let count = 0; count < 20; count += 1)
    await postAuth(world, 'forgot-password', { email: createAddress() }, { ip })
  expect((await postAuth(world, 'forgot-password', { email: createAddress() }, { ip })).status).toBe(429)
})

test('the mail contains the link, and only its hash is stored', async () => {
  const { email, userId } = await createUser(world)
  const token = await resetToken(userId)
  expect(world.sent[0]).toMatchObject({ to: email, subject: 'Reset your password', from: { name: expect.any(String) } })
  const link = `${world.deps.config.publicUrl}/reset-password?token=${token}`
  expect(world.sent[0]!.text).toContain(link)
  expect(world.sent[0]!.html).toContain(`href="${link}"`)
  const rows = await world.db.selectFrom('password_resets').selectAll().where('user_id', '=', userId).execute()
  expect(rows).toHaveLength(1)
  expect(rows[0]!.token_hash.equals(hashToken(token))).toBe(true)
})

test('markup in a name is escaped in the mail', async () => {
  const { user } = await postAuth(world, 'register', { name: '<b>Ada</b>', email: createAddress(), password: '123456' })
  await mailResetLink(world.deps, { userId: user.id })
  expect(world.sent[0]!.html).not.toContain('<b>')
})

test('the job retries a mail that was certainly not accepted, but not one that may have been', async () => {
  const { userId } = await createUser(world)
  const usual = world.answer
  world.answer = () => ({ kind: 'retry', reason: 'greylisted', response: '451' })
  await expect(mailResetLink(world.deps, { userId })).rejects.toThrow('did not accept the email')
  world.answer = () => ({ kind: 'unknown', reason: 'silence', response: '' })
  await mailResetLink(world.deps, { userId })
  world.answer = usual
})

test('resetting sets the password, ends every session and works once', { tags: ['A5', 'A7'] }, async () => {
  const { email, password, token: session, userId } = await createUser(world)
  const token = await resetToken(userId)
  const unused = await resetToken(userId)
  expect(await postAuth(world, 'reset-password', { token, password: 'brand new' })).toMatchObject({
    status: 200,
    message: 'Your password has been reset. You can sign in now.',
  })
  expect((await fetchMe(world, session)).status).toBe(401)
  expect((await postAuth(world, 'login', { email, password })).status).toBe(401)
  expect((await postAuth(world, 'login', { email, password: 'brand new' })).status).toBe(200)
  for (const stale of [token, unused]) {
    expect(await postAuth(world, 'reset-password', { token: stale, password: 'again new' })).toMatchObject({
      status: 400,
      error: 'Invalid reset link. Please request a new password reset.',
    })
  }
})

test('one of two concurrent uses of a reset link succeeds', async () => {
  const { userId } = await createUser(world)
  const token = await resetToken(userId)
  const replies = await Promise.all(
    ['first one', 'second one'].map((password) => postAuth(world, 'reset-password', { token, password })),
  )
  expect(replies.map((reply) => reply.status).sort()).toEqual([200, 400])
})

test('a reset link expires after an hour, and a forged one is rejected', async () => {
  const { userId } = await createUser(world)
  const token = await resetToken(userId)
  world.advance(3_600_000)
  for (const dead of [token, 'made-up', '']) {
    expect((await postAuth(world, 'reset-password', { token: dead, password: 'brand new' })).status).toBe(400)
  }
  const short = await postAuth(world, 'reset-password', { token, password: '12345' })
  expect(short).toMatchObject({ status: 400, error: 'Password must be at least 6 characters long' })
})

test('resetting ends the lock for wrong passwords', async () => {
  const { email, userId } = await createUser(world)
  const from = { ip: createIp() }
  for (let wrong = 0; wrong < 6; wrong += 1) await postAuth(world, 'login', { email, password: 'wrong' }, from)
  await postAuth(world, 'reset-password', { token: await resetToken(userId), password: 'brand new' }, from)
  expect((await postAuth(world, 'login', { email, password: 'brand new' }, from)).status).toBe(200)
})

test('requests by others do not block a reset: the answer stays the same, with at most six mails an hour', async () => {
  const { email } = await createUser(world)
  for (let count = 0; count < 8; count += 1)
    expect((await postAuth(world, 'forgot-password', { email })).status).toBe(200)
  await world.runJobs()
  expect(world.sent).toHaveLength(6)
})
