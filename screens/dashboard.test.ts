import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { storeHealth } from '../shared/access/stores.ts'
import { subscriptionStatus } from '../shared/billing/billing.ts'
import { type CartView, listAbandonedCarts } from '../shared/carts/carts.ts'
import { cartReach } from '../shared/carts/reach.ts'
import { readDashboardChart, readDashboardPath, readDashboardStats } from '../shared/insights/dashboard.ts'
import { listCustomers } from '../shared/marketing/customers.ts'
import { fixture } from './api.ts'
import { createScreens } from './app.ts'
import { buildCarts, toCartList } from './carts-scene.ts'
import { checkLayout } from './page-checks.ts'
import { clearCarts, clearFigures } from './states/state.ts'

// The dashboard: figures, chart and lists, and their loading, failure and empty states.

const app = createScreens()
const findChart = () => app.page.getByRole('img', { name: /^Cart recovery/ })
const readValue = (title: string) =>
  app.page.getByRole('heading', { level: 2, name: title }).locator('xpath=following-sibling::p[1]').innerText()
const formatMoney = (amount: number) => amount.toLocaleString('en-US', { style: 'currency', currency: 'USD' })
const stats = fixture(readDashboardStats)
/** Live events of the store would make its screens refetch. */
const blockLive = () => app.page.route('**/socket.io/**', (route) => route.abort())

test('shows the figures with their trends, and first the revenue recovered in 30 days', {
  tags: ['A2.1', 'A2.3'],
}, async () => {
  const page = await app.open('/dashboard')
  await findChart().waitFor()
  await expect.poll(() => readValue('Abandoned Carts')).toBe(String(stats.abandonedCarts))
  await expect.poll(() => readValue('Recovered Carts')).toBe(String(stats.recoveredCarts))
  await expect.poll(() => readValue('Recovered Revenue')).toBe(formatMoney(stats.monthlyRevenue))
  await page.getByText(`${formatMoney(stats.totalRevenue)} all time`).waitFor()
  await expect.poll(() => readValue('Active Customers')).toBe(String(stats.activeCustomers))
  const trends = page.getByText(/(more|less) than in the previous 30 days|same as in the previous 30 days/)
  await expect
    .poll(async () => (await trends.allTextContents()).map((text) => text.trim().replace(/\.$/, '')))
    .toEqual([
      '0.3% less than in the previous 30 days',
      '4.1% more than in the previous 30 days',
      '11.8% less than in the previous 30 days',
      '0.3% less than in the previous 30 days',
      '15.7% more than in the previous 30 days',
    ])
  const tones = await page
    .locator('.stat-trend')
    .evaluateAll((all) => all.map((each) => each.getAttribute('data-tone')))
  expect(tones).toEqual(['bad', 'bad', 'bad', 'bad', 'good'])
  const won = page.getByRole('region', { name: 'Won back in the last 30 days' })
  await expect.poll(() => won.locator('.won-value').innerText()).toBe(formatMoney(stats.monthlyRevenue))
  await won.getByRole('img', { name: /^Revenue recovered by day\. Highest: .* \(today so far\): \$/ }).waitFor()
  const [first, cards] = [await won.boundingBox(), await page.locator('.stats').boundingBox()]
  expect(first!.y).toBeLessThan(cards!.y)
})

test('carts and revenue are the same in the headline, its path and the cards', async () => {
  const page = await app.open('/dashboard')
  const revenue = formatMoney(stats.monthlyRevenue)
  const station = (label: string) =>
    page
      .getByRole('list', { name: 'Path of the carts of the last 30 days' })
      .getByRole('listitem')
      .filter({ hasText: label })
  await expect.poll(() => page.locator('.won-value').innerText()).toBe(revenue)
  await expect.poll(() => readValue('Recovered Revenue')).toBe(revenue)
  await expect.poll(() => station('Recovered').innerText()).toContain(revenue)
  await expect.poll(() => station('Recovered').innerText()).toContain(`${await readValue('Recovered Carts')} carts`)
  await expect.poll(() => station('Abandoned').innerText()).toContain(`${await readValue('Abandoned Carts')} carts`)
})

