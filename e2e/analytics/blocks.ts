import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { AnalyticsReply } from '../../shared/analytics.ts'
import { block, changed, figures, instance, page, percent, saved } from './scene.ts'

// What the blocks of the screen say of the answers they are given (decisions 91, 93, 96, 131; B 8, B 9).

export function ofTheBlocks() {
  test('the funnel is shown of emails first and by channel, and says that a stage can exceed the one before it (decision 93)', async () => {
    const uneven = 'Each stage counts carts on its own: one can exceed the stage before it'
    const stages = { cartsCreated: 8, emailsSent: 5, emailsOpened: 3, clicks: 2, conversions: 1 }
    await changed<AnalyticsReply>('**/api/analytics?*', (said) => ({
      ...said,
      funnels: {
        ...{ all: { ...stages, emailsSent: 9, clicks: 4 }, email: stages, push: { ...stages, emailsSent: 0 } },
        ...{ sms: { ...stages, emailsSent: 4 }, whatsapp: { ...stages, emailsSent: 0 } },
      },
    }))
    await page.goto(`${instance.url}/analytics`)
    const funnel = block('Conversion Funnel')
    const shown = () =>
      funnel
        .getByRole('listitem')
        .evaluateAll((all) =>
          all.map((each) => [each.querySelector('.term')!.textContent, each.querySelector('strong')!.textContent]),
        )
    await funnel.waitFor()
    expect(await shown()).toEqual([
      ...[
        ['Carts created', '8'],
        ['Emails sent', '5'],
        ['Emails opened', '3'],
        ['Clicks', '2'],
        ['Conversions', '1'],
      ],
    ])
    expect(await funnel.getByText(uneven).count()).toBe(0)
    const channel = funnel.getByLabel('Channel')
    expect(await channel.locator('option').allInnerTexts()).toEqual(['All channels', 'Email', 'SMS'])
    await channel.selectOption('sms')
    expect(await shown()).toEqual([
      ['Carts created', '8'],
      ['SMS sent', '4'],
      ['Clicks', '2'],
      ['Conversions', '1'],
    ])
    await channel.selectOption('all')
    expect((await shown())[1]).toEqual(['Messages sent', '9'])
    await funnel.getByText(uneven).waitFor()
    // More than all carts are no longer than the whole (B 9).
    const bar = funnel.getByRole('listitem').filter({ hasText: 'Messages sent' }).locator('.share-bar')
    const widths = await bar.evaluate((whole) =>
      [whole, whole.firstElementChild!].map((each) => each.getBoundingClientRect().width),
    )
    expect(widths[1]).toBe(widths[0])
    await page.unroute('**/api/analytics?*')
  })

  test('only the connected platform’s block is shown, and what is not added is named (decisions 91 and 96)', async () => {
    await changed<AnalyticsReply>('**/api/analytics?*', ({ woocommerce: _, ...said }) => ({
      ...said,
      shopify: { checkoutAbandonmentRate: 0.625, averageOrderValue: 12.5, customerLifetimeValue: 31 },
      otherCurrencies: [
        { currency: 'EUR', revenueOpportunity: 30, netRevenue: 50 },
        { currency: 'GBP', revenueOpportunity: 7, netRevenue: 0 },
      ],
    }))
    await page.goto(`${instance.url}/analytics`)
    await block('Shopify metrics').waitFor()
    const facts = await block('Shopify metrics').locator('dl > div').allInnerTexts()
    expect(facts.map((each) => each.split(/\n+/))).toEqual([
      ...[
        ['Checkout abandonment rate', '62.50%'],
        ['Average order value', '$12.50'],
        ['Customer lifetime value', '$31.00'],
      ],
    ])
    expect(await block('WooCommerce metrics').count()).toBe(0)
    await page
      .getByText('Not added: €50.00 of orders and €30.00 in carts not bought in EUR; £7.00 in carts not bought in GBP.')
      .waitFor()
    await page.unroute('**/api/analytics?*')
  })

  test('email, customers, WooCommerce and products: each number stands under its own name (B 2, B 3)', async () => {
    const product = { productId: '17', name: 'Pot', sku: 'POT-1', image: `${instance.url}/favicon.svg` }
    await changed<AnalyticsReply>('**/api/analytics?*', (said) => ({
      ...said,
      email: {
        ...{ accepted: 1_234, openRate: 0.11, clickRate: 0.22, conversionRate: 0.33, revenuePerEmail: 4.5 },
        ...{ attributedRevenue: 5_553, bounced: 5, unsubscribed: 6, complaints: 7 },
      },
      customers: {
        ...{ new: 1_001, returning: 12, repeatPurchaseRate: 0.25, avgOrdersPerCustomer: 1.5 },
        ...{ countedAt: new Date().toISOString(), isBeingCounted: false },
      },
      woocommerce: { cartAbandonmentRate: 0.7, averageCartValue: 80.5, conversionRate: 0.05 },
      topProducts: [{ ...product, abandonedCount: 1_204, recoveryRate: 0.125, revenueLost: 81_872 }],
    }))
    await page.goto(`${instance.url}/analytics`)
    const factsOf = async (title: string) => {
      await block(title).waitFor()
      const facts = await block(title)
        .locator('dl > div')
        .evaluateAll((all) =>
          all.map((each) => [
            each.querySelector('.term')!.textContent,
            each.querySelector('dd')!.firstChild!.textContent,
          ]),
        )
      return Object.fromEntries(facts) as Record<string, string>
    }
    expect(await factsOf('Email Performance')).toEqual({
      ...{ 'Open rate': '11.00%', 'Click rate': '22.00%', 'Conversion rate': '33.00%', 'Revenue per email': '$4.50' },
      ...{ Accepted: '1,234', Bounced: '5', Unsubscribed: '6', Complaints: '7' },
    })
    expect(await factsOf('Customer Insights')).toEqual({
      ...{ New: '1,001', Returning: '12', 'Repeat purchase rate': '25.00%', 'Average orders per customer': '1.50' },
    })
    expect(await factsOf('WooCommerce metrics')).toEqual({
      ...{ 'Cart abandonment rate': '70.00%', 'Average cart value': '$80.50', 'Conversion rate': '5.00%' },
    })
    const products = block('Top Abandoned Products')
    expect((await products.locator('thead th').allInnerTexts()).map((name) => name.trim())).toEqual([
      ...['Product', 'SKU', 'Abandoned', 'Recovery rate', 'Revenue lost'],
    ])
    const row = products.locator('tbody tr')
    expect((await row.locator('th, td').allInnerTexts()).map((cell) => cell.trim())).toEqual([
      ...['Pot', 'POT-1', '1,204', '12.50%', '$81,872.00'],
    ])
    expect(await row.locator('img').getAttribute('src')).toBe(product.image)
    await page.unroute('**/api/analytics?*')
  })

  test('a chart names its axes; what it cannot draw is only logged (B 8, decision 98)', async () => {
    const visitor = await page.context().newPage()
    await visitor.addInitScript(() => {
      const written = new Set<string>()
      Object.assign(window, { written })
      const { fillText } = CanvasRenderingContext2D.prototype
      CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        written.add(text)
        return fillText.call(this, text, ...place)
      }
    })
    await visitor.goto(`${instance.url}/analytics`)
    await expect
      .poll(() => visitor.evaluate(() => [...(window as unknown as { written: Set<string> }).written]), {
        timeout: 20_000,
      })
      .toEqual(expect.arrayContaining(['Date', 'Rate', 'Revenue (USD)']))
    // The last day stands on the axis, however many there are, and is said to be running (decision 98).
    await expect
      .poll(() => visitor.evaluate(() => (window as unknown as { written: Set<string> }).written.has('(so far)')))
      .toBe(true)
    const logged: string[] = []
    visitor.on('console', (message) => message.type() === 'error' && logged.push(message.text()))
    await visitor.route('**/api/analytics/revenue-trend?*', (route) =>
      route.fulfill({ json: { labels: ['a'], datasets: [{}] } }),
    )
    await visitor.reload()
    await expect.poll(() => logged.filter((text) => text.startsWith('The chart data is not valid')).length).toBe(1)
    const panel = visitor.getByRole('region', { name: 'Revenue', exact: true })
    expect([await panel.locator('canvas').count(), await panel.getByText('No data available').count()]).toEqual([0, 0])
    expect(await panel.getByRole('button', { name: 'Export' }).isDisabled()).toBe(true)
    await visitor.getByRole('region', { name: 'Recovery rate', exact: true }).locator('canvas').waitFor()
    await visitor.close()
  })

  test('an amount of many digits stays in one line, on a wide screen and on a phone', async () => {
    await changed<AnalyticsReply>('**/api/analytics?*', (said) => ({ ...said, revenueOpportunity: 221_925_042.3 }))
    for (const width of [1280, 1210, 800, 360]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(`${instance.url}/analytics`)
      const amount = page.locator('.kpi-value').first()
      await expect.poll(() => amount.innerText()).toBe('$221,925,042.30')
      const lines = await amount.evaluate((each) => {
        const text = document.createRange()
        text.selectNodeContents(each)
        return text.getClientRects().length
      })
      expect([width, lines]).toEqual([width, 1])
    }
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.unroute('**/api/analytics?*')
  })

  test('the pictures of all charts have the ground of their theme', async () => {
    for (const theme of ['light', 'dark', 'blue']) {
      await page.evaluate((name) => localStorage.setItem('theme', name), theme)
      await page.goto(`${instance.url}/analytics`)
      for (const name of ['Recovery rate', 'Revenue', 'ROI Tracking']) {
        await block(name).locator('canvas').waitFor()
        const picture = await saved(block(name).getByRole('button', { name: 'Export' }))
        const pixels = await sharp(picture.bytes).removeAlpha().raw().toBuffer()
        const ground = await block(name).evaluate((card) => getComputedStyle(card).backgroundColor)
        expect([theme, name, `rgb(${[...pixels.subarray(0, 3)].join(', ')})`]).toEqual([theme, name, ground])
      }
    }
    await page.evaluate(() => localStorage.removeItem('theme'))
  })

  test('on the free plan figures and funnel of 7 and 30 days are shown, and the way to the rest (decision 131)', async () => {
    const { abandonmentRate } = await figures('30d')
    await changed('**/api/subscribe/status', (said) => ({ ...said, planInForce: 'free' }))
    await changed<AnalyticsReply>('**/api/analytics?*', ({ woocommerce: _, ...said }) => ({
      ...said,
      ...{ email: null, customers: null, topProducts: null },
    }))
    await page.goto(`${instance.url}/analytics?range=1y`)
    const locked = block('More with Advanced Analytics')
    expect(await locked.getByRole('link', { name: 'See plans' }).getAttribute('href')).toBe('/pricing')
    expect(await page.getByRole('radio', { name: '30d' }).isChecked()).toBe(true)
    const periods = page.getByRole('radiogroup', { name: 'Period' }).getByRole('radio')
    expect(await periods.evaluateAll((all) => all.map((each) => (each as HTMLInputElement).disabled))).toEqual([
      ...[false, false, true, true],
    ])
    await page.getByRole('region', { name: 'Figures', exact: true }).getByText(percent(abandonmentRate!)).waitFor()
    await block('Conversion Funnel').waitFor()
    for (const name of [
      'Email Performance',
      'Revenue',
      'Recovery rate',
      'Customer Insights',
      'Top Abandoned Products',
    ]) {
      expect([name, await block(name).count()]).toEqual([name, 0])
    }
    await page.unroute('**/api/analytics?*')
    await page.unroute('**/api/subscribe/status')
  })
}
