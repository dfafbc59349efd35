import { beforeAll, expect, test } from 'vitest'
import { createColleague, createStore, type TestStore } from '../../../test/factories.ts'
import { createOperator, hashTables, type OperatorKind, operatorEnv } from '../../../test/operators.ts'
import { createWorld } from '../../../test/world.ts'
import { servedBy } from '../../access/http/http.ts'
import { groupNotifications } from '../../access/notifications/group.ts'
import { raiseProblem } from '../../access/problems/problems.ts'
import { createId } from '../../core/common/ids.ts'

const world = createWorld(operatorEnv)
let operator: Awaited<ReturnType<typeof createOperator>>
let target: TestStore
const problemId = createId()
/** Tokens of users who are not complete operators yet. */
const half: Partial<Record<OperatorKind, string>> = {}

beforeAll(async () => {
  operator = await createOperator(world)
  target = await createStore(world, { plan: 'starter' })
  for (const kind of ['unconfirmed', 'without factor', 'without code', 'demo'] as const) {
    half[kind] = (await createOperator(world, kind)).token
  }
})

const ask = (method: string, path: string, { token }: { token?: string } = operator, body?: object) =>
  world.request(method, `/api/operator${path}`, { ...(token && { token }), ...(body && { body }) })
const of = (account: TestStore, action = '') => `/accounts/${account.accountId}${action}`
const accountRow = (account: TestStore) =>
  world.db.selectFrom('accounts').selectAll().where('id', '=', account.accountId).executeTakeFirstOrThrow()
const actionsOn = (account: TestStore) =>
  world.db
    .selectFrom('operator_actions')
    .selectAll()
    .where('account_id', '=', account.accountId)
    .orderBy('at')
    .execute()

/** Requests are counted, also refused ones. */
const counted = ['rate_limits']

/** A valid body for each action, so that only the missing right rejects it. */
const bodies: Record<string, object> = {
  plan: { planKey: 'growth', isUnlimited: true },
  credits: { cents: 500, reason: 'Goodwill.' },
  suspend: { reason: 'Bought addresses.' },
  resume: {},
  view: {},
  resolve: {},
  accounts: { email: 'new@owners.example', name: 'New' },
}

test('the API rejects operator calls of all others without any effect', async () => {
  await raiseProblem({ accountId: target.accountId, db: world.db }, { kind: 'chargeback', detail: 'a', now: world.now })
  await world.db.updateTable('operator_problems').set({ id: problemId }).execute()
  const member = await createColleague(world, target, 'member')
  const callers = [
    { name: 'nobody', token: undefined, status: 401 },
    { name: 'stranger', token: (await createStore(world)).token, status: 404 },
    { name: 'member', token: member.token, status: 404 },
    { name: 'owner', token: target.token, status: 404 },
    ...Object.entries(half).map(([name, token]) => ({ name, token, status: /without/.test(name) ? 403 : 404 })),
  ]
  const endpoints = (servedBy.get(world.app) ?? []).filter(({ permission }) => permission === 'operator')
  expect(endpoints).toHaveLength(11)
  const before = await hashTables(world, counted)
  for (const { name, token, status } of callers) {
    for (const { method, path } of endpoints) {
      const url = path.replace(':accountId', target.accountId).replace(':problemId', problemId)
      const body = method === 'POST' ? bodies[path.split('/').at(-1)!] : undefined
      const reply = await world.request(method, url, { ...(token && { token }), ...(body && { body }) })
      expect([name, method, path, reply.status]).toEqual([name, method, path, status])
      // Invalid requests get the same answer, too.
      const wrong = await world.request(method, path, { ...(token && { token }), ...(body && { body: { x: 1 } }) })
      expect([name, method, path, wrong.status]).toEqual([name, method, path, status])
    }
  }
  expect(await hashTables(world, counted)).toEqual(before)
})

test('the API states the missing factor to an operator, and answers all others with 404', async () => {
  const readHealth = async (token: string) => (await ask('GET', '/health', { token })).body
  const forbidden = (error: string) => expect.objectContaining({ code: 'forbidden', error })
  expect(await readHealth(half['without factor']!)).toEqual(forbidden('Set up two-factor sign-in first.'))
  expect(await readHealth(half['without code']!)).toEqual(
    forbidden('Sign in again with a code from your authenticator app.'),
  )
  expect(await readHealth(half.unconfirmed!)).toEqual(
    expect.objectContaining({ code: 'not_found', error: 'Not found' }),
  )
})