test('says what stops the other carts, each with its money and its carts', async () => {
  const page = await app.open('/dashboard')
  const won = page.getByRole('region', { name: 'Won back in the last 30 days' })
  const rows = won.locator('.won-stops li')
  await expect
    .poll(async () => (await rows.allInnerTexts()).map((text) => text.split(/\s*\n\s*/)))
    .toEqual([
      ['39 carts without email', '$2,122.00'],
      ['1 cart with a bounced email', '$54.00'],
      ['1 cart unsubscribed', '$68.00'],
    ])
  const path = won.getByRole('list', { name: 'Path of the carts of the last 30 days' })
  await expect.poll(() => path.getByRole('listitem').allInnerTexts()).toHaveLength(5)
  await expect
    .poll(() => path.getByRole('listitem').last().innerText())
    .toMatch(/\$991\.40[\s\S]*Recovered[\s\S]*15 carts/)
  await rows.first().getByRole('link').click()
  await page.waitForURL('**/carts?reach=no_contact&days=30')
})

test('the number of reachable carts links to these carts', async () => {
  const page = await app.open('/dashboard')
  const link = page.getByRole('link', { name: /can be reached$/ })
  await expect.poll(() => link.innerText()).toMatch(/^38 /)
  await expect.poll(() => app.api.calls(cartReach).map(({ body }) => body)).toContainEqual({ days: 30 })
  await link.click()
  await page.waitForURL('**/carts?reach=reachable&days=30')
})

test('draws carts or money, by period and type, chosen by keyboard, and shows the same numbers as a table', {
  tags: ['A2.3'],
}, async () => {
  const days = Array.from({ length: 30 }, (_, index) => `2026-11-${String(index + 1).padStart(2, '0')}`)
  app.api.answer(readDashboardChart, ({ query: { period, measure } }) => {
    const base = fixture(readDashboardChart)
    const labels = period === 'month' ? days : days.slice(0, 7)
    const datasets = measure === 'revenue' ? base.datasets.slice(0, 1) : base.datasets
    return { ...base, labels, datasets: datasets.map((set, n) => ({ ...set, data: labels.map(() => 2 - n) })) }
  })
  const page = await app.open('/dashboard')
  await findChart().waitFor()
  const next = app.api.hold(readDashboardChart)
  await page.getByLabel('Period').press('End')
  // Until the answer arrives, numbers and label stay the last period's.
  await page
    .locator('.overview-plot[aria-busy=true]')
    .getByRole('img', { name: /Last 7 Days/ })
    .waitFor()
  next.release()
  await page.getByRole('img', { name: /Last 30 Days/ }).waitFor()
  await page.getByRole('button', { name: 'Line chart' }).press('Enter')
  await page.locator('canvas[data-type=line]').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.locator('canvas[data-type=pie]').waitFor()
  await page.getByRole('button', { name: 'Show as table' }).press('Enter')
  const carts = page.getByRole('region', { name: 'Cart recovery, Last 30 Days, as a table' })
  await expect.poll(() => carts.getByRole('row').count()).toBe(32)
  await expect
    .poll(async () => (await carts.getByRole('row').last().innerText()).split(/\s+/))
    .toEqual(['Total', '60', '30'])

  await page.getByRole('radio', { name: 'Carts' }).press('ArrowRight')
  const table = page.getByRole('region', { name: 'Recovered revenue, Last 30 Days, as a table' })
  await expect.poll(() => table.getByRole('row').last().innerText()).toContain('$60.00')
  await page.getByText('Net of refunds, by the time of the order.').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Pie chart' }).count()).toBe(0)
  // A button's tooltip overlays the page.
  await page.mouse.move(0, 0)
  await table.focus()
  await page.getByRole('tooltip').waitFor({ state: 'hidden' })
  expect(await app.findViolations()).toEqual([])
  await page.getByRole('button', { name: 'Show as table' }).press('Enter')
  await page.getByRole('img', { name: /^Recovered revenue, Last 30 Days\. .*\$/ }).waitFor()
})

/** Red, green, blue, alpha of the canvas's first pixel. */
const readCorner = () =>
  app.page.locator('canvas').evaluate((canvas) => {
    const context = (canvas as HTMLCanvasElement).getContext('2d')!
    return [...context.getImageData(0, 0, 1, 1).data]
  })
const LIGHT = [255, 255, 255, 255]
const DARK = [23, 29, 35, 255]

