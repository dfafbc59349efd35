import { beforeAll, expect, test } from 'vitest'
import { recordOrders } from '../server/carts/record.ts'
import { servedBy } from '../server/http.ts'
import type { Endpoint } from '../shared/endpoint.ts'
import { anOrder, aStore, type TestStore } from './factories.ts'
import { aWorld } from './world.ts'

// X2: walks every endpoint with somebody else's ids and expects 404, as for ids that never were.
const world = aWorld()
let owner: TestStore
let stranger: TestStore
const owned: Record<string, string> = {}

beforeAll(async () => {
  owner = await aStore(world)
  stranger = await aStore(world)
  await recordOrders(world.deps, owner.storeId, [anOrder(world)], 'sync')
  const cart = await world.db
    .selectFrom('carts')
    .select('id')
    .where('store_id', '=', owner.storeId)
    .executeTakeFirstOrThrow()
  const session = await world.db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', owner.userId)
    .executeTakeFirstOrThrow()
  await world.request('POST', '/api/team/invitations', {
    token: owner.token,
    body: { email: 'mia@team.example', role: 'member' },
  })
  const invitation = await world.db.selectFrom('invitations').select('id').executeTakeFirstOrThrow()
  const job = await world.request('POST', '/api/carts/send', {
    token: owner.token,
    body: { channel: 'email', cartIds: [cart.id] },
  })
  Object.assign(owned, {
    id: cart.id,
    cartId: cart.id,
    jobId: job.body.jobId,
    flowId: owner.flowId,
    sessionId: session.id,
    userId: owner.userId,
    invitationId: invitation.id,
  })
})

/** Bodies good enough to get past the parser, so that it is the tenancy that refuses. */
const bodies: Record<string, object> = {
  'PUT /api/flows/:flowId': { name: 'x', steps: [{ step: 1, delayMinutes: 60, subject: 'a', body: 'b' }] },
  'POST /api/flows/:flowId/switch': { isOn: true },
  'PATCH /api/team/members/:userId': { role: 'viewer' },
  'POST /api/flows/:flowId/preview': { step: 1, cartId: '00000000-0000-4000-8000-000000000000' },
}

const endpoints = () => servedBy.get(world.app) ?? []
const isAboutRows = (endpoint: Endpoint) => endpoint.path.includes(':') && endpoint.permission !== 'public'
const url = (path: string) => path.replace(/:(\w+)/g, (_, name: string) => owned[name] ?? `no-owned-${name}`)

test('every endpoint that names a row hides another account’s rows (X2)', async () => {
  const walked = endpoints().filter(isAboutRows)
  expect(walked.length).toBeGreaterThan(3)
  for (const endpoint of walked) {
    const key = `${endpoint.method} ${endpoint.path}`
    const reply = await world.request(endpoint.method, url(endpoint.path), { token: stranger.token, body: bodies[key] })
    expect([key, reply.status]).toEqual([key, 404])
  }
})

test('every endpoint about a store refuses another account’s store by id and by address (X2, decision 7)', async () => {
  const walked = endpoints().filter((endpoint) => endpoint.scope === 'store' && endpoint.method === 'GET')
  expect(walked.length).toBeGreaterThan(3)
  const { url: address } = await world.db
    .selectFrom('stores')
    .select('url')
    .where('id', '=', owner.storeId)
    .executeTakeFirstOrThrow()
  for (const endpoint of walked) {
    for (const storeId of [owner.storeId, address]) {
      const reply = await world.request('GET', `${url(endpoint.path)}?storeId=${encodeURIComponent(storeId)}`, {
        token: stranger.token,
      })
      expect([endpoint.path, storeId, reply.status]).toEqual([endpoint.path, storeId, 404])
    }
  }
})

test('every endpoint that is not public refuses callers without a token', async () => {
  for (const endpoint of endpoints().filter((each) => each.permission !== 'public')) {
    const key = `${endpoint.method} ${endpoint.path}`
    const reply = await world.request(endpoint.method, url(endpoint.path), {
      body: endpoint.method === 'GET' ? undefined : {},
    })
    expect([key, reply.status, reply.body.code]).toEqual([key, 401, 'session'])
  }
})

test('a raw cart id is answered only to a member of that store (decision 4)', async () => {
  expect((await world.request('GET', `/api/carts/${owned.id}`)).status).toBe(404)
  expect((await world.request('GET', `/api/carts/${owned.id}`, { token: stranger.token })).status).toBe(404)
  expect((await world.request('GET', `/api/carts/${owned.id}`, { token: owner.token })).status).toBe(200)
})
