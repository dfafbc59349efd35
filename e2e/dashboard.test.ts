import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AppInstance, aSeededInstance, until } from './app-instance.ts'
import { axeOf } from './axe.ts'
import { openBrowser } from './browser.ts'

// The dashboard in a real browser, on the demo's 90 days: figures, chart, picture, table, and what stands there when it fails.

let instance: AppInstance
let browser: Browser
let page: Page

beforeAll(async () => {
  instance = await aSeededInstance()
  browser = await openBrowser()
  page = await aVisitor()
  await page.getByRole('button', { name: 'Try the live demo' }).click()
  await page.waitForURL('**/dashboard')
}, 420_000)

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

async function aVisitor(): Promise<Page> {
  const viewport = { width: 1280, height: 900 }
  const context = await browser.newContext({ viewport, acceptDownloads: true, reducedMotion: 'reduce' })
  const visitor = await context.newPage()
  await visitor.goto(`${instance.url}/login`)
  return visitor
}

async function stats(): Promise<Record<string, number>> {
  const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const reply = await fetch(`${instance.url}/api/dashboard/stats`, { headers: { authorization: `Bearer ${token}` } })
  return reply.json() as Promise<Record<string, number>>
}

const chartOf = (visitor: Page) => visitor.getByRole('img', { name: /^Cart recovery/ })
const chart = () => chartOf(page)
const value = (title: string) =>
  page.getByRole('heading', { level: 2, name: title }).locator('xpath=following-sibling::p[1]').innerText()

test('four figures are those of the call, with their trends', async () => {
  await chart().waitFor()
  // People are counted once the demo's past is there; the page asks again by itself.
  await until(async () => Number(await value('Active Customers')) > 0, 60_000, 500)
  const figures = await stats()
  expect(await value('Abandoned Carts')).toBe(String(figures.abandonedCarts))
  expect(await value('Recovered Carts')).toBe(String(figures.recoveredCarts))
  expect(figures.totalRevenue).toBeGreaterThan(figures.monthlyRevenue!)
  const money = (amount: number) => amount.toLocaleString('en-US', { style: 'currency', currency: 'USD' })
  expect(await value('Recovered Revenue')).toBe(money(figures.totalRevenue!))
  expect(await value('Active Customers')).toBe(String(figures.activeCustomers))
  const told = page.getByText(/(more|less) than in the previous 30 days|same as in the previous 30 days/)
  const trends = (figures as unknown as { trends: Record<string, number> }).trends
  const changes = ['abandonedCarts', 'recoveredCarts', 'revenue', 'activeCustomers'].map((name) => trends[name]!)
  const percent = (change: number) => Math.abs(change).toLocaleString('en-US', { maximumFractionDigits: 1 })
  const words = (change: number) =>
    change === 0 ? 'same as in' : `${percent(change)}% ${change > 0 ? 'more' : 'less'} than in`
  expect((await told.allTextContents()).map((text) => text.trim().replace(/\.$/, ''))).toEqual(
    changes.map((change) => `${words(change)} the previous 30 days`),
  )
})

test('first it says what was won back in 30 days: money, orders and share, those of the call', async () => {
  const figures = await stats()
  const won = page.getByRole('region', { name: 'Won back in the last 30 days' })
  const said = (term: string) =>
    won.getByText(term, { exact: true }).locator('xpath=following-sibling::dd[1]').innerText()
  expect(Number((await said('Revenue')).replace(/[$,]/g, ''))).toBe(figures.monthlyRevenue)
  expect(Number(await said('Orders'))).toBe(figures.recoveredOrders)
  expect(await said('Share of abandoned carts')).toBe(`${figures.recoveryRate}%`)
  const [first, cards] = [await won.boundingBox(), await page.locator('.stats').boundingBox()]
  expect(first!.y).toBeLessThan(cards!.y)
})

