import { buffer } from 'node:stream/consumers'
import type { Locator } from 'playwright-core'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { me } from '../shared/access/auth.ts'
import { checkConnection, switchStore } from '../shared/access/stores.ts'
import { subscriptionStatus } from '../shared/billing/billing.ts'
import { cartReach } from '../shared/carts/reach.ts'
import {
  type AnalyticsReply,
  exportAnalytics,
  listAnalyticsProducts,
  prepareAnalyticsExport,
  readAnalytics,
  readAnalyticsDetails,
  readRecoveryRateTrend,
  readRevenueTrend,
  readRoi,
} from '../shared/insights/analytics.ts'
import { readDashboardStats } from '../shared/insights/dashboard.ts'
import { findProducts } from '../shared/marketing/audience.ts'
import { fixture } from './api.ts'
import { createScreens, WIDE } from './app.ts'
import { blockLiveConnection, checkLayout, openAnotherPage } from './page-checks.ts'

const app = createScreens()
const { api } = app

const block = (name: string, page = app.page) => page.getByRole('region', { name, exact: true })
const findFigures = () => block('Figures')
const radios = () => app.page.getByRole('radiogroup', { name: 'Period' }).getByRole('radio')
const chooseRange = (range: string) => app.page.getByText(range, { exact: true }).click()
const expectCount = async (found: Locator, count: number) => expect.poll(() => found.count()).toBe(count)

const alterFigures = (change: (reply: AnalyticsReply) => AnalyticsReply) => api.alter(readAnalytics, change)

/** The file a button saves. */
async function readDownload(button: Locator) {
  const download = app.page.waitForEvent('download')
  await button.click()
  const file = await download
  const bytes = await buffer(await file.createReadStream())
  const isPng = bytes.subarray(1, 4).toString() === 'PNG'
  return { name: file.suggestedFilename(), bytes, text: bytes.toString('utf8'), isPng }
}

const savedTable = (table: string) =>
  readDownload(app.page.getByRole('button', { name: `Save as CSV: ${table}`, exact: true }))
const splitLines = (text: string) => text.trimEnd().split('\r\n')

/** Heading and rows, in reading order. */
async function readTable(title: string): Promise<string[][]> {
  await block(title).locator('tbody tr').first().waitFor()
  return block(title)
    .locator('tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent.trim())),
    )
}

/** Each bar's drawn share of the total. */
const readShares = (title: string) =>
  block(title)
    .locator('.share-bar')
    .evaluateAll((bars) =>
      bars.map((bar) =>
        Math.round((100 * bar.firstElementChild!.getBoundingClientRect().width) / bar.getBoundingClientRect().width),
      ),
    )

const readFacts = async (title: string) => {
  await block(title).waitFor()
  const facts = await block(title)
    .locator('dl > div')
    .evaluateAll((all) =>
      all.map((each) => [each.querySelector('.term')!.textContent, each.querySelector('dd')!.firstChild!.textContent]),
    )
  return Object.fromEntries(facts) as Record<string, string>
}