test('the chart follows the theme and is saved as a PNG named cart-recovery-chart', { tags: ['A2.3'] }, async () => {
  const page = await app.open('/dashboard')
  onTestFinished(() => page.emulateMedia({ colorScheme: null }))
  await page.emulateMedia({ colorScheme: 'light' })
  await findChart().waitFor()
  await expect.poll(readCorner).toEqual(LIGHT)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(readCorner).toEqual(DARK)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export chart as PNG' }).click()
  const download = await saved
  expect(download.suggestedFilename()).toBe('cart-recovery-chart.png')
  const picture = await buffer(await download.createReadStream())
  expect(picture.subarray(1, 4).toString()).toBe('PNG')
  expect(picture.readUInt32BE(16)).toBeGreaterThan(600)
})

test('lists four recent carts: “abandoned” in red, any other state in green; a row opens the cart', {
  tags: ['A2.1', 'A2.3', 'A9', 'B4'],
}, async () => {
  const states = ['abandoned', 'recovered', 'lost', 'purchased'] as const
  const carts = buildCarts(7).map((cart, index) => ({ ...cart, state: states[index] ?? 'abandoned' }) as CartView)
  app.api.answer(listAbandonedCarts, toCartList(carts.slice(0, 4), 57))
  const page = await app.open('/dashboard')
  const marks = page.locator('.recent-cart .mark')
  await marks.first().waitFor()
  await expect.poll(async () => (await marks.allInnerTexts()).map((text) => text.trim().toLowerCase())).toEqual(states)
  const colours = await marks.evaluateAll((each) =>
    each.map((mark) => {
      const [red = 0, green = 0, blue = 0] = getComputedStyle(mark).color.match(/\d+/g)!.map(Number)
      return red > 1.4 * Math.max(green, blue) ? 'red' : green > 1.4 * Math.max(red, blue) ? 'green' : 'other'
    }),
  )
  expect(colours).toEqual(['red', 'green', 'green', 'green'])
  // Compact rows.
  expect((await page.locator('.recent-cart').first().boundingBox())!.height).toBeLessThanOrEqual(53)
  await page.locator('.recent-cart').first().click()
  await page.waitForURL(`**/carts/${carts[0]!.id}`)

  // A plain array works too (B 3).
  app.api.raw(listAbandonedCarts, 200, carts)
  await app.open('/dashboard')
  await expect.poll(() => page.locator('.recent-cart').count()).toBe(4)
})

test('leaving the dashboard aborts its requests', { tags: ['A7'] }, async () => {
  const held = [readDashboardStats, readDashboardChart, readDashboardPath].map((endpoint) => app.api.hold(endpoint))
  const failed: string[] = []
  app.page.on('requestfailed', (request) => failed.push(request.url()))
  const page = await app.open('/dashboard')
  await page.getByRole('status', { name: 'Loading' }).first().waitFor()
  await expect.poll(() => app.api.calls(readDashboardChart).length).toBeGreaterThan(0)
  await page.getByRole('link', { name: 'Customers', exact: true }).click()
  await expect
    .poll(() => new Set(failed.flatMap((url) => /dashboard\/(\w+)/.exec(url)?.[1] ?? [])))
    .toEqual(new Set(['stats', 'chart', 'path']))
  for (const { release } of held) release()
  await expect.poll(() => app.api.calls(listCustomers).length).toBeGreaterThan(0)
})

test('a shop whose first report is awaited has its dashboard and its set-up steps', async () => {
  await blockLive()
  app.api.alter(storeHealth, (reply) => ({ ...reply, ageSeconds: null, isReported: false }))
  clearFigures(app.api)
  clearCarts(app.api)
  const page = await app.open('/dashboard')
  const notice = page.locator('main').getByText(/waits for the plugin’s first report of orders. Until then/)
  await notice.waitFor()
  await page.getByText('Get ready to win carts back').waitFor()
  await page.getByText('Receive orders from the plugin').waitFor()
  await page.getByRole('button', { name: /^Store menu/ }).click()
  await page.getByRole('menuitem', { name: 'Sync now Nothing reported yet' }).waitFor()
  await page.keyboard.press('Escape')
  await checkLayout(app)
})

test('a chart that the store refuses does not replace the page', async () => {
  await blockLive()
  app.api.fail(readDashboardChart, 503, { error: AWAY, code: 'store_unreachable' })
  const page = await app.open('/dashboard')
  await page.getByRole('status').filter({ hasText: 'Dashboard Warning' }).waitFor()
  await expect.poll(() => readValue('Abandoned Carts')).toBe(String(stats.abandonedCarts))
})

const AWAY = 'There is no response from this store address.'