test('how many of the abandoned carts can be reached leads to exactly these carts', async () => {
  const link = page.getByRole('link', { name: /can be reached$/ })
  // The demo's shoppers go on: one may buy between the two screens.
  const difference = async () => {
    const count = Number((await link.innerText()).split(' ')[0])
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThan(Number(await value('Abandoned Carts')))
    await link.click()
    await page.waitForURL('**/carts?reach=reachable&days=30')
    const listed = /of (\d+) entries$/.exec(await page.getByText(/^Showing 1 to \d+ of \d+ entries$/).innerText())
    await page.goBack()
    await chart().waitFor()
    return Number(listed![1]) - count
  }
  await expect.poll(difference, { timeout: 60_000 }).toBe(0)
})

test('the chart shows money by the keyboard, with the same numbers as a table', async () => {
  await page.getByRole('radio', { name: 'Carts' }).press('ArrowRight')
  await page.getByLabel('Period').selectOption('Last 30 Days')
  await page.getByRole('img', { name: /^Recovered revenue, Last 30 Days\. .*\$/ }).waitFor()
  expect(await page.getByRole('button', { name: 'Pie chart' }).count()).toBe(0)
  await page.getByText('Revenue of the orders won back, net of refunds, by the time of the order.').waitFor()
  await page.getByRole('button', { name: 'Show as table' }).press('Enter')
  const table = page.getByRole('region', { name: 'Recovered revenue, Last 30 Days, as a table' })
  const total = await table.getByRole('row').last().innerText()
  expect(Number(total.replace(/[^\d.]/g, ''))).toBe((await stats()).monthlyRevenue)
  // A button's name beside it is over the page, not in it.
  await page.mouse.move(0, 0)
  await table.focus()
  await page.getByRole('tooltip').waitFor({ state: 'hidden' })
  const found = await axeOf(page).analyze()
  expect(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  await page.getByRole('button', { name: 'Show as table' }).press('Enter')
  await page.getByLabel('Period').selectOption('Last 7 Days')
  await page.getByRole('radio', { name: 'Revenue' }).press('ArrowLeft')
  await chart().waitFor()
})

test('period and type are chosen by keyboard, and the table shows the numbers that are drawn', async () => {
  const month = /dashboard\/chart\?period=month/
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route(month, (route) => held.then(() => route.continue()))
  const asked = page.waitForRequest(month)
  await page.getByLabel('Period').press('End')
  await asked
  // Until the answer comes, the numbers shown are the last period's, and so is their name.
  await page
    .locator('.overview-plot[aria-busy=true]')
    .getByRole('img', { name: /Last 7 Days/ })
    .waitFor()
  letGo()
  await page.getByRole('img', { name: /Last 30 Days/ }).waitFor()
  await page.unroute(month)
  await page.getByRole('button', { name: 'Line chart' }).press('Enter')
  await page.locator('canvas[data-type=line]').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.locator('canvas[data-type=pie]').waitFor()
  await page.getByRole('button', { name: 'Show as table' }).press('Enter')
  const table = page.getByRole('region', { name: 'Cart recovery, Last 30 Days, as a table' })
  await expect.poll(() => table.getByRole('row').count()).toBe(32)
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
  await page.goto(`${instance.url}/dashboard`)
  await chart().waitFor()
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(cornerOf, { timeout: 15_000 }).toEqual([23, 29, 35, 255])
  await page.emulateMedia({ colorScheme: 'light' })
  await expect.poll(cornerOf, { timeout: 15_000 }).toEqual([255, 255, 255, 255])
})

async function choose(theme: string): Promise<void> {
  await page.evaluate((name) => localStorage.setItem('theme', name), theme)
  await page.goto(`${instance.url}/dashboard`)
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
  await expect.poll(() => links.count()).toBe(4)
  const target = (await links.first().getAttribute('href'))!
  expect(target).toMatch(/^\/carts\/[0-9a-f-]{36}$/)
  await links.first().click()
  await page.waitForURL(`**${target}`)
  await page.goBack()
  await chart().waitFor()
})