describe('the figures', () => {
  test('cover the range, which is in the address', { tags: ['A2.1', 'B2'] }, async () => {
    api.answer(readAnalytics, ({ query: { range } }) => ({
      ...fixture(readAnalytics),
      ...(range === '90d' && { revenueOpportunity: 10, revenueOpportunityChange: null }),
    }))
    const page = await app.open('/analytics')
    const cards = findFigures().locator('.mantine-Card-root')
    const kpis = () =>
      cards.evaluateAll((all) =>
        all.map((each) => ['.kpi-value', '.kpi-change'].map((part) => each.querySelector(part)?.textContent)),
      )
    await expect.poll(kpis).toEqual([
      ['$4,249.50', '+2.8%'],
      ['$55.64', '+5.1%'],
      ['69.18%', '−3.7%'],
      ['$63.95', '−0.8%'],
    ])
    const counts = await block('Conversion Funnel').locator('strong').allInnerTexts()
    expect(counts).toEqual(['146', '58', '24', '18', '15'])
    const names = block('Top Abandoned Products').locator('tbody th')
    await expectCount(names, 10)
    await expect
      .poll(async () => (await names.allInnerTexts()).map((name) => name.trim()))
      .toEqual(fixture(readAnalytics).topProducts!.map(({ name }) => name))
    await expect.poll(() => new Set(api.calls(readAnalytics).map(({ query }) => query.range))).toEqual(new Set(['30d']))
    await chooseRange('90d')
    await expect.poll(async () => (await kpis())[0]).toEqual(['$10.00', '–'])
    await expectCount(radios(), 4)
    await expect.poll(() => new URL(page.url()).searchParams.get('range')).toBe('90d')
    await page.reload()
    await expect.poll(() => page.getByRole('radio', { name: '90d' }).isChecked()).toBe(true)
  })

  test('each have a definition for pointer, keyboard and screen reader', async () => {
    const page = await app.open('/analytics#attribution,shoppers,messages,roi')
    await findFigures()
      .getByRole('button', { name: /^Revenue opportunity: Value at abandonment of the carts/ })
      .focus()
    await page.getByRole('tooltip').getByText('and not bought yet').waitFor()
    for (const table of ['By country', 'Flows, campaigns and manual messages', 'ROI Tracking']) {
      await block(table).locator('tbody tr').first().waitFor()
    }
    const terms = page.locator('.term')
    await expect
      .poll(() =>
        terms.evaluateAll((all) => all.every((each) => (each.getAttribute('aria-label') ?? '').includes(': '))),
      )
      .toBe(true)
    const bare = await page
      .locator('.analytics')
      .evaluate((screen) =>
        [...screen.querySelectorAll('th.number, dt, .kpi-title, .funnel > li')]
          .filter((each) => !each.querySelector('.term'))
          .map(({ textContent }) => textContent),
      )
    expect(bare).toEqual([])
  })

  test('of email, customers, WooCommerce and products have separate headings (B 3)', {
    tags: ['B2'],
  }, async () => {
    const product = { productId: '17', name: 'Pot', sku: 'POT-1', image: '/favicon.svg' }
    alterFigures((reply) => ({
      ...reply,
      email: {
        accepted: 1_234,
        openRate: 0.11,
        clickRate: 0.22,
        conversionRate: 0.33,
        revenuePerEmail: 4.5,
        attributedRevenue: 5_553,
        bounced: 5,
        refused: 4,
        unsubscribed: 6,
        complaints: 7,
      },
      customers: {
        new: 1_001,
        returning: 12,
        repeatPurchaseRate: 0.25,
        avgOrdersPerCustomer: 1.5,
        countedAt: reply.customers!.countedAt,
        isBeingCounted: false,
      },
      woocommerce: { cartAbandonmentRate: 0.7, averageCartValue: 80.5, conversionRate: 0.05 },
      topProducts: [{ ...product, abandonedCount: 1_204, recoveryRate: 0.125, revenueLost: 81_872 }],
    }))
    await app.open('/analytics')
    await expect
      .poll(() => readFacts('Email Performance'))
      .toEqual({
        'Open rate': '11.00%',
        'Click rate': '22.00%',
        'Conversion rate': '33.00%',
        'Revenue per email': '$4.50',
        Sent: '1,234',
        Bounced: '9',
        Unsubscribed: '6',
        Complaints: '7',
      })
    await expect
      .poll(() => readFacts('Customer Insights'))
      .toEqual({
        New: '1,001',
        Returning: '12',
        'Repeat purchase rate': '25.00%',
        'Average orders per customer': '1.50',
      })
    await expect
      .poll(() => readFacts('WooCommerce metrics'))
      .toEqual({
        'Cart abandonment rate': '70.00%',
        'Average cart value': '$80.50',
        'Conversion rate': '5.00%',
      })
    await expect
      .poll(() => readTable('Top Abandoned Products'))
      .toEqual([
        ['Product', 'SKU', 'Abandoned', 'Recovery rate', 'Revenue lost'],
        ['Pot', 'POT-1', '1,204', '12.50%', '$81,872.00'],
      ])
    await expect
      .poll(() => block('Top Abandoned Products').locator('tbody img').getAttribute('src'))
      .toBe(product.image)
  })

  test('cover the connected platform only, and name amounts in other currencies (decisions 91 and 96)', {
    tags: ['B2'],
  }, async () => {
    alterFigures(({ woocommerce: _, ...reply }) => ({
      ...reply,
      shopify: { checkoutAbandonmentRate: 0.625, averageOrderValue: 12.5, customerLifetimeValue: 31 },
      otherCurrencies: [
        { currency: 'EUR', revenueOpportunity: 30, netRevenue: 50 },
        { currency: 'GBP', revenueOpportunity: 7, netRevenue: 0 },
      ],
    }))
    const page = await app.open('/analytics')
    await expect
      .poll(() => readFacts('Shopify metrics'))
      .toEqual({
        'Checkout abandonment rate': '62.50%',
        'Average order value': '$12.50',
        'Customer lifetime value': '$31.00',
      })
    await expect.poll(() => block('WooCommerce metrics').count()).toBe(0)
    await page
      .getByText('In other currencies: €50.00 of orders and €30.00 in unbought carts; £7.00 in unbought carts.')
      .waitFor()
  })

  test('form a funnel of emails or another channel, in which a stage can exceed the one before it (decision 93)', {
    tags: ['B9'],
  }, async () => {
    const stages = { cartsCreated: 8, emailsSent: 5, emailsOpened: 0, clicks: 2, conversions: 1 }
    alterFigures((reply) => ({
      ...reply,
      funnels: {
        all: { ...stages, emailsSent: 9, clicks: 4 },
        email: stages,
        push: { ...stages, emailsSent: 0 },
        sms: { ...stages, emailsSent: 4 },
        whatsapp: { ...stages, emailsSent: 0 },
      },
    }))
    await app.open('/analytics')
    const funnel = block('Conversion Funnel')
    await funnel.waitFor()
    const items = funnel.getByRole('listitem')
    const readShown = () =>
      items.evaluateAll((all) =>
        all.map((each) => [each.querySelector('.term')!.textContent, each.querySelector('strong')!.textContent]),
      )
    await expect
      .poll(() => readShown())
      .toEqual([
        ['Carts created', '8'],
        ['Emails sent', '5'],
        ['Emails opened', '0'],
        ['Clicks', '2'],
        ['Conversions', '1'],
      ])
    // A zero has no bar.
    await expect.poll(async () => (await readShares('Conversion Funnel'))[2]).toBe(0)
    const channel = funnel.getByLabel('Channel')
    await expect.poll(() => channel.locator('option').allInnerTexts()).toEqual(['All channels', 'Email', 'SMS'])
    await channel.selectOption('sms')
    await expect
      .poll(() => readShown())
      .toEqual([
        ['Carts created', '8'],
        ['SMS sent', '4'],
        ['Clicks', '2'],
        ['Conversions', '1'],
      ])
    await channel.selectOption('all')
    await expect.poll(async () => (await readShown())[1]).toEqual(['Messages sent', '9'])
    // More than all carts still fills only the whole bar (B 9).
    await expect.poll(async () => (await readShares('Conversion Funnel'))[1]).toBe(100)
  })

  test('with many digits stay on one line, on a wide screen and on a phone', async () => {
    alterFigures((reply) => ({ ...reply, revenueOpportunity: 221_925_042.3 }))
    const page = await app.open('/analytics')
    const amount = page.locator('.kpi-value').first()
    await expect.poll(() => amount.innerText()).toBe('$221,925,042.30')
    for (const width of [1280, 1210, 800, 360]) {
      await page.setViewportSize({ width, height: WIDE.height })
      const readLines = () =>
        amount.evaluate((each) => {
          const text = document.createRange()
          text.selectNodeContents(each)
          return text.getClientRects().length
        })
      await expect.poll(readLines, { message: `at ${width} pixels` }).toBe(1)
    }
  })

  test('have no accessibility violations and fit a phone', { tags: ['B9'] }, async () => {
    await app.open('/analytics')
    await block('Top Abandoned Products').waitFor()
    await block('Revenue')
      .getByRole('img', { name: /^Revenue,/ })
      .waitFor()
    await checkLayout(app)
  })
})

