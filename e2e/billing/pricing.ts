import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { checkInEveryTheme } from '../every-theme.ts'
import { aStatus, dateIn, inDays, someStores } from './answers.ts'
import { asMember, instance, open } from './scene.ts'

const STATUS = 'subscribe/status'
const CHECKOUT = 'subscribe/create-checkout-session'
const FREE = 'subscribe/create-free-subscription'
const onLite = (more = {}) => ({ [STATUS]: aStatus({ plan: 'free', ...more }) })
const main = (page: Page) => page.getByRole('main')
const wordsOf = async (page: Page) => (await main(page).innerText()).replace(/\s+/g, ' ')
const step = (page: Page) => page.getByRole('heading', { level: 1, name: 'Complete Your Purchase' })
const start = (page: Page) => main(page).getByRole('button', { name: 'Start free trial' })

export function thePricing() {
  test('plans by the month or the year, claims, add-ons, questions, custom pricing and support (A 2.6, A 9)', async () => {
    const { page } = await open('/pricing', onLite())
    await main(page).getByRole('button', { name: 'Choose Growth' }).waitFor()
    const text = await wordsOf(page)
    expect(text).toContain('14-day free trial · No credit card required · 30-day money-back guarantee')
    expect(text).toContain('Extra store $10 per store per month')
    expect(text).toContain('SMS/WhatsApp Billed by your provider')
    expect(text).toContain('White-label Custom pricing')
    expect(text).toContain(
      '100 WhatsApp messages per month SMS and WhatsApp are sent by hand; automated ones are in Growth',
    )
    expect(text).toContain('/month Everything in Starter 3 stores')
    expect(text).not.toMatch(/credits|cannot be bought/i)
    expect(await main(page).getByRole('heading', { level: 3 }).count()).toBeGreaterThan(8)
    const mails = await main(page)
      .locator('a[href^="mailto:"]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')!.replace(/:.*@[^?]+/, ':…')))
    expect(mails).toEqual(['mailto:…?subject=White-label', 'mailto:…?subject=Custom%20pricing', 'mailto:…'])
    await main(page).getByText('Yearly', { exact: true }).click()
    await main(page).getByText('$39').waitFor()
    expect(new URL(page.url()).search).toBe('?cycle=year')
    await checkInEveryTheme(page, 'pricing')
    await page.context().close()
  })

  test('“Complete Your Purchase”: the first five features, the amount, and what today costs in a trial (A 2.6)', async () => {
    const { page } = await open('/pricing?cycle=year', onLite())
    await main(page).getByRole('button', { name: 'Choose Growth' }).click()
    await step(page).waitFor()
    await expect.poll(() => step(page).evaluate((heading) => heading === document.activeElement)).toBe(true)
    expect(new URL(page.url()).search).toBe('?plan=growth&cycle=year')
    await expect
      .poll(() => main(page).getByRole('listitem').allInnerTexts())
      .toEqual([
        'Multi-store Dashboard',
        'ROI Tracking',
        'Automated SMS/WhatsApp',
        'Export Analytics',
        'Premium Support',
      ])
    expect(await wordsOf(page)).toContain('Growth, yearly $468.00 Total per year $468.00 Due today $0.00')
    await page.getByLabel('Extra stores').fill('2')
    await main(page).getByText('2 extra stores').waitFor()
    expect(await wordsOf(page)).toContain('2 extra stores $240.00 Total per year $708.00 Due today $0.00')
    await main(page).getByText('Monthly', { exact: true }).click()
    await main(page).getByText('Total per month').waitFor()
    const text = await wordsOf(page)
    expect(text).toContain('Growth, monthly $49.00 2 extra stores $20.00 Total per month $69.00 Due today $0.00')
    expect(text).toContain('14 days free, then $69.00 a month until you cancel. No credit card required')
    await checkInEveryTheme(page, 'checkout-step')
    await page.context().close()
  })

  test('whoever has had a trial pays today, and is told so', async () => {
    const { page } = await open('/pricing?plan=starter&cycle=month', onLite({ hasUsedTrial: true }))
    await step(page).waitFor()
    const text = await wordsOf(page)
    expect(text).toContain('Total per month $19.00 Due today $19.00')
    expect(text).toContain('This account has had its free trial.')
    expect(await start(page).count()).toBe(0)
    await checkInEveryTheme(page, 'checkout-step-paid')
    await page.context().close()
  })

  test('the choice goes to the server, once for a double click, and the browser to where it is paid; back finds it again (A 4.3)', async () => {
    const { page, sent } = await open('/pricing?plan=growth&cycle=year&stores=2', {
      ...onLite(),
      [CHECKOUT]: { isFreePlan: false, url: `${instance.url}/terms?stripe` },
    })
    await start(page).dblclick()
    await page.waitForURL('**/terms?stripe')
    expect(sent.filter(({ call }) => call === CHECKOUT).map(({ body }) => body)).toEqual([
      { planKey: 'growth', cycle: 'year', addOns: { extraStores: 2 } },
    ])
    await page.goBack()
    await step(page).waitFor()
    expect(await page.getByLabel('Extra stores').inputValue()).toBe('2')
    expect(await start(page).isEnabled()).toBe(true)
    await page.context().close()
  })

  test('a page that the browser kept is of use again, and knows what was bought meanwhile', async () => {
    const { page, answer } = await open('/pricing?plan=growth&cycle=month', {
      ...onLite(),
      // An address that loads nothing leaves the page where it is.
      [CHECKOUT]: { isFreePlan: false, url: `${instance.url}/pricing?plan=growth&cycle=month#pay` },
    })
    await start(page).click()
    await page.waitForURL('**#pay')
    const isBusy = () => main(page).locator('button[data-loading]').count()
    expect(await isBusy()).toBe(1)
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await expect.poll(isBusy).toBe(0)
    await answer(STATUS, aStatus({ plan: 'growth', status: 'trialing', trialEndsAt: inDays(14) }))
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await page.waitForURL('**/billing')
    await page.context().close()
  })

  test.each([
    ['an answer without an address', { isFreePlan: false, url: '' }, 'Failed to create checkout session'],
    ['what the server says', { status: 503, error: 'Stripe does not answer.' }, 'Stripe does not answer.'],
    ['no answer', { status: 0, error: '' }, 'Failed to process checkout'],
  ] as const)('a checkout that fails is said in the words of A 8, and can be tried again: %s', async (_, given, words) => {
    const { page, answer } = await open('/pricing?plan=growth&cycle=month', { ...onLite(), [CHECKOUT]: given })
    await start(page).click()
    await main(page).getByRole('alert').getByText(words, { exact: true }).waitFor()
    if (words === 'Failed to process checkout') await checkInEveryTheme(page, 'checkout-failed')
    await answer(CHECKOUT, { isFreePlan: false, url: `${instance.url}/terms?stripe` })
    await start(page).click()
    await page.waitForURL('**/terms?stripe')
    await page.context().close()
  })

  test('one that was bought in another tab leads to the change of the plan', async () => {
    const { page, answer } = await open('/pricing?plan=growth&cycle=year', onLite())
    await start(page).waitFor()
    await answer(STATUS, aStatus({ plan: 'starter' }))
    await page.route('**/api/subscribe/create-checkout-session', (route) =>
      route.fulfill({ status: 409, json: { error: 'You have a subscription already.', code: 'conflict' } }),
    )
    await start(page).click()
    await page.waitForURL('**/billing?change=growth&cycle=year')
    await page.context().close()
  })

  test('an account that is at Stripe changes its subscription under Billing, by button and by address', async () => {
    const { page } = await open('/pricing?cycle=year', { [STATUS]: aStatus({ plan: 'starter' }) })
    const link = main(page).getByRole('link', { name: 'Change to Growth' })
    expect(await link.getAttribute('href')).toBe('/billing?change=growth&cycle=year')
    const period = main(page).getByRole('link', { name: 'Change period or stores' })
    expect(await period.getAttribute('href')).toBe('/billing?change=starter&cycle=year')
    await checkInEveryTheme(page, 'pricing-subscribed')
    await page.goto(`${instance.url}/pricing?plan=growth&cycle=month`)
    await page.waitForURL('**/billing?change=growth&cycle=month')
    await page.context().close()
  })

  test('“Start with Lite” asks, says until when the plan stays, and then cancels (decision 122)', async () => {
    const { page, sent, answer } = await open('/pricing', {
      [STATUS]: aStatus(),
      [FREE]: { success: true, message: 'x' },
      'subscribe/resting-stores': { stores: someStores.map((store) => ({ ...store, restsFirst: false })) },
    })
    await main(page).getByRole('button', { name: 'Start with Lite' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change to Lite?' })
    await dialog.getByText(`Your Growth plan stays until its period ends on ${dateIn(12)}.`).waitFor()
    await dialog.getByText('2 stores of the 3 connected will rest then: Second Hand and Third Floor.').waitFor()
    await checkInEveryTheme(page, 'pricing-leave')
    expect(sent.some(({ call }) => call === FREE)).toBe(false)
    await answer(STATUS, aStatus({ cancelAtPeriodEnd: true }))
    await dialog.getByRole('button', { name: 'Change to Lite' }).click()
    await page.waitForURL('**/billing')
    expect(sent.filter(({ call }) => call === FREE)).toHaveLength(1)
    await page.goto(`${instance.url}/pricing`)
    await main(page)
      .getByText(`Your account changes to Lite on ${dateIn(12)}.`)
      .waitFor()
    expect(await main(page).getByRole('button', { name: 'Start with Lite' }).count()).toBe(0)
    await main(page)
      .getByText(`This is your current plan. It ends on ${dateIn(12)}.`)
      .waitFor()
    await main(page).getByText('Reactivate it first to change it.').waitFor()
    expect(
      await main(page)
        .getByRole('link', { name: /Change/ })
        .count(),
    ).toBe(0)
    const back = main(page).getByRole('link', { name: 'Reactivate under Billing' })
    expect(await back.evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      '/billing',
      '/billing',
    ])
    await checkInEveryTheme(page, 'pricing-ending')
    await page.context().close()
  })

  test('where nothing is sold Pricing says so, with the plan the account is on, and leads nowhere (decision 82)', async () => {
    const given = { sells: 'none', source: 'default', isUnlimited: true } as const
    const { page } = await open('/pricing?plan=starter&cycle=year', { [STATUS]: aStatus(given) })
    await page.getByRole('heading', { level: 1, name: 'This installation has no billing' }).waitFor()
    expect(await page.title()).toBe('Pricing · Recoup')
    await main(page).getByRole('heading', { name: 'Growth, without limits' }).waitFor()
    expect(await wordsOf(page)).not.toMatch(/\$\d|trial|Add-ons/)
    expect(await main(page).getByRole('button').count()).toBe(0)
    await checkInEveryTheme(page, 'pricing-unsold')
    await page.context().close()
    const first = await open('/pricing', { [STATUS]: aStatus({ plan: null, sells: 'none' }) })
    await main(first.page).getByRole('button', { name: 'Continue with Lite' }).waitFor()
    await first.page.context().close()
  })

  test('a member looks at the plans and is told whom to ask; the step is not for them', async () => {
    const { page } = await open('/pricing?plan=growth&cycle=month', { ...onLite(), ...asMember() })
    await main(page).getByText('Only an owner or admin of this account can change its plan.').waitFor()
    expect(await main(page).getByRole('button').count()).toBe(0)
    expect(await step(page).count()).toBe(0)
    await page.context().close()
  })

  test('a plan that is not known is said, with Retry; nothing is offered until then', async () => {
    const { page, answer } = await open('/pricing', { [STATUS]: { status: 400, error: 'Not now.' } })
    await main(page).getByText('Failed to load subscription status').waitFor()
    await answer(STATUS, aStatus({ plan: 'free' }))
    await main(page).getByRole('button', { name: 'Retry' }).click()
    await main(page).getByRole('button', { name: 'Choose Growth' }).waitFor()
    await page.context().close()
  })
}