test('the recent carts show their state: “abandoned” in red, any other in green (B 4)', async () => {
  const states = ['abandoned', 'recovered', 'lost', 'purchased']
  await page.route('**/api/carts/abandoned*', async (route) => {
    const answer = (await (await route.fetch()).json()) as { carts: object[] }
    const carts = answer.carts.map((cart, index) => ({ ...cart, state: states[index], status: 'Email Sent' }))
    await route.fulfill({ json: { ...answer, carts } })
  })
  await page.goto(`${instance.url}/dashboard`)
  const marks = page.locator('.recent-cart .mark')
  await marks.first().waitFor()
  expect((await marks.allInnerTexts()).map((text) => text.trim().toLowerCase())).toEqual(states)
  const colours = await marks.evaluateAll((each) =>
    each.map((mark) => {
      const [red = 0, green = 0, blue = 0] = getComputedStyle(mark).color.match(/\d+/g)!.map(Number)
      return red > 1.4 * Math.max(green, blue) ? 'red' : green > 1.4 * Math.max(red, blue) ? 'green' : 'other'
    }),
  )
  expect(colours).toEqual(['red', 'green', 'green', 'green'])
  // The list may be asked for again at this moment.
  await page.unrouteAll({ behavior: 'wait' })
})

test('leaving aborts what is under way', async () => {
  const over = Promise.withResolvers<void>()
  await page.route('**/api/dashboard/**', async (route) => {
    await over.promise
    await route.continue().catch(() => {})
  })
  const failed: string[] = []
  page.on('requestfailed', (request) => failed.push(request.url()))
  await page.goto(`${instance.url}/dashboard`)
  await page.getByRole('status', { name: 'Loading' }).first().waitFor()
  await page.getByRole('link', { name: 'Flows', exact: true }).click()
  await expect.poll(() => failed.filter((url) => /dashboard\/(stats|chart)/.test(url)).length).toBeGreaterThanOrEqual(2)
  over.resolve()
  await page.unroute('**/api/dashboard/**')
})

