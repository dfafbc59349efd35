import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { AnalyticsDetails, Trend } from '../../shared/analytics.ts'
import type { CartReach } from '../../shared/reach.ts'
import { block, changed, instance, page, saved } from './scene.ts'

// Our own blocks of decision 99: how revenue is known, and which carts can be reached. And what a length says: bars begin at zero.

/** Of its whole, as it is drawn. */
const sharesOf = (title: string) =>
  block(title)
    .locator('.share-bar')
    .evaluateAll((bars) =>
      bars.map((bar) =>
        Math.round((100 * bar.firstElementChild!.getBoundingClientRect().width) / bar.getBoundingClientRect().width),
      ),
    )

/** Its head and rows, as they are read. */
async function tableOf(title: string): Promise<string[][]> {
  await block(title).locator('tbody tr').first().waitFor()
  return block(title)
    .locator('tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent.trim())),
    )
}

export function ofWhatIsKnown() {
  test('revenue by how it is known: each kind with its definition, orders, share and a bar of that length (decision 99)', async () => {
    await changed<AnalyticsDetails>('**/api/analytics/details?*', (said) => ({
      ...said,
      sources: [
        { source: 'attributed', orders: 1, netRevenue: 600 },
        { source: 'assisted', orders: 2, netRevenue: 300 },
        { source: 'organic', orders: 5, netRevenue: 100 },
      ],
    }))
    await page.goto(`${instance.url}/analytics`)
    const known = block('Revenue, by how it is known')
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
        'Attributed: Orders that followed a person’s click in a message, its coupon or a restored cart',
        ...['$600.00', '1 order · 60.00% of the store’s revenue'],
      ],
      [
        'Assisted: Orders without such a click, whose shopper had received a message within the attribution window before',
        ...['$300.00', '2 orders · 30.00% of the store’s revenue'],
      ],
      ['Organic: All other orders, and those made by the staff', '$100.00', '5 orders · 10.00% of the store’s revenue'],
    ])
    expect(await sharesOf('Revenue, by how it is known')).toEqual([60, 30, 10])
    await known.getByText('Net of refunds. Each order is in one of the three').waitFor()
    await page.unroute('**/api/analytics/details?*')
  })

  test('carts that can be reached: the share that may not be written to, and each reason with its bar and its carts (decision 99)', async () => {
    await changed<CartReach>('**/api/carts/reach*', ({ lookedThrough: _, ...said }) => ({
      ...said,
      reachable: 62,
      reasons: [
        { reason: 'no_consent', country: 'DE', count: 25 },
        { reason: 'no_contact', country: null, count: 13 },
      ],
    }))
    await page.goto(`${instance.url}/analytics?range=7d`)
    const reached = block('Carts that can be reached')
    await reached.getByText('38.00% of your abandoned carts may not be written to by email now.').waitFor()
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
    expect(await sharesOf('Carts that can be reached')).toEqual([62, 25, 13])
    await page.unroute('**/api/carts/reach*')
    await page.reload()
    await reached.getByRole('link', { name: 'Can be reached' }).click()
    await page.waitForURL(/\/carts\?.*reach=reachable/)
    await page.getByRole('button', { name: 'Abandoned in the last 7 days: remove this filter' }).waitFor()
  })

  test('by hour, country, shopper, channel and origin: each number stands under its own name, a country leads to its carts (decision 99)', async () => {
    const counts = { accepted: 1_234, openRate: 0.11, clickRate: 0.22, conversionRate: 0.33, revenuePerEmail: 4.5 }
    const sent = { ...counts, attributedRevenue: 5_553, unsubscribed: 6, complaints: 7, bounced: 8 }
    const shareOf = (key: string) => ({
      key,
      ...{ abandoned: 1_200, recovered: 300, recoveryRate: 0.25, revenueOpportunity: 81 },
    })
    await changed<AnalyticsDetails>('**/api/analytics/details?*', (said) => ({
      ...said,
      hours: [
        { fromHour: 3, accepted: 1_234, conversionRate: 0.33, attributedRevenue: 5_553, revenuePerMessage: 4.5 },
        { fromHour: 6, accepted: 0, conversionRate: null, attributedRevenue: 0, revenuePerMessage: null },
      ],
      ...{ countries: ['DE', ''].map(shareOf), shoppers: ['returning'].map(shareOf), devices: [] },
      channels: [{ ...sent, channel: 'sms' }],
      origins: [{ ...sent, kind: 'flow', id: null, stepId: null, name: 'Reminders, step 2', channel: 'sms' }],
    }))
    await page.goto(`${instance.url}/analytics?range=7d`)
    const share = ['1,200', '25.00%', '$81.00']
    const shares = ['Abandoned', 'Recovery rate', 'Revenue opportunity']
    expect(await tableOf('By country')).toEqual([
      ...[
        ['Country', ...shares],
        ['Germany', ...share],
        ['Not known', ...share],
      ],
    ])
    expect(await tableOf('New and returning shoppers')).toEqual([
      ['Shopper', ...shares],
      ['Returning', ...share],
    ])
    expect(await tableOf('What a reminder earned, by time after leaving')).toEqual([
      ['Time after leaving', 'Messages', 'Conversion rate', 'Revenue per message'],
      ['3–6 h', '1,234', '33.00%', '$4.50'],
    ])
    expect(await tableOf('By channel')).toEqual([
      ...[
        ['Channel', 'Accepted', 'Click rate', 'Conversion rate', 'Revenue per message', 'Unsubscribed', 'Revenue'],
        ['SMS', '1,234', '22.00%', '33.00%', '$4.50', '6', '$5,553.00'],
      ],
    ])
    // Opens exist for email alone.
    expect(await tableOf('Flows, campaigns and messages by hand')).toEqual([
      ...[
        ['Sent by', 'Accepted', 'Open rate', 'Click rate', 'Conversion rate', 'Unsubscribed', 'Revenue'],
        ['Reminders, step 2 (SMS)', '1,234', '–', '22.00%', '33.00%', '6', '$5,553.00'],
      ],
    ])
    const links = block('By country').locator('tbody a')
    expect(await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')))).toEqual([
      ...['/carts?country=DE&days=7', '/carts?country=none&days=7'],
    ])
    await page.unroute('**/api/analytics/details?*')
  })

  test.each([
    ['revenue', 'Revenue', [900, 1_000]],
    ['recovery-rate', 'Recovery rate', [0.9, 1]],
  ] as const)('the bars of %s begin at zero: one of nine tenths has nine tenths of the height', async (call, title, [
    low,
    high,
  ]) => {
    await changed<Trend>(`**/api/analytics/${call}-trend?*`, (said) => ({
      ...said,
      datasets: said.datasets.map((set) => ({
        ...set,
        data: said.labels.map((_, place) => (place === 1 ? low : place === 4 ? high : null)),
      })),
    }))
    await page.goto(`${instance.url}/analytics?range=7d`)
    await block(title).getByRole('button', { name: 'Bar chart' }).click()
    await block(title).locator('canvas[data-type=bar]').waitFor()
    const { bytes } = await saved(block(title).getByRole('button', { name: 'Export' }))
    const color = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--rc-chart-1'))
    const heights = await barsOf(bytes, color.trim())
    expect(heights).toHaveLength(2)
    expect(heights[0]! / heights[1]!).toBeCloseTo(0.9, 1)
    await page.unroute(`**/api/analytics/${call}-trend?*`)
  })
}

/** A legend's sign is lower. */
const LEAST_HEIGHT = 60

/** The heights of bars of a colour in a picture, from left to right. */
async function barsOf(picture: Buffer, color: string): Promise<number[]> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const wanted = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  const heightAt = (x: number) => {
    let height = 0
    for (let y = 0; y < info.height; y++) {
      const at = (y * info.width + x) * info.channels
      if (wanted.every((part, place) => Math.abs(data[at + place]! - part) < 12)) height++
    }
    return height
  }
  const bars: number[] = []
  let isIn = false
  for (let x = 0; x < info.width; x++) {
    const height = heightAt(x)
    if (height >= LEAST_HEIGHT) {
      if (isIn) bars.push(Math.max(bars.pop()!, height))
      else bars.push(height)
    }
    isIn = height >= LEAST_HEIGHT
  }
  return bars
}
