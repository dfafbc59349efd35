import { beforeEach, expect, test } from 'vitest'
import { getTypedProblemText, STORE_PROBLEM_CODES } from '../../../shared/access/store-problems.ts'
import type { FlowStep } from '../../../shared/marketing/flows.ts'
import {
  connectFakeStore,
  createConnectedStore,
  createHomeUrl,
  createOwnerCalls,
  registerOwner,
} from '../../../test/connected-store.ts'
import { buildProblem, createFakeStore } from '../../../test/fake-store.ts'
import { readTestFlags } from '../../../test/notifications.ts'
import { createWorld } from '../../../test/world.ts'
import { openStoreClient } from '../../access/stores/access.ts'
import { StoreProblem } from '../../platforms/platform/store-problem.ts'

const world = createWorld()

beforeEach(() => {
  world.queued.length = 0
})

const { check, disconnect, storeRow } = createOwnerCalls(world)

test("a new store's flow begins with designs in its language", async () => {
  const owner = await registerOwner(world)
  const fake = createFakeStore(createHomeUrl())
  fake.profile.locale = 'de-AT'
  await connectFakeStore(world, owner, fake)
  const { flows } = (await world.request('GET', '/api/flows', { token: owner.token })).body
  const emails = flows[0].steps.map(({ variants }: FlowStep) => variants[0]!.words.email)
  expect(emails).toHaveLength(3)
  for (const { design } of emails) expect(design).toMatchObject({ theme: 'quiet', language: 'de' })
  expect(emails[0].subject).toBe('Dein Warenkorb bei {{ store_name }}')
  const templates = (await world.request('GET', '/api/campaigns/templates', { token: owner.token })).body
  expect(templates.flow.first).toEqual(emails[0])
})

test("connecting tests the keys, stores the store's profile and starts the import", {
  tags: ['A3', 'A7'],
}, async () => {
  const owner = await registerOwner(world)
  const fake = createFakeStore(createHomeUrl())
  const reply = await connectFakeStore(world, owner, fake)
  expect(reply).toMatchObject({
    status: 200,
    body: {
      status: 'success',
      success: true,
      message: 'Mugs & More is connected.',
      warnings: [],
      store: {
        platform: 'woocommerce',
        store_url: fake.profile.storeUrl,
        currency: 'USD',
        mode: 'limited',
        isDemo: false,
      },
    },
  })
  const { user } = (await world.request('GET', '/api/auth/me', { token: owner.token })).body
  expect(user.stores).toMatchObject([{ storeUrl: fake.profile.storeUrl, platform: 'woocommerce', isActive: true }])
  const { id, captureKey } = reply.body.store
  expect(captureKey).toMatch(/^[\w-]{43}$/)
  // Decision 130: one connection test for each successful connection.
  expect(await readTestFlags(world, id)).toEqual([
    ['store_connected', undefined],
    ['connection_test', true],
  ])
  expect(world.queued.map(({ name, key }) => ({ name, key }))).toEqual([
    { name: 'stores.import', key: id },
    { name: 'stores.webhooks', key: id },
    { name: 'brand.propose', key: id },
  ])
  expect(await check(owner)).toMatchObject({
    status: 200,
    body: { hasConnection: true, platform: 'woocommerce', store_url: fake.profile.storeUrl, store: { id } },
  })
  const streams = await world.db.selectFrom('sync_state').select('stream').where('store_id', '=', id).execute()
  expect(streams.map((row) => row.stream).sort()).toEqual([
    'coupons',
    'customers',
    'import',
    'order_check',
    'products',
    'sweep',
    'webhooks',
  ])
  const flows = await world.db.selectFrom('flows').select('is_on').where('store_id', '=', id).execute()
  expect(flows).toEqual([{ is_on: false }])
  expect(await world.db.selectFrom('send_schedule').selectAll().where('store_id', '=', id).execute()).toHaveLength(1)
  const session = await world.db
    .selectFrom('sessions')
    .select('store_id')
    .where('user_id', '=', owner.userId)
    .executeTakeFirstOrThrow()
  expect(session.store_id).toBe(id)
})

