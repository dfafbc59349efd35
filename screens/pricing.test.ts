import { expect, test } from 'vitest'
import { createFreeSubscription, listResting, subscriptionStatus } from '../shared/billing/billing.ts'
import { createCheckoutSession } from '../shared/billing/payments.ts'
import {
  addDays,
  answerBilling,
  buildStatus,
  checkLayout,
  createBillingScreen,
  formatDateIn,
  readText,
  type Status,
  sampleStores,
  signInAs,
} from './billing-scene.ts'

// The plans, and the step before paying for one.

const app = createBillingScreen()
const main = () => app.page.getByRole('main')
const mainText = () => readText(main())
const findStep = () => app.page.getByRole('heading', { level: 1, name: 'Complete Your Purchase' })
const start = () => main().getByRole('button', { name: 'Start free trial' })
const search = () => new URL(app.page.url()).search
const serveLite = (changes: Partial<Status> = {}) =>
  app.api.answer(subscriptionStatus, buildStatus({ plan: 'free', ...changes }))
const serveCheckout = (url: string) => app.api.answer(createCheckoutSession, { isFreePlan: false, url })
const provider = () => `${app.url}/terms?stripe`

test('/pricing shows plans monthly or yearly, claims, add-ons, questions, custom pricing and support', {
  tags: ['A2.6', 'A9'],
}, async () => {
  serveLite()
  await app.open('/pricing')
  await main().getByRole('button', { name: 'Choose Growth' }).waitFor()
  const text = await mainText()
  for (const part of [
    '14-day free trial · No credit card required · 30-day money-back guarantee',
    'Extra store $10 per store per month',
    'SMS/WhatsApp Billed by your provider',
    'White-label Custom pricing',
    '100 WhatsApp messages per month Manual SMS and WhatsApp (automated in Growth)',
    '1,000 WhatsApp messages per month Everything in Starter',
    'Priority Support Your email names your plan, so we can answer it first',
    'Starter Recommended',
    'You pay by messages sent, never by contacts.',
    'New accounts start lower: 50 emails on the first day',
  ])
    expect(text).toContain(part)
  expect(text).not.toMatch(/credits|cannot be bought/i)
  await expect.poll(() => main().getByRole('heading', { level: 3 }).count()).toBeGreaterThan(8)
  const mails = main().locator('a[href^="mailto:"]')
  await expect
    .poll(() =>
      mails.evaluateAll((links) => links.map((link) => link.getAttribute('href')!.replace(/:.*@[^?]+/, ':…'))),
    )
    .toEqual(['mailto:…?subject=White-label', 'mailto:…?subject=Custom%20pricing', 'mailto:…'])
  await main().getByText('Yearly', { exact: true }).click()
  await main().getByText('$39').waitFor()
  expect(search()).toBe('?cycle=year')
  await checkLayout(app)
})

test('“Complete Your Purchase” lists the first five features, the amount, and the amount due today in a trial', {
  tags: ['A2.6'],
}, async () => {
  serveLite()
  const page = await app.open('/pricing?cycle=year')
  await main().getByRole('button', { name: 'Choose Growth' }).click()
  await findStep().waitFor()
  await expect.poll(() => findStep().evaluate((heading) => heading === document.activeElement)).toBe(true)
  expect(search()).toBe('?plan=growth&cycle=year')
  await expect
    .poll(() => main().getByRole('listitem').allInnerTexts())
    .toEqual(['Multi-store Dashboard', 'ROI Tracking', 'Automated SMS/WhatsApp', 'Export Analytics', 'Premium Support'])
  await expect.poll(() => mainText()).toContain('Growth, yearly $468.00 Total per year $468.00 Due today $0.00')
  await page.getByLabel('Extra stores').fill('2')
  await main().getByText('2 extra stores').waitFor()
  await expect.poll(() => mainText()).toContain('2 extra stores $240.00 Total per year $708.00 Due today $0.00')
  await main().getByText('Monthly', { exact: true }).click()
  await main().getByText('Total per month').waitFor()
  const text = await mainText()
  expect(text).toContain('Growth, monthly $49.00 2 extra stores $20.00 Total per month $69.00 Due today $0.00')
  expect(text).toContain('14 days free, then $69.00 a month until you cancel. No credit card required')
  await checkLayout(app)
})

