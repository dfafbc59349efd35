import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type DemoStore, startDemoStore } from '../../demo/store/store.ts'
import type { PushSetup } from '../../web/push/queries.ts'
import { type AppInstance, anAppInstance } from '../app-instance.ts'
import { openBrowser } from '../browser.ts'
import { anOwner, KEYS } from '../owner.ts'
import { withPush } from './api.ts'

// An owner with a store, and windows of theirs: what all parts of the journey share.

export let instance: AppInstance
export let store: DemoStore
export let owner: Page
export let browser: Browser
let token: string

export async function begin(): Promise<void> {
  store = await startDemoStore({ port: 0, dataFile: ':memory:', ...KEYS })
  instance = await anAppInstance({ DEMO: 'off' })
  browser = await openBrowser()
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

/** A window of the owner's that is on no screen yet. */
export async function aWindow(options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext({ ...DESK, ...options })).newPage()
  await page.goto(`${instance.url}/readyz`)
  await page.evaluate((text) => localStorage.setItem('token', text), token)
  return page
}

const titles = { '/push-notifications': 'Push Notification Manager', '/push-setup': 'Push Notification Integration' }

/** `connection`: what the connection check says, in place of the store there is. */
export async function openPush(
  path: keyof typeof titles,
  setup: PushSetup,
  options?: BrowserContextOptions,
  connection?: object,
) {
  const page = await aWindow(options)
  const api = await withPush(page, setup)
  if (connection) await page.route(/stores\/check-connection/, (route) => route.fulfill({ json: connection }))
  await page.goto(instance.url + path)
  await page.getByRole('heading', { name: titles[path], level: 1 }).waitFor()
  await page.getByRole('region', { name: /Store and widget code|Step 1: VAPID public key/ }).waitFor()
  return { page, api }
}

export const goodBye = (page: Page) => page.context().close()
export const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
export const asked = (api: Awaited<ReturnType<typeof withPush>>, call: string) =>
  api.asked.filter((each) => each.call === call).map(({ body }) => body)
