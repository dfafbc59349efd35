import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnalyticsReply, Trend } from '../shared/analytics.ts'
import { ofTheBlocks } from './analytics/blocks.ts'
import { ofWhatIsKnown } from './analytics/known.ts'
import { ofThePlans } from './analytics/plans.ts'
import {
  begin,
  block,
  changed,
  end,
  figures,
  instance,
  money,
  page,
  percent,
  saved,
  savedTable,
  signed,
} from './analytics/scene.ts'
import { ofTheWays } from './analytics/ways.ts'
import { until } from './app-instance.ts'
import { checkInEveryTheme } from './every-theme.ts'

// Advanced Analytics in a real browser, on the demo's past (B 2, 8, 9; decisions 91 to 99).

beforeAll(begin, 420_000)
afterAll(end)

const card = (title: string) =>
  page.getByRole('region', { name: 'Figures', exact: true }).locator('.mantine-Card-root', { hasText: title })
const kpi = (title: string) => card(title).locator('.kpi-value').innerText()

test('the figures of a range are those of the call; the range stands in the address', async () => {
  await page.goto(`${instance.url}/analytics`)
  for (const range of ['30d', '90d'] as const) {
    await page.getByText(range, { exact: true }).click()
    const said = await figures(range)
    await until(async () => (await kpi('Revenue opportunity')) === money(said.revenueOpportunity), 20_000)
    expect(await kpi('Average cart value')).toBe(money(said.averageCartValue!))
    expect(await kpi('Abandonment rate')).toBe(percent(said.abandonmentRate!))
    expect(await kpi('Customer lifetime value')).toBe(money(said.customerLifetimeValue!))
    for (const [title, change] of [
      ['Revenue opportunity', said.revenueOpportunityChange],
      ['Average cart value', said.averageCartValueChange],
      ['Abandonment rate', said.abandonmentRateChange],
      ['Customer lifetime value', said.customerLifetimeValueChange],
    ] as const) {
      expect([title, await card(title).locator('.kpi-change').innerText()]).toEqual([title, signed(change)])
    }
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
  expect(await page.getByRole('radiogroup', { name: 'Period' }).getByRole('radio').count()).toBe(4)
  expect(new URL(page.url()).searchParams.get('range')).toBe('90d')
  await page.reload()
  expect(await page.getByRole('radio', { name: '90d' }).isChecked()).toBe(true)
})

test('every number says what it means, to pointer, keyboard and screen reader', async () => {
  await page.goto(`${instance.url}/analytics`)
  const term = page
    .getByRole('region', { name: 'Figures', exact: true })
    .getByRole('button', { name: /^Revenue opportunity: Value of the carts abandoned/ })
  await term.focus()
  await page.getByRole('tooltip').getByText('that have not been bought by now').waitFor()
  expect(
    await page
      .locator('.term')
      .evaluateAll((terms) => terms.every((each) => (each.getAttribute('aria-label') ?? '').includes(': '))),
  ).toBe(true)
  await block('Carts that can be reached')
    .getByText('Whether an email may be sent about the cart now, or what')
    .waitFor()
  for (const table of ['By country', 'Flows, campaigns and messages by hand', 'ROI Tracking']) {
    await block(table).locator('tbody tr').first().waitFor()
  }
  const bare = await page
    .locator('.analytics')
    .evaluate((screen) =>
      [...screen.querySelectorAll('th.number, dt, .kpi-title, .funnel > li')]
        .filter((each) => !each.querySelector('.term'))
        .map(({ textContent }) => textContent),
    )
  expect(bare).toEqual([])
})

test('a trend has a period of its own, lines or bars, a table, and a picture', async () => {
  const panel = block('Revenue')
  const drawn = (name: string, days: string) =>
    block(name)
      .getByRole('img', { name: new RegExp(`^${name}, ${days}`) })
      .waitFor()
  // It is that of the screen until it is chosen (decision 131).
  await page.goto(`${instance.url}/analytics`)
  await drawn('Revenue', 'Last 30 days')
  await page.getByText('90d', { exact: true }).click()
  await drawn('Revenue', 'Last 90 days')
  const period = panel.getByLabel('Period of Revenue')
  expect(await period.locator('option').allInnerTexts()).toEqual([
    ...['Last 7 days', 'Last 30 days', 'Last 90 days', 'Last 12 months'],
  ])
  await period.selectOption('7d')
  await drawn('Revenue', 'Last 7 days')
  await page.getByText('1y', { exact: true }).click()
  await drawn('Recovery rate', 'Last 12 months')
  await drawn('Revenue', 'Last 7 days')
  expect(await panel.locator('[data-type]').getAttribute('data-type')).toBe('line')
  await panel.getByRole('button', { name: 'Bar chart' }).click()
  await panel.locator('canvas[data-type=bar], [data-type=bar]').first().waitFor()
  await panel.getByRole('button', { name: 'Show as table' }).click()
  await expect.poll(() => panel.locator('tbody tr').count()).toBe(7)
  expect(await panel.locator('tbody tr').last().innerText()).toContain('(so far)')
  const picture = await saved(panel.getByRole('button', { name: 'Export' }))
  expect([picture.name, picture.isPng]).toEqual(['revenue-trend.png', true])
})

test('Export saves all figures of the range; what fails says so; other plans are led to the plans', async () => {
  await page.goto(`${instance.url}/analytics?range=7d`)
  const button = page.getByRole('button', { name: 'Export', exact: true }).first()
  const { name, text } = await saved(button)
  expect(name).toBe('analytics-woocommerce-7d.csv')
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
  await changed('**/api/subscribe/status*', (said) => ({ ...said, plan: 'starter', planInForce: 'starter' }))
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
  const products = await savedTable('Top Abandoned Products')
  expect(products.name).toBe(`top-abandoned-products-${said.firstDay}-to-${said.lastDay}.csv`)
  const [head, first] = products.text.split('\r\n')
  expect(head).toBe('\ufeffProduct,SKU,Abandoned,Recovery rate,Revenue lost (USD)')
  const top = said.topProducts![0]!
  expect(first).toContain(`,${top.abandonedCount},`)
  expect(first!.endsWith(`,${top.revenueLost}`)).toBe(true)
  const tables = ['By country', 'New and returning shoppers', 'Flows, campaigns and messages by hand']
  for (const table of [...tables, 'What a reminder earned, by time after leaving']) {
    await block(table).locator('tbody tr').first().waitFor()
    const shown = await block(table).locator('tbody tr').count()
    expect([table, (await savedTable(table)).text.trimEnd().split('\r\n').length]).toEqual([table, shown + 1])
  }
  const byMonth = block('ROI Tracking').getByRole('region', { name: 'ROI by month' }).locator('tbody tr')
  await byMonth.first().waitFor()
  const months = await byMonth.count()
  const roi = await savedTable('ROI By month, the last 12 at most')
  expect(roi.text.trimEnd().split('\r\n')).toHaveLength(months + 1)
  expect(roi.text).toContain('Month,Attributed revenue (USD),Message cost (USD)')
  const panel = block('Recovery rate')
  await panel.getByRole('button', { name: 'Show as table' }).click()
  const trend = await savedTable('Recovery rate')
  expect(trend.text.trimEnd().split('\r\n')).toHaveLength(31)
  expect(trend.text).toContain('Date,Recovery rate,Abandonment rate')
})

test('a long table shows its first rows until all are asked for, and its file has all; rows of one name are several', async () => {
  const shareOf = (key: string) => ({
    key,
    ...{ abandoned: 3, recovered: 1, recoveryRate: 1 / 3 },
    revenueOpportunity: 9,
  })
  const countries = ['AT', 'BE', 'CH', 'DE', 'DK', 'ES', 'FR', 'GB', 'IE', 'IT'].map(shareOf)
  const none = { unsubscribed: 0, complaints: 0, bounced: 0, openRate: 0, clickRate: 0, conversionRate: 0 }
  const sent = (accepted: number) => ({
    ...{ kind: 'campaign', stepId: null, name: 'Quick Send', channel: 'email', accepted, ...none },
    ...{ id: crypto.randomUUID(), revenuePerEmail: 0, attributedRevenue: 0 },
  })
  await changed('**/api/analytics/details?*', (said, route) => {
    const isWeek = route.request().url().includes('range=7d')
    const origins = isWeek ? [sent(1)] : Array.from({ length: 21 }, (_, place) => sent(place + 1))
    return { ...said, countries, origins, devices: ['phone', 'desktop', ''].map(shareOf) }
  })
  await page.goto(`${instance.url}/analytics?range=30d`)
  const rows = (table: string) => block(table).locator('tbody tr')
  await rows('By country').first().waitFor()
  await expect.poll(() => rows('By country').count()).toBe(8)
  await expect.poll(() => rows('By device').locator('th').allInnerTexts()).toEqual(['Phone', 'Desktop', 'Not known'])
  expect((await savedTable('By country')).text.trimEnd().split('\r\n')).toHaveLength(11)
  await block('By country').getByRole('button', { name: 'Show all 10' }).click()
  await expect.poll(() => rows('By country').count()).toBe(10)
  const table = 'Flows, campaigns and messages by hand'
  expect(await rows(table).count()).toBe(20)
  expect((await savedTable(table)).text.trimEnd().split('\r\n')).toHaveLength(22)
  await block(table).getByRole('button', { name: 'Show all 21' }).click()
  expect(await rows(table).count()).toBe(21)
  await page.getByText('7d', { exact: true }).click()
  await expect.poll(() => rows(table).count()).toBe(1)
  await page.unroute('**/api/analytics/details?*')
})

test('what fails says so and is tried again; what is empty says what to do', async () => {
  await page.route('**/socket.io/**', (route) => route.abort())
  await page.route('**/api/analytics?*', (route) =>
    route.fulfill({ status: 429, json: { error: 'Too many figures.', code: 'rate_limited' } }),
  )
  await page.goto(`${instance.url}/analytics`)
  await page.getByText('Failed to fetch analytics data').waitFor()
  await page.getByText('Too many figures.').waitFor()
  await page.unroute('**/api/analytics?*')
  await page.getByRole('button', { name: 'Retry' }).click()
  await block('Conversion Funnel').waitFor()
  const counts = { carts: 0, abandoned: 0, orders: 0, messages: 0 }
  await changed<AnalyticsReply>('**/api/analytics?*', (said) => ({
    ...said,
    counts,
    funnels: { ...said.funnels, email: { ...said.funnel, emailsOpened: 0 } },
  }))
  await page.goto(`${instance.url}/analytics`)
  await page.getByText('Figures appear here with the first carts of the last 30 days.').waitFor()
  const bar = block('Conversion Funnel')
    .getByRole('listitem')
    .filter({ hasText: 'Emails opened' })
    .locator('.share-bar')
  // Nothing has a bar of no length.
  expect(await bar.locator('span').evaluate((filled) => filled.getBoundingClientRect().width)).toBe(0)
  await page.unroute('**/api/analytics?*')
  await page.route('**/api/analytics/revenue-trend?*', (route) => route.fulfill({ status: 500, body: 'no words' }))
  await changed<Trend>('**/api/analytics/recovery-rate-trend?*', (said) => ({
    ...said,
    datasets: said.datasets.map((set) => ({ ...set, data: said.labels.map(() => null) })),
  }))
  await page.reload()
  await block('Revenue').getByText('Error loading chart').waitFor()
  await block('Revenue').getByText('Failed to fetch trend data').waitFor()
  await block('Recovery rate').getByText('No data available').waitFor()
  await block('Recovery rate').getByText('Try selecting a different time period').waitFor()
  await page.unroute('**/api/analytics/recovery-rate-trend?*')
  await page.unroute('**/api/analytics/revenue-trend?*')
  await page.route('**/api/analytics/revenue-trend?*', (route) =>
    route.fulfill({ status: 429, json: { error: 'Too many trends.', code: 'rate_limited' } }),
  )
  await block('Revenue').getByRole('button', { name: 'Retry' }).click()
  await block('Revenue').getByText('Too many trends.').waitFor()
  await page.unroute('**/api/analytics/revenue-trend?*')
  await block('Revenue').getByRole('button', { name: 'Retry' }).click()
  await block('Revenue')
    .getByRole('img', { name: /^Revenue,/ })
    .waitFor()
})

test('figures that are still being counted say so, and renew themselves until they are', async () => {
  let isBeingCounted = true
  await changed('**/api/analytics?*', (said) => ({
    ...said,
    ...{ isBeingCounted, countedUntil: null },
    ...(isBeingCounted && { counts: { carts: 0, abandoned: 0, orders: 0, messages: 0 }, topProducts: [] }),
  }))
  await changed<Trend>('**/api/analytics/recovery-rate-trend?*', (said) => ({
    ...said,
    ...(isBeingCounted && { datasets: said.datasets.map((set) => ({ ...set, data: said.labels.map(() => null) })) }),
    ...{ isBeingCounted, countedUntil: null },
  }))
  await page.goto(`${instance.url}/analytics`)
  const notice = page.getByRole('status').getByText('These figures are being counted')
  await notice.waitFor()
  await block('Recovery rate').getByText('These figures are being counted').waitFor()
  expect(await page.getByText('No data available').count()).toBe(0)
  // Nothing may have happened, or it is not counted yet.
  expect(await page.getByText('Figures appear here').count()).toBe(0)
  await page.getByText('Products are being counted.').waitFor()
  expect(await page.getByText('No products in abandoned carts').count()).toBe(0)
  await checkInEveryTheme(page, 'analytics-being-counted')
  isBeingCounted = false
  await notice.waitFor({ state: 'detached', timeout: 15_000 })
  await block('Recovery rate')
    .getByRole('img', { name: /^Recovery rate,/ })
    .waitFor({ timeout: 15_000 })
  await page.unroute('**/api/analytics/recovery-rate-trend?*')
  await page.unroute('**/api/analytics?*')
})

test('customers that are not counted yet are dashes, and come by themselves', async () => {
  let isCounted = false
  const none = { new: null, returning: null, repeatPurchaseRate: null, avgOrdersPerCustomer: null, countedAt: null }
  await changed('**/api/analytics?*', (said) => ({
    ...said,
    ...(!isCounted && { customers: { ...none, isBeingCounted: true }, isBeingCounted: true, countedUntil: null }),
  }))
  await page.goto(`${instance.url}/analytics`)
  const customers = block('Customer Insights')
  await customers.getByText('Customers are being counted.').waitFor()
  expect(await customers.getByText('–', { exact: true }).count()).toBe(4)
  isCounted = true
  await customers.getByText('Customers are counted every 15 minutes').waitFor({ timeout: 15_000 })
  expect(await customers.getByText('–', { exact: true }).count()).toBe(0)
  await page.unroute('**/api/analytics?*')
})

test('customers whose newer count is asked for are asked for again soon', async () => {
  let isBeingCounted = true
  await changed<AnalyticsReply>('**/api/analytics?*', (said) => ({
    ...said,
    customers: { ...said.customers, new: isBeingCounted ? 4_711 : 4_712, isBeingCounted },
  }))
  await page.goto(`${instance.url}/analytics`)
  await block('Customer Insights').getByText('4,711').waitFor()
  expect(await page.getByText('These figures are being counted').count()).toBe(0)
  isBeingCounted = false
  await block('Customer Insights').getByText('4,712').waitFor({ timeout: 15_000 })
  await page.unroute('**/api/analytics?*')
})

test('in every theme, wide and on a phone, axe finds nothing', async () => {
  await page.goto(`${instance.url}/analytics`)
  await block('Top Abandoned Products').waitFor()
  await block('Revenue')
    .getByRole('img', { name: /^Revenue,/ })
    .waitFor()
  await checkInEveryTheme(page, 'analytics')
})

describe('its chart, funnel and platform, and smaller plans', ofTheBlocks)
describe('what is known of revenue and reach, and bars from zero', ofWhatIsKnown)
describe('from number to carts, and from mail to numbers', ofTheWays)
describe('larger plans (A 9, decision 154)', ofThePlans)
