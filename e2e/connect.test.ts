import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { type AppInstance, anAppInstance, mailsTo, readMail, until } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { verificationToken } from './owner.ts'

// An owner with a store of their own: register, free plan, connect by address and keys over http, see the carts.

const KEYS = { consumerKey: `ck_${'a'.repeat(40)}`, consumerSecret: `cs_${'b'.repeat(40)}` }
let instance: AppInstance
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
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
  page = await browser.newPage()
})

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
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
  await page.goto(`${instance.url}/register`)
  await page.getByLabel('Name').fill('Olive Owner')
  await page.getByLabel('Email').fill('olive@owners.example')
  await page.getByLabel('Password', { exact: true }).fill('a long password')
  await page.getByLabel(/^(Confirm|Repeat) password/i).fill('a long password')
  await page.getByRole('button', { name: /create account|sign up|register/i }).click()
  await page.waitForURL('**/pricing')
  await page.getByRole('button', { name: 'Continue with Lite' }).click()
  await page.waitForURL('**/store-setup')
  await page.getByLabel('Store URL').fill(store.url)
  await page.getByLabel('Consumer key').fill(KEYS.consumerKey)
  await page.getByLabel('Consumer secret').fill(KEYS.consumerSecret)
  await page.getByRole('button', { name: 'Connect Store' }).click()
  await page.getByText('Maple & Clay').first().waitFor()
  // Carts of the last day are still active under the default of 24 hours; an hour shows them all.
  await page.goto(`${instance.url}/settings/recovery-rules`)
  await page.getByLabel('A cart counts as abandoned after: unit').selectOption('hours')
  await page.getByRole('textbox', { name: 'A cart counts as abandoned after' }).fill('1')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'hidden' })
  await page.goto(`${instance.url}/carts`)
  for (const name of ['Dora', 'Petra', 'Fay'])
    await page.getByText(`${name} Miller`).first().waitFor({ timeout: 30_000 })
  expect(await page.getByText('Bea Miller').count()).toBe(0)
})

