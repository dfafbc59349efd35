import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ShopifyStore } from '../demo/shopify/store.ts'
import { openShopify } from '../test/contract-servers/shopify.ts'
import { axeOf } from './axe.ts'
import { openBrowser } from './browser.ts'

// The demo's Shopify shop front: every page in light and dark, wide and at 360 px.

const knife = 44_100_000_000_001
let store: ShopifyStore
let browser: Browser

beforeAll(async () => {
  store = await openShopify({ pastDays: 3 })
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await store?.stop()
})

async function isAccessible(page: Page, path: string): Promise<void> {
  const { violations } = await axeOf(page).analyze()
  expect([path, violations.map(({ id, nodes }) => [id, nodes[0]?.html])]).toEqual([path, []])
}

test.each(['light', 'dark'] as const)('its pages are accessible and fit 360 px in %s', async (colorScheme) => {
  const context = await browser.newContext({ colorScheme, viewport: { width: 360, height: 740 } })
  const page = await context.newPage()
  const look = async (path: string) => {
    await page.goto(store.url + path)
    await isAccessible(page, path)
    const { width, wanted } = await page.evaluate(() => ({
      width: document.documentElement.clientWidth,
      wanted: document.documentElement.scrollWidth,
    }))
    expect([path, wanted]).toEqual([path, width])
  }
  for (const path of ['/', '/collections/all', '/products/leather-work-gloves', '/cart', '/admin', '/nothing'])
    await look(path)
  await look(`/cart/${knife}:2?discount=SPROUT10`)
  await page.getByText('SPROUT10', { exact: true }).waitFor()
  await page.goto(`${store.url}/cart`)
  await page.getByRole('link', { name: 'Check out' }).waitFor()
  await look('/cart')
  store.controls.setPassword('moss')
  await page.goto(`${store.url}/password`)
  await isAccessible(page, 'password')
  store.controls.setPassword(null)
  await context.close()
})
