import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeOf } from './axe.ts'
import { openBrowser } from './browser.ts'
import { aFurnishedHouse, type House, until } from './house.ts'

// The dashboard in a real browser, on the demo's 90 days: figures, chart, picture, table, and what stands there when it fails.

let house: House
let browser: Browser
let page: Page

beforeAll(async () => {
  house = await aFurnishedHouse()
  browser = await openBrowser()
  page = await aVisitor()
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.waitForURL('**/dashboard')
}, 420_000)

afterAll(async () => {
  await browser?.close()
  await house?.stop()
})

async function aVisitor(): Promise<Page> {
  const viewport = { width: 1280, height: 900 }
  const context = await browser.newContext({ viewport, acceptDownloads: true, reducedMotion: 'reduce' })
  const visitor = await context.newPage()
  await visitor.goto(`${house.url}/login`)
  return visitor
}

async function stats(): Promise<Record<string, number>> {
  const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const reply = await fetch(`${house.url}/api/dashboard/stats`, { headers: { authorization: `Bearer ${token}` } })
  return reply.json() as Promise<Record<string, number>>
}

const chart = () => page.getByRole('img', { name: /^Cart recovery/ })
const value = (title: string) =>
  page.getByRole('heading', { level: 2, name: title }).locator('xpath=following-sibling::p[1]').innerText()

test('four figures are those of the call, with their trends', async () => {
  await chart().waitFor()
  // People are counted once the demo's past is there; the page asks again by itself.
  await until(async () => Number(await value('Active Customers')) > 0, 60_000, 500)
  const figures = await stats()
  expect(await value('Abandoned Carts')).toBe(String(figures.abandonedCarts))
  expect(await value('Recovered Carts')).toBe(String(figures.recoveredCarts))
  expect(await value('Recovered Revenue')).toMatch(/^\$[\d,]+\.\d\d$/)
  expect(await value('Active Customers')).toBe(String(figures.activeCustomers))
  expect(await page.getByText(/(more|less) than in the 30 days before|as in the 30 days before/).count()).toBe(4)
})