test('the carts carry items, pictures, value and contact', async () => {
  const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const reply = await fetch(`${instance.url}/api/carts/abandoned`, { headers: { authorization: `Bearer ${token}` } })
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
    const reply = await fetch(`${instance.url}/api/stores/connect-store`, {
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

test('the first steps lead to the ways of installing the script, which tell when it is heard from', async () => {
  await page.goto(`${instance.url}/dashboard`)
  await page.getByRole('link', { name: 'Install the script' }).click()
  await page.waitForURL('**/settings/capture-script')
  for (const way of ['A plugin for header scripts', 'A classic theme', 'A block theme']) {
    const section = page.getByRole('region', { name: way })
    await section.waitFor()
    await expect.poll(() => section.getByRole('listitem').count()).toBe(4)
    await section.getByRole('img', { name: /^Drawing of/ }).waitFor()
  }
  const tabs = page.getByRole('navigation', { name: 'Settings' })
  expect(await tabs.locator('[aria-current=page]').innerText()).toBe('Store')
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('No report from the script yet.').waitFor()
  const line = await page.locator('.snippet').first().innerText()
  const post = { cart: 'cart-of-the-install', page: 'page-of-the-install', seq: 1 }
  const items = [{ id: String(productIds(store)[0]), quantity: 1 }]
  const reply = await fetch(`${instance.url}/api/capture/${/capture\/([\w-]+)\.js/.exec(line)![1]}`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', origin: store.url },
    body: JSON.stringify({ ...post, items }),
  })
  expect(reply.status).toBe(204)
  await until(async () => {
    await page.getByRole('button', { name: 'Check now' }).click()
    return page.getByText('The script is on your pages.').isVisible()
  }, 20_000)
})

test('keys that were revoked in the store are replaced where the doctor tells of them, and nothing is disconnected', async () => {
  const fresh = { consumer_key: `ck_${'c'.repeat(40)}`, consumer_secret: `cs_${'d'.repeat(40)}` }
  store.addKey({ ...fresh, permissions: 'read_write', role: 'administrator' })
  store.shop.db.sqlite.prepare('delete from api_keys where consumer_key = ?').run(KEYS.consumerKey)
  await page.goto(`${instance.url}/settings`)
  const doctor = page.getByRole('region', { name: 'Connection doctor' })
  await doctor.getByText('The store does not know this consumer key.').waitFor()
  await doctor.getByRole('button', { name: 'Replace keys' }).click()
  const dialog = page.getByRole('dialog', { name: 'Replace keys' })
  await dialog.getByLabel('Consumer key').fill(fresh.consumer_secret)
  await dialog.getByLabel('Consumer secret').fill(fresh.consumer_key)
  await dialog.getByRole('button', { name: 'Swap key and secret' }).click()
  expect(await dialog.getByLabel('Consumer key').inputValue()).toBe(fresh.consumer_key)
  await dialog.getByLabel('Consumer secret').fill(KEYS.consumerSecret)
  await dialog.getByRole('button', { name: 'Check and replace' }).click()
  await dialog.getByRole('alert').getByText('The consumer secret does not belong to this consumer key.').waitFor()
  await dialog.getByLabel('Consumer secret').fill(fresh.consumer_secret)
  await dialog.getByRole('button', { name: 'Check and replace' }).press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  await page.getByText('The keys of Maple & Clay are replaced.').waitFor()
  await doctor.getByText('The store knows the key and accepts its secret.').waitFor()
  await page.goto(`${instance.url}/carts`)
  await page.getByText('Dora Miller').first().waitFor()
})

describe('somebody invited to look (decision 8)', () => {
  const MIA = 'mia@team.example'
  let mia: Page
  let refused: string[]
  const ask = async <T>(path: string, method: string, body?: object) => {
    const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const reply = await fetch(instance.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return (await reply.json()) as T
  }
  const send = () => mia.getByRole('button', { name: /^Send email to / })
  const userId = async () => {
    const { members } = await ask<{ members: { userId: string; email: string }[] }>('/api/team', 'GET')
    return members.find(({ email }) => email === MIA)!.userId
  }

  beforeAll(async () => {
    await ask('/api/auth/verify-email', 'POST', { token: await verificationToken(instance, 'olive@owners.example') })
    await ask('/api/team/invitations', 'POST', { email: MIA, role: 'viewer' })
    await until(async () => (await mailsTo(instance, MIA)).length > 0, 20_000)
    const { text } = await readMail(instance, (await mailsTo(instance, MIA))[0]!.id)
    const [, token] = /token=([\w-]+)/.exec(text)!
    const joined = await ask<{ token: string }>('/api/team/invitation/accept', 'POST', {
      ...{ token, name: 'Mia', password: 'four pots on Kiln Road' },
    })
    mia = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
    refused = []
    mia.on('response', (reply) => reply.status() === 403 && refused.push(reply.url()))
    await mia.goto(`${instance.url}/readyz`)
    await mia.evaluate((value) => localStorage.setItem('token', value), joined.token)
  })

  test('sees every screen, is offered nothing that would be refused, and told who may', async () => {
    for (const path of ['/dashboard', '/flows', '/settings', '/settings/account', '/settings/consent']) {
      await mia.goto(instance.url + path)
      await mia.getByRole('heading', { level: 1 }).first().waitFor()
      await mia.locator('main [role=status][aria-label=Loading]').first().waitFor({ state: 'detached' })
    }
    for (const path of ['/settings/recovery-rules', '/settings/sending/sender', '/settings/sending/sms']) {
      await mia.goto(instance.url + path)
      await mia.getByText('Only the owner or an admin of the account can change these.').first().waitFor()
    }
    await mia.goto(`${instance.url}/test-subscription`)
    await mia.getByText('Only an owner or admin of this account can change its plan.').waitFor()
    expect(await mia.getByRole('button', { name: 'Set this plan' }).isDisabled()).toBe(true)
    await mia.goto(`${instance.url}/carts`)
    await mia.getByRole('button', { name: 'Dora Miller', exact: true }).waitFor()
    expect(await send().count()).toBe(0)
    await mia.getByRole('button', { name: 'More for Dora Miller' }).click()
    await expect.poll(() => mia.getByRole('menuitem').allInnerTexts()).toEqual(['View details', 'Check SMS status'])
    await mia.keyboard.press('Escape')
    expect(refused).toEqual([])
  })

  test('another role counts on the page that is open, and so does its end', async () => {
    await ask(`/api/team/members/${await userId()}`, 'PATCH', { role: 'member' })
    await send().first().waitFor()
    await ask(`/api/team/members/${await userId()}`, 'PATCH', { role: 'viewer' })
    await send().first().waitFor({ state: 'detached' })
    await ask(`/api/team/members/${await userId()}`, 'DELETE')
    await mia.waitForURL('**/login')
    await mia.getByText('Your session has expired. Please sign in again.').waitFor()
    await mia.context().close()
  })
})