test("only an operator's own profile shows the operator state", async () => {
  const readOperator = async (token: string) =>
    (await world.request('GET', '/api/auth/me', { token })).body.user.operator
  expect(await readOperator(operator.token)).toBe('ready')
  expect(await readOperator(half['without factor']!)).toBe('factor_missing')
  expect(await readOperator(half['without code']!)).toBe('code_missing')
  for (const token of [target.token, half.unconfirmed!, half.demo!]) expect(await readOperator(token)).toBeNull()
})

test('the API lists accounts newest first, with search by name, address, store and id, in pages', async () => {
  world.advance(1_000)
  const late = await createStore(world, { plan: 'growth', url: 'https://100%_percent.example.com' })
  const { name } = await accountRow(late)
  await world.db
    .insertInto('plan_usage')
    .values({ account_id: late.accountId, month: '2026-03-01', channel: 'email', used: 41 })
    .execute()
  const first = (await ask('GET', '/accounts?limit=2')).body
  expect(first.accounts[0]).toMatchObject({
    id: late.accountId,
    name,
    plan: 'growth',
    status: 'active',
    stores: 1,
    messages: 41,
    suspendedAt: null,
    ownerEmail: expect.stringContaining('@owners.example'),
  })
  expect(first.pagination.pages).toBe(Math.ceil(first.pagination.total / 2))
  const second = (await ask('GET', '/accounts?limit=2&page=2')).body
  expect(second.accounts.map(({ id }: { id: string }) => id)).not.toContain(late.accountId)
  const found = async (search: string) =>
    (await ask('GET', `/accounts?search=${encodeURIComponent(search)}`)).body.accounts.map(
      ({ id }: { id: string }) => id,
    )
  expect(await found(name)).toContain(late.accountId)
  expect(await found(first.accounts[0].ownerEmail.toUpperCase())).toEqual([late.accountId])
  expect(await found('100%_per')).toEqual([late.accountId])
  expect(await found(late.accountId)).toEqual([late.accountId])
  expect(await found('100_percent')).toEqual([])
  expect((await ask('GET', '/accounts?page=9999')).body.accounts).toEqual([])
})

test("the API shows an account's members, meters, stores, waiting messages, alarms, problems and actions", async () => {
  await world.db
    .insertInto('alarms')
    .values({ store_id: target.storeId, id: createId(), stage: 'sync', cause: 'store_down', raised_at: world.now })
    .execute()
  const { body } = await ask('GET', of(target))
  expect(body.account).toMatchObject({ plan: 'starter', suspendedReason: null })
  expect(body.account.members.map(({ role }: { role: string }) => role).sort()).toEqual(['member', 'owner'])
  expect(body.usage.meters.map(({ channel }: { channel: string }) => channel)).toEqual(['email', 'sms', 'whatsapp'])
  expect(body.stores).toEqual([
    expect.objectContaining({
      id: target.storeId,
      stopped: [{ stage: 'sync', cause: 'store_down', since: world.now.toISOString() }],
    }),
  ])
  expect(body.problems).toEqual([expect.objectContaining({ kind: 'chargeback', detail: 'a' })])
  expect((await ask('GET', of({ ...target, accountId: createId() }))).status).toBe(404)
})

test('health lists queues, checks, late messages, alarms and problems', async () => {
  const before = (await ask('GET', '/health')).body
  expect(before.checks).toContainEqual({ name: 'database', state: 'ok' })
  expect(before.alarms).toContainEqual(expect.objectContaining({ stage: 'sync', accountId: target.accountId }))
  expect(before.problems).toContainEqual(expect.objectContaining({ id: problemId, accountId: target.accountId }))
  expect(before.late).toEqual({ stores: 0, since: null })
  const due = new Date(world.now.getTime() - 61_000)
  await world.db
    .insertInto('send_schedule')
    .values({ store_id: target.storeId, next_due_at: due })
    .onConflict((conflict) => conflict.column('store_id').doUpdateSet({ next_due_at: due }))
    .execute()
  expect((await ask('GET', '/health')).body.late).toEqual({ stores: 1, since: due.toISOString() })
  await world.db.updateTable('send_schedule').set({ next_due_at: null }).execute()
})