test('the sections below the specified blocks are closed, load when they are opened, and stay in the address', async () => {
  const page = await app.open('/analytics')
  await block('Top Abandoned Products').waitFor()
  const button = page.getByRole('button', { name: /^Shoppers/ })
  await expect.poll(() => button.getAttribute('aria-expanded')).toBe('false')
  await expect.poll(() => [api.calls(readAnalyticsDetails).length, api.calls(readRoi).length]).toEqual([0, 0])
  await button.click()
  await block('By country').waitFor()
  await page.getByRole('button', { name: /^Costs and return/ }).click()
  await block('ROI Tracking').waitFor()
  await expect.poll(() => new URL(page.url()).hash).toBe('#shoppers,roi')
  await page.reload()
  await block('By country').waitFor()
  await button.click()
  await expect.poll(() => block('By country').count()).toBe(0)
  await expect.poll(() => new URL(page.url()).hash).toBe('#roi')
})

test('a refusal at sending is a bounce, and empty tables of ours are hidden', async () => {
  alterFigures((reply) => ({ ...reply, email: { ...reply.email!, bounced: 0, refused: 2 } }))
  api.alter(readAnalyticsDetails, (reply) => ({ ...reply, hours: [], origins: [], channels: [] }))
  const page = await app.open('/analytics#attribution,messages')
  await block('Email Performance').getByText('2 refused when sent').waitFor()
  await expect.poll(async () => (await readFacts('Email Performance')).Bounced).toBe('2')
  await page.getByText('No messages in this period.').waitFor()
  await block('Revenue by attribution').waitFor()
  await expect.poll(() => block('Revenue by time since abandonment').count()).toBe(0)
})

describe('figures that are still being counted', () => {
  test('are marked as such and appear without a reload', async () => {
    const counts = { carts: 0, abandoned: 0, orders: 0, messages: 0 }
    const none = { new: null, returning: null, repeatPurchaseRate: null, avgOrdersPerCustomer: null, countedAt: null }
    const isBeingCounted = true
    alterFigures((reply) => ({
      ...reply,
      counts,
      topProducts: [],
      isBeingCounted,
      countedUntil: null,
      customers: { ...none, isBeingCounted },
    }))
    api.alter(readRecoveryRateTrend, (reply) => ({
      ...reply,
      isBeingCounted,
      datasets: reply.datasets.map((set) => ({ ...set, data: reply.labels.map(() => null) })),
    }))
    const page = await openAnotherPage(app)
    await page.clock.install()
    await page.goto(`${app.url}/analytics`)
    const notice = page.getByRole('status').getByText('These figures are being counted')
    const [rate, customers] = [block('Recovery rate', page), block('Customer Insights', page)]
    await notice.waitFor()
    await rate.getByText('These figures are being counted').waitFor()
    await page.getByText('Products are being counted.').waitFor()
    await customers.getByText('Customers are being counted.').waitFor()
    await expect.poll(() => customers.getByText('–', { exact: true }).count()).toBe(4)
    // Either nothing happened or it is not counted yet.
    for (const text of ['No data available', 'Figures appear here', 'No products in abandoned carts'])
      await expect.poll(() => page.getByText(text).count()).toBe(0)
    api.answer(readAnalytics, fixture(readAnalytics))
    api.answer(readRecoveryRateTrend, fixture(readRecoveryRateTrend))
    await page.clock.fastForward(5_000)
    await notice.waitFor({ state: 'detached' })
    await rate.getByRole('img', { name: /^Recovery rate,/ }).waitFor()
    await customers.getByText('Counted').waitFor()
    await expect.poll(() => customers.getByText('–', { exact: true }).count()).toBe(0)
  })

  test('are polled when only the customers are being counted again', async () => {
    const serve = (count: number, isBeingCounted: boolean) =>
      alterFigures((reply) => ({ ...reply, customers: { ...reply.customers!, new: count, isBeingCounted } }))
    serve(4_711, true)
    const page = await openAnotherPage(app)
    await page.clock.install()
    await page.goto(`${app.url}/analytics`)
    const customers = block('Customer Insights', page)
    await customers.getByText('4,711').waitFor()
    await expect.poll(() => page.getByText('These figures are being counted').count()).toBe(0)
    serve(4_712, false)
    await page.clock.fastForward(5_000)
    await customers.getByText('4,712').waitFor()
  })
})

