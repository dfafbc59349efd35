import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from './browser.ts'
import { aFurnishedHouse, type House, until } from './house.ts'

// Settings changed elsewhere, with a browser that is there, cut off for a while, or behind another tab. Nothing else asks for them again.

let house: House
let browser: Browser
let page: Page
let token: string
const asked: number[] = []
const mistakes: string[] = []

beforeAll(async () => {
  house = await aFurnishedHouse()
  browser = await openBrowser()
  page = await (await browser.newContext()).newPage()
  page.on('request', (request) => request.url().includes('/api/stores/check-connection') && asked.push(Date.now()))
  page.on('console', (line) => /Content Security Policy/i.test(line.text()) && mistakes.push(line.text()))
  await page.goto(`${house.url}/login`)
  const joined = page.waitForEvent('websocket', { timeout: 60_000 })
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.waitForURL('**/dashboard')
  await joined
  token = await page.evaluate(() => (localStorage.getItem('token') ?? sessionStorage.getItem('token'))!)
  // The demo is furnished while it can already be looked at, and its store changes by that.
  await until(async () => Date.now() - (asked.at(-1) ?? Date.now()) > 5_000, 120_000)
}, 420_000)

afterAll(async () => {
  await browser?.close()
  await house?.stop()
})

async function changeElsewhere(days: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ attributionWindowDays: days })
  const reply = await fetch(`${house.url}/api/stores/settings`, { method: 'PUT', headers, body })
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
  await house.kill()
  const before = asked.length
  await house.start()
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
  await hide(true)
  await page.waitForTimeout(1_500)
  const before = asked.length
  await changeElsewhere(9)
  await page.waitForTimeout(2_500)
  expect(asked.length).toBe(before)
  await hide(false)
  await isAskedAfter(before)
})