test.each([
  [503, 'store_unreachable', AWAY, AWAY],
  [401, 'store_credentials', 'x', 'Authentication failed. Please reconnect your store with valid credentials.'],
  [404, 'not_found', 'x', 'Store not found. Please connect your store first.'],
] as const)(
  'an error %i replaces the page, and Try Again loads it again',
  { tags: ['A8'] },
  async (status, code, error, text) => {
    await blockLive()
    app.api.fail(readDashboardStats, status, { error, code })
    const page = await app.open('/dashboard')
    await page.getByRole('alert').getByText(text).waitFor()
    await expect.poll(() => findChart().count()).toBe(0)
    await expect.poll(() => new URL(page.url()).pathname).toBe('/dashboard')
    // First the session is checked, then the figures are refetched.
    await app.waitUntilSettled()
    app.api.answer(readDashboardStats, stats)
    await page.getByRole('button', { name: 'Try Again' }).click()
    await findChart().waitFor()
  },
)

test('any other failure is a warning above the dashboard, without invented figures', { tags: ['A8'] }, async () => {
  await blockLive()
  app.api.fail(readDashboardStats, 400, { code: 'invalid', error: 'x' })
  const page = await app.open('/dashboard')
  const warning = page.getByRole('status').filter({ hasText: 'Dashboard Warning' })
  await warning.getByText('Failed to fetch dashboard data. Please try again later.').waitFor()
  await findChart().waitFor()
  await expect.poll(() => readValue('Abandoned Carts')).toBe('–')
  app.api.answer(readDashboardStats, stats)
  await warning.getByRole('button', { name: 'Retry' }).click()
  await warning.waitFor({ state: 'detached' })
  await expect.poll(() => readValue('Abandoned Carts')).toBe(String(stats.abandonedCarts))
})

test('a failure of recent carts is part of the same warning', { tags: ['A8'] }, async () => {
  await blockLive()
  app.api.fail(listAbandonedCarts, 400, { code: 'invalid', error: 'x' })
  const page = await app.open('/dashboard')
  await page.getByRole('status').filter({ hasText: 'Dashboard Warning' }).waitFor()
  await expect.poll(() => readValue('Abandoned Carts')).toBe(String(stats.abandonedCarts))
})

test('malformed chart data is only logged', { tags: ['A2.3'] }, async () => {
  const logged: string[] = []
  app.page.on('console', (message) => message.type() === 'error' && logged.push(message.text()))
  app.api.raw(readDashboardChart, 200, { labels: ['a'], datasets: [{}] })
  const page = await app.open('/dashboard')
  await page.getByRole('heading', { name: 'Cart Recovery Overview' }).waitFor()
  await expect.poll(() => logged.filter((text) => text.startsWith('The chart data is not valid')).length).toBe(1)
  await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  await expect.poll(() => page.getByText('Dashboard Warning').count()).toBe(0)
  await expect.poll(() => page.locator('canvas').count()).toBe(0)
})

test('shows nothing as empty while figures load; then a new store has its first steps', async () => {
  app.api.answer(listAbandonedCarts, toCartList([]))
  app.api.answer(readDashboardStats, {
    ...stats,
    abandonedCarts: 0,
    recoveredCarts: 0,
    recoveryRate: null,
    totalRevenue: 0,
    monthlyRevenue: 0,
    recoveredOrders: 0,
    activeCustomers: 0,
    syncAgeSeconds: null,
  })
  const figures = app.api.hold(readDashboardStats)
  const page = await app.open('/dashboard')
  await findChart().waitFor()
  await expect.poll(() => page.locator('.recent [role=status][aria-label=Loading]').count()).toBe(1)
  await expect.poll(() => page.getByText('No abandoned carts found.').count()).toBe(0)
  figures.release()
  await page.getByRole('heading', { name: 'Get ready to win carts back' }).waitFor()
  await page.getByText(/^Done: Connect your store/).click()
  await page.getByText('Maple & Clay is connected.').waitFor()
  await expect.poll(() => findChart().count()).toBe(0)
  expect(await app.findViolations()).toEqual([])
})

test('without a subscription the dashboard redirects to the plans', { tags: ['A2.3', 'A4.1'] }, async () => {
  app.api.alter(subscriptionStatus, (status) => ({
    ...status,
    plan: null,
    planInForce: null,
    status: null,
    hasActiveSubscription: false,
  }))
  const page = await app.open('/dashboard')
  await page.getByText('Subscription Required').waitFor()
  await expect.poll(() => page.getByRole('link', { name: 'Choose a Plan' }).getAttribute('href')).toBe('/pricing')
})