describe('a trend', () => {
  test('has its own period, lines or bars, a table, and a picture', { tags: ['B2'] }, async () => {
    api.answer(readRevenueTrend, ({ query: { period } }) => {
      const { labels, starts, datasets, ...reply } = fixture(readRevenueTrend)
      const from = period === '7d' ? -7 : 0
      return {
        ...reply,
        labels: labels.slice(from),
        starts: starts.slice(from),
        datasets: datasets.map((set) => ({ ...set, data: set.data.slice(from) })),
      }
    })
    const page = await app.open('/analytics')
    const panel = block('Revenue')
    const findChart = (name: string, days: string) =>
      block(name)
        .getByRole('img', { name: new RegExp(`^${name}, ${days}`) })
        .waitFor()
    // It follows the screen until another is chosen (decision 131).
    await findChart('Revenue', 'Last 30 days')
    await chooseRange('90d')
    await findChart('Revenue', 'Last 90 days')
    const period = panel.getByLabel('Period of Revenue')
    await expect
      .poll(() => period.locator('option').allInnerTexts())
      .toEqual(['Last 7 days', 'Last 30 days', 'Last 90 days', 'Last 12 months'])
    await period.selectOption('7d')
    await findChart('Revenue', 'Last 7 days')
    await chooseRange('1y')
    await findChart('Recovery rate', 'Last 12 months')
    await findChart('Revenue', 'Last 7 days')
    await expect
      .poll(() => new Set(api.calls(readRevenueTrend).map(({ query }) => query.period)))
      .toEqual(new Set(['30d', '90d', '7d']))
    await expect.poll(() => panel.locator('[data-type]').getAttribute('data-type')).toBe('line')
    await panel.getByRole('button', { name: 'Bar chart' }).click()
    await panel.locator('[data-type=bar]').first().waitFor()
    await panel.getByRole('button', { name: 'Show as table' }).click()
    await expectCount(panel.locator('tbody tr'), 7)
    await expect.poll(() => panel.locator('tbody tr').last().innerText()).toContain('(so far)')
    const picture = await readDownload(panel.getByRole('button', { name: 'Export' }))
    expect([picture.name, picture.isPng]).toEqual(['revenue-trend.png', true])
    const table = splitLines((await savedTable('Revenue')).text)
    expect([table.length, table[0], table.at(-1)!.split(',')[0]]).toEqual([
      8,
      '\ufeffDate,Recovered revenue (USD),Revenue opportunity (USD)',
      '2026-11-28',
    ])
    await expect.poll(() => page.getByRole('radio', { name: '1y' }).isChecked()).toBe(true)
  })

  test('labels its axes; malformed data is only logged (B 8, decision 98)', {
    tags: ['B8', 'B9'],
  }, async () => {
    const page = await openAnotherPage(app)
    await page.addInitScript(() => {
      const written = new Set<string>()
      Object.assign(window, { written })
      const { fillText } = CanvasRenderingContext2D.prototype
      CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        written.add(text)
        return fillText.call(this, text, ...place)
      }
    })
    const readWritten = () => page.evaluate(() => [...(window as unknown as { written: Set<string> }).written])
    await page.goto(`${app.url}/analytics`)
    // The last day is on the axis, marked as running (decision 98).
    await expect.poll(readWritten).toEqual(expect.arrayContaining(['Date', 'Rate', 'Revenue (USD)', '(so far)']))
    const logged: string[] = []
    page.on('console', (message) => message.type() === 'error' && logged.push(message.text()))
    api.raw(readRevenueTrend, 200, { labels: ['a'], datasets: [{}] })
    await page.reload()
    await expect.poll(() => logged.filter((text) => text.startsWith('The chart data is not valid')).length).toBe(1)
    const panel = block('Revenue', page)
    await expect
      .poll(async () => [await panel.locator('canvas').count(), await panel.getByText('No data available').count()])
      .toEqual([0, 0])
    await expect.poll(() => panel.getByRole('button', { name: 'Export' }).isDisabled()).toBe(true)
    await block('Recovery rate', page).locator('canvas').waitFor()
  })

  test('is drawn as bars from zero: nine tenths have nine tenths of the height', async () => {
    const serve = (endpoint: typeof readRevenueTrend | typeof readRecoveryRateTrend, low: number, high: number) =>
      api.alter(endpoint, ({ labels, starts, datasets, ...reply }) => ({
        ...reply,
        labels: labels.slice(-7),
        starts: starts.slice(-7),
        datasets: datasets.map((set) => ({
          ...set,
          data: set.data.slice(-7).map((_, place) => (place === 1 ? low : place === 4 ? high : null)),
        })),
      }))
    serve(readRevenueTrend, 900, 1_000)
    serve(readRecoveryRateTrend, 0.9, 1)
    const page = await app.open('/analytics?range=7d')
    for (const title of ['Revenue', 'Recovery rate']) {
      await block(title).getByRole('button', { name: 'Bar chart' }).click()
      await block(title).locator('canvas[data-type=bar]').waitFor()
      const { bytes } = await readDownload(block(title).getByRole('button', { name: 'Export' }))
      const color = await page.evaluate(() =>
        getComputedStyle(document.documentElement).getPropertyValue('--rc-chart-1'),
      )
      const heights = await measureBars(bytes, color.trim())
      expect(heights).toHaveLength(2)
      expect(heights[0]! / heights[1]!).toBeCloseTo(0.9, 1)
    }
  })

  test('is exported on the theme’s background, like all charts', async () => {
    const page = await app.open('/analytics')
    await page.getByRole('button', { name: /^Costs and return/ }).click()
    for (const theme of ['light', 'dark', 'blue']) {
      await page.evaluate((value) => {
        localStorage.setItem('theme', value)
        dispatchEvent(new StorageEvent('storage', { key: 'theme' }))
      }, theme)
      await page.waitForFunction((value) => document.documentElement.dataset.theme === value, theme)
      for (const name of ['Recovery rate', 'Revenue', 'ROI Tracking']) {
        await block(name).locator('canvas').waitFor()
        const picture = await readDownload(block(name).getByRole('button', { name: 'Export' }))
        const pixels = await sharp(picture.bytes).removeAlpha().raw().toBuffer()
        const ground = await block(name).evaluate((card) => getComputedStyle(card).backgroundColor)
        expect([theme, name, `rgb(${[...pixels.subarray(0, 3)].join(', ')})`]).toEqual([theme, name, ground])
      }
    }
  })
})

