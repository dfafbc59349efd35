import { readFileSync } from 'node:fs'
import type { Browser, Locator, Page, Route } from 'playwright-core'
import type { AnalyticsReply } from '../../shared/analytics.ts'
import { type AppInstance, aSeededInstance, until } from '../app-instance.ts'
import { openBrowser } from '../browser.ts'

// The demo with its past, counted, and a browser that is signed in: what all parts of the journey share.

export let instance: AppInstance
export let page: Page
let browser: Browser

export async function begin(): Promise<void> {
  instance = await aSeededInstance()
  browser = await openBrowser()
  page = await (
    await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, reducedMotion: 'reduce' })
  ).newPage()
  await page.goto(`${instance.url}/login`)
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.waitForURL('**/dashboard')
  // What the past consists of is counted every 15 seconds.
  await until(
    async () => {
      const { counts, countedUntil, isBeingCounted } = await figures('30d')
      return counts.orders > 0 && countedUntil === null && !isBeingCounted
    },
    90_000,
    500,
  )
}

export async function end(): Promise<void> {
  await browser?.close()
  await instance?.stop()
}

/** What the server answers to the signed-in member. */
export async function read<T>(path: string): Promise<T> {
  const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const reply = await fetch(instance.url + path, { headers: { authorization: `Bearer ${token}` } })
  return (await reply.json()) as T
}

export const figures = (range: string) => read<AnalyticsReply>(`/api/analytics?range=${range}`)

export const money = (amount: number) => amount.toLocaleString('en-US', { style: 'currency', currency: 'USD' })
export const percent = (fraction: number) => `${(fraction * 100).toFixed(2)}%`
/** `+20.0%`; `–` where there is nothing to compare with. */
export function signed(change: number | null): string {
  if (change === null) return '–'
  const size = Math.abs(change * 100).toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })
  return size === '0.0' ? '0.0%' : `${change > 0 ? '+' : '−'}${size}%`
}
export const block = (name: string) => page.getByRole('region', { name, exact: true })

/** The file that a button saves. */
export async function saved(button: Locator) {
  const download = page.waitForEvent('download')
  await button.click()
  const file = await download
  const bytes = readFileSync(await file.path())
  return {
    name: file.suggestedFilename(),
    bytes,
    text: bytes.toString('utf8'),
    isPng: bytes.subarray(1, 4).toString() === 'PNG',
  }
}

export const savedTable = (table: string) =>
  saved(page.getByRole('button', { name: `Save as CSV: ${table}`, exact: true }))

/** Of /api/auth/me. */
export interface Me {
  user: { stores: object[] }
}

/** What the server answers, changed on its way, until `page.unroute`. */
export const changed = <T extends object>(pattern: string, change: (said: T, route: Route) => object) =>
  page.route(pattern, async (route) => {
    const reply = await route.fetch()
    const json = change((await reply.json()) as T, route)
    // The test may have gone on meanwhile.
    await route.fulfill({ json }).catch(() => undefined)
  })
