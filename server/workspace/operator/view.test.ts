import { beforeAll, expect, test } from 'vitest'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { createOperator, hashTables, operatorEnv } from '../../../test/operators.ts'
import { createWorld } from '../../../test/world.ts'
import { servedBy } from '../../access/http/http.ts'
import { createId } from '../../core/common/ids.ts'

// An operator views an account for half an hour, without changing it.

const world = createWorld(operatorEnv)
let operator: Awaited<ReturnType<typeof createOperator>>
let target: TestStore

beforeAll(async () => {
  operator = await createOperator(world)
  target = await createStore(world, { plan: 'growth' })
})

const begin = (account: TestStore, body: object = {}) =>
  world.request('POST', `/api/operator/accounts/${account.accountId}/view`, { token: operator.token, body })
const readMe = (token: string) => world.request('GET', '/api/auth/me', { token })

test('a view shows the account as a viewer sees it, and is logged', async () => {
  const { body } = await begin(target, { storeId: target.storeId })
  const { user } = (await readMe(body.token)).body
  expect(user).toMatchObject({ email: operator.email, accountId: target.accountId, role: 'viewer', operator: null })
  expect(user.viewedUntil).toBe(body.until)
  expect(new Date(body.until).getTime() - world.now.getTime()).toBe(30 * 60_000)
  const carts = await world.request('GET', '/api/carts/abandoned', { token: body.token })
  expect(carts.status).toBe(200)
  const actions = await world.db.selectFrom('operator_actions').selectAll().execute()
  expect(actions).toMatchObject([{ action: 'view', account_id: target.accountId, data: { storeId: target.storeId } }])
})

test('a view cannot open a store of another account', async () => {
  const { storeId } = await createStore(world)
  expect((await begin(target, { storeId })).status).toBe(404)
})

test('a view rejects every call except reading and leaving, and reading changes no table', async () => {
  const { token } = (await begin(target)).body
  const ids = '00000000-0000-4000-8000-000000000000'
  const known: Record<string, string> = { ...target, channel: 'email', sessionId: ids, address: 'ann@shoppers.example' }
  const endpoints = servedBy.get(world.app) ?? []
  // Figures are computed by the first reader and cached; file links are limited.
  const counted = ['active_shopper_counts', 'counted_figures', 'product_ranges', 'rate_limits']
  const before = await hashTables(world, counted)
  let refused = 0
  for (const { method, path } of endpoints.filter(({ path }) => path !== '/api/auth/logout')) {
    const url = path.replace(/:(\w+)/g, (_, name: string) => known[name] ?? ids)
    const reply = await world.request(method, url, { token, ...(method !== 'GET' && { body: {} }) })
    if (method === 'GET') expect([path, reply.status < 500]).toEqual([path, true])
    else {
      refused += 1
      expect([method, path, reply.status, reply.body.code]).toEqual([method, path, 403, 'forbidden'])
    }
  }
  expect(refused).toBeGreaterThan(80)
  expect(await hashTables(world, counted)).toEqual(before)
})

test('a view gives no access to operator actions, nor to another view', async () => {
  const { token } = (await begin(target)).body
  expect((await world.request('GET', '/api/operator/accounts', { token })).status).toBe(404)
  const again = await world.request('POST', `/api/operator/accounts/${target.accountId}/view`, { token, body: {} })
  expect(again.status).toBe(403)
})

test('a view reads as a viewer even in an account that the operator owns', async () => {
  const { token } = (await begin(operator)).body
  expect((await readMe(token)).body.user.role).toBe('viewer')
  expect((await world.request('POST', '/api/account/export', { token })).status).toBe(403)
})

test('a view ends on leaving, after half an hour, and with the account', async () => {
  const endedToken = (await begin(target)).body.token
  expect((await world.request('POST', '/api/auth/logout', { token: endedToken })).status).toBe(200)
  expect((await readMe(endedToken)).status).toBe(401)
  expect((await readMe(operator.token)).status).toBe(200)
  const late = (await begin(target)).body.token
  world.advance(29 * 60_000)
  expect((await readMe(late)).status).toBe(200)
  world.advance(60_000)
  expect((await readMe(late)).status).toBe(401)
  const deleted = await createStore(world)
  const { token } = (await begin(deleted)).body
  await world.db.updateTable('accounts').set({ deleted_at: world.now }).where('id', '=', deleted.accountId).execute()
  expect((await readMe(token)).status).toBe(401)
  expect((await begin({ ...deleted, accountId: createId() })).status).toBe(404)
})

test("a view ends with the operator's right", async () => {
  const { token } = (await begin(target)).body
  const { config } = world.deps
  world.deps.config = { ...config, operatorEmails: [] }
  expect((await readMe(token)).status).toBe(401)
  world.deps.config = config
  await world.db.updateTable('users').set({ totp_confirmed_at: null }).where('id', '=', operator.userId).execute()
  expect((await readMe(token)).status).toBe(401)
  await world.db.updateTable('users').set({ totp_confirmed_at: world.now }).where('id', '=', operator.userId).execute()
  expect((await readMe(token)).status).toBe(200)
})