describe('a file', () => {
  test('with all figures of the range is exported; an error is shown; smaller plans link to the plans', {
    tags: ['B2', 'B8'],
  }, async () => {
    const url = '/api/analytics/export?ticket=t&range=7d'
    api.answer(prepareAnalyticsExport, { url, expiresAt: fixture(readAnalytics).countedUntil! })
    api.answer(exportAnalytics, 'Figure,Value\r\nRevenue opportunity,1\r\n')
    const page = await app.open('/analytics?range=7d')
    const button = page.getByRole('button', { name: 'Export', exact: true }).first()
    expect((await readDownload(button)).text).toBe('Figure,Value\r\nRevenue opportunity,1\r\n')
    await expect.poll(() => api.calls(prepareAnalyticsExport)[0]!.query).toMatchObject({ range: '7d', stores: 'one' })
    await expect.poll(() => api.calls(exportAnalytics)[0]!.sent.query).toEqual({ ticket: 't', range: '7d' })
    api.raw(prepareAnalyticsExport, 500, 'no JSON')
    await button.click()
    await page.getByText('Failed to export analytics data').waitFor()
    api.fail(prepareAnalyticsExport, 429, { error: 'Too many exports.', code: 'rate_limited' })
    await button.click()
    await page.getByText('Too many exports.').waitFor()
    api.alter(subscriptionStatus, (reply) => ({ ...reply, plan: 'starter' as const, planInForce: 'starter' as const }))
    await page.reload()
    const locked = page.getByRole('link', {
      name: 'Export: Exporting analytics requires the Growth plan. Please upgrade.',
    })
    await locked.focus()
    await page.getByRole('tooltip').getByText('requires the Growth plan').waitFor()
    await expect.poll(() => locked.getAttribute('href')).toBe('/pricing')
  })

  test('of each table has the rows shown, with plain numbers', async () => {
    await app.open('/analytics?range=30d#attribution,shoppers,messages,roi')
    const products = await savedTable('Top Abandoned Products')
    expect(products.name).toBe('top-abandoned-products-2026-10-30-to-2026-11-28.csv')
    expect(splitLines(products.text).slice(0, 2)).toEqual([
      '\ufeffProduct,SKU,Abandoned,Recovery rate,Revenue lost (USD)',
      expect.stringMatching(/^Stacking Cups,MC-CUP,32,0\.1875,1088$/),
    ])
    for (const table of [
      'By country',
      'New and returning shoppers',
      'Flows, campaigns and manual messages',
      'Revenue by time since abandonment',
    ]) {
      await block(table).locator('tbody tr').first().waitFor()
      const shown = await block(table).locator('tbody tr').count()
      expect([table, splitLines((await savedTable(table)).text).length]).toEqual([table, shown + 1])
    }
    const roi = await savedTable('ROI By month')
    expect(splitLines(roi.text)).toHaveLength(fixture(readRoi).months.length + 1)
    expect(roi.text).toContain('Month,Attributed revenue (USD),Message cost (USD)')
    await block('Recovery rate').getByRole('button', { name: 'Show as table' }).click()
    const trend = await savedTable('Recovery rate')
    expect(splitLines(trend.text)).toHaveLength(31)
    expect(trend.text).toContain('Date,Recovery rate,Abandonment rate')
  })

  test('of a long table has all rows while the screen shows the first ones, including rows with equal names', async () => {
    const buildShare = (key: string) => ({
      key,
      abandoned: 3,
      recovered: 1,
      recoveryRate: 1 / 3,
      revenueOpportunity: 9,
    })
    const countries = ['AT', 'BE', 'CH', 'DE', 'DK', 'ES', 'FR', 'GB', 'IE', 'IT'].map(buildShare)
    const none = { unsubscribed: 0, complaints: 0, bounced: 0, openRate: 0, clickRate: 0, conversionRate: 0 }
    const buildSent = (accepted: number) => ({
      kind: 'campaign' as const,
      stepId: null,
      name: 'Quick Send',
      channel: 'email' as const,
      accepted,
      ...none,
      id: `campaign ${accepted}`,
      revenuePerEmail: 0,
      attributedRevenue: 0,
    })
    api.answer(readAnalyticsDetails, ({ query: { range } }) => ({
      ...fixture(readAnalyticsDetails),
      countries,
      devices: ['phone', 'desktop', ''].map(buildShare),
      origins: range === '7d' ? [buildSent(1)] : Array.from({ length: 21 }, (_, place) => buildSent(place + 1)),
    }))
    await app.open('/analytics?range=30d#shoppers,messages')
    const findRows = (table: string) => block(table).locator('tbody tr')
    await expectCount(findRows('By country'), 8)
    await expect
      .poll(() => findRows('By device').locator('th').allInnerTexts())
      .toEqual(['Phone', 'Desktop', 'Not known'])
    expect(splitLines((await savedTable('By country')).text)).toHaveLength(11)
    await block('By country').getByRole('button', { name: 'Show all 10' }).click()
    await expectCount(findRows('By country'), 10)
    const table = 'Flows, campaigns and manual messages'
    await expectCount(findRows(table), 20)
    expect(splitLines((await savedTable(table)).text)).toHaveLength(22)
    await block(table).getByRole('button', { name: 'Show all 21' }).click()
    await expectCount(findRows(table), 21)
    await chooseRange('7d')
    await expectCount(findRows(table), 1)
  })
})

test('errors offer Retry, and an empty screen explains the next step', {
  tags: ['B2', 'B8'],
}, async () => {
  await blockLiveConnection(app.page)
  api.fail(readAnalytics, 429, { error: 'Too many figures.', code: 'rate_limited' })
  const page = await app.open('/analytics')
  await page.getByText('Failed to fetch analytics data').waitFor()
  await page.getByText('Too many figures.').waitFor()
  alterFigures((reply) => ({ ...reply, counts: { carts: 0, abandoned: 0, orders: 0, messages: 0 } }))
  api.raw(readRevenueTrend, 500, 'no JSON')
  api.alter(readRecoveryRateTrend, (reply) => ({
    ...reply,
    datasets: reply.datasets.map((set) => ({ ...set, data: reply.labels.map(() => null) })),
  }))
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('Figures appear here with the first carts of the last 30 days.').waitFor()
  await block('Revenue').getByText('Error loading chart').waitFor()
  await block('Revenue').getByText('Failed to fetch trend data').waitFor()
  await block('Recovery rate').getByText('No data available').waitFor()
  await block('Recovery rate').getByText('Try selecting a different time period').waitFor()
  api.fail(readRevenueTrend, 429, { error: 'Too many trends.', code: 'rate_limited' })
  await block('Revenue').getByRole('button', { name: 'Retry' }).click()
  await block('Revenue').getByText('Too many trends.').waitFor()
  api.answer(readRevenueTrend, fixture(readRevenueTrend))
  await block('Revenue').getByRole('button', { name: 'Retry' }).click()
  await block('Revenue')
    .getByRole('img', { name: /^Revenue,/ })
    .waitFor()
})