test('an account takes the name of its first store, unless it has its own', async () => {
  const owner = await registerOwner(world)
  const nameFor = async ({ token }: typeof owner) =>
    (await world.request('GET', '/api/auth/me', { token })).body.user.accountName
  await connectFakeStore(world, owner, createFakeStore(createHomeUrl()))
  expect(await nameFor(owner)).toBe('Mugs & More')
  const other = await registerOwner(world)
  await world.db.updateTable('accounts').set({ name: 'Clay Ltd' }).where('id', '=', other.accountId).execute()
  await connectFakeStore(world, other, createFakeStore(createHomeUrl()))
  expect(await nameFor(other)).toBe('Clay Ltd')
})

test('keys are encrypted, bound to their store, and never returned', async () => {
  const one = await createConnectedStore(world)
  const other = await createConnectedStore(world)
  const rows = await world.db.selectFrom('store_credentials').selectAll().execute()
  for (const row of rows) expect(row.encrypted.toString('latin1')).not.toMatch(/c[ks]_/)
  for (const path of ['check-connection', 'health']) {
    expect(
      JSON.stringify((await world.request('GET', `/api/stores/${path}`, { token: one.owner.token })).body),
    ).not.toMatch(/c[ks]_\w/)
  }
  await openStoreClient(world.deps, { storeId: one.storeId, db: world.db })
  const encryptedElsewhere = rows.find((row) => row.store_id === other.storeId)!.encrypted
  await world.db
    .updateTable('store_credentials')
    .set({ encrypted: encryptedElsewhere })
    .where('store_id', '=', one.storeId)
    .execute()
  await expect(openStoreClient(world.deps, { storeId: one.storeId, db: world.db })).rejects.toThrow(
    'Enter its keys again',
  )
})

test("missing input gets the specification's messages before any request to a store", {
  tags: ['A1', 'A3', 'A5'],
}, async () => {
  const owner = await registerOwner(world)
  const fake = createFakeStore(createHomeUrl())
  const cases: [Record<string, unknown>, string][] = [
    [{ store_url: '  ' }, 'Store URL is required'],
    [{ consumer_key: ' ' }, 'Consumer key and secret are required for WooCommerce'],
    [{ consumer_secret: undefined }, 'Consumer key and secret are required for WooCommerce'],
    [
      { consumer_key: 'cs_fedcba9876543210', consumer_secret: ' ck_0123456789abcdef' },
      'The consumer key and the consumer secret are swapped: a key begins with ck_, a secret with cs_.',
    ],
    [{ platform: 'shopify', access_token: '' }, 'Access token is required for Shopify'],
    [{ platform: 'shopify', access_token: 'shpat_x', api_secret: ' ' }, 'API secret key is required for Shopify'],
    [{ platform: 'shopify', client_id: 'id' }, 'Client ID and client secret are required for Shopify'],
    [{ store_url: 'ftp://shop.example.com' }, 'Store URL is not a web address'],
  ]
  for (const [more, message] of cases) {
    expect(await connectFakeStore(world, owner, fake, more)).toMatchObject({ status: 400, body: { error: message } })
  }
  expect(fake.access).toBeNull()
})

test('input is trimmed, and the address loses its trailing slash', { tags: ['A3', 'A5'] }, async () => {
  const owner = await registerOwner(world)
  const fake = createFakeStore(createHomeUrl())
  await connectFakeStore(world, owner, fake, {
    store_url: ` ${fake.profile.storeUrl}/ `,
    consumer_key: ' ck_a ',
    consumer_secret: ' cs_b ',
  })
  expect(fake.access).toMatchObject({
    storeUrl: fake.profile.storeUrl,
    keys: { consumerKey: 'ck_a', consumerSecret: 'cs_b' },
  })
})

const statusOfProblem: Partial<Record<(typeof STORE_PROBLEM_CODES)[number], number>> = {
  unreachable: 503,
  timeout: 503,
  store_error: 503,
  maintenance: 503,
  rate_limited: 429,
  wrong_key: 401,
  wrong_secret: 401,
  read_only_key: 401,
  no_rights: 401,
  clock_skew: 401,
  needs_signing: 401,
  sign_in_lost: 401,
  shopify_app_not_installed: 401,
  shopify_wrong_organization: 401,
  shopify_token_revoked: 401,
  shopify_secret_wrong: 401,
  shopify_scopes_missing: 401,
  shopify_protected_data: 401,
  shopify_error: 503,
}

