import { expect, test } from 'vitest'
import { block, changed, figures, instance, type Me, page, read } from './scene.ts'

interface CartsPage {
  pagination: { total: number }
}

// From the numbers to what is behind them, and from a mail to the numbers.

export function ofTheWays() {
  test('numbers lead to the carts behind them (decision 99)', async () => {
    await page.goto(`${instance.url}/analytics?range=7d`)
    const row = block('By country').locator('tbody tr').first()
    const name = await row.getByRole('link').innerText()
    const abandoned = Number((await row.locator('td').first().innerText()).replace(/\D/g, ''))
    await row.getByRole('link').click()
    await page.waitForURL(/\/carts\?.*country=/)
    await page.getByRole('button', { name: `${name}: remove this filter` }).waitFor()
    await page.getByRole('button', { name: 'Abandoned in the last 7 days: remove this filter' }).waitFor()
    const { pagination } = await read<CartsPage>(`/api/carts/abandoned${new URL(page.url()).search}`)
    expect(pagination.total).toBeGreaterThan(0)
    // Those bought without a message are no longer in the list.
    expect(pagination.total).toBeLessThanOrEqual(abandoned)
    await page.goto(`${instance.url}/analytics?range=7d`)
    const funnel = block('Conversion Funnel')
    await funnel.getByRole('link', { name: 'Carts: Conversions' }).click()
    await page.waitForURL((url) => url.searchParams.get('stage') === 'converted:email')
    await page.getByRole('button', { name: 'Recovered by email: remove this filter' }).waitFor()
    await page.goto(`${instance.url}/analytics?range=7d`)
    const stage = funnel.getByRole('listitem').filter({ hasText: 'Clicks' })
    const clicks = Number((await stage.locator('strong').innerText()).replace(/\D/g, ''))
    await stage.getByRole('link', { name: 'Carts: Clicks' }).click()
    await page.getByRole('button', { name: 'Email clicked: remove this filter' }).waitFor()
    const clicked = await read<CartsPage>(`/api/carts/abandoned${new URL(page.url()).search}`)
    expect(clicked.pagination.total).toBeGreaterThan(0)
    expect(clicked.pagination.total).toBeLessThanOrEqual(clicks)
    // Carts are in the list from when they were abandoned.
    expect(await funnel.getByRole('link', { name: 'Carts: Carts created' }).count()).toBe(0)
    await page.goto(`${instance.url}/analytics?range=7d`)
    await page
      .getByRole('region', { name: 'Figures', exact: true })
      .getByRole('link', { name: 'Carts' })
      .first()
      .click()
    await page.waitForURL(/\/carts\?days=7/)
    await page.getByRole('button', { name: 'Abandoned in the last 7 days: remove this filter' }).click()
    await page.waitForURL(`${instance.url}/carts`)
  })

  test('the link of the weekly report opens the store that it is about, of the account’s stores alone', async () => {
    const second = crypto.randomUUID()
    await changed<Me>('**/api/auth/me', (said) => {
      said.user.stores.push({ ...said.user.stores[0], id: second, storeUrl: 'https://pots.example' })
      return said
    })
    const asked: unknown[] = []
    await page.route('**/api/stores/switch*', async (route) => {
      asked.push(route.request().postDataJSON())
      const { store } = await read<{ store: object }>('/api/stores/check-connection')
      await route.fulfill({ json: { store: { ...store, id: second, name: 'Pots' } } })
    })
    await page.goto(`${instance.url}/analytics?platform=woocommerce&storeId=${second}&range=7d`)
    await page.waitForURL((url) => !url.searchParams.has('storeId') && url.searchParams.get('range') === '7d')
    await block('Conversion Funnel').waitFor()
    expect(asked).toEqual([{ storeId: second }])
    await page.goto(`${instance.url}/analytics?platform=woocommerce&storeId=${crypto.randomUUID()}&range=7d`)
    await page.getByText('This report cannot be shown').waitFor()
    expect(await block('Conversion Funnel').count()).toBe(0)
    await page.getByRole('button', { name: 'Show the analytics of this store' }).click()
    await block('Conversion Funnel').waitFor()
    expect(asked).toHaveLength(1)
    await page.unroute('**/api/stores/switch*')
    await page.unroute('**/api/auth/me')
  })

  test('a product leads to the carts that hold it, from the first ten and from all (decision 99)', async () => {
    const { topProducts } = await figures('30d')
    const top = topProducts![0]!
    const products = block('Top Abandoned Products')
    for (const isAll of [false, true]) {
      await page.goto(`${instance.url}/analytics?range=30d`)
      if (isAll) await products.getByRole('button', { name: 'See all' }).click()
      await products.getByRole('link', { name: top.name, exact: true }).click()
      await page.waitForURL((url) => url.searchParams.get('product') === top.productId)
      await page.getByRole('button', { name: `With ${top.name}: remove this filter` }).waitFor()
      const { pagination } = await read<CartsPage>(`/api/carts/abandoned${new URL(page.url()).search}`)
      expect(pagination.total).toBeGreaterThan(0)
      expect(pagination.total).toBeLessThanOrEqual(top.abandonedCount)
    }
    await page.getByRole('button', { name: `With ${top.name}: remove this filter` }).click()
    await page.waitForURL((url) => !url.searchParams.has('product') && url.searchParams.get('days') === '30')
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
    await search.fill('')
    await search.press('Enter')
    const count = await products.locator('tbody tr').count()
    await changed<{ pagination: object }>('**/api/analytics/products?*', (said, route) => {
      const asked = Number(new URL(route.request().url()).searchParams.get('page'))
      return { ...said, pagination: { ...said.pagination, page: asked, total: count + 40, pages: 3 } }
    })
    await page.reload()
    await products.getByRole('button', { name: 'See all' }).click()
    const asks = (words: RegExp) => page.waitForResponse((reply) => words.test(reply.url()))
    const second = asks(/products\?.*page=2/)
    await products.getByRole('button', { name: 'Next products' }).click()
    await second
    // What is searched for begins with its first page.
    const first = asks(/products\?.*page=1&search=mug|products\?.*search=mug.*page=1/)
    await search.fill('mug')
    await search.press('Enter')
    await first
    await page.unroute('**/api/analytics/products?*')
  })
}