describe('the blocks of decision 99', () => {
  test('show revenue by attribution: each kind with definition, orders, share and a bar', async () => {
    api.alter(readAnalyticsDetails, (reply) => ({
      ...reply,
      sources: [
        { source: 'attributed' as const, orders: 1, netRevenue: 600 },
        { source: 'assisted' as const, orders: 2, netRevenue: 300 },
        { source: 'organic' as const, orders: 5, netRevenue: 100 },
      ],
    }))
    await app.open('/analytics#attribution')
    const known = block('Revenue by attribution')
    await known.getByText('$600.00').waitFor()
    const rows = await known
      .locator('dl > div')
      .evaluateAll((all) =>
        all.map((each) => [
          each.querySelector('.term')!.getAttribute('aria-label')!.split('.')[0],
          each.querySelector('strong')!.textContent,
          each.querySelector('.fact-note')!.textContent,
        ]),
      )
    expect(rows).toEqual([
      [
        'Attributed: Orders after a person’s click in a message, its coupon or a restored cart',
        '$600.00',
        '1 order · 60.00% of the store’s revenue',
      ],
      [
        'Assisted: Orders without a click, by shoppers who got a message within the attribution window',
        '$300.00',
        '2 orders · 30.00% of the store’s revenue',
      ],
      ['Organic: All other orders, and orders made by staff', '$100.00', '5 orders · 10.00% of the store’s revenue'],
    ])
    await expect.poll(() => readShares('Revenue by attribution')).toEqual([60, 30, 10])
  })

  test('show reachable carts, and each other reason with its bar and its carts', async () => {
    const explanation = 'No usable email address has been captured yet.'
    api.answer(cartReach, {
      reachable: 62,
      reasons: [
        { reason: 'no_consent', country: 'DE', count: 25, explanation },
        { reason: 'no_contact', country: null, count: 13, explanation },
      ],
    })
    const page = await app.open('/analytics?range=7d#reach')
    const reached = block('Carts that can be reached')
    await reached.getByText('You can’t email 38.00% of your abandoned carts right now.').waitFor()
    const rows = await reached
      .getByRole('listitem')
      .evaluateAll((all) =>
        all.map((each) => [
          each.querySelector('a')!.getAttribute('href'),
          (each as HTMLElement).innerText.split(/\s*\n\s*/).join(' '),
        ]),
      )
    expect(rows).toEqual([
      ['/carts?reach=reachable&days=7', 'Can be reached 62'],
      ['/carts?reach=no_consent:DE&days=7', 'No consent (DE) 25'],
      ['/carts?reach=no_contact&days=7', 'No email 13'],
    ])
    await expect.poll(() => readShares('Carts that can be reached')).toEqual([62, 25, 13])
    await reached.getByRole('link', { name: 'Can be reached' }).click()
    await page.waitForURL(/\/carts\?.*reach=reachable/)
    await page.getByRole('button', { name: 'Abandoned in the last 7 days: remove this filter' }).waitFor()
  })

  test('show figures by hour, country, shopper, channel and origin with separate headings', async () => {
    const counts = { accepted: 1_234, openRate: 0.11, clickRate: 0.22, conversionRate: 0.33, revenuePerEmail: 4.5 }
    const sent = { ...counts, attributedRevenue: 5_553, unsubscribed: 6, complaints: 7, bounced: 8 }
    const buildShare = (key: string) => ({
      key,
      abandoned: 1_200,
      recovered: 300,
      recoveryRate: 0.25,
      revenueOpportunity: 81,
    })
    api.alter(readAnalyticsDetails, (reply) => ({
      ...reply,
      hours: [
        { fromHour: 3, accepted: 1_234, conversionRate: 0.33, attributedRevenue: 5_553, revenuePerMessage: 4.5 },
        { fromHour: 6, accepted: 0, conversionRate: null, attributedRevenue: 0, revenuePerMessage: null },
      ],
      countries: ['DE', ''].map(buildShare),
      shoppers: ['returning'].map(buildShare),
      devices: [],
      channels: [{ ...sent, channel: 'sms' as const }],
      origins: [
        { ...sent, kind: 'flow' as const, id: null, stepId: null, name: 'Reminders, step 2', channel: 'sms' as const },
      ],
    }))
    await app.open('/analytics?range=7d#attribution,shoppers,messages')
    const share = ['1,200', '25.00%', '$81.00']
    const shares = ['Abandoned', 'Recovery rate', 'Revenue opportunity']
    await expect
      .poll(() => readTable('By country'))
      .toEqual([
        ['Country', ...shares],
        ['Germany', ...share],
        ['Not known', ...share],
      ])
    await expect
      .poll(() => readTable('New and returning shoppers'))
      .toEqual([
        ['Shopper', ...shares],
        ['Returning', ...share],
      ])
    await expect
      .poll(() => readTable('Revenue by time since abandonment'))
      .toEqual([
        ['Time since abandonment', 'Sent', 'Conversion rate', 'Revenue per message'],
        ['3–6 h', '1,234', '33.00%', '$4.50'],
      ])
    await expect
      .poll(() => readTable('By channel'))
      .toEqual([
        ['Channel', 'Sent', 'Click rate', 'Conversion rate', 'Revenue per message', 'Unsubscribed', 'Revenue'],
        ['SMS', '1,234', '22.00%', '33.00%', '$4.50', '6', '$5,553.00'],
      ])
    // Only emails have opens.
    await expect
      .poll(() => readTable('Flows, campaigns and manual messages'))
      .toEqual([
        ['Sent by', 'Sent', 'Open rate', 'Click rate', 'Conversion rate', 'Unsubscribed', 'Revenue'],
        ['Reminders, step 2 (SMS)', '1,234', '–', '22.00%', '33.00%', '6', '$5,553.00'],
      ])
    const links = block('By country').locator('tbody a')
    await expect
      .poll(() => links.evaluateAll((all) => all.map((each) => each.getAttribute('href'))))
      .toEqual(['/carts?country=DE&days=7', '/carts?country=none&days=7'])
  })

  test('link from a figure to the carts behind it', async () => {
    api.answer(findProducts, ({ query }) => ({
      products: [{ id: query.search, name: 'Stacking Cups', sku: 'MC-CUP' }],
    }))
    const page = await app.open('/analytics?range=7d#shoppers')
    const funnel = block('Conversion Funnel')
    await funnel.waitFor()
    // The list filters by abandonment date.
    await expect.poll(() => funnel.getByRole('link', { name: 'Carts: Carts created' }).count()).toBe(0)
    const week = { days: '7' }
    for (const [link, filters, shown] of [
      [block('By country').getByRole('link', { name: 'United States' }), { country: 'US' }, 'United States'],
      [funnel.getByRole('link', { name: 'Carts: Conversions' }), { stage: 'converted:email' }, 'Recovered by email'],
      [funnel.getByRole('link', { name: 'Carts: Clicks' }), { stage: 'clicked:email' }, 'Email clicked'],
      [block('Top Abandoned Products').getByRole('link').first(), { product: '34' }, 'With Stacking Cups'],
      [findFigures().getByRole('link', { name: 'Carts' }).first(), {}, 'Abandoned in the last 7 days'],
    ] as const) {
      await link.click()
      await page.getByRole('button', { name: `${shown}: remove this filter` }).waitFor()
      const address = new URL(page.url())
      expect([address.pathname, Object.fromEntries(address.searchParams)]).toEqual(['/carts', { ...filters, ...week }])
      await page.goBack()
    }
  })
})