test('an operator sets a plan with or without limits, but not for one paid by card', async () => {
  const account = await createStore(world)
  const set = (body: object) => ask('POST', of(account, '/plan'), operator, body)
  expect((await set({ planKey: 'gold' })).status).toBe(400)
  expect((await set({ planKey: 'growth', accountId: 'x' })).status).toBe(400)
  expect((await set({ planKey: 'growth', isUnlimited: true, note: 'A friend' })).status).toBe(200)
  const row = () =>
    world.db.selectFrom('subscriptions').selectAll().where('account_id', '=', account.accountId).executeTakeFirst()
  expect(await row()).toMatchObject({ plan: 'growth', source: 'operator', is_unlimited: true, status: 'active' })
  expect(await actionsOn(account)).toEqual([
    expect.objectContaining({
      action: 'set_plan',
      operator_email: operator.email,
      operator_id: operator.userId,
      data: { plan: 'growth', isUnlimited: true, note: 'A friend' },
    }),
  ])
  const paid = { source: 'stripe' as const, stripe_subscription_id: 'sub_1', cycle: 'month' as const }
  await world.db.updateTable('subscriptions').set(paid).where('account_id', '=', account.accountId).execute()
  const refused = await set({ planKey: 'free' })
  expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining('pays by card')])
  expect(await row()).toMatchObject({ plan: 'growth', source: 'stripe' })
  expect(await actionsOn(account)).toHaveLength(1)
  // An ended subscription charges nothing.
  await world.db.updateTable('subscriptions').set({ cycle: null }).where('account_id', '=', account.accountId).execute()
  expect((await set({ planKey: 'starter' })).status).toBe(200)
  expect(await row()).toMatchObject({ plan: 'starter', source: 'operator', stripe_subscription_id: null })
})

test('suspending needs a reason, shown in app and mail; resuming ends it', async () => {
  const account = await createStore(world)
  const suspend = (body: object) => ask('POST', of(account, '/suspend'), operator, body)
  expect((await suspend({ reason: ' ' })).status).toBe(400)
  expect((await suspend({ reason: 'x'.repeat(501) })).status).toBe(400)
  expect((await suspend({ reason: 'Bought addresses.' })).status).toBe(200)
  expect(await accountRow(account)).toMatchObject({
    suspended_at: world.now,
    suspended_reason: 'Bought addresses.',
    suspended_by: operator.userId,
  })
  const status = await world.request('GET', '/api/subscribe/status', { token: account.token })
  expect(status.body.suspension).toEqual({ reason: 'Bought addresses.', since: world.now.toISOString() })
  await groupNotifications(world.deps)
  const readNotices = async () =>
    (await world.request('GET', '/api/notifications', { token: account.token })).body.notifications.map(
      ({ title, message }: { title: string; message: string }) => `${title}: ${message}`,
    )
  expect(await readNotices()).toEqual([
    expect.stringMatching(/^Sending is suspended: .*Bought addresses\..*Contact support@/),
  ])
  expect((await suspend({ reason: 'Again' })).status).toBe(409)
  const listed = (await ask('GET', '/accounts?show=suspended')).body.accounts
  expect(listed.map(({ id }: { id: string }) => id)).toEqual([account.accountId])
  expect((await ask('GET', of(account))).body.account).toMatchObject({
    suspendedReason: 'Bought addresses.',
    suspendedBy: operator.email,
  })
  world.advance(60_000)
  expect((await ask('POST', of(account, '/resume'), operator, { note: 'Cleaned up' })).status).toBe(200)
  expect(await accountRow(account)).toMatchObject({ suspended_at: null, suspended_reason: null, suspended_by: null })
  expect((await ask('POST', of(account, '/resume'), operator, {})).status).toBe(409)
  expect((await actionsOn(account)).map(({ action, data }) => [action, data])).toEqual([
    ['suspend', { reason: 'Bought addresses.' }],
    ['resume', { note: 'Cleaned up' }],
  ])
})

