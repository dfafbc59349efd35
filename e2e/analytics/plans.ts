import { expect, test } from 'vitest'
import type { Roi } from '../../shared/analytics.ts'
import { checkInEveryTheme } from '../every-theme.ts'
import { block, changed, instance, type Me, money, page, saved } from './scene.ts'

// What larger plans add: ROI Tracking and all stores together (A 9, decision 154).

export function ofThePlans() {
  test('ROI Tracking shows what is left by month, channel and flow; a smaller plan is led to the plans (A 9, decision 154)', async () => {
    const replied = page.waitForResponse((reply) => reply.url().includes('/api/analytics/roi?'))
    await page.goto(`${instance.url}/analytics`)
    const { months, channels } = (await (await replied).json()) as Roi
    const rows = block('ROI Tracking').getByRole('region', { name: 'ROI by month' }).locator('tbody tr')
    await rows.first().waitFor()
    expect(await rows.count()).toBe(months.length)
    const { attributedRevenue, messageCost, planPrice } = months.at(-1)!
    const cells = await rows.first().locator('td').allInnerTexts()
    const left = attributedRevenue - messageCost - planPrice!
    expect(cells.slice(0, 4)).toEqual([attributedRevenue, messageCost, planPrice!, left].map(money))
    const byChannel = block('ROI Tracking').getByRole('region', { name: 'ROI by channel' }).locator('tbody tr')
    expect(await byChannel.count()).toBe(channels.length)
    await block('ROI Tracking')
      .getByRole('img', { name: /^Revenue and costs, by month.* The table below shows each number\.$/ })
      .waitFor()
    const picture = await saved(block('ROI Tracking').getByRole('button', { name: 'Export' }))
    expect([picture.name, picture.isPng]).toEqual(['revenue-and-costs.png', true])
    await changed('**/api/subscribe/status', (said) => ({ ...said, planInForce: 'starter' }))
    await page.goto(`${instance.url}/analytics`)
    await block('ROI Tracking').getByText('ROI Tracking requires the Growth plan. Please upgrade.').waitFor()
    expect(await block('ROI Tracking').getByRole('link', { name: 'See plans' }).getAttribute('href')).toBe('/pricing')
    await page.unroute('**/api/subscribe/status')
  })

  test('“All stores” adds up those of one currency; other screens are about one store (A 9, decision 154)', async () => {
    const other = (host: string, currency: string) => ({
      ...{
        id: crypto.randomUUID(),
        storeUrl: `https://${host}`,
        name: host,
        platform: 'woocommerce',
        isActive: true,
        currency,
      },
    })
    await changed<Me>('**/api/auth/me', (said) => {
      said.user.stores.push(other('pots.example', 'USD'), other('tassen.example', 'EUR'))
      return said
    })
    await page.goto(`${instance.url}/analytics`)
    const asked = page.waitForResponse((reply) => /\/api\/analytics\?.*stores=all/.test(reply.url()))
    await page.getByRole('button', { name: 'Switch store' }).click()
    await page.getByRole('menuitem', { name: 'All stores' }).click()
    expect((await asked).status()).toBe(200)
    await page.getByText(/^All stores in USD: .*pots\.example\. Each counts by its own calendar/).waitFor()
    expect(await page.getByText('tassen.example').count()).toBe(0)
    const { name } = await saved(page.getByRole('button', { name: 'Export', exact: true }).first())
    expect(name).toBe('analytics-all-stores-30d.csv')
    expect(await page.getByRole('link', { name: 'Carts', exact: true }).count()).toBe(0)
    const link = (section: string) =>
      page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: section })
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
    await changed('**/api/subscribe/status', (said) => ({ ...said, planInForce: 'starter' }))
    await page.goto(`${instance.url}/dashboard?stores=all`)
    await page.getByText('Figures of all stores together require the Growth plan.').waitFor()
    await page.getByRole('button', { name: 'Switch store' }).click()
    await page.getByRole('menuitem', { name: /All stores.*see plans/ }).click()
    await page.waitForURL('**/pricing')
    await page.unroute('**/api/subscribe/status')
    await page.unroute('**/api/auth/me')
  })
}