test('all products can be searched and paged, and link to their carts', async () => {
  const { topProducts, counts: _, ...frame } = fixture(readAnalytics)
  api.answer(listAnalyticsProducts, ({ query: { page, limit, search } }) => {
    const products = topProducts!.filter(({ name }) => name.toLowerCase().includes(search))
    const { currency, timeZone, firstDay, lastDay, countedUntil, isBeingCounted } = frame
    return {
      products,
      currency,
      timeZone,
      firstDay,
      lastDay,
      countedUntil,
      isBeingCounted,
      pagination: { page, limit, total: products.length === 0 ? 0 : 50, pages: products.length === 0 ? 0 : 3 },
    }
  })
  await app.open('/analytics?range=90d')
  const products = block('Top Abandoned Products')
  await products.getByRole('button', { name: 'See all' }).click()
  const search = products.getByRole('searchbox', { name: 'Search by name or SKU' })
  await search.fill('no such product')
  await search.press('Enter')
  await products.getByText('No product contains “no such product”.').waitFor()
  await search.fill('')
  await search.press('Enter')
  await products.getByRole('button', { name: 'Next products' }).click()
  await expect.poll(() => api.calls(listAnalyticsProducts).at(-1)!.query).toMatchObject({ page: 2, search: '' })
  // Another search starts at page 1.
  await search.fill('mug')
  await search.press('Enter')
  await products.getByRole('rowheader', { name: /mug/i }).first().waitFor()
  await expect
    .poll(() => api.calls(listAnalyticsProducts).at(-1)!.query)
    .toMatchObject({ page: 1, search: 'mug', range: '90d' })
  const link = products.getByRole('link', { name: 'Sunday Stoneware Mug' })
  await expect.poll(() => link.getAttribute('href')).toBe('/carts?product=20&days=90')
})

test('the link of the weekly report opens its store if it is one of the account’s', async () => {
  const second = '00000000-0000-4000-8000-000000000002'
  api.alter(me, ({ user }) => ({
    user: { ...user, stores: [...user.stores, { ...user.stores[0]!, id: second, storeUrl: 'https://pots.example' }] },
  }))
  api.answer(switchStore, () => {
    const connection = fixture(checkConnection)
    const store = { ...connection.store!, id: second, name: 'Pots' }
    api.answer(checkConnection, { ...connection, store })
    return { success: true as const, store }
  })
  const page = await app.go(`/analytics?platform=woocommerce&storeId=${second}&range=7d`)
  await page.waitForURL((url) => !url.searchParams.has('storeId') && url.searchParams.get('range') === '7d')
  await block('Conversion Funnel').waitFor()
  await expect.poll(() => api.calls(switchStore).map(({ body }) => body)).toEqual([{ storeId: second }])
  await app.go('/analytics?platform=woocommerce&storeId=00000000-0000-4000-8000-000000000003&range=7d')
  await page.getByText('This report cannot be shown').waitFor()
  await expect.poll(() => block('Conversion Funnel').count()).toBe(0)
  await page.getByRole('button', { name: 'Show the analytics of this store' }).click()
  await block('Conversion Funnel').waitFor()
  await expect.poll(() => api.calls(switchStore)).toHaveLength(1)
})

