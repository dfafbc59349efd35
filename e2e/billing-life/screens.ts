import { expect } from 'vitest'
import { checkInEveryTheme } from '../every-theme.ts'
import { atStripe, instance, open, page, stripe } from './house.ts'

// What the journey does and reads again and again.

export const main = () => page.getByRole('main')
export const dialog = (name: string) => page.getByRole('dialog', { name })
export const press = async (name: string | RegExp) => {
  await atStripe()
  await main().getByRole('button', { name }).click()
}

/** The screen in every theme, as a desktop and a phone show it. */
export const look = (name: string, within?: string) => checkInEveryTheme(page, `life-${name}`, within)

/** A day as screens say it. */
export const dayOf = (seconds: number) => new Date(seconds * 1_000).toLocaleDateString('en-US', { dateStyle: 'medium' })

export const subscription = () => stripe.all('subscription').at(-1)!
export const periodEnd = () => dayOf(subscription().items.data[0]!.current_period_end)

/** “Manage Billing”, a card in Stripe’s portal, and back. */
export async function addCard(number: string): Promise<void> {
  await open('/billing')
  await press('Manage Billing')
  await page.waitForURL(`${stripe.url}/p/session/*`)
  await page.getByLabel('Card number').fill(number)
  await page.getByRole('button', { name: 'Add payment method' }).click()
  await page.getByText(`•••• ${number.slice(-4)} (default)`).waitFor()
  await stripe.webhooks.idle()
  await page.getByRole('link', { name: 'Return' }).click()
  await page.waitForURL(`${instance.url}/billing`)
}

/** The payment history, the newest first: what it was for, its status with a reason, its amount with a refund. */
export async function history(): Promise<string[]> {
  await open('/billing?payments=1')
  const rows = main().getByRole('region', { name: 'Payment history' }).getByRole('row')
  await expect.poll(() => rows.count()).toBeGreaterThan(1)
  const texts = await rows.allInnerTexts()
  return texts.slice(1).map((text) =>
    text
      .split(/\s*[\n\t]\s*/)
      .slice(1, -1)
      .join(' | '),
  )
}