test('the step charges today after a used trial', async () => {
  serveLite({ hasUsedTrial: true })
  await app.open('/pricing?plan=starter&cycle=month')
  await findStep().waitFor()
  const text = await mainText()
  expect(text).toContain('Total per month $19.00 Due today $19.00')
  expect(text).toContain('Your free trial has been used.')
  await expect.poll(() => start().count()).toBe(0)
})

test('a double click on “Start free trial” sends the choice once and goes to the provider; Back restores the step', {
  tags: ['A4.3'],
}, async () => {
  serveLite()
  serveCheckout(provider())
  const page = await app.open('/pricing?plan=growth&cycle=year&stores=2')
  await start().dblclick()
  await page.waitForURL('**/terms?stripe')
  await expect
    .poll(() => app.api.calls(createCheckoutSession).map(({ sent }) => sent.body))
    .toEqual([{ planKey: 'growth', cycle: 'year', addOns: { extraStores: 2 } }])
  await page.goBack()
  await findStep().waitFor()
  await expect.poll(() => page.getByLabel('Extra stores').inputValue()).toBe('2')
  await expect.poll(() => start().isEnabled()).toBe(true)
})

test('a page restored from the browser’s cache is usable again and shows a purchase made since', async () => {
  serveLite()
  // An address that loads nothing leaves the page unchanged.
  serveCheckout(`${app.url}/pricing?plan=growth&cycle=month#pay`)
  const page = await app.open('/pricing?plan=growth&cycle=month')
  await start().click()
  await page.waitForURL('**#pay')
  const busy = () => main().locator('button[data-loading]').count()
  await expect.poll(() => busy()).toBe(1)
  const restore = () => page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await restore()
  await expect.poll(busy).toBe(0)
  app.api.answer(subscriptionStatus, buildStatus({ status: 'trialing', trialEndsAt: addDays(14) }))
  await restore()
  await page.waitForURL('**/billing')
})

test.each([
  ['an answer without an address', () => serveCheckout(''), 'Failed to create checkout session'],
  [
    'the server’s error',
    () => app.api.fail(createCheckoutSession, 503, { error: 'Stripe does not answer.' }),
    'Stripe does not answer.',
  ],
  ['no answer', () => app.api.cut(createCheckoutSession), 'Failed to process checkout'],
] as const)('a failed checkout shows the error and can be retried: %s', { tags: ['A8'] }, async (_, answer, text) => {
  serveLite()
  answer()
  const page = await app.open('/pricing?plan=growth&cycle=month')
  await start().click()
  await main().getByRole('alert').getByText(text, { exact: true }).waitFor()
  if (text === 'Failed to process checkout') await checkLayout(app, 'main')
  serveCheckout(provider())
  await start().click()
  await page.waitForURL('**/terms?stripe')
})

test('a checkout refused because another tab bought a plan opens the plan change', async () => {
  serveLite()
  const page = await app.open('/pricing?plan=growth&cycle=year')
  await start().waitFor()
  answerBilling(app, { plan: 'starter' })
  app.api.fail(createCheckoutSession, 409, { error: 'You have a subscription already.' })
  await start().click()
  await page.waitForURL('**/billing?change=growth&cycle=year')
})

test('a subscriber changes the subscription on /billing, by button and by address', async () => {
  answerBilling(app, { plan: 'starter' })
  const page = await app.open('/pricing?cycle=year')
  const link = (name: string) => main().getByRole('link', { name }).getAttribute('href')
  await expect.poll(() => link('Change to Growth')).toBe('/billing?change=growth&cycle=year')
  await expect.poll(() => link('Change period or stores')).toBe('/billing?change=starter&cycle=year')
  await checkLayout(app)
  await page.goto(`${app.url}/pricing?plan=growth&cycle=month`)
  await page.waitForURL('**/billing?change=growth&cycle=month')
})