test.each(STORE_PROBLEM_CODES)('a store with the problem %s is rejected with its message, and nothing is stored', {
  tags: ['A8'],
}, async (code) => {
  const owner = await registerOwner(world)
  const fake = createFakeStore(createHomeUrl())
  fake.problem = buildProblem(code, 'the store’s own words')
  const reply = await connectFakeStore(world, owner, fake)
  expect(reply.status).toBe(statusOfProblem[code] ?? 422)
  expect(reply.body.error).toContain(getTypedProblemText(code).sentence)
  expect(reply.body.error).toContain(getTypedProblemText(code).nextStep)
  expect(reply.body.error).toContain('the store’s own words')
  // There are no keys to replace.
  if (code === 'shopify_token_revoked') expect(reply.body.error).not.toContain('Replace keys')
  if (reply.status === 401) expect(reply.body.code).toBe('store_credentials')
  if (code === 'rate_limited') expect(reply.body.retryAfterS).toBe(30)
  if (code === 'certificate') expect(reply.body.error).toContain('http://')
  expect(await check(owner)).toMatchObject({ status: 200, body: { hasConnection: false, store: null } })
  expect(world.queued).toEqual([])
})

test('a read-only key connects with a warning', async () => {
  const owner = await registerOwner(world)
  const fake = createFakeStore(createHomeUrl())
  fake.profile.canWrite = false
  const { body } = await connectFakeStore(world, owner, fake)
  expect(body.warnings).toEqual([expect.stringContaining('is read-only')])
  expect(body.store.canWrite).toBe(false)
})

test('a store cannot be connected without a plan', { tags: ['A2.4'] }, async () => {
  const owner = await registerOwner(world, null)
  const fake = createFakeStore(createHomeUrl())
  expect(await connectFakeStore(world, owner, fake)).toMatchObject({ status: 403, body: { code: 'plan_required' } })
  expect(fake.access).toBeNull()
})

test('a plan limits the number of stores', { tags: ['A6'] }, async () => {
  const owner = await registerOwner(world, 'starter')
  expect((await connectFakeStore(world, owner, createFakeStore(createHomeUrl()))).status).toBe(200)
  const second = createFakeStore(createHomeUrl())
  expect((await connectFakeStore(world, owner, second)).status).toBe(200)
  expect(await connectFakeStore(world, owner, createFakeStore(createHomeUrl()))).toMatchObject({
    status: 403,
    body: {
      code: 'plan_required',
      error: 'Your plan (Starter) includes 2 stores. Upgrade your plan, or disconnect a store first.',
    },
  })
  expect((await connectFakeStore(world, owner, second)).status).toBe(200)
})

test('a rejection mentions extra stores where they are sold', async () => {
  const owner = await registerOwner(world, 'starter')
  for (let n = 0; n < 2; n++)
    expect((await connectFakeStore(world, owner, createFakeStore(createHomeUrl()))).status).toBe(200)
  const refusal = async (paid: { plan: 'starter' | 'growth'; extra_stores: number }) => {
    await world.db
      .updateTable('subscriptions')
      .set({ ...paid, source: 'stripe', stripe_subscription_id: `sub_${owner.accountId}` })
      .where('account_id', '=', owner.accountId)
      .execute()
    return (await connectFakeStore(world, owner, createFakeStore(createHomeUrl()))).body.error
  }
  expect(await refusal({ plan: 'starter', extra_stores: 0 })).toBe(
    'Your plan (Starter) includes 2 stores. Add an extra store for $10 a month under Billing, upgrade your plan, or disconnect a store first.',
  )
  await refusal({ plan: 'growth', extra_stores: 0 })
  expect(await refusal({ plan: 'growth', extra_stores: 0 })).toBe(
    'Your plan (Growth) includes 3 stores. Add an extra store for $10 a month under Billing, or disconnect a store first.',
  )
})

test('two concurrent connections cannot share the last free place', async () => {
  const owner = await registerOwner(world)
  const fakes = [createFakeStore(createHomeUrl()), createFakeStore(createHomeUrl())]
  // Both have passed the first check before either continues.
  const arrived = Promise.withResolvers<void>()
  let asking = 0
  for (const fake of fakes) {
    fake.readProfile = async () => {
      asking += 1
      if (asking === 2) arrived.resolve()
      await arrived.promise
      return fake.profile
    }
  }
  const byUrl = new Map(fakes.map((fake) => [fake.profile.storeUrl, fake]))
  const replies = await Promise.all(
    fakes.map((fake) => {
      const reply = connectFakeStore(world, owner, fake)
      world.storeClient = (access) => byUrl.get(access.storeUrl)!
      return reply
    }),
  )
  expect(replies.map((reply) => reply.status).sort()).toEqual([200, 403])
})

