import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createColleague, createStore } from '../../../test/factories.ts'
import { createOperator, operatorEnv } from '../../../test/operators.ts'
import { createAddress } from '../../../test/visitor.ts'
import { createWorld } from '../../../test/world.ts'

const world = createWorld({
  ...operatorEnv,
  REGISTRATION: 'invite',
  INSTANCE_NAME: 'Tea Desk',
  SMTP_URL: 'smtp://mail.example',
})
let operator: Awaited<ReturnType<typeof createOperator>>

beforeAll(async () => {
  operator = await createOperator(world)
})

beforeEach(() => {
  world.sent.length = 0
})

const create = (body: object) => world.request('POST', '/api/operator/accounts', { token: operator.token, body })
const post = (path: string, body: object) => world.request('POST', `/api/auth/${path}`, { body })
const readToken = (text: string) => /reset-password\?token=([\w-]+)/.exec(text)![1]!
const actions = (accountId: string) =>
  world.db.selectFrom('operator_actions').selectAll().where('account_id', '=', accountId).execute()

describe('an operator creates an account', () => {
  test('with its owner, who sets a password by the mailed link and signs in', async () => {
    const email = createAddress()
    const { status, body } = await create({
      email: email.toUpperCase(),
      name: 'Ada',
      planKey: 'growth',
      note: 'A friend',
    })
    expect([status, body]).toEqual([200, expect.objectContaining({ isNew: true, isMailed: true })])
    expect(await actions(body.accountId)).toMatchObject([
      {
        action: 'create_account',
        account_name: 'Ada',
        operator_email: operator.email,
        data: { plan: 'growth', isInvited: true, note: 'A friend' },
      },
    ])
    await world.runJobs()
    expect(world.sent).toMatchObject([{ to: email, subject: 'Your account is ready' }])
    expect(world.sent[0]!.text).toContain('An account in Tea Desk was created for you.')
    expect(world.sent[0]!.html).toContain('>Tea Desk</td>')
    world.advance(6 * 86_400_000)
    const password = 'a long password'
    expect(await post('reset-password', { token: readToken(world.sent[0]!.text), password })).toMatchObject({
      status: 200,
    })
    const signedIn = await post('login', { email, password })
    expect(signedIn.body.user).toMatchObject({
      role: 'owner',
      accountId: body.accountId,
      hasActiveSubscription: true,
      isEmailConfirmed: true,
    })
    // The link for the operator no longer works.
    expect((await post('reset-password', { token: readToken(body.invitationUrl), password })).status).toBe(400)
  })

  test('once per address, and renews the link until the owner has a password', async () => {
    const email = createAddress()
    const replies = await Promise.all([1, 2, 3].map(() => create({ email, name: 'Ada' })))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(replies.map(({ body }) => body.accountId)).size).toBe(1)
    expect(replies.filter(({ body }) => body.isNew)).toHaveLength(1)
    const { accountId, invitationUrl } = replies[0]!.body
    expect(await actions(accountId)).toHaveLength(1)
    const password = 'a long password'
    expect((await post('reset-password', { token: readToken(invitationUrl), password })).status).toBe(200)
    const again = await create({ email, name: 'Ada' })
    expect(again.body).toEqual({ accountId, isNew: false, invitationUrl: null, isMailed: false })
  })

  test('and never gets a link for a user who existed before', async () => {
    const shop = await createStore(world)
    const { email } = await world.db
      .selectFrom('users')
      .select('email')
      .where('id', '=', shop.userId)
      .executeTakeFirstOrThrow()
    const owner = await create({ email, name: 'Ada' })
    expect(owner.body).toEqual({ accountId: shop.accountId, isNew: false, invitationUrl: null, isMailed: false })
    const colleague = await createColleague(world, shop, 'member')
    const known = await world.db
      .selectFrom('users')
      .select('email')
      .where('id', '=', colleague.userId)
      .executeTakeFirstOrThrow()
    const own = await create({ email: known.email, name: 'Bob' })
    expect(own.body).toMatchObject({ isNew: true, invitationUrl: null })
    expect((await create({ email: known.email, name: 'Bob' })).body).toMatchObject({
      isNew: false,
      invitationUrl: null,
    })
  })

  test('with a readable error for wrong input', async () => {
    expect(await create({ email: 'not-an-address', name: 'Ada' })).toMatchObject({
      status: 400,
      body: { fields: { email: expect.any(String) } },
    })
    expect((await create({ email: createAddress(), name: 'https://spam.example' })).status).toBe(400)
    expect((await create({ email: createAddress(), name: 'Ada', planKey: 'gold' })).status).toBe(400)
  })
})

describe('REGISTRATION', () => {
  const register = () => post('register', { email: createAddress(), name: 'Ada', password: 'a long password' })

  test.each([
    ['closed', 'Registration is closed on this server.'],
    ['invite', 'Accounts on this server are by invitation.'],
  ] as const)('%s refuses to register, with the reason', async (registration, reason) => {
    const { config } = world.deps
    world.deps.config = { ...config, registration }
    const reply = await register()
    expect([reply.status, reply.body.error]).toEqual([403, expect.stringContaining(reason)])
    expect((await world.request('GET', '/api/instance')).body.registration).toBe(registration)
    world.deps.config = config
  })

  test('open lets everyone register', async () => {
    const { config } = world.deps
    world.deps.config = { ...config, registration: 'open' }
    expect((await register()).status).toBe(200)
    world.deps.config = config
  })
})