test('“Start with Lite” confirms first, states how long the plan stays, and cancels it', {
  tags: ['A4.3'],
}, async () => {
  answerBilling(app)
  app.api.answer(createFreeSubscription, { success: true, message: 'x', url: '/billing' })
  app.api.answer(listResting, { stores: sampleStores.map((store) => ({ ...store, restsFirst: false })) })
  const page = await app.open('/pricing')
  await main().getByRole('button', { name: 'Start with Lite' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change to Lite?' })
  await dialog.getByText(`Your Growth plan stays until the billing period ends on ${formatDateIn(12)}.`).waitFor()
  await dialog.getByText('2 stores of 3 will then become inactive: Second Hand and Third Floor.').waitFor()
  await checkLayout(app, '[role=dialog]')
  expect(app.api.calls(createFreeSubscription)).toEqual([])
  answerBilling(app, { cancelAtPeriodEnd: true })
  await dialog.getByRole('button', { name: 'Change to Lite' }).click()
  await page.waitForURL('**/billing')
  await expect.poll(() => app.api.calls(createFreeSubscription)).toHaveLength(1)
  await page.goto(`${app.url}/pricing`)
  await main()
    .getByText(`Your account changes to Lite on ${formatDateIn(12)}.`)
    .waitFor()
  await expect.poll(() => main().getByRole('button', { name: 'Start with Lite' }).count()).toBe(0)
  await main()
    .getByText(`This is your current plan. It ends on ${formatDateIn(12)}.`)
    .waitFor()
  await main().getByText('Reactivate it first to change it.').waitFor()
  await expect
    .poll(() =>
      main()
        .getByRole('link', { name: /Change/ })
        .count(),
    )
    .toBe(0)
  const back = main().getByRole('link', { name: 'Reactivate under Billing' })
  await expect
    .poll(() => back.evaluateAll((links) => links.map((link) => link.getAttribute('href'))))
    .toEqual(['/billing', '/billing'])
  await checkLayout(app)
})

test('/pricing states that nothing is sold, shows the account’s plan, and offers no purchase', async () => {
  app.api.answer(subscriptionStatus, buildStatus({ sells: 'none', source: 'default', isUnlimited: true }))
  const page = await app.open('/pricing?plan=starter&cycle=year')
  await page.getByRole('heading', { level: 1, name: 'This installation has no billing' }).waitFor()
  await expect.poll(() => page.title()).toBe('Pricing · Recoup')
  await main().getByRole('heading', { name: 'Growth, without limits' }).waitFor()
  await expect.poll(() => mainText()).not.toMatch(/\$\d|trial|Add-ons/)
  await expect.poll(() => main().getByRole('button').count()).toBe(0)
  await checkLayout(app)
})

test('/pricing offers only Lite before a plan is chosen where nothing is sold', async () => {
  app.api.answer(subscriptionStatus, buildStatus({ plan: null, sells: 'none' }))
  await app.open('/pricing')
  await main().getByRole('button', { name: 'Continue with Lite' }).waitFor()
})

test('/pricing shows a member whom to ask, and hides the purchase step', async () => {
  serveLite()
  signInAs(app, 'member')
  await app.open('/pricing?plan=growth&cycle=month')
  await main().getByText('Only an owner or admin of this account can change its plan.').waitFor()
  await expect.poll(() => main().getByRole('button').count()).toBe(0)
  await expect.poll(() => findStep().count()).toBe(0)
})

test('/pricing shows a failure to load the plan, with Retry, and offers nothing until then', async () => {
  app.api.fail(subscriptionStatus, 400, { error: 'Not now.' })
  await app.go('/pricing')
  await main().getByText('Failed to load subscription status').waitFor()
  await expect
    .poll(() =>
      main()
        .getByRole('button', { name: /Choose|Start/ })
        .count(),
    )
    .toBe(0)
  serveLite()
  await main().getByRole('button', { name: 'Retry' }).click()
  await main().getByRole('button', { name: 'Choose Growth' }).waitFor()
})
