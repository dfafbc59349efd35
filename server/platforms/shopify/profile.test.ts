import { afterEach, expect, test } from 'vitest'
import { collectRows, openShopifyClient } from '../../../test/shopify-client.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function opened(options: Parameters<typeof openShopifyClient>[0] = {}) {
  const one = await openShopifyClient(options)
  open.push(one)
  return one
}

test('reads the store’s profile', async () => {
  const { client, store } = await opened()
  expect(await client.readProfile()).toEqual({
    storeUrl: store.url,
    homeUrl: store.url,
    name: 'Fern & Finch',
    currency: 'USD',
    timeZone: 'America/Los_Angeles',
    locale: null,
    version: '2026-10',
    baseCountry: 'US',
    sellingCountries: expect.arrayContaining(['US']),
    clockSkewMs: expect.any(Number),
    hasCheckoutLink: true,
    hasEarlyDrafts: false,
    pricing: { pricesIncludeTax: false, showsTax: false, decimals: 2, isSequential: null },
    canWrite: true,
    rights: {
      scopes: expect.arrayContaining(['read_orders', 'write_discounts']),
      missingScopes: [],
      protectedData: 'full',
      hasAllOrders: true,
      planName: 'Grow',
      isPasswordProtected: false,
    },
  })
})

test('names missing permissions, and connects a store with readable orders', async () => {
  const { connect, store } = await opened({ app: { scopes: ['read_orders', 'read_products'] } })
  const { rights, canWrite } = await connect().readProfile()
  expect(rights).toMatchObject({ missingScopes: ['read_customers', 'write_discounts'], hasAllOrders: false })
  expect(canWrite).toBe(false)
  store.controls.setScopes(['read_products'])
  await expect(connect().readProfile()).rejects.toMatchObject({
    code: 'shopify_scopes_missing',
    detail: expect.stringContaining('read_orders'),
  })
})

test('detects a plan without personal data, and its return', async () => {
  const { client, store } = await opened({ plan: 'basic' })
  expect((await client.readProfile()).rights).toMatchObject({ protectedData: 'none', planName: 'Basic' })
  store.controls.setPlan('grow')
  expect((await client.readProfile()).rights?.protectedData).toBe('full')
})

test('allows messages when only names are withheld', async () => {
  const { client, store } = await opened()
  store.controls.setProtectedData(['email', 'address'])
  expect((await client.readProfile()).rights?.protectedData).toBe('full')
  const [nora] = (await collectRows(client.customers({}))).flatMap(({ rows }) => rows)
  expect(nora).toMatchObject({ email: 'nora.lindqvist@example.com', firstName: null, phone: null })
})

test('detects a storefront with a password', async () => {
  const { client, store } = await opened()
  store.controls.setPassword('open sesame')
  expect((await client.readProfile()).rights?.isPasswordProtected).toBe(true)
})