test('period and type are chosen by keyboard, and the table shows the numbers that are drawn', async () => {
  const asked = page.waitForRequest(/dashboard\/chart\?period=month/)
  await page.getByLabel('Period').focus()
  await page.keyboard.press('End')
  await asked
  await page.getByRole('img', { name: /Last 30 Days/ }).waitFor()
  await page.getByRole('button', { name: 'Line chart' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('canvas[data-type=line]').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.locator('canvas[data-type=pie]').waitFor()
  await page.getByRole('button', { name: 'Show as table' }).focus()
  await page.keyboard.press('Enter')
  const table = page.getByRole('region', { name: 'Cart recovery, Last 30 Days, as a table' })
  expect(await table.getByRole('row').count()).toBe(32)
  const total = await table.getByRole('row').last().innerText()
  expect(total.split(/\s+/)).toEqual(['Total', await value('Abandoned Carts'), await value('Recovered Carts')])
  await page.getByRole('button', { name: 'Show as table' }).click()
  await page.getByRole('button', { name: 'Bar chart' }).click()
})

test('the picture is a PNG called cart-recovery-chart, on the ground of its theme', async () => {
  for (const theme of ['light', 'dark'] as const) {
    await choose(theme)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export chart as PNG' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('cart-recovery-chart.png')
    const picture = readFileSync(await download.path())
    expect(picture.subarray(1, 4).toString()).toBe('PNG')
    expect(picture.readUInt32BE(16)).toBeGreaterThan(600)
    expect(await cornerOf()).toEqual(theme === 'light' ? [255, 255, 255, 255] : [23, 29, 35, 255])
  }
})

test('the chart follows a theme that changes while one looks', async () => {
  await page.evaluate(() => localStorage.removeItem('theme'))
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(`${house.url}/dashboard`)
  await chart().waitFor()
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(cornerOf, { timeout: 15_000 }).toEqual([23, 29, 35, 255])
  await page.emulateMedia({ colorScheme: 'light' })
  await expect.poll(cornerOf, { timeout: 15_000 }).toEqual([255, 255, 255, 255])
})

async function choose(theme: string): Promise<void> {
  await page.evaluate((name) => localStorage.setItem('theme', name), theme)
  await page.goto(`${house.url}/dashboard`)
  await chart().waitFor()
}

/** Red, green, blue, alpha of the canvas's first pixel. */
const cornerOf = () =>
  page.locator('canvas').evaluate((canvas) => {
    const context = (canvas as HTMLCanvasElement).getContext('2d')!
    return [...context.getImageData(0, 0, 1, 1).data]
  })

test('a row of the recent carts opens the cart', async () => {
  const links = page.locator('.recent-cart')
  expect(await links.count()).toBe(4)
  const target = (await links.first().getAttribute('href'))!
  expect(target).toMatch(/^\/carts\/[0-9a-f-]{36}$/)
  await links.first().click()
  await page.waitForURL(`**${target}`)
  await page.goBack()
  await chart().waitFor()
})

test('leaving aborts what is under way', async () => {
  await page.route('**/api/dashboard/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 4_000))
    await route.continue().catch(() => {})
  })
  const failed: string[] = []
  page.on('requestfailed', (request) => failed.push(request.url()))
  await page.goto(`${house.url}/dashboard`)
  await page.getByRole('status', { name: 'Loading' }).first().waitFor()
  await page.getByRole('link', { name: 'Flows', exact: true }).click()
  await expect.poll(() => failed.filter((url) => /dashboard\/(stats|chart)/.test(url)).length).toBeGreaterThanOrEqual(2)
  await page.unroute('**/api/dashboard/**')
})

describe('what goes wrong (A 8)', () => {
  const failures: [status: number, code: string, error: string, text: string][] = [
    [
      503,
      'store_unreachable',
      'There is no answer at this store address.',
      'There is no answer at this store address.',
    ],
    [401, 'store_credentials', 'x', 'Authentication failed. Please reconnect your store with valid credentials.'],
    [404, 'not_found', 'x', 'Store not found. Please connect your store first.'],
  ]

  test.each(failures)('%i takes the whole page, and Try Again loads it anew', async (status, code, error, text) => {
    await page.route('**/api/dashboard/stats*', (route) => route.fulfill({ status, json: { error, code } }))
    await page.goto(`${house.url}/dashboard`)
    await page.getByRole('alert').getByText(text).waitFor()
    expect(await chart().count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe('/dashboard')
    await page.unroute('**/api/dashboard/stats*')
    await page.getByRole('button', { name: 'Try Again' }).click()
    await chart().waitFor()
  })

  test('anything else is a warning above what there is, and no figure is invented', async () => {
    // News of the store would ask again by itself, before anybody presses Retry.
    await page.route('**/socket.io/**', (route) => route.abort())
    await page.route('**/api/dashboard/stats*', (route) =>
      route.fulfill({ status: 400, json: { error: 'x', code: 'invalid' } }),
    )
    await page.goto(`${house.url}/dashboard`)
    const warning = page.getByRole('status').filter({ hasText: 'Dashboard Warning' })
    await warning.getByText('Failed to fetch dashboard data. Please try again later.').waitFor()
    await chart().waitFor()
    expect(await value('Abandoned Carts')).toBe('–')
    await page.unroute('**/api/dashboard/stats*')
    await warning.getByRole('button', { name: 'Retry' }).click()
    await warning.waitFor({ state: 'detached' })
    expect(Number(await value('Abandoned Carts'))).toBeGreaterThan(50)
    await page.unroute('**/socket.io/**')
  })
})

test('without a subscription it says so and leads to the plans', async () => {
  const reply = await fetch(`${house.url}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Grace Hopper', email: 'grace@owners.example', password: 'correct horse battery' }),
  })
  const { token } = (await reply.json()) as { token: string }
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  await context.addInitScript((text) => localStorage.setItem('token', text), token)
  const visitor = await context.newPage()
  await visitor.goto(`${house.url}/dashboard`)
  await visitor.getByText('Subscription Required').waitFor()
  expect(await visitor.getByRole('link', { name: 'Choose a Plan' }).getAttribute('href')).toBe('/pricing')
  await visitor.close()
})

test('a store with nothing to count yet has the first steps instead of zeros', async () => {
  const nothing = {
    ...{ abandonedCarts: 0, recoveredCarts: 0, recoveryRate: null, totalRevenue: 0, monthlyRevenue: 0 },
    ...{ activeCustomers: 0, trends: {}, currency: 'USD', otherCurrencies: [], syncAgeSeconds: null },
  }
  await page.route('**/api/dashboard/stats*', (route) => route.fulfill({ json: nothing }))
  await page.route('**/api/carts/abandoned*', (route) =>
    route.fulfill({ json: { carts: [], pagination: { total: 0 } } }),
  )
  await page.goto(`${house.url}/dashboard`)
  await page.getByRole('heading', { name: 'Get ready to win carts back' }).waitFor()
  await page.getByText('Maple & Clay is connected.').waitFor()
  expect(await chart().count()).toBe(0)
  const found = await axeOf(page).analyze()
  expect(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
})