test('one of two concurrent suspensions succeeds', async () => {
  const account = await createStore(world)
  const both = await Promise.all(
    ['One', 'Two'].map((reason) => ask('POST', of(account, '/suspend'), operator, { reason })),
  )
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(await actionsOn(account)).toHaveLength(1)
})

test('an action whose log entry fails is rolled back', async () => {
  const account = await createStore(world)
  await raiseProblem(
    { accountId: account.accountId, db: world.db },
    { kind: 'chargeback', detail: 'b', now: world.now },
  )
  const { id } = await world.db
    .selectFrom('operator_problems')
    .select('id')
    .where('account_id', '=', account.accountId)
    .executeTakeFirstOrThrow()
  await world.pool.query(
    `alter table operator_actions add constraint broken check (account_id <> '${account.accountId}')`,
  )
  const before = await hashTables(world, counted)
  for (const action of ['plan', 'suspend', 'view']) {
    expect([action, (await ask('POST', of(account, `/${action}`), operator, bodies[action])).status]).toEqual([
      action,
      500,
    ])
  }
  expect((await ask('POST', `/problems/${id}/resolve`, operator, {})).status).toBe(500)
  expect(await hashTables(world, counted)).toEqual(before)
  await world.pool.query('alter table operator_actions drop constraint broken')
})

test('a handled problem is closed once', async () => {
  const close = () => ask('POST', `/problems/${problemId}/resolve`, operator, { note: 'Refunded' })
  expect((await close()).status).toBe(200)
  expect((await ask('GET', of(target))).body.problems).toEqual([])
  expect((await close()).status).toBe(404)
  expect((await actionsOn(target)).at(-1)).toMatchObject({
    action: 'resolve_problem',
    data: { kind: 'chargeback', note: 'Refunded' },
  })
})

test('the API lists actions newest first, even after account and operator are deleted', async () => {
  const { body } = await ask('GET', '/actions?limit=3')
  expect(body.actions[0]).toMatchObject({ action: 'resolve_problem', operatorEmail: operator.email })
  const times = body.actions.map(({ at }: { at: string }) => at)
  expect(times).toEqual(times.toSorted().reverse())
  expect(body.pagination.total).toBe(
    await world.db
      .selectFrom('operator_actions')
      .select('id')
      .execute()
      .then((rows) => rows.length),
  )
  const deleted = await createStore(world)
  await ask('POST', of(deleted, '/suspend'), operator, { reason: 'Spam' })
  await world.db.deleteFrom('accounts').where('id', '=', deleted.accountId).execute()
  expect((await actionsOn(deleted)).map(({ action }) => action)).toEqual(['suspend'])
})

test('an operator adjusts credits with a reason shown to the account, never below zero', async () => {
  const account = await createStore(world, { plan: 'starter' })
  const change = (body: object) => ask('POST', of(account, '/credits'), operator, body)
  const held = async () => (await ask('GET', of(account))).body.account.creditMicros
  expect(await held()).toBe(0)
  expect(await change({ cents: 500, reason: 'The SMS of March failed.' })).toMatchObject({ status: 200 })
  expect(await held()).toBe(5_000_000)
  expect(await change({ cents: -501, reason: 'Too much' })).toMatchObject({
    status: 409,
    body: { error: 'The account has fewer credits than that.' },
  })
  expect((await change({ cents: -200, reason: 'Given twice' })).status).toBe(200)
  for (const cents of [0, 0.5, 100_001, -100_001, '5']) expect((await change({ cents, reason: 'x' })).status).toBe(400)
  expect((await change({ cents: 5, reason: ' ' })).status).toBe(400)
  const { body } = await world.request('GET', '/api/subscribe/credit-entries', { token: account.token })
  expect(body.entries).toMatchObject([
    { kind: 'adjustment', micros: -2_000_000, balanceMicros: 3_000_000, note: 'Given twice' },
    { kind: 'adjustment', micros: 5_000_000, balanceMicros: 5_000_000, note: 'The SMS of March failed.' },
  ])
  expect((await actionsOn(account)).map(({ action, data }) => [action, data])).toEqual([
    ['adjust_credits', { dollars: '5.00', reason: 'The SMS of March failed.' }],
    ['adjust_credits', { dollars: '-2.00', reason: 'Given twice' }],
  ])
})
