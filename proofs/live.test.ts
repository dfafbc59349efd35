import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { type AppInstance, startAppInstance, waitUntil } from '../e2e/app-instance.ts'
import { openBrowser } from '../e2e/browser.ts'

// The live connection when a server is killed and restarted.

let instance: AppInstance
let browser: Browser
let page: Page
let checks = 0

beforeAll(async () => {
  instance = await startAppInstance({ DEMO_DAYS: '30' })
  browser = await openBrowser()
  page = await (await browser.newContext()).newPage()
  page.on('request', (request) => {
    if (request.url().includes('/api/stores/check-connection')) checks += 1
  })
  await page.goto(`${instance.url}/login`)
  const joined = page.waitForEvent('websocket', { timeout: 60_000 })
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.waitForURL('**/dashboard')
  await joined
})
afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

const isAskedAfter = (count: number) => waitUntil(async () => checks > count, 60_000)

test('a page reconnects to a restarted server, and loads missed and later changes', {
  tags: ['A9'],
}, async () => {
  await instance.kill()
  const before = checks
  await instance.start()
  await isAskedAfter(before)
  const found = checks
  const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ attributionWindowDays: 8 })
  await fetch(`${instance.url}/api/stores/settings`, { method: 'PUT', headers, body })
  await isAskedAfter(found)
})
