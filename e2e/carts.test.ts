import { afterAll, beforeAll, expect, test } from 'vitest'
import { theList } from './carts/list.ts'
import { manyCarts } from './carts/many-carts.ts'
import { offers } from './carts/offers.ts'
import { oneCart } from './carts/one-cart.ts'
import { refusals } from './carts/refusals.ts'
import { story } from './carts/story.ts'
import { beginVisit, endVisit, instance, page, violations } from './carts/visit.ts'

// The carts screen in a real browser, on the demo's 90 days: the list, the panel, and what is sent from it, read in the mailbox. Its
// parts stand in `carts/` and share one house.

beforeAll(beginVisit, 420_000)
afterAll(endVisit)

theList()
oneCart()
manyCarts()
offers()
refusals()
story()

test('on a phone carts are cards with the same actions, and nothing stands out of the page', async () => {
  await page.setViewportSize({ width: 360, height: 800 })
  await page.goto(`${instance.url}/carts`)
  await page.locator('.list-card').first().waitFor()
  expect(await page.getByRole('table').count()).toBe(0)
  await page.getByRole('checkbox', { name: 'Select all carts on this page' }).check()
  await page.getByRole('region', { name: 'Selected carts' }).getByText('10 selected').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  expect(await violations()).toEqual([])
})
