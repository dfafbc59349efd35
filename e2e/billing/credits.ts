import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { checkInEveryTheme } from '../every-theme.ts'
import { aLedger, aStatus, noCredits, someCredits, someUsage } from './answers.ts'
import { billingOf } from './page.ts'
import { asViewer, instance, open } from './scene.ts'

const CREDITS = 'subscribe/credits'
const ENTRIES = 'subscribe/credit-entries'
const USAGE = 'subscribe/usage'
const CHECK = 'subscribe/check-credits'
const card = (page: Page) => page.getByRole('region', { name: 'SMS credits' })

export function theCredits() {
  test('the card says balance, what the week took and what an SMS costs; the meter says what comes after the plan', async () => {
    const { page } = await open('/billing', { ...billingOf({}), [USAGE]: someUsage(), [CREDITS]: someCredits() })
    await card(page).getByText('$12.34').waitFor()
    const said = (await card(page).innerText()).replace(/\s+/g, ' ')
    expect(said).toContain('Last 7 days $3.618')
    expect(said).toContain('United States $0.018')
    expect(said).toContain('Elsewhere $0.225')
    await page.getByText('84 of 100 used, then $12.34 of credits').waitFor()
    expect(await page.getByText(/, then .* of credits/).count()).toBe(1)
    await checkInEveryTheme(page, 'billing-credits')
    await page.context().close()
  })

  test('a pack is chosen and paid at Stripe, by the keyboard too; a refusal is said', async () => {
    const { page, sent, answer } = await open('/billing', { ...billingOf({}), [CREDITS]: someCredits() })
    await page.route('**/api/subscribe/credits', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 409, json: { error: 'Payments are closed.', code: 'conflict' } })
        : route.fallback(),
    )
    await card(page).getByRole('button', { name: 'Buy $25 of credits' }).press('Enter')
    await card(page).getByRole('alert').filter({ hasText: 'Payments are closed.' }).waitFor()
    await checkInEveryTheme(page, 'billing-credits-refused')
    await page.unroute('**/api/subscribe/credits')
    await answer(CREDITS, { ...someCredits(), url: `${instance.url}/terms?stripe` })
    await card(page).getByRole('radio', { name: '$50' }).press('Space')
    await card(page).getByRole('button', { name: 'Buy $50 of credits' }).click()
    await page.waitForURL('**/terms?stripe')
    expect(sent.filter(({ body }) => body).map(({ body }) => body)).toEqual([{ pack: 50 }])
    await page.context().close()
  })

  test('the movements are paged, name what happened, and stand in the address', async () => {
    const { page, sent } = await open('/billing', {
      ...{ ...billingOf({}), [CREDITS]: someCredits(), [ENTRIES]: aLedger(23) },
    })
    await card(page).getByRole('button', { name: 'View Movements' }).click()
    const rows = card(page).getByRole('row')
    await rows.nth(10).waitFor()
    const said = (await rows.allInnerTexts()).map((row) => row.replace(/\s+/g, ' ').trim())
    expect(said[0]).toBe('Date What Amount Balance')
    expect(said[1]).toMatch(/SMS sent -\$0.018 \$12.345678$/)
    expect(said[3]).toMatch(/Payment given back; \$18.00 had been used -\$7.00/)
    expect(said[4]).toMatch(/Bought \+\$25.00/)
    await checkInEveryTheme(page, 'billing-credit-ledger')
    await card(page).getByRole('button', { name: 'Page 3' }).click()
    await card(page).getByText('Page 3 of 3, 23 movements').waitFor()
    expect(new URL(page.url()).search).toBe('?ledger=3')
    expect(sent.filter(({ call }) => call === ENTRIES).at(-1)!.query).toEqual({ page: '3', limit: '10' })
    await page.context().close()
  })

  test('members see the balance, and neither movements nor a button; credits that are not used say why', async () => {
    const { page, answer } = await open('/billing', {
      ...{ ...billingOf({}), ...asViewer(), [CREDITS]: someCredits() },
    })
    await card(page).getByText('$12.34').waitFor()
    expect(await card(page).getByRole('button').count()).toBe(0)
    await answer(CREDITS, someCredits({ carrier: 'own', offer: null }))
    await page.reload()
    await card(page).getByText('Your own provider carries your SMS and bills you for them.').waitFor()
    await checkInEveryTheme(page, 'billing-credits-kept')
    await answer(CREDITS, noCredits)
    await page.reload()
    await page.getByRole('heading', { name: 'Limits and usage' }).waitFor()
    await page.getByRole('heading', { name: 'Premium features' }).waitFor()
    await expect.poll(() => card(page).count()).toBe(0)
    await page.context().close()
  })

  test('credits that could not be loaded are said with a way to ask again', async () => {
    const { page, answer } = await open('/billing', { ...billingOf({}), [CREDITS]: { status: 500, error: 'Broken.' } })
    const failed = page.getByRole('alert').filter({ hasText: 'The credits could not be loaded.' })
    await failed.waitFor()
    await answer(CREDITS, someCredits())
    await failed.getByRole('button', { name: 'Retry' }).click()
    await card(page).getByText('$12.34').waitFor()
    await page.context().close()
  })

  test.each([
    ['paid', { isPaid: true, balanceMicros: 25_000_000 }, 'status', 'You have $25.00 of credits.'],
    ['not paid', { isPaid: false, balanceMicros: 0 }, 'status', 'The payment is not made yet.'],
    ['of another account', { status: 404, error: 'Checkout session not found' }, 'alert', 'Checkout session not found'],
  ] as const)('back from paying for credits: %s', async (_, answered, role, words) => {
    const { page, sent } = await open('/billing?credits=cs_test_1', {
      ...{ ...billingOf({}), [CREDITS]: someCredits(), [CHECK]: answered },
    })
    await page.getByRole('main').getByRole(role).filter({ hasText: words }).waitFor()
    expect(new URL(page.url()).search).toBe('')
    expect(sent.filter(({ call }) => call === CHECK).map(({ query }) => query)).toEqual([{ session_id: 'cs_test_1' }])
    await page.context().close()
  })

  test('Pricing offers credits where they can be had, and else says who bills', async () => {
    const { page, answer } = await open('/pricing', { 'subscribe/status': aStatus(), [CREDITS]: someCredits() })
    const addOns = page.getByRole('region', { name: 'Add-ons' })
    await addOns.getByText('SMS credits from $10').waitFor()
    await addOns.getByText('from about $0.018 each').waitFor()
    await addOns.getByRole('link', { name: 'Credits under Billing' }).waitFor()
    await checkInEveryTheme(page, 'pricing-credits')
    for (const given of [
      { carrier: 'own', offer: null },
      { carrier: 'none', offer: null },
    ] as const) {
      await answer(CREDITS, someCredits(given))
      await page.reload()
      await addOns.getByText('Billed by your provider').waitFor()
      expect(await addOns.getByText('credits').count()).toBe(0)
    }
    await page.context().close()
  })

  test('test billing adds credits by hand, once for a double click, which are there at once', async () => {
    const { page } = await open('/test-subscription', { [CREDITS]: 'server' })
    await page.getByLabel('Pack of credits').selectOption('50')
    await page.getByRole('button', { name: 'Add these credits' }).dblclick()
    await page.getByText('You have $50.00 of credits.').waitFor()
    await checkInEveryTheme(page, 'test-credits')
    await page.goto(`${instance.url}/billing`)
    await card(page).getByText('$50.00').waitFor()
    await card(page).getByRole('button', { name: 'View Movements' }).click()
    await card(page).getByText('Added for trying out').waitFor()
    await page.context().close()
  })
}
