import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type Db, openDb, openPool } from '../../server/core/db.ts'
import { createSecrets } from '../../server/core/secrets.ts'
import type { CartView } from '../../shared/carts.ts'
import { type AppInstance, aSeededInstance } from '../app-instance.ts'
import { axeOf } from '../axe.ts'
import { openBrowser } from '../browser.ts'

// One visit to the demo's carts, which all parts of the journey share: the house, the signed-in page and what is done again and again.

export let instance: AppInstance
export let page: Page
export let db: Db
/** Written about by nobody yet, contactable, newest first. */
export let waiting: CartView[]
let browser: Browser
let token: string

export async function beginVisit(): Promise<void> {
  instance = await aSeededInstance()
  db = openDb(openPool({ url: instance.databaseUrl(), max: 2 }))
  browser = await openBrowser()
  page = await aVisitor()
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.waitForURL('**/dashboard')
  token = await page.evaluate(() => (localStorage.getItem('token') ?? sessionStorage.getItem('token'))!)
  // Nothing else writes to the same people meanwhile, and it is no quiet hour anywhere: one minute, half an hour away in every zone.
  await db.updateTable('flows').set({ is_on: false }).execute()
  const quiet = (new Date().getUTCMinutes() + 30) % 60
  await db
    .updateTable('stores')
    .set({ quiet_from_minute: quiet, quiet_until_minute: quiet + 1 })
    .execute()
  waiting = await contactable()
}

export async function endVisit(): Promise<void> {
  await browser?.close()
  await db?.destroy()
  await instance?.stop()
}

/** As the house makes it, with its own secret. */
export const addressHash = (address: string) =>
  createSecrets(readFileSync(`${instance.dataDir}/app-secret`, 'utf8').trim()).addressHash(address)

export interface List {
  carts: CartView[]
  pagination: { total: number }
}

async function aVisitor(): Promise<Page> {
  const viewport = { width: 1360, height: 900 }
  const context = await browser.newContext({ viewport, acceptDownloads: true, reducedMotion: 'reduce' })
  const visitor = await context.newPage()
  await visitor.goto(`${instance.url}/login`)
  return visitor
}

export async function api<T>(path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const how = body ? { method: 'POST', body: JSON.stringify(body) } : {}
  return (await fetch(`${instance.url}${path}`, { headers, ...how })).json() as Promise<T>
}

/** Those who may be mailed and have one cart, so that a name on the screen means that cart. */
export async function contactable(): Promise<CartView[]> {
  const { carts } = await api<List>('/api/carts/abandoned?limit=300')
  const { eligible } = await api<{ eligible: string[] }>('/api/carts/eligibility', { channel: 'email' })
  const single = db
    .selectFrom('carts')
    .select('customer_name')
    .groupBy('customer_name')
    .having((eb) => eb.fn.countAll(), '=', 1)
  const names = (await single.execute()).map((cart) => cart.customer_name)
  return carts.filter((cart) => eligible.includes(cart.id) && names.includes(cart.customer_name) && cart.customer_email)
}

export const open = async (query = '') => {
  await page.goto(`${instance.url}/carts${query}`)
  await page.getByRole('table').waitFor()
}
export const names = () => page.locator('.carts-rows tbody .plain-button').allInnerTexts()
export const row = (cart: CartView) => page.getByRole('row').filter({ hasText: cart.customer_name })
export const dialog = (name: string) => page.getByRole('dialog', { name })
/** Messages go after four seconds: on a busy machine that is too soon for whoever looks only when the press is over. */
export const told = (text: string, press: () => Promise<unknown>) =>
  Promise.all([page.getByRole('alert').filter({ hasText: text }).waitFor(), press()])

export async function violations() {
  const { violations } = await axeOf(page).analyze()
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
}

/** Only the carts of these people stand in the list. */
export async function search(text: string) {
  const box = page.getByRole('searchbox', { name: 'Search customers' })
  await box.fill(text)
  await box.press('Enter')
  await page.waitForURL((url) => url.searchParams.get('search') === text)
  // The address changes before the list does.
  const rows = page.locator('[aria-busy=false] .carts-rows tbody tr')
  const others = page.locator('.carts-rows tbody tr', { hasNotText: text })
  await expect.poll(async () => (await rows.count()) > 0 && (await others.count()) === 0).toBe(true)
}
