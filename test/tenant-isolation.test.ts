import { beforeAll, expect, test } from 'vitest'
import { servedBy } from '../server/access/http/http.ts'
import { groupNotifications } from '../server/access/notifications/group.ts'
import { notify } from '../server/access/notifications/notifications.ts'
import { recordOrders } from '../server/carts/carts/record.ts'
import { createId } from '../server/core/common/ids.ts'
import { hasPermission } from '../shared/access/roles.ts'
import type { Endpoint } from '../shared/core/endpoint.ts'
import { buildOrder, createStore, type TestStore } from './factories.ts'
import { createWorld } from './world.ts'

// X2: calls every endpoint with ids of another account and expects 404, as for unknown ids.
const world = createWorld()
let owner: TestStore
let otherStore: TestStore
const owned: Record<string, string> = {}

beforeAll(async () => {
  owner = await createStore(world)
  otherStore = await createStore(world)
  const [remaining, erased] = [buildOrder(world), buildOrder(world)]
  await recordOrders(world.deps, owner.storeId, [remaining, erased], 'sync')
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
  await world.app.inject({
    method: 'POST',
    url: '/api/consent/imports',
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${owner.token}` },
    payload: 'email,date,source\nann@shop.example,2024-05-01,Form\n',
  })
  const upload = await world.db.selectFrom('consent_imports').select('id').executeTakeFirstOrThrow()
  const entry = { token: owner.token, body: { address: 'eve@shoppers.example' } }
  await world.request('POST', '/api/suppressions', entry)
  const listed = await world.request('GET', '/api/suppressions', { token: owner.token })
  const erasing = { token: owner.token, body: { confirmation: 'erase' } }
  const erasure = await world.request('DELETE', `/api/privacy/${erased.email}`, erasing)
  const ground = 'Our lawyers say that this is right for us.'
  const overridden = await world.request('POST', '/api/consent/overrides', {
    token: owner.token,
    body: { channel: 'email', country: 'DE', from: 'soft_opt_in', to: 'opt_out', legalGround: ground },
  })
  await notify(
    { storeId: owner.storeId, db: world.db },
    { type: 'capture_flood', data: { ceiling: 70 }, at: world.now },
  )
  await groupNotifications(world.deps)
  const notification = await world.db.selectFrom('notifications').select('id').executeTakeFirstOrThrow()
  const coupon = await world.db
    .insertInto('coupons')
    .values({
      store_id: owner.storeId,
      id: createId(),
      made_by: 'recoup',
      kind: 'personal',
      code: 'CART',
      type: 'percentage',
      platform_type: 'percentage',
      percent: 1_000,
      currency: 'USD',
      is_active: true,
      seen_at: world.now,
      created_at: world.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const step = await world.db
    .selectFrom('flow_steps')
    .select('id')
    .where('store_id', '=', owner.storeId)
    .limit(1)
    .executeTakeFirstOrThrow()
  const campaign = await world.request('POST', '/api/campaigns', { token: owner.token, body: campaignInput })
  const audienceId = createId()
  await world.db
    .insertInto('audiences')
    .values({ store_id: owner.storeId, id: audienceId, name: 'a', filters: '{}', created_at: world.now })
    .execute()
  Object.assign(owned, {
    audienceId,
    campaignId: campaign.body.campaign.id,
    couponId: coupon.id,
    notificationId: notification.id,
    channel: 'email',
    overrideId: overridden.body.id,
    suppressionId: listed.body.entries[0].id,
    address: remaining.email,
    erasureId: erasure.body.erasure.id,
    importId: upload.id,
    id: cart.id,
    cartId: cart.id,
    jobId: job.body.jobId,
    flowId: owner.flowId,
    stepId: step.id,
    sessionId: session.id,
    userId: owner.userId,
    invitationId: invitation.id,
  })
})

const campaignInput = {
  name: 'Spring',
  targetAudience: { mode: 'matching' },
  content: { subject: 'a', body: 'b' },
  schedule: { startDate: '2026-03-02' },
}

const mapping = {
  address: 0,
  channel: null,
  channelForAll: 'email',
  status: null,
  date: 1,
  dateOrder: 'iso',
  source: 2,
  sourceForAll: '',
  wording: null,
}

/** Bodies that pass the parser, so that the tenant check refuses. */
const bodies: Record<string, object> = {
  'PUT /api/flows/:flowId': { name: 'x', steps: [{ delayMinutes: 60 }] },
  'POST /api/flows/:flowId/effect': { name: 'x', steps: [{ delayMinutes: 60 }] },
  'POST /api/flows/:flowId/steps/:stepId/winner': { variantId: '00000000-0000-4000-8000-000000000000' },
  'PUT /api/coupons/:id': {
    code: 'CART',
    kind: 'personal',
    type: 'percentage',
    amount: 99,
    startDate: '2026-01-01T00:00:00Z',
    endDate: '2027-01-01T00:00:00Z',
  },
  'PUT /api/campaigns/:id': campaignInput,
  'POST /api/flows/:flowId/switch': { isOn: true },
  'PATCH /api/team/members/:userId': { role: 'viewer' },
  'POST /api/consent/imports/:importId/preview': { mapping },
  'POST /api/consent/imports/:importId/confirm': { mapping, legalGround: 'They ticked the box in our shop.' },
  'DELETE /api/privacy/:address': { confirmation: 'erase' },
  'POST /api/flows/:flowId/preview': { step: 1, cartId: '00000000-0000-4000-8000-000000000000' },
}

const endpoints = () => servedBy.get(world.app) ?? []
/** Channels are the same for every account and have no rows. */
const isAboutRows = ({ path, permission }: Endpoint) =>
  path.replace('/:channel', '').includes(':') && permission !== 'public' && permission !== 'operator'
const ask = (endpoint: Endpoint, token?: string, query = '') =>
  world.request(endpoint.method, buildUrl(endpoint.path) + query, {
    ...(token && { token }),
    ...(endpoint.method !== 'GET' && { body: {} }),
  })
const buildUrl = (path: string) =>
  path
    .replace('/coupons/:id', '/coupons/:couponId')
    .replace('/campaigns/:id', '/campaigns/:campaignId')
    .replace('/audiences/:id', '/audiences/:audienceId')
    .replace(/:(\w+)/g, (_, name: string) => owned[name] ?? `no-owned-${name}`)

test('every endpoint with a row id hides rows of other accounts (X2)', async () => {
  const walked = endpoints().filter(isAboutRows)
  expect(walked.length).toBeGreaterThan(3)
  for (const endpoint of walked) {
    const key = `${endpoint.method} ${endpoint.path}`
    const reply = await world.request(endpoint.method, buildUrl(endpoint.path), {
      token: otherStore.token,
      body: bodies[key],
    })
    expect([key, reply.status]).toEqual([key, 404])
  }
})

test('every endpoint about a store refuses another account’s store by id and by address (X2, decision 7)', async () => {
  const walked = endpoints().filter((endpoint) => endpoint.scope === 'store')
  expect(walked.length).toBeGreaterThan(10)
  const { url: address } = await world.db
    .selectFrom('stores')
    .select('url')
    .where('id', '=', owner.storeId)
    .executeTakeFirstOrThrow()
  for (const endpoint of walked) {
    for (const storeId of [owner.storeId, address]) {
      const key = `${endpoint.method} ${endpoint.path}?storeId=${storeId}`
      const reply = await ask(endpoint, otherStore.token, `?storeId=${encodeURIComponent(storeId)}`)
      expect([key, reply.status]).toEqual([key, 404])
    }
  }
})

test('every private endpoint refuses callers without a valid token and viewers without permission', {
  tags: ['A6'],
}, async () => {
  const [late, viewer] = [await createStore(world), await createStore(world, { role: 'viewer' })]
  const sessions = world.db.updateTable('sessions').where('account_id', '=', late.accountId)
  await sessions.set({ expires_at: world.now }).execute()
  const walked = endpoints().filter((each) => each.permission !== 'public')
  expect(walked.length).toBeGreaterThan(40)
  for (const endpoint of walked) {
    const key = `${endpoint.method} ${endpoint.path}`
    const [none, expired] = [await ask(endpoint, undefined), await ask(endpoint, late.token)]
    expect([key, none.status, none.body.code]).toEqual([key, 401, 'session'])
    expect([key, expired.status, expired.body.code]).toEqual([key, 401, 'session'])
    // server/workspace/operator/operator.test.ts covers those of operators.
    if (hasPermission('viewer', endpoint.permission) || endpoint.permission === 'operator') continue
    const looking = await ask(endpoint, viewer.token)
    expect([key, looking.status, looking.body.code]).toEqual([key, 403, 'forbidden'])
  }
})

test('only members of its store get a reply for a raw cart id (decision 4)', async () => {
  expect((await world.request('GET', `/api/carts/${owned.id}`)).status).toBe(404)
  expect((await world.request('GET', `/api/carts/${owned.id}`, { token: otherStore.token })).status).toBe(404)
  expect((await world.request('GET', `/api/carts/${owned.id}`, { token: owner.token })).status).toBe(200)
})
