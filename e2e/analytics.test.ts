import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AnalyticsReply, Roi } from '../shared/analytics.ts'
import { type AppInstance, aSeededInstance, until } from './app-instance.ts'
import { openBrowser } from './browser.ts'
import { checkInEveryTheme } from './every-theme.ts'

// Advanced Analytics in a real browser, on the demo's past (B 2, 8, 9; decisions 91 to 99).

let instance: AppInstance
let browser: Browser
let page: Page

beforeAll(async () => {
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
    async () => (await figures('30d')).counts.orders > 0 && (await figures('30d')).countedUntil === null,
    90_000,
    500,
  )
}, 420_000)

afterAll(async () => {
  await browser?.close()
  await instance?.stop()
})

async function figures(range: string): Promise<AnalyticsReply> {
  const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const reply = await fetch(`${instance.url}/api/analytics?range=${range}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return reply.json() as Promise<AnalyticsReply>
}

const money = (amount: number) => amount.toLocaleString('en-US', { style: 'currency', currency: 'USD' })
const percent = (fraction: number) => `${(fraction * 100).toFixed(2)}%`
const block = (name: string) => page.getByRole('region', { name, exact: true })
const kpi = (title: string) =>
  page
    .getByRole('region', { name: 'Figures', exact: true })
    .locator('.mantine-Card-root', { hasText: title })
    .locator('.kpi-value')
    .innerText()

test('the figures of a range are those of the call; the range stands in the address', async () => {
  await page.goto(`${instance.url}/analytics`)
  for (const range of ['30d', '90d'] as const) {
    await page.getByText(range, { exact: true }).click()
    const said = await figures(range)
    await until(async () => (await kpi('Revenue opportunity')) === money(said.revenueOpportunity), 20_000)
    expect(await kpi('Average cart value')).toBe(money(said.averageCartValue!))
    expect(await kpi('Abandonment rate')).toBe(percent(said.abandonmentRate!))
    expect(await kpi('Customer lifetime value')).toBe(money(said.customerLifetimeValue!))
    const counts = await block('Conversion Funnel').locator('strong').allInnerTexts()
    const { cartsCreated, emailsSent, emailsOpened, clicks, conversions } = said.funnel
    expect(counts).toEqual(
      [cartsCreated, emailsSent, emailsOpened, clicks, conversions].map((count) => count.toLocaleString('en-US')),
    )
    await block('Email Performance').getByText(percent(said.email!.clickRate!)).first().waitFor()
    await block('Customer Insights').getByText(percent(said.customers!.repeatPurchaseRate!)).first().waitFor()
    await block('WooCommerce metrics').getByText(percent(said.woocommerce!.conversionRate!)).first().waitFor()
    const names = await block('Top Abandoned Products').locator('tbody th').allInnerTexts()
    expect(names.map((name) => name.trim())).toEqual(said.topProducts!.map(({ name }) => name))
  }
  expect(new URL(page.url()).searchParams.get('range')).toBe('90d')
  await page.reload()
  expect(await page.getByRole('radio', { name: '90d' }).isChecked()).toBe(true)
})

test('every number says what it means, to pointer, keyboard and screen reader', async () => {
  const term = page.getByRole('button', { name: /^Revenue opportunity: Value of the carts abandoned/ })
  await term.focus()
  await page.getByRole('tooltip').getByText('that have not been bought by now').waitFor()
  expect(
    await page
      .locator('.term')
      .evaluateAll((terms) => terms.every((each) => (each.getAttribute('aria-label') ?? '').includes(': '))),
  ).toBe(true)
})

test('a trend has a period of its own, lines or bars, a table, and a picture', async () => {
  const panel = block('Revenue')
  await panel.getByLabel('Period of Revenue').selectOption('7d')
  await panel.getByRole('img', { name: /^Revenue, Last 7 days/ }).waitFor()
  await panel.getByRole('button', { name: 'Bar chart' }).click()
  await panel.locator('canvas[data-type=bar], [data-type=bar]').first().waitFor()
  await panel.getByRole('button', { name: 'Show as table' }).click()
  expect(await panel.locator('tbody tr').count()).toBe(7)
  expect(await panel.locator('tbody tr').last().innerText()).toContain('(so far)')
  const download = page.waitForEvent('download')
  await panel.getByRole('button', { name: 'Export' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('revenue-trend.png')
  expect(
    readFileSync(await file.path())
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG')
})

test('Export saves all figures of the range; what fails says so; other plans are led to the plans', async () => {
  await page.goto(`${instance.url}/analytics?range=7d`)
  const button = page.getByRole('button', { name: 'Export', exact: true }).first()
  const download = page.waitForEvent('download')
  await button.click()
  const file = await download
  expect(file.suggestedFilename()).toBe('analytics-woocommerce-7d.csv')
  const text = readFileSync(await file.path(), 'utf8')
  expect(text).toContain(`\r\n${(await figures('7d')).revenueOpportunity},`)
  await page.route('**/api/analytics/export/link?*', (route) => route.fulfill({ status: 500, body: 'no words' }))
  await button.click()
  await page.getByText('Failed to export analytics data').waitFor()
  await page.unroute('**/api/analytics/export/link?*')
  await page.route('**/api/analytics/export/link?*', (route) =>
    route.fulfill({ status: 429, json: { error: 'Too many exports.', code: 'rate_limited' } }),
  )
  await button.click()
  await page.getByText('Too many exports.').waitFor()
  await page.unroute('**/api/analytics/export/link?*')
  await page.route('**/api/subscribe/status*', async (route) => {
    const said = await (await route.fetch()).json()
    await route.fulfill({ json: { ...said, plan: 'starter', planInForce: 'starter' } })
  })
  await page.reload()
  const locked = page.getByRole('link', {
    name: 'Export: Exporting analytics requires the Growth plan. Please upgrade.',
  })
  await locked.focus()
  await page.getByRole('tooltip').getByText('requires the Growth plan').waitFor()
  await locked.click()
  await page.waitForURL('**/pricing')
  await page.unroute('**/api/subscribe/status*')
})

test('each table is saved as a CSV file, as it is shown, with plain numbers', async () => {
  await page.goto(`${instance.url}/analytics?range=30d`)
  const said = await figures('30d')
  const save = async (table: string) => {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: `Save as CSV: ${table}`, exact: true }).click()
    const file = await download
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
  }
  const products = await save('Top Abandoned Products')
  expect(products.name).toBe(`top-abandoned-products-${said.firstDay}-to-${said.lastDay}.csv`)
  const [head, first] = products.text.split('\r\n')
  expect(head).toBe('\ufeffProduct,SKU,Abandoned,Recovery rate,Revenue lost (USD)')
  const top = said.topProducts![0]!
  expect(first).toContain(`,${top.abandonedCount},`)
  expect(first!.endsWith(`,${top.revenueLost}`)).toBe(true)
  const tables = ['By country', 'New and returning shoppers', 'Flows, campaigns and messages by hand']
  for (const table of [...tables, 'What a reminder earned, by time after leaving']) {
    const shown = await block(table).locator('tbody tr').count()
    expect([table, (await save(table)).text.trimEnd().split('\r\n').length]).toEqual([table, shown + 1])
  }
  const months = await block('ROI Tracking').getByRole('region', { name: 'By month' }).locator('tbody tr').count()
  const roi = await save('ROI By month, the last 12 at most')
  expect(roi.text.trimEnd().split('\r\n')).toHaveLength(months + 1)
  expect(roi.text).toContain('Month,Attributed revenue (USD),Message cost (USD)')
  const panel = block('Recovery rate')
  await panel.getByRole('button', { name: 'Show as table' }).click()
  const trend = await save('Recovery rate')
  expect(trend.text.trimEnd().split('\r\n')).toHaveLength(31)
  expect(trend.text).toContain('Date,Recovery rate,Abandonment rate')
})

test('all products can be searched', async () => {
  await page.goto(`${instance.url}/analytics?range=90d`)
  const products = block('Top Abandoned Products')
  await products.getByRole('button', { name: 'See all' }).click()
  const search = products.getByRole('searchbox', { name: 'Search by name or SKU' })
  await search.fill('no such product')
  await search.press('Enter')
  await products.getByText('No product contains “no such product”.').waitFor()
  await search.fill('mug')
  await search.press('Enter')
  await products.getByRole('rowheader', { name: /mug/i }).first().waitFor()
})

test('what fails says so and is tried again; what is empty says what to do', async () => {
  await page.route('**/socket.io/**', (route) => route.abort())
  await page.route('**/api/analytics?*', (route) =>
    route.fulfill({ status: 500, json: { error: 'Failed to fetch analytics data', code: 'internal' } }),
  )
  await page.goto(`${instance.url}/analytics`)
  await page.getByText('Failed to fetch analytics data').first().waitFor()
  await page.unroute('**/api/analytics?*')
  await page.route('**/api/analytics/revenue-trend?*', (route) =>
    route.fulfill({ status: 500, json: { error: 'Failed to fetch trend data', code: 'internal' } }),
  )
  await page.route('**/api/analytics/recovery-rate-trend?*', async (route) => {
    const reply = await route.fetch()
    const said = await reply.json()
    await route.fulfill({
      json: { ...said, datasets: said.datasets.map((set: object) => ({ ...set, data: said.labels.map(() => null) })) },
    })
  })
  await page.getByRole('button', { name: 'Retry' }).click()
  await block('Revenue').getByText('Error loading chart').waitFor()
  await block('Revenue').getByText('Failed to fetch trend data').waitFor()
  await block('Recovery rate').getByText('No data available').waitFor()
  await block('Recovery rate').getByText('Try selecting a different time period').waitFor()
  await page.unroute('**/api/analytics/revenue-trend?*')
  await page.unroute('**/api/analytics/recovery-rate-trend?*')
  await block('Revenue').getByRole('button', { name: 'Retry' }).click()
  await block('Revenue')
    .getByRole('img', { name: /^Revenue,/ })
    .waitFor()
})

test('numbers lead to the carts behind them (decision 99)', async () => {
  await page.goto(`${instance.url}/analytics?range=7d`)
  const row = block('By country').locator('tbody tr').first()
  const name = await row.getByRole('link').innerText()
  const abandoned = Number((await row.locator('td').first().innerText()).replace(/\D/g, ''))
  await row.getByRole('link').click()
  await page.waitForURL(/\/carts\?.*country=/)
  await page.getByRole('button', { name: `${name}: remove this filter` }).waitFor()
  await page.getByRole('button', { name: 'Abandoned in the last 7 days: remove this filter' }).waitFor()
  const token = await page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token'))
  const headers = { authorization: `Bearer ${token}` }
  const reply = await fetch(`${instance.url}/api/carts/abandoned${new URL(page.url()).search}`, { headers })
  const { pagination } = (await reply.json()) as { pagination: { total: number } }
  expect(pagination.total).toBeGreaterThan(0)
  // Those bought without a message are no longer in the list.
  expect(pagination.total).toBeLessThanOrEqual(abandoned)
  await page.goto(`${instance.url}/analytics?range=7d`)
  await block('Conversion Funnel').getByRole('link', { name: 'Recovered carts' }).click()
  await page.waitForURL(/\/carts\?(?=.*status=recovered)(?=.*days=7)/)
  await page.goto(`${instance.url}/analytics?range=7d`)
  await page.getByRole('region', { name: 'Figures', exact: true }).getByRole('link', { name: 'Carts' }).first().click()
  await page.waitForURL(/\/carts\?days=7/)
  await page.getByRole('button', { name: 'Abandoned in the last 7 days: remove this filter' }).click()
  await page.waitForURL(`${instance.url}/carts`)
})

test('ROI Tracking shows what is left by month, channel and flow; a smaller plan is led to the plans (A 9, decision 154)', async () => {
  const replied = page.waitForResponse((reply) => reply.url().includes('/api/analytics/roi?'))
  await page.goto(`${instance.url}/analytics`)
  const { months, channels } = (await (await replied).json()) as Roi
  const rows = block('ROI Tracking').getByRole('region', { name: 'By month' }).locator('tbody tr')
  await rows.first().waitFor()
  expect(await rows.count()).toBe(months.length)
  const { attributedRevenue, messageCost, planPrice } = months.at(-1)!
  const cells = await rows.first().locator('td').allInnerTexts()
  const left = attributedRevenue - messageCost - planPrice!
  expect(cells.slice(0, 4)).toEqual([attributedRevenue, messageCost, planPrice!, left].map(money))
  const byChannel = block('ROI Tracking').getByRole('region', { name: 'By channel' }).locator('tbody tr')
  expect(await byChannel.count()).toBe(channels.length)
  await block('ROI Tracking')
    .getByRole('img', { name: /^Revenue and costs, by month/ })
    .waitFor()
  await page.route('**/api/subscribe/status', async (route) => {
    const said = await (await route.fetch()).json()
    await route.fulfill({ json: { ...said, planInForce: 'starter' } })
  })
  await page.goto(`${instance.url}/analytics`)
  await block('ROI Tracking').getByText('ROI Tracking requires the Growth plan. Please upgrade.').waitFor()
  expect(await block('ROI Tracking').getByRole('link', { name: 'See plans' }).getAttribute('href')).toBe('/pricing')
  await page.unroute('**/api/subscribe/status')
})

test('“All stores” adds up those of one currency; other screens are about one store (A 9, decision 154)', async () => {
  const other = (host: string, currency: string) => ({
    ...{ id: crypto.randomUUID(), storeUrl: `https://${host}`, platform: 'woocommerce', isActive: true, currency },
  })
  await page.route('**/api/auth/me', async (route) => {
    const said = await (await route.fetch()).json()
    said.user.stores.push(other('pots.example', 'USD'), other('tassen.example', 'EUR'))
    await route.fulfill({ json: said })
  })
  await page.goto(`${instance.url}/analytics`)
  const asked = page.waitForResponse((reply) => /\/api\/analytics\?.*stores=all/.test(reply.url()))
  await page.getByRole('button', { name: 'Switch store' }).click()
  await page.getByRole('menuitem', { name: 'All stores' }).click()
  expect((await asked).status()).toBe(200)
  await page.getByText(/^All stores in USD: .*pots\.example\. Each counts by its own calendar/).waitFor()
  expect(await page.getByText('tassen.example').count()).toBe(0)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export', exact: true }).first().click()
  expect((await download).suggestedFilename()).toBe('analytics-all-stores-30d.csv')
  expect(await page.getByRole('link', { name: 'Carts', exact: true }).count()).toBe(0)
  const link = (name: string) => page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name })
  await link('Dashboard').click()
  await page.waitForURL('**/dashboard?stores=all*')
  await page.getByText('Cart Recovery Overview').waitFor()
  expect(await page.getByText('Recent Abandoned Carts').count()).toBe(0)
  await checkInEveryTheme(page, 'all-stores')
  const euros = page.waitForRequest((request) => /dashboard\/stats\?.*currency=EUR/.test(request.url()))
  await page.getByLabel('Currency').selectOption('EUR')
  await euros
  await page.getByText(/^All stores in EUR: tassen\.example\./).waitFor()
  await link('Abandoned Carts').click()
  await page.waitForURL(`${instance.url}/carts`)
  await page.getByRole('button', { name: 'Switch store' }).getByText('Maple & Clay').waitFor()
  await page.route('**/api/subscribe/status', async (route) => {
    const said = await (await route.fetch()).json()
    await route.fulfill({ json: { ...said, planInForce: 'starter' } })
  })
  await page.goto(`${instance.url}/dashboard?stores=all`)
  await page.getByText('Figures of all stores together require the Growth plan.').waitFor()
  await page.getByRole('button', { name: 'Switch store' }).click()
  await page.getByRole('menuitem', { name: /All stores.*see plans/ }).click()
  await page.waitForURL('**/pricing')
  await page.unroute('**/api/subscribe/status')
  await page.unroute('**/api/auth/me')
})

test('in every theme, wide and on a phone, axe finds nothing', async () => {
  await page.goto(`${instance.url}/analytics`)
  await block('Top Abandoned Products').waitFor()
  await block('Revenue')
    .getByRole('img', { name: /^Revenue,/ })
    .waitFor()
  await checkInEveryTheme(page, 'analytics')
})