describe('plans', () => {
  const withPlan = (planInForce: 'free' | 'starter') =>
    api.alter(subscriptionStatus, (reply) => ({ ...reply, planInForce }))

  test('Free has figures and funnel of 7 and 30 days, and a link to the plans for the rest (decision 131)', {
    tags: ['A9'],
  }, async () => {
    withPlan('free')
    alterFigures(({ woocommerce: _, ...reply }) => ({ ...reply, email: null, customers: null, topProducts: null }))
    const page = await app.open('/analytics?range=1y')
    const locked = block('More with Advanced Analytics')
    await expect.poll(() => locked.getByRole('link', { name: 'See plans' }).getAttribute('href')).toBe('/pricing')
    await expect.poll(() => page.getByRole('radio', { name: '30d' }).isChecked()).toBe(true)
    await expect
      .poll(() => radios().evaluateAll((all) => all.map((each) => (each as HTMLInputElement).disabled)))
      .toEqual([false, false, true, true])
    await findFigures().getByText('69.18%').waitFor()
    await block('Conversion Funnel').waitFor()
    for (const name of ['Email Performance', 'Revenue', 'Recovery rate', 'Customer Insights', 'Top Abandoned Products'])
      await expect.poll(async () => [name, await block(name).count()]).toEqual([name, 0])
  })

  test('Growth has ROI Tracking by month and channel; Starter has a link to the plans (decision 154)', {
    tags: ['A9'],
  }, async () => {
    api.alter(readRoi, (reply) => ({
      ...reply,
      months: [
        { month: '2026-10', attributedRevenue: 100, messageCost: 1, discounts: 5, planPrice: 79 },
        { month: '2026-11', attributedRevenue: 991.4, messageCost: 12.5, discounts: 45.15, planPrice: 79 },
      ],
    }))
    await app.open('/analytics#roi')
    const roi = block('ROI Tracking')
    const rows = roi.getByRole('region', { name: 'ROI by month' }).locator('tbody tr')
    await expectCount(rows, 2)
    const cells = await rows.first().locator('td').allInnerTexts()
    expect(cells.slice(0, 4)).toEqual(['$991.40', '$12.50', '$79.00', '$899.90'])
    await expectCount(roi.getByRole('region', { name: 'ROI by channel' }).locator('tbody tr'), 1)
    await roi
      .getByRole('img', { name: /^Revenue and costs, by month.* The table below shows each number\.$/ })
      .waitFor()
    const picture = await readDownload(roi.getByRole('button', { name: 'Export' }))
    expect([picture.name, picture.isPng]).toEqual(['revenue-and-costs.png', true])
    withPlan('starter')
    await app.open('/analytics#roi')
    await roi.getByText('ROI Tracking requires the Growth plan. Please upgrade.').waitFor()
    await expect.poll(() => roi.getByRole('link', { name: 'See plans' }).getAttribute('href')).toBe('/pricing')
  })

  test('Growth adds up “All stores” of one currency; other screens show one store (decision 154)', {
    tags: ['A9'],
  }, async () => {
    const store = (number: number, host: string, currency: string) => ({
      ...{ id: `00000000-0000-4000-8000-00000000000${number}`, storeUrl: `https://${host}`, name: host, currency },
      platform: 'woocommerce' as const,
      isActive: true,
    })
    api.alter(me, ({ user }) => ({
      user: {
        ...user,
        stores: [...user.stores, store(2, 'pots.example', 'USD'), store(3, 'tassen.example', 'EUR')],
      },
    }))
    const page = await app.open('/analytics')
    const switcher = page.getByRole('button', { name: /^Store menu/ })
    await switcher.click()
    await page.getByRole('menuitem', { name: 'All stores' }).click()
    await page.getByText(/^All stores in USD: .*pots\.example$/).waitFor()
    await expect.poll(() => page.getByText('tassen.example').count()).toBe(0)
    await expect.poll(() => api.calls(readAnalytics).at(-1)!.query).toMatchObject({ stores: 'all', range: '30d' })
    const url = '/api/analytics/export?ticket=t'
    api.answer(prepareAnalyticsExport, { url, expiresAt: fixture(readAnalytics).countedUntil! })
    api.answer(exportAnalytics, 'Figure,Value\r\n')
    await readDownload(page.getByRole('button', { name: 'Export', exact: true }).first())
    await expect.poll(() => api.calls(prepareAnalyticsExport)[0]!.query).toMatchObject({ stores: 'all', range: '30d' })
    await expect.poll(() => page.getByRole('link', { name: 'Carts', exact: true }).count()).toBe(0)
    const link = (section: string) =>
      page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: section })
    await link('Dashboard').click()
    await page.waitForURL('**/dashboard?stores=all*')
    await page.getByText('Cart Recovery Overview').waitFor()
    await expect.poll(() => page.getByText('Recent Abandoned Carts').count()).toBe(0)
    await checkLayout(app)
    await page.getByLabel('Currency').selectOption('EUR')
    await page.getByText(/^All stores in EUR: tassen\.example$/).waitFor()
    await expect
      .poll(() => api.calls(readDashboardStats).at(-1)!.query)
      .toMatchObject({ stores: 'all', currency: 'EUR' })
    await link('Abandoned Carts').click()
    await page.waitForURL(`${app.url}/carts`)
    await switcher.getByText('Maple & Clay').waitFor()
    withPlan('starter')
    await app.open('/dashboard?stores=all')
    await page.getByText('Figures of all stores together require the Growth plan.').waitFor()
    await switcher.click()
    await page.getByRole('menuitem', { name: /All stores.*see plans/ }).click()
    await page.waitForURL('**/pricing')
  })
})

/** The mark in a legend is lower. */
const LEAST_HEIGHT = 60

/** Heights of a color's bars in a picture, from left to right. */
async function measureBars(picture: Buffer, color: string): Promise<number[]> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const expected = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  const measureHeight = (x: number) => {
    let height = 0
    for (let y = 0; y < info.height; y++) {
      const at = (y * info.width + x) * info.channels
      if (expected.every((part, place) => Math.abs(data[at + place]! - part) < 12)) height++
    }
    return height
  }
  const bars: number[] = []
  let isIn = false
  for (let x = 0; x < info.width; x++) {
    const height = measureHeight(x)
    if (height >= LEAST_HEIGHT) {
      if (isIn) bars.push(Math.max(bars.pop()!, height))
      else bars.push(height)
    }
    isIn = height >= LEAST_HEIGHT
  }
  return bars
}
