import { mkdirSync } from 'node:fs'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aHouse, type House, openBrowser, until } from './house.ts'

// Every screen, at a desk's and a phone's width, in every theme: axe finds nothing, nothing stands out of the page.
// `SCREENSHOTS=folder` keeps a picture of each, to be looked at.

const WIDTHS = [1280, 360]
const THEMES = ['light', 'dark', 'blue']
const toVisitors = ['/login', '/register', '/reset-password?token=x', '/terms', '/privacy', '/test', '/nowhere']
const toOwners = [
  '/dashboard',
  '/carts',
  '/carts/:cartId',
  '/flows',
  '/flows/:flowId',
  '/settings',
  '/settings/account',
  '/settings/appearance',
  '/settings/recovery-rules',
  '/settings/sending',
  '/settings/faq#sync',
  '/pricing',
  '/test-subscription',
  '/logout',
  '/cart/recover?cart_id=:cartId',
]

const shots = process.env.SCREENSHOTS
let house: House
let browser: Browser
let visitor: Page
let owner: Page
let ids: Record<string, string>

beforeAll(async () => {
  house = await aHouse()
  browser = await openBrowser()
  visitor = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  owner = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
  await owner.goto(`${house.url}/login`)
  await owner.getByRole('button', { name: 'Try the live demo' }).click()
  await owner.getByRole('navigation', { name: 'Sections' }).waitFor()
  ids = await idsOf(owner)
  if (shots) mkdirSync(shots, { recursive: true })
}, 200_000)

afterAll(async () => {
  await browser?.close()
  await house?.stop()
})

/** A cart that was written about and came back, and the ready flow. */
async function idsOf(page: Page): Promise<Record<string, string>> {
  const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const read = async (path: string) =>
    (await fetch(`${house.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).json()
  // The demo's history is made while it can already be looked at.
  let carts: { id: string }[] = []
  await until(
    async () => {
      carts = ((await read('/api/carts/abandoned?status=recovered')) as { carts: { id: string }[] }).carts
      return carts.length > 0
    },
    90_000,
    1_000,
  )
  const { flows } = (await read('/api/flows')) as { flows: { id: string }[] }
  return { cartId: carts[0]!.id, flowId: flows[0]!.id }
}

describe.each(WIDTHS)('%i px wide', (width) => {
  test.each(toVisitors)('a visitor: %s', (path) => look(visitor, path, width))
  test.each(toOwners)('an owner: %s', (path) => look(owner, path, width))
})

async function look(page: Page, template: string, width: number) {
  const path = template.replace(/:(\w+)/g, (_, name: string) => ids[name]!)
  await page.setViewportSize({ width, height: 900 })
  await page.goto(`${house.url}${path}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForFunction(() => !document.querySelector('[role=status][aria-label=Loading], .passage'))
  await page.waitForLoadState('networkidle')
  for (const theme of THEMES) {
    await chooseTheme(page, theme)
    if (theme === THEMES[0] || width === WIDTHS[0]) expect(await violationsOf(page, theme)).toEqual([])
    if (shots) await page.screenshot({ path: `${shots}/${nameOf(template)}-${width}-${theme}.png`, fullPage: true })
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
}

/** What a screen is made of is the same in every theme; what is readable is not. */
async function violationsOf(page: Page, theme: string) {
  const axe = new AxeBuilder({ page: page as never }).exclude('iframe')
  const { violations } = await (theme === THEMES[0] ? axe : axe.withRules('color-contrast')).analyze()
  return violations.map(({ id, nodes }) => [theme, id, nodes.map(({ html }) => html)])
}

/** As another tab's choice arrives: at once, without loading the page again. */
async function chooseTheme(page: Page, theme: string) {
  await page.evaluate((name) => {
    localStorage.setItem('theme', name)
    dispatchEvent(new StorageEvent('storage', { key: 'theme' }))
  }, theme)
  await page.waitForFunction((name) => document.documentElement.dataset.theme === name, theme)
}

const nameOf = (template: string) =>
  template
    .replace(/[?#].*/, '')
    .replace(/[/:]+/g, '-')
    .slice(1)
