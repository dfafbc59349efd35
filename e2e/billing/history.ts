import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { checkInEveryTheme } from '../every-theme.ts'
import { aHistory } from './answers.ts'
import { billingOf } from './page.ts'
import { open } from './scene.ts'

const HISTORY = 'payments/payment-history'
const region = (page: Page) => page.getByRole('region', { name: 'Payment history' })
const numbers = (page: Page) =>
  region(page)
    .getByRole('navigation')
    .getByRole('button')
    .evaluateAll((all) => all.map((each) => each.textContent))

export function theHistory() {
  test('“View Payment History” shows payments with status, reason, refund and invoice; “Hide Payment History” hides them', async () => {
    const { page } = await open('/billing', { ...billingOf({}), [HISTORY]: aHistory(5) })
    await page.getByRole('button', { name: 'View Payment History' }).press('Enter')
    const rows = region(page).getByRole('row')
    await rows.nth(5).waitFor()
    const said = (await rows.allInnerTexts()).map((row) => row.replace(/\s+/g, ' ').trim())
    expect(said).toEqual([
      'Date Description Status Amount Invoice',
      'Oct 20, 2026 Growth with 2 extra stores, by the year Succeeded $49.00 RC-000',
      'Oct 19, 2026 Growth, by the month Pending $50.00 in_1',
      'Oct 18, 2026 Growth with 2 extra stores, by the year Failed Your card was declined. $51.00 RC-002',
      'Oct 17, 2026 Growth, by the month Canceled $52.00 RC-003',
      'Oct 16, 2026 Growth with 2 extra stores, by the year Refunded $53.00 $12.50 refunded RC-004',
    ])
    const marks = region(page).locator('.mark')
    const colours = await marks.evaluateAll((all) => all.map((each) => getComputedStyle(each).color))
    expect(new Set(colours).size).toBe(5)
    const invoice = region(page).getByRole('link', { name: 'Invoice RC-002, in a new window' })
    expect(await invoice.getAttribute('href')).toBe('https://invoice.stripe.example/2')
    expect(await region(page).getByRole('navigation').count()).toBe(0)
    await checkInEveryTheme(page, 'billing-history')
    await page.getByRole('button', { name: 'Hide Payment History' }).click()
    await region(page).waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('ten on a page and at most five page buttons; the page stands in the address', async () => {
    const { page, sent } = await open('/billing', { ...billingOf({}), [HISTORY]: aHistory(83) })
    await page.getByRole('button', { name: 'View Payment History' }).click()
    await region(page).getByText('Page 1 of 9, 83 payments').waitFor()
    expect(sent.filter(({ call }) => call === HISTORY).at(-1)!.query).toEqual({ page: '1', limit: '10' })
    expect(await region(page).getByRole('row').count()).toBe(11)
    expect(await numbers(page)).toEqual(['1', '2', '3', '4', '5'])
    await region(page).getByRole('button', { name: 'Page 5' }).click()
    await region(page).getByText('Page 5 of 9').waitFor()
    expect(await numbers(page)).toEqual(['3', '4', '5', '6', '7'])
    expect(new URL(page.url()).search).toBe('?payments=5')
    await page.reload()
    await region(page).getByRole('button', { name: 'Page 7' }).click()
    await region(page).getByText('Page 7 of 9').waitFor()
    await region(page).getByRole('button', { name: 'Page 9' }).click()
    await region(page).getByText('Page 9 of 9').waitFor()
    expect(await numbers(page)).toEqual(['5', '6', '7', '8', '9'])
    expect(await region(page).getByRole('row').count()).toBe(4)
    await checkInEveryTheme(page, 'billing-history-pages')
    await page.context().close()
  })

  test('a page beyond the last one leads to the last', async () => {
    const { page } = await open('/billing?payments=12', { ...billingOf({}), [HISTORY]: aHistory(12) })
    await region(page).getByText('Page 2 of 2, 12 payments').waitFor()
    await page.waitForURL('**/billing?payments=2')
    await page.context().close()
  })

  test('“No payment history found”, and “Failed to load payment history” with Retry', async () => {
    const { page, answer } = await open('/billing?payments=1', {
      ...billingOf({}),
      [HISTORY]: { status: 400, error: 'Not now.' },
    })
    const alert = region(page).getByRole('alert')
    await alert.getByText('Failed to load payment history').waitFor()
    await checkInEveryTheme(page, 'billing-history-failed')
    await answer(HISTORY, aHistory(0))
    await alert.getByRole('button', { name: 'Retry' }).click()
    await region(page).getByText('No payment history found').waitFor()
    await checkInEveryTheme(page, 'billing-history-none')
    await page.context().close()
  })
}
