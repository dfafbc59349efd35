import { expect, test } from 'vitest'
import { PlanKey } from '../shared/billing/billing.ts'
import { completeOrderCheck } from './factories.ts'
import { createShop, postWithWorker, type Shop } from './manual-send-scene.ts'
import { createWorld } from './world.ts'

// What every plan includes (decision 6): the ready-made flow, sending one or many mails, and basic analytics. Imports,
// exports and past results of a flow are never paid for.

const world = createWorld()

interface Open {
  call: string
  method?: 'POST' | 'PUT'
  path: string | ((shop: Shop) => string)
  body?: (shop: Shop) => object
}

const formatToday = () => world.now.toISOString().slice(0, 10)

const open: Open[] = [
  {
    call: 'an edit of the ready-made flow',
    method: 'PUT',
    path: ({ flowId }) => `/api/flows/${flowId}`,
    body: () => ({
      name: 'Reminders',
      steps: [
        {
          delayMinutes: 60,
          channels: ['email'],
          variants: [{ sharePercent: 100, words: { email: { subject: 'Your cart', body: '{{ checkout_link }}' } } }],
        },
      ],
    }),
  },
  {
    call: 'switching on the ready-made flow',
    method: 'POST',
    path: ({ flowId }) => `/api/flows/${flowId}/switch`,
    body: () => ({ isOn: true, holdoutPercent: 10 }),
  },
  { call: 'revenue of flows', path: '/api/flows' },
  { call: 'lift: the forecast of a control group', path: '/api/experiments' },
  {
    call: 'lift: a control group',
    method: 'POST',
    path: '/api/experiments',
    body: () => ({ sharePercent: 50 }),
  },
  {
    call: 'a manual mail',
    method: 'POST',
    path: '/api/email/send-email',
    body: ({ cartIds, orders }) => ({ to: orders[0]!.email, cart_id: cartIds[0] }),
  },
  {
    call: 'mails to chosen carts',
    method: 'POST',
    path: '/api/carts/send',
    body: ({ cartIds }) => ({ channel: 'email', cartIds }),
  },
  {
    call: 'a test mail',
    method: 'POST',
    path: '/api/messages/test-send',
    body: ({ cartIds }) => ({ channel: 'email', cartId: cartIds[0], to: 'ann@owners.example' }),
  },
  {
    call: 'Send to All',
    method: 'POST',
    path: '/api/campaigns/send-to-abandoned-carts',
    body: () => ({ subject: 'Hello', htmlContent: '{{ checkout_link }}' }),
  },
  {
    call: 'a campaign by email, once and now',
    method: 'POST',
    path: '/api/campaigns',
    body: () => ({
      name: 'Spring',
      type: 'email',
      targetAudience: { mode: 'matching', filters: {} },
      content: { subject: 'Your cart', body: 'Hi {{ customer_name }}: {{ checkout_link }}' },
      schedule: { startDate: formatToday(), timeOfDay: '00:00', frequency: 'once' },
    }),
  },
  ...['dashboard/stats', 'dashboard/chart', 'analytics?range=7d', 'analytics?range=30d'].map((path) => ({
    call: `the basic figures: ${path}`,
    path: `/api/${path}`,
  })),
  ...['carts', 'stores/customers', 'consent/ledger', 'suppressions'].map((list) => ({
    call: `export: ${list}`,
    path: `/api/${list}/export`,
  })),
  { call: 'export: everything', method: 'POST', path: '/api/account/export' },
  {
    call: 'import: suppressed addresses',
    method: 'POST',
    path: '/api/suppressions/import',
    body: () => ({ rows: [{ line: 1, address: 'eve@elsewhere.example' }] }),
  },
]

const shops = new Map<PlanKey, Promise<Shop>>()
/** One shop serves all reads, because reads change nothing. */
async function openReadShop(plan: PlanKey): Promise<Shop> {
  const shop = shops.get(plan) ?? createShop(world, 1, { plan })
  shops.set(plan, shop)
  return shop
}

for (const plan of PlanKey.options) {
  test.each(open)(`on ${plan}: $call`, async ({ method, path, body }) => {
    const shop = method ? await createShop(world, 1, { plan }) : await openReadShop(plan)
    await completeOrderCheck(world, shop.storeId)
    const address = typeof path === 'string' ? path : path(shop)
    const call = { token: shop.token, ...(body && { body: body(shop) }) }
    const reply =
      method === 'POST' && body
        ? await postWithWorker(world, shop, address, body(shop))
        : await world.request(method ?? 'GET', address, call)
    expect([reply.status, reply.body]).toEqual([200, expect.anything()])
  })
}

test('on free: a consent file', async () => {
  const shop = await createShop(world, 1, { plan: 'free' })
  const headers = { 'content-type': 'text/csv' }
  const body = 'email,date\nann@elsewhere.example,2026-01-05\n'
  const reply = await world.request('POST', '/api/consent/imports?fileName=a.csv', { token: shop.token, headers, body })
  expect([reply.status, reply.body]).toEqual([200, expect.objectContaining({ import: expect.anything() })])
})
