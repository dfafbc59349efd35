import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { exchangeCredentials, openAppClient, openShopify, requestAppToken } from '../contracts/shopify.ts'
import { allScopes, type ShopifyStore } from './store.ts'

// The Admin API: tokens, queries, access, costs. README.md lists the sources of each response.

const day = 86_400_000
const knife = 44_100_000_000_001
let now = Date.UTC(2026, 10, 20, 12)
let store: ShopifyStore
let ask: Awaited<ReturnType<typeof openAppClient>>

beforeAll(async () => {
  store = await openShopify({ now: () => now })
  ask = await openAppClient(store)
})

afterEach(async () => {
  store.faults.restore()
  store.controls.setScopes(allScopes)
  store.controls.setProtectedData(['name', 'email', 'phone', 'address'])
  store.controls.setPlan('grow')
  store.controls.setState('open')
  store.controls.setOwner(true)
  store.controls.install()
  ask = await openAppClient(store)
})

afterAll(() => store.stop())

const names = '{ shop { name } }'

test('a token is exchanged for client id and secret, lists its scopes, and expires after 24 hours', async () => {
  const { status, body } = await exchangeCredentials(store, store.keys)
  expect([status, body.expires_in, body.scope]).toEqual([200, 86_399, allScopes.join(',')])
  expect((await ask(names, {}, String(body.access_token))).data.shop.name).toBe('Fern & Finch')
  now += 86_398_000
  expect((await ask(names, {}, String(body.access_token))).status).toBe(200)
  now += 2_000
  expect(await ask(names, {}, String(body.access_token))).toMatchObject({ status: 401 })
})

test.each([
  ['another secret', () => exchangeCredentials(store, { ...store.keys, clientSecret: 'shpss_no' }), 'invalid_client'],
  [
    'another app',
    () => exchangeCredentials(store, { ...store.keys, clientId: 'nobody' }),
    'application_cannot_be_found',
  ],
] as const)('%s is refused', async (_name, work, code) => {
  expect(await work()).toMatchObject({ status: 400, body: { error: code } })
})

test('rejects an app of another organization or an uninstalled app, and revokes their tokens', async () => {
  const token = await requestAppToken(store)
  store.controls.setOwner(false)
  expect((await exchangeCredentials(store, store.keys)).body.error_description).toContain('shop_not_permitted')
  store.controls.setOwner(true)
  store.controls.uninstall()
  expect((await exchangeCredentials(store, store.keys)).body.error).toBe('app_not_installed')
  expect((await ask(names, {}, token)).status).toBe(401)
  store.controls.install()
  expect((await ask(names, {}, token)).status).toBe(401)
})

test('keeps a token from before 2026 valid', async () => {
  const token = store.controls.legacyToken()
  now += 400 * day
  expect((await ask(names, {}, token)).status).toBe(200)
})

test.each([
  ['frozen', 402, 'Unavailable Shop'],
  ['locked', 423, 'Locked'],
  ['missing', 404, 'Not Found'],
] as const)('answers for a shop that is %s with %i', async (state, status, errors) => {
  store.controls.setState(state)
  const answer = await fetch(`${store.url}/admin/api/2026-10/graphql.json`, { method: 'POST' })
  expect([answer.status, await answer.json()]).toEqual([status, { errors }])
})

test('returns 404 for another API version', async () => {
  expect((await fetch(`${store.url}/admin/api/2026-07/graphql.json`, { method: 'POST' })).status).toBe(404)
})

test.each([
  ['{ abandonedCheckouts(first: 1) { nodes { email } } }', "Field 'email' doesn't exist on type 'AbandonedCheckout'"],
  ['{ orders(first: 1, status: "any") { nodes { id } } }', "Field 'orders' doesn't accept argument 'status'"],
  ['{ order { id } }', "Field 'order' is missing required arguments: id"],
  [
    '{ shop }',
    "Field must have selections (field 'shop' returns Shop but has no selections. Did you mean 'shop { ... }'?)",
  ],
  [
    '{ abandonedCheckouts(first: 1, sortKey: UPDATED_AT) { nodes { id } } }',
    "Argument has an invalid value (UPDATED_AT). Expected type 'AbandonedCheckoutSortKeys'.",
  ],
  [
    'mutation { discountCodeBasicCreate(basicCodeDiscount: { titel: "x" }) { userErrors { message } } }',
    "InputObject 'DiscountCodeBasicInput' doesn't accept argument 'titel'",
  ],
])('%s is refused as Shopify does', async (query, message) => {
  expect((await ask(query)).errors[0]).toMatchObject({ message })
})

test('reports a variable of the wrong type', async () => {
  const { errors } = await ask('query A($n: Int!) { orders(first: $n) { nodes { id } } }', { n: 'ten' })
  expect(errors[0]).toMatchObject({
    message: 'Variable $n of type Int! was provided invalid value',
    extensions: { code: 'INVALID_VARIABLE', value: 'ten' },
  })
})

test('requires a page size of at most 250', async () => {
  expect((await ask('{ orders { nodes { id } } }')).errors[0]!.message).toBe('you must provide one of first or last')
  expect((await ask('{ customers(first: 251) { nodes { id } } }')).errors[0]!.message).toBe('first cannot exceed 250')
})

