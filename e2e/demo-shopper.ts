import pg from 'pg'
import type { Browser, Page } from 'playwright-core'
import { type AppInstance, waitUntil } from './app-instance.ts'

type Instance = Pick<AppInstance, 'storeUrl' | 'databaseUrl'>

// A shopper of the demo store, and the demo's minute.

/** A shopper in a new browser puts the first product in the cart and types an email at checkout. */
export async function abandonCart(instance: Instance, browser: Browser, email: string, country = 'US'): Promise<Page> {
  const shop = await (await browser.newContext()).newPage()
  await shop.goto(instance.storeUrl)
  await shop.locator('a[href*="/product/"]').first().click()
  await shop.getByRole('button', { name: 'Add to cart' }).click()
  await shop.getByText('has been added to your cart').waitFor()
  await typeAtCheckout(instance, shop, email, country)
  return shop
}

/** Typing an address at checkout identifies the cart's owner. */
export async function typeAtCheckout(instance: Instance, shop: Page, email: string, country: string): Promise<void> {
  await shop.goto(`${instance.storeUrl}/checkout/`)
  await shop.locator('#email').fill(email)
  await shop.locator('#shipping-country').selectOption(country)
  await shop.locator('#shipping-first_name').fill('Ana')
  await shop.locator('#shipping-last_name').fill('Lopez')
  await shop.locator('#shipping-last_name').blur()
}

/** The demo's minute after the last keystroke: it backdates the abandonment and the flow's activation. */
export async function advanceDemoMinute(instance: Instance, email: string): Promise<void> {
  const client = new pg.Client(instance.databaseUrl())
  await client.connect()
  const shift = `with left_behind as (
      update carts set started_at = started_at - interval '1 minute', last_activity_at = last_activity_at - interval '1 minute',
        abandon_at = abandon_at - interval '1 minute'
      where email = $1 and customer_name = 'Ana Lopez' and status = 'active' returning store_id, shopper_id),
    switched as (update flows f set takes_from = f.takes_from - interval '1 minute' from left_behind l where f.store_id = l.store_id)
    update facts f set at = f.at - interval '1 minute' from left_behind l where f.store_id = l.store_id and f.shopper_id = l.shopper_id`
  try {
    await waitUntil(async () => (await client.query(shift, [email])).rowCount! > 0)
  } finally {
    await client.end()
  }
}

/** At the checkout. */
export async function buy(shop: Page, email: string): Promise<void> {
  await shop.locator('#email').fill(email)
  await shop.locator('#shipping-first_name').fill('Ana')
  await shop.locator('#shipping-last_name').fill('Lopez')
  await shop.locator('#shipping-address_1').fill('1 Main Street')
  await shop.locator('#shipping-city').fill('New York')
  await shop.locator('#shipping-state').selectOption('NY')
  await shop.locator('#shipping-postcode').fill('10001')
  await shop.getByRole('button', { name: /place order/i }).click()
  await shop.waitForURL('**/order-received/**')
}
