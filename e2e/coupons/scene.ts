import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type DemoStore, startDemoStore } from '../../demo/store/store.ts'
import type { Coupon } from '../../shared/coupons.ts'
import { type AppInstance, anAppInstance } from '../app-instance.ts'
import { keptPages, openBrowser } from '../browser.ts'
import { anOwner, KEYS } from '../owner.ts'
import { withCoupons } from './api.ts'

// An owner with a store, and pages of theirs: what all parts of the journey share.

export let instance: AppInstance
export let owner: Page
let browser: Browser
let store: DemoStore
let token: string
let keptPage: () => Promise<Page>

export async function begin(): Promise<void> {
  store = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
  keptPage = keptPages(browser, idle(), DESK)
  owner = await (await browser.newContext(DESK)).newPage()
  await anOwner(instance, store, owner)
  token = (await owner.evaluate(() => localStorage.getItem('token')))!
}

export async function end(): Promise<void> {
  await browser?.close()
  await instance?.stop()
  await store?.stop()
}

const DESK = { viewport: { width: 1280, height: 900 } }
const idle = () => `${instance.url}/readyz`

/** A window of the owner's that is on no screen yet. */
export async function aWindow(options?: BrowserContextOptions): Promise<Page> {
  const page = options ? await (await browser.newContext({ ...DESK, ...options })).newPage() : await keptPage()
  if (options) await page.goto(idle())
  await page.evaluate((text) => localStorage.setItem('token', text), token)
  return page
}

/** The coupons screen with these coupons. */
export async function openCoupons(coupons: Coupon[], more: object = {}, options?: BrowserContextOptions) {
  const page = await aWindow(options)
  const api = await withCoupons(page, coupons, more)
  await page.goto(`${instance.url}/coupons`)
  await page.getByText('Create and manage time-limited coupons for your customers', { exact: true }).waitFor()
  return { page, api }
}

/** Settings of the store, which every open window hears of. */
export async function changeSettings(data: object): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const reply = await owner.request.put(`${instance.url}/api/stores/settings`, { headers, data })
  expect(reply.status()).toBe(200)
}

export const rowOf = (page: Page, code: string) =>
  page.getByRole('row').filter({ has: page.getByRole('button', { name: code, exact: true }) })

/** The banner titled Error. */
export const errorOf = (page: Page) => page.getByRole('alert').filter({ hasText: 'Error' })