describe('what goes wrong (A 8)', () => {
  const failures: [status: number, code: string, error: string, text: string][] = [
    [
      503,
      'store_unreachable',
      'There is no response from this store address.',
      'There is no response from this store address.',
    ],
    [401, 'store_credentials', 'x', 'Authentication failed. Please reconnect your store with valid credentials.'],
    [404, 'not_found', 'x', 'Store not found. Please connect your store first.'],
  ]

  test.each(failures)('%i takes the whole page, and Try Again loads it anew', async (status, code, error, text) => {
    // News of the store would ask again by itself, before anybody presses Try Again.
    await page.route('**/socket.io/**', (route) => route.abort())
    await page.route('**/api/dashboard/stats*', (route) => route.fulfill({ status, json: { error, code } }))
    await page.goto(`${instance.url}/dashboard`)
    await page.getByRole('alert').getByText(text).waitFor()
    expect(await chart().count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe('/dashboard')
    await page.unroute('**/api/dashboard/stats*')
    await page.getByRole('button', { name: 'Try Again' }).click()
    await chart().waitFor()
    await page.unroute('**/socket.io/**')
  })

  test('anything else is a warning above what there is, and no figure is invented', async () => {
    // News of the store would ask again by itself, before anybody presses Retry.
    await page.route('**/socket.io/**', (route) => route.abort())
    await page.route('**/api/dashboard/stats*', (route) =>
      route.fulfill({ status: 400, json: { error: 'x', code: 'invalid' } }),
    )
    await page.goto(`${instance.url}/dashboard`)
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

test('an answer the chart cannot draw is only logged (A 2.3)', async () => {
  const visitor = await aVisitor()
  const logged: string[] = []
  visitor.on('console', (message) => message.type() === 'error' && logged.push(message.text()))
  await visitor.route('**/api/dashboard/chart*', (route) => route.fulfill({ json: { labels: ['a'], datasets: [{}] } }))
  await visitor.getByRole('button', { name: 'Try the live demo' }).click()
  await visitor.getByRole('heading', { name: 'Cart Recovery Overview' }).waitFor()
  await expect.poll(() => logged.filter((text) => text.startsWith('The chart data is not valid')).length).toBe(1)
  expect(await visitor.getByRole('alert').count()).toBe(0)
  expect(await visitor.getByText('Dashboard Warning').count()).toBe(0)
  expect(await visitor.locator('canvas').count()).toBe(0)
  await visitor.context().close()
})

test('a plain array of carts is as good as one with its pages (B 3)', async () => {
  const visitor = await aVisitor()
  await visitor.route('**/api/carts/abandoned*', async (route) => {
    const { carts } = (await (await route.fetch()).json()) as { carts: object[] }
    await route.fulfill({ json: carts.slice(0, 7) })
  })
  await visitor.getByRole('button', { name: 'Try the live demo' }).click()
  await visitor.locator('.recent-cart').first().waitFor()
  await expect.poll(() => visitor.locator('.recent-cart').count()).toBe(4)
  await visitor.getByRole('link', { name: 'View all abandoned carts' }).click()
  await visitor.getByRole('row').nth(1).waitFor()
  await expect.poll(() => visitor.getByRole('row').count()).toBe(8)
  await visitor.context().close()
})

test('nothing is called empty while the figures are still on their way', async () => {
  const visitor = await aVisitor()
  await visitor.route('**/api/dashboard/stats*', () => {})
  await visitor.route('**/api/carts/abandoned*', (route) =>
    route.fulfill({ json: { carts: [], pagination: { page: 1, limit: 4, total: 0, pages: 0 }, syncAgeSeconds: 1 } }),
  )
  const answered = visitor.waitForResponse('**/api/carts/abandoned*')
  await visitor.getByRole('button', { name: 'Try the live demo' }).click()
  await answered
  await chartOf(visitor).waitFor()
  expect(await visitor.getByText('No abandoned carts found.').count()).toBe(0)
  await expect.poll(() => visitor.locator('.recent [role=status][aria-label=Loading]').count()).toBe(1)
  await visitor.context().close()
})

test('without a subscription it says so and leads to the plans', async () => {
  const reply = await fetch(`${instance.url}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Grace Hopper', email: 'grace@owners.example', password: 'correct horse battery' }),
  })
  const { token } = (await reply.json()) as { token: string }
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  await context.addInitScript((text) => localStorage.setItem('token', text), token)
  const visitor = await context.newPage()
  await visitor.goto(`${instance.url}/dashboard`)
  await visitor.getByText('Subscription Required').waitFor()
  expect(await visitor.getByRole('link', { name: 'Choose a Plan' }).getAttribute('href')).toBe('/pricing')
  await visitor.close()
})

test('a store with nothing to count yet has the first steps instead of zeros', async () => {
  const nothing = {
    ...{ abandonedCarts: 0, recoveredCarts: 0, recoveryRate: null, totalRevenue: 0, monthlyRevenue: 0 },
    ...{
      recoveredOrders: 0,
      activeCustomers: 0,
      trends: {},
      currency: 'USD',
      otherCurrencies: [],
      syncAgeSeconds: null,
    },
  }
  await page.route('**/api/dashboard/stats*', (route) => route.fulfill({ json: nothing }))
  await page.route('**/api/carts/abandoned*', (route) =>
    route.fulfill({ json: { carts: [], pagination: { total: 0 } } }),
  )
  await page.goto(`${instance.url}/dashboard`)
  await page.getByRole('heading', { name: 'Get ready to win carts back' }).waitFor()
  await page.getByText('Maple & Clay is connected.').waitFor()
  expect(await chart().count()).toBe(0)
  const found = await axeOf(page).analyze()
  expect(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
})
