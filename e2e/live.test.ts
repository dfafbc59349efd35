import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppInstance, aSeededInstance, until } from './app-instance.ts'
import { openBrowser } from './browser.ts'

// Settings changed elsewhere, with a browser that is there, cut off for a while, or behind another tab. Nothing else asks for them again.

let instance: AppInstance
let browser: Browser
let page: Page
let token: string
const asked: number[] = []
const mistakes: string[] = []

beforeAll(async () => {
  instance = await aSeededInstance()
  browser = await openBrowser()
  page = await (await browser.newContext()).newPage()
  page.on('request', (request) => request.url().includes('/api/stores/check-connection') && asked.push(Date.now()))
  page.on('console', (line) => /Content Security Policy/i.test(line.text()) && mistakes.push(line.text()))
  await page.goto(`${instance.url}/login`)
  const joined = page.waitForEvent('websocket', { timeout: 60_000 })
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.waitForURL('**/dashboard')
  await joined
  token = await page.evaluate(() => (localStorage.getItem('token') ?? sessionStorage.getItem('token'))!)
  // The demo is furnished while it can already be looked at, and its store changes by that.
  const headers = { authorization: `Bearer ${token}` }
  const isBeingWritten = async () =>
    ((await (await fetch(`${instance.url}/api/demo/past`, { headers })).json()) as { isBeingWritten: boolean })
      .isBeingWritten
  await until(async () => !(await isBeingWritten()), 120_000)
}, 420_000)

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

async function changeElsewhere(days: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ attributionWindowDays: days })
  const reply = await fetch(`${instance.url}/api/stores/settings`, { method: 'PUT', headers, body })
  expect(reply.status, await reply.text()).toBe(200)
}

const isAskedAfter = (count: number) => until(async () => asked.length > count, 60_000)

test('what is changed elsewhere is asked for at once', async () => {
  const before = asked.length
  await changeElsewhere(7)
  await isAskedAfter(before)
  expect(mistakes).toEqual([])
})

test('a server that was away is found again, and what was missed is asked for', async () => {
  await instance.kill()
  const before = asked.length
  await instance.start()
  await isAskedAfter(before)
  const found = asked.length
  await changeElsewhere(8)
  await isAskedAfter(found)
}, 180_000)

test('a tab nobody looks at asks when it is looked at', async () => {
  const hide = (isHidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => value })
      document.dispatchEvent(new Event('visibilitychange'))
    }, isHidden)
  // Another tab of the same browser, which is looked at, tells when the news has come.
  const witness = await page.context().newPage()
  let heard = 0
  witness.on('request', (request) => {
    if (request.url().includes('/api/stores/check-connection')) heard += 1
  })
  const joined = witness.waitForEvent('websocket', { timeout: 60_000 })
  await witness.goto(`${instance.url}/dashboard`)
  await joined
  await page.clock.install()
  await hide(true)
  await page.clock.runFor(5_000)
  const [before, heardBefore] = [asked.length, heard]
  await changeElsewhere(9)
  await until(async () => heard > heardBefore, 60_000)
  await page.clock.runFor(5_000)
  expect(asked.length).toBe(before)
  await hide(false)
  await page.clock.runFor(5_000)
  await isAskedAfter(before)
  await page.clock.resume()
  await witness.close()
})

test('a cart that is being filled appears on the dashboard without a reload, and counts down', async () => {
  const headers = { authorization: `Bearer ${token}` }
  const reply = await fetch(`${instance.url}/api/stores/check-connection`, { headers })
  const { captureKey } = ((await reply.json()) as { store: { captureKey: string } }).store
  const listed = await fetch(`${instance.url}/api/carts/abandoned?limit=1`, { headers })
  const { carts } = (await listed.json()) as { carts: { items: { product_id: string }[] }[] }
  const active = page.getByRole('region', { name: 'Active now' })
  await active.getByText('No cart is being filled right now.').waitFor()
  const post = {
    ...{ cart: 'live-cart-xxxxxxxxxxx', page: 'live-page-xxxxxxxxxxx', seq: 0 },
    ...{ items: [{ id: carts[0]!.items[0]!.product_id, quantity: 1 }], contact: { email: 'live@shoppers.example' } },
  }
  const posted = await fetch(`${instance.url}/api/capture/${captureKey}`, {
    method: 'POST',
    headers: { origin: instance.storeUrl, 'content-type': 'text/plain;charset=UTF-8' },
    body: JSON.stringify(post),
  })
  expect(posted.status).toBe(204)
  await active.getByText('live@shoppers.example').waitFor({ timeout: 10_000 })
  await active.getByText(/counts as abandoned in 0:\d\d/).waitFor()
})
