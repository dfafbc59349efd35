import { afterAll, beforeAll, expect, test } from 'vitest'
import { findViolations } from '../e2e/axe.ts'
import { openShopify } from '../providers/contracts/shopify.ts'
import type { ShopifyStore } from '../providers/shopify/store.ts'
import { createScreens } from '../screens/app.ts'

const app = createScreens()
const KNIFE = 44_100_000_000_001
let store: ShopifyStore

beforeAll(async () => {
  store = await openShopify({ pastDays: 3 })
})

afterAll(() => store?.stop())

/** Pages have the same elements in both; only the contrast differs. */
test.each([
  ['light', undefined],
  ['dark', ['color-contrast']],
] as const)('pages of the demo’s Shopify shop are accessible and fit 360 px in %s', async (colorScheme, rules) => {
  const page = await app.openAnotherPage({ colorScheme, viewport: { width: 360, height: 740 } })
  const check = async (path: string) => {
    await page.goto(store.url + path)
    expect([path, await findViolations(page, { rules: rules && [...rules] })]).toEqual([path, []])
    const overhang = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect([path, overhang]).toEqual([path, 0])
  }
  for (const path of ['/', '/collections/all', '/products/leather-work-gloves', '/cart', '/admin', '/nothing'])
    await check(path)
  await check(`/cart/${KNIFE}:2?discount=SPROUT10`)
  await page.getByText('SPROUT10', { exact: true }).waitFor()
  await check('/cart')
  await page.getByRole('link', { name: 'Check out' }).waitFor()
  store.controls.setPassword('moss')
  await check('/password')
  store.controls.setPassword(null)
})
