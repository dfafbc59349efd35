import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { aHouse, type House, openBrowser } from './house.ts'

// An owner with a store of their own: register, free plan, connect by address and keys over http, see the carts.

const KEYS = { consumerKey: `ck_${'a'.repeat(40)}`, consumerSecret: `cs_${'b'.repeat(40)}` }
let house: House
let store: DemoStore
let browser: Browser
let page: Page

beforeAll(async () => {
  store = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  const now = Math.floor(Date.now() / 1000)
  const lines = [{ productId: productIds(store)[0]!, quantity: 2 }]
  store.insertOrders([
    { status: 'checkout-draft', createdAt: now - 7_200, billing: billing('dora', 'Dora', 1), lines },
    { status: 'pending', createdAt: now - 90_000, billing: billing('petra', 'Petra', 2), lines },
    { status: 'failed', createdAt: now - 7_200, billing: billing('fay', 'Fay', 3), lines },
    { status: 'completed', createdAt: now - 7_200, billing: billing('bea', 'Bea', 4), lines },
  ])
  house = await aHouse({ DEMO: 'off' })
  browser = await openBrowser()
  page = await browser.newPage()
})

afterAll(async () => {
  await browser?.close()
  await house?.stop()
  await store?.stop()
})

/** A phone of their own: people who share one are one shopper. */
const billing = (local: string, firstName: string, n: number) => ({
  email: `${local}@customers.example`,
  first_name: firstName,
  last_name: 'Miller',
  country: 'US',
  state: 'NY',
  phone: `+1 212 555 010${n}`,
})

function productIds(shop: DemoStore): number[] {
  const rows = shop.shop.db.sqlite.prepare('select id from products order by id limit 5').all() as { id: number }[]
  return rows.map((row) => row.id)
}

test('register, choose the free plan, connect over http, and see draft, pending and failed orders as carts', async () => {
  await page.goto(`${house.url}/register`)
  await page.getByLabel('Name').fill('Olive Owner')
  await page.getByLabel('Email').fill('olive@owners.example')
  await page.getByLabel('Password', { exact: true }).fill('a long password')
  await page.getByLabel(/^(Confirm|Repeat) password/i).fill('a long password')
  await page.getByRole('button', { name: /create account|sign up|register/i }).click()
  await page.waitForURL('**/pricing')
  await page
    .getByRole('button', { name: /free|lite/i })
    .first()
    .click()
  await page.waitForURL('**/store-setup')
  await page.getByLabel('Store URL').fill(store.url)
  await page.getByLabel('Consumer key').fill(KEYS.consumerKey)
  await page.getByLabel('Consumer secret').fill(KEYS.consumerSecret)
  await page.getByRole('button', { name: 'Connect Store' }).click()
  await page.getByText('Maple & Clay').first().waitFor()
  // Carts of the last day are still active under the default of 24 hours; an hour shows them all.
  await page.goto(`${house.url}/settings/recovery-rules`)
  await page.getByLabel('A cart counts as abandoned after: unit').selectOption('hours')
  await page.getByRole('textbox', { name: 'A cart counts as abandoned after' }).fill('1')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'hidden' })
  await page.goto(`${house.url}/carts`)
  for (const name of ['Dora', 'Petra', 'Fay'])
    await page.getByText(`${name} Miller`).first().waitFor({ timeout: 30_000 })
  expect(await page.getByText('Bea Miller').count()).toBe(0)
})

test('the carts carry items, pictures, value and contact', async () => {
  const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const reply = await fetch(`${house.url}/api/carts/abandoned`, { headers: { authorization: `Bearer ${token}` } })
  const { carts } = (await reply.json()) as { carts: { customer_email: string; total: number }[] }
  expect(carts.map((cart) => cart.customer_email).sort()).toEqual(
    ['dora', 'fay', 'petra'].map((local) => `${local}@customers.example`),
  )
  for (const cart of carts) {
    expect(cart.total).toBeGreaterThan(0)
    expect(cart).toMatchObject({
      phone: expect.stringMatching(/^\+1212555010\d$/),
      state: 'abandoned',
      status: 'No Action',
      items: [{ quantity: 2, image_url: expect.stringContaining('http') }],
    })
  }
})

test('wrong keys are told apart, in words', async () => {
  const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const connect = async (body: object) => {
    const reply = await fetch(`${house.url}/api/stores/connect-store`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ platform: 'woocommerce', store_url: store.url, ...body }),
    })
    return ((await reply.json()) as { error: string }).error
  }
  const wrongKey = await connect({ consumer_key: `ck_${'0'.repeat(40)}`, consumer_secret: KEYS.consumerSecret })
  const wrongSecret = await connect({ consumer_key: KEYS.consumerKey, consumer_secret: `cs_${'0'.repeat(40)}` })
  expect(wrongKey).toMatch(/key/i)
  expect(wrongSecret).toMatch(/secret/i)
  expect(wrongKey).not.toBe(wrongSecret)
})