test('returns null with an error that names the missing scope', async () => {
  store.controls.setScopes(['read_products'])
  const weak = await openAppClient(store)
  const { data, errors } = await weak('{ shop { name } order(id: "gid://shopify/Order/1") { id } }')
  expect(data).toEqual({ shop: { name: 'Fern & Finch' }, order: null })
  expect(errors[0]).toMatchObject({ path: ['order'], extensions: { code: 'ACCESS_DENIED' } })
  expect(errors[0]!.message).toContain('`read_orders` access scope')
  const lists = await weak('{ orders(first: 1) { nodes { id } } }')
  expect(lists.data).toBeNull()
  expect(lists.errors[0]!.path).toEqual(['orders'])
})

test('lets write_discounts read discounts; requires a scope per webhook topic', async () => {
  store.controls.setScopes(['write_discounts'])
  const writer = await openAppClient(store)
  expect(
    (await writer('{ codeDiscountNodeByCode(code: "sprout10") { id } }')).data.codeDiscountNodeByCode,
  ).not.toBeNull()
  const { data } = await writer(`mutation { webhookSubscriptionCreate(topic: ORDERS_CREATE,
    webhookSubscription: { uri: "https://recoup.example/x" }) { webhookSubscription { id } userErrors { message } } }`)
  expect(data.webhookSubscriptionCreate.userErrors[0].message).toContain('specified topic')
})

const people = '{ customers(first: 1) { nodes { id firstName defaultEmailAddress { emailAddress marketingState } } } }'

test('denies protected data by field, and all of it on the Basic plan', async () => {
  expect((await ask(people)).errors).toEqual([])
  store.controls.setProtectedData(['name'])
  const { data, errors } = await ask(people)
  expect(data.customers.nodes[0]).toMatchObject({ firstName: 'Nora', defaultEmailAddress: null })
  expect(errors[0]).toMatchObject({ extensions: { code: 'ACCESS_DENIED' } })
  expect(errors[0]!.message).toMatch(/^This app is not approved to use the emailAddress field/)
  store.controls.setProtectedData(['name', 'email', 'phone', 'address'])
  store.controls.setPlan('basic')
  expect((await ask(people)).errors).toHaveLength(2)
})

test('charges the bucket by query cost, refills it over time and refunds unused points', async () => {
  const { cost } = await ask('{ customers(first: 100) { nodes { id } } }')
  expect(cost).toMatchObject({ requestedQueryCost: 102, throttleStatus: { maximumAvailable: 2000, restoreRate: 100 } })
  expect(cost.actualQueryCost).toBeLessThan(10)
  store.bucket.drain(50)
  const refused = await ask('{ customers(first: 100) { nodes { id } } }')
  expect(refused.errors[0]!.extensions.code).toBe('THROTTLED')
  expect(refused.cost).toMatchObject({ actualQueryCost: null, throttleStatus: { currentlyAvailable: 50 } })
  now += 1_000
  expect((await ask('{ customers(first: 100) { nodes { id } } }')).errors).toEqual([])
  store.controls.setPlan('plus')
  expect((await ask(names)).cost.throttleStatus.restoreRate).toBe(1000)
})

test('rejects a query above 1000 points regardless of the bucket', async () => {
  const { errors } = await ask('{ orders(first: 250) { nodes { lineItems(first: 50) { nodes { id } } } } }')
  expect(errors[0]!.extensions).toMatchObject({ code: 'MAX_COST_EXCEEDED', maxCost: 1000 })
})

test('requires read_all_orders for orders older than 60 days', async () => {
  const line = {
    variantId: knife,
    quantity: 1,
    id: 1,
    productId: 8_120_000_000_001,
    title: 'Knife',
    variantTitle: null,
  }
  const lines = [{ ...line, sku: 'x', unitMinor: 4200, picture: 'knife' }]
  const [old] = store.controls.insertOrders([
    { createdAt: now - 61 * day, lines, totalMinor: 4200 },
    { createdAt: now - 59 * day, lines, totalMinor: 4200 },
  ])
  const query = `{ orders(first: 5) { nodes { id } } order(id: "gid://shopify/Order/${old!.id}") { id } }`
  expect((await ask(query)).data).toMatchObject({ orders: { nodes: [{}, {}] }, order: { id: expect.any(String) } })
  store.controls.setScopes(['read_orders'])
  const young = await openAppClient(store)
  expect((await young(query)).data).toMatchObject({ orders: { nodes: [{}] }, order: null })
})

test('continues pages after a cursor, and rejects an unknown search field', async () => {
  const query =
    'query A($after: String) { customers(first: 3, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }'
  const { data } = await ask(query)
  expect(data.customers.pageInfo.hasNextPage).toBe(true)
  const rest = await ask(query, { after: data.customers.pageInfo.endCursor })
  expect(rest.data.customers).toMatchObject({ nodes: [{}], pageInfo: { hasNextPage: false } })
  const lost = await ask('{ customers(first: 1, query: "favourite_color:green") { nodes { id } } }')
  expect(lost.errors[0]!.extensions.code).toBe('NOT_MODELLED')
})

test('finds changes by their modification time', async () => {
  const since = new Date(now).toISOString()
  const checkout = store.controls.beginCheckout([{ variantId: knife, quantity: 1 }], { email: 'Ann@example.com' })
  const query = `{ abandonedCheckouts(first: 5, query: "updated_at:>='${since}'") { nodes { id customer { defaultEmailAddress { emailAddress } } } } }`
  expect((await ask(query)).data.abandonedCheckouts.nodes).toEqual([
    {
      id: `gid://shopify/AbandonedCheckout/${checkout.id}`,
      customer: { defaultEmailAddress: { emailAddress: 'Ann@example.com' } },
    },
  ])
  now += 5_000
  const later = query.replace(since, new Date(now).toISOString())
  expect((await ask(later)).data.abandonedCheckouts.nodes).toEqual([])
})