test('connecting a connected store again replaces its keys and adds no store', async () => {
  const { owner, fake, storeId } = await createConnectedStore(world)
  const reply = await connectFakeStore(world, owner, fake, {
    store_url: fake.profile.storeUrl.replace('https://', 'http://'),
    consumer_key: 'ck_new',
  })
  expect(reply).toMatchObject({ status: 200, body: { store: { id: storeId } } })
  await openStoreClient(world.deps, { storeId, db: world.db })
  expect(fake.access).toMatchObject({ keys: { consumerKey: 'ck_new' } })
})

test('a store belongs to one account of an instance', async () => {
  const { fake } = await createConnectedStore(world)
  const otherOwner = await registerOwner(world)
  expect(await connectFakeStore(world, otherOwner, fake)).toMatchObject({
    status: 409,
    body: { error: 'This store is already connected to another account.' },
  })
  expect((await check(otherOwner)).body.hasConnection).toBe(false)
})

test('anyone may connect the demo store, and the demo account only that one', async () => {
  const fake = createFakeStore('http://localhost:3901')
  world.deps.demo = {
    storeUrl: 'http://localhost:3901',
    mailboxUrl: 'http://localhost:3902',
    shopify: null,
    keys: { consumerKey: 'ck', consumerSecret: 'cs' },
    setCapture() {},
    setPush() {},
    insertOrders: () => [],
    isReady: () => true,
    past: () => ({ isBeingWritten: false, percent: null }),
    reset() {},
    rebuild: async () => {},
  }
  const demo = await registerOwner(world, 'growth')
  await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', demo.accountId).execute()
  const visitor = await registerOwner(world)
  expect((await connectFakeStore(world, demo, fake)).body.store).toMatchObject({ isDemo: true })
  expect((await connectFakeStore(world, visitor, fake)).body.store).toMatchObject({ isDemo: true })
  expect(await connectFakeStore(world, demo, createFakeStore(createHomeUrl()))).toMatchObject({
    status: 403,
    body: { code: 'forbidden' },
  })
  expect((await disconnect(demo)).status).toBe(403)
  const settings = (senderName: string, abandonmentTimeoutMinutes: number) =>
    world.request('PUT', '/api/stores/settings', {
      token: demo.token,
      body: { senderName, senderEmail: null, postalAddress: '', abandonmentTimeoutMinutes },
    })
  expect((await settings('Somebody else', 15)).status).toBe(403)
  expect((await settings(fake.profile.name, 15)).status).toBe(200)
  expect((await disconnect(visitor)).status).toBe(200)
  world.deps.demo = null
})

test.each([
  ['Mugs & More', 'Mugs & More'],
  ['Security Team evil.com', ''],
  ['=?utf-8?b?ZXZpbC5jb20gbG9naW4=?=', ''],
  ['\u200fMugs \u202eerom\u200e\u2028', 'Mugs erom'],
])('a shop called %j gets the sender name %j', async (name, sender) => {
  const fake = createFakeStore(createHomeUrl())
  fake.profile.name = name
  const { body } = await connectFakeStore(world, await registerOwner(world), fake)
  expect(await storeRow(body.store.id)).toMatchObject({ sender_name: sender })
})

test('members and viewers can neither connect nor disconnect', async () => {
  const { owner, fake, storeId } = await createConnectedStore(world)
  for (const role of ['member', 'viewer'] as const) {
    await world.db.updateTable('members').set({ role }).where('user_id', '=', owner.userId).execute()
    expect((await connectFakeStore(world, owner, fake)).status).toBe(403)
    expect((await disconnect(owner)).status).toBe(403)
    expect((await check(owner)).status).toBe(200)
  }
  expect(await storeRow(storeId)).toMatchObject({ is_active: true })
})

test('key tests are limited per account', async () => {
  const owner = await registerOwner(world)
  const fake = createFakeStore(createHomeUrl())
  fake.problem = new StoreProblem('wrong_key')
  for (let tries = 0; tries < 30; tries += 1) expect((await connectFakeStore(world, owner, fake)).status).toBe(401)
  expect((await connectFakeStore(world, owner, fake)).status).toBe(429)
})
