import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { checkInEveryTheme } from '../every-theme.ts'
import { aDetail, aStatus, type Detail, dateIn, inDays, type Status, someUsage } from './answers.ts'
import { asDemo, asMember, asViewer, open } from './scene.ts'

const STATUS = 'subscribe/status'
const USAGE = 'subscribe/usage'
const DETAIL = 'payments/subscription'

const onThePage = (page: Page) => page.getByRole('main')
const wordsOn = async (page: Page) => (await onThePage(page).innerText()).replace(/\s+/g, ' ')
const buttonsOn = (page: Page) =>
  onThePage(page)
    .getByRole('button')
    .or(onThePage(page).getByRole('link'))
    .evaluateAll((all) => all.map((each) => each.textContent))

/** Status and detail say the same. */
export function billingOf(detail: Partial<Detail>, status: Partial<Status> = {}) {
  const it = aDetail(detail)
  const { plan, source, cancelAtPeriodEnd, trialEndsAt, hasCard, nextBillingDate, currentPeriodEnd } = it.subscription
  return {
    [DETAIL]: it,
    [STATUS]: aStatus({
      ...{ plan, source, cancelAtPeriodEnd, trialEndsAt, hasCard, nextBillingDate, currentPeriodEnd },
      status: it.subscription.status,
      ...status,
    }),
    [USAGE]: someUsage(),
  }
}

export function thePage() {
  test('says plan, status, price, cycle and dates; limits and usage; flags (A 2.7)', async () => {
    const { page } = await open('/billing', billingOf({ plan: 'starter', extraStores: 1, amount: 2_900 }))
    await onThePage(page).getByRole('heading', { name: 'Starter' }).waitFor()
    await onThePage(page).getByText('84 of 100 used').waitFor()
    const words = await wordsOn(page)
    expect(words).toContain('Billing and Subscription')
    expect(words).toContain(`Current plan Starter Active Renews on ${dateIn(12)}.`)
    expect(words).toContain('Price $29.00 a month Billing cycle Monthly Extra stores 1')
    expect(words).toContain(`Next billing date ${dateIn(12)} Last payment ${dateIn(-18)} Card On file`)
    expect(words).toContain(
      'Limits and usage Stores 1 of 2 connected Emails 1,234 of 5,000 used SMS Near the limit 84 of 100 used WhatsApp Limit reached 100 of 100 used',
    )
    expect(words).toContain('Advanced Analytics Ranges up to a year, trends and tables Included')
    expect(words).toContain('Priority Support Your mail to support says which plan it comes from Included')
    expect(words).toContain('Custom Branding Pages and links under your own domain Soon')
    expect(words).toContain('API Access Your own programs read and change your data Soon')
    await page.getByRole('heading', { name: 'Ready to Scale?' }).waitFor()
    await checkInEveryTheme(page, 'billing-active')
    await page.getByRole('link', { name: 'View Plans' }).click()
    await page.waitForURL('**/pricing')
    await page.context().close()
  })

  test.each([
    [
      'a trial',
      { status: 'trialing', trialEndsAt: inDays(9), hasCard: false, lastPaymentDate: null },
      {},
      [
        'Growth Trial',
        `Trial until ${dateIn(9)}.`,
        `Trial ends ${dateIn(9)}`,
        'Card None added; after the trial the plan is Lite',
        'Add a card under Manage Billing to go on with Growth after the trial.',
      ],
      ['Change plan', 'Manage Billing', 'Cancel subscription', 'View Payment History'],
    ],
    [
      'overdue',
      { status: 'past_due' },
      { graceUntil: inDays(3) },
      [
        'Growth Past Due',
        `A payment is overdue. Messages are sent until ${dateIn(3)}.`,
        'Add another card under Manage Billing for the next try, or pay the open invoice of the payment history at once.',
      ],
      ['Manage Billing', 'Cancel subscription', 'View Payment History'],
    ],
    [
      'ending',
      { cancelAtPeriodEnd: true, nextBillingDate: null, billingCycle: 'year', amount: 46_800 },
      {},
      [
        `Growth Active Ends ${dateIn(12)}`,
        `Ends on ${dateIn(12)}, then Lite.`,
        'Price $468.00 a year Billing cycle Yearly',
        `Paid until ${dateIn(12)}`,
      ],
      ['Reactivate', 'Manage Billing', 'View Payment History'],
    ],
    [
      'changing',
      {},
      { change: { plan: 'starter', cycle: 'month', at: inDays(12) } },
      [`Changes to Starter on ${dateIn(12)}.`],
      ['Keep Growth', 'Change plan', 'Manage Billing', 'Cancel subscription', 'View Payment History'],
    ],
    [
      'canceled by its bank',
      { status: 'canceled', nextBillingDate: null },
      { planInForce: 'free', hasActiveSubscription: false },
      ['Growth Canceled', 'The plan was canceled. The limits of Lite apply. Billing cycle Monthly Last payment'],
      ['Change plan', 'Manage Billing', 'View Payment History'],
    ],
    [
      'free',
      { plan: 'free' },
      {},
      ['Current plan Lite Active', 'Price Free', 'Advanced Analytics Ranges up to a year, trends and tables Not in'],
      ['Change plan', 'View Plans', 'View Payment History'],
    ],
    [
      'in test mode',
      { source: 'test', amount: 4_900 },
      { sells: 'test', isTestMode: true },
      ['Price $49.00 a month on Pricing; nothing is charged', 'there is no card and no invoice'],
      ['Change plan', 'View Payment History'],
    ],
    [
      'not sold here',
      { source: 'default', features: { ...aDetail().subscription.features, maxStores: -1 } },
      { sells: 'none', isUnlimited: true },
      [
        'Price Nothing is charged',
        'This installation has no billing. The plan is set by whoever runs this server. Write to',
      ],
      ['support@localhost', 'View Payment History'],
    ],
    [
      'set by the operator',
      { source: 'operator' },
      {},
      ['This plan was set by whoever runs this server. Nothing is charged for it, so there is nothing to cancel.'],
      ['Change plan', 'View Payment History'],
    ],
  ] as const)('says what it is and offers what can be done: %s', async (name, detail, status, said, offered) => {
    const { page } = await open('/billing', billingOf(detail as Partial<Detail>, status as Partial<Status>))
    await onThePage(page).getByText('84 of 100 used').waitFor()
    const words = await wordsOn(page)
    for (const each of said) expect(words).toContain(each)
    await expect.poll(() => buttonsOn(page)).toEqual(offered)
    await checkInEveryTheme(page, `billing-${name.replaceAll(' ', '-')}`)
    await page.context().close()
  })

  test('a viewer or member sees the plan and no payments, and is told who can change it', async () => {
    for (const of of [asViewer(), asMember()]) {
      const { page } = await open('/billing', { ...billingOf({ plan: 'starter' }), ...of })
      await page.getByText('Only an owner or admin of this account can change its plan.').waitFor()
      await onThePage(page).getByText('84 of 100 used').waitFor()
      await expect.poll(() => buttonsOn(page)).toEqual(['olive@owners.example', 'View Plans'])
      expect(await wordsOn(page)).toContain('Price $19.00 a month')
      await page.context().close()
    }
  })

  test('a skeleton while it waits; “Failed to load subscription details” has Retry, which asks again', async () => {
    const waiting = await open('/billing', { ...billingOf({}), [DETAIL]: 'hangs' })
    await onThePage(waiting.page).getByRole('status', { name: 'Loading' }).waitFor()
    await waiting.page.context().close()

    const { page, answer } = await open('/billing', { ...billingOf({}), [DETAIL]: { status: 400, error: 'Not now.' } })
    const alert = onThePage(page).getByRole('alert')
    await alert.getByText('Failed to load subscription details').waitFor()
    await alert.getByText('Not now.').waitFor()
    await checkInEveryTheme(page, 'billing-failed')
    await answer(DETAIL, aDetail())
    await alert.getByRole('button', { name: 'Retry' }).click()
    await onThePage(page).getByRole('heading', { name: 'Growth' }).waitFor()
    await page.context().close()
  })

  test('before a plan was chosen: “No subscription found”', async () => {
    const { page } = await open('/billing', {
      [DETAIL]: { subscription: null },
      [STATUS]: aStatus({ plan: null }),
    })
    await page.getByText('No subscription found').waitFor()
    await page.getByText('No subscription information available').waitFor()
    await checkInEveryTheme(page, 'billing-none')
    await onThePage(page).getByRole('link', { name: 'View Plans' }).click()
    await page.waitForURL('**/pricing')
    await page.context().close()
  })

  test('where usage is not to be had the limits stand there, those of A 9 where the server says none', async () => {
    const { customBranding, apiAccess } = aDetail().subscription.features
    const features = { customBranding, apiAccess, maxStores: 2 } as Detail['features']
    const { page, answer } = await open('/billing', {
      ...billingOf({ plan: 'starter', features }),
      [USAGE]: { status: 400, error: 'Not now.' },
    })
    await page.getByText('What was used could not be loaded.').waitFor()
    const words = await wordsOn(page)
    expect(words).toContain('2 stores 100 emails per month 50 SMS per month 50 WhatsApp messages per month')
    await checkInEveryTheme(page, 'billing-no-usage')
    await answer(USAGE, someUsage())
    await onThePage(page).getByRole('button', { name: 'Retry' }).click()
    await onThePage(page).getByText('84 of 100 used').waitFor()
    await page.context().close()
  })

  test('the drawer and the account’s settings lead there', async () => {
    const { page } = await open('/settings/account', billingOf({}))
    await page
      .getByRole('banner')
      .getByRole('button', { name: /^Subscription: / })
      .click()
    await page.getByRole('dialog').getByRole('link', { name: 'Billing and Subscription' }).click()
    await onThePage(page).getByRole('heading', { name: 'Growth' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.goBack()
    await onThePage(page).getByText('Growth · ').getByRole('link', { name: 'Billing and Subscription' }).click()
    await page.waitForURL('**/billing')
    await page.context().close()
  })

  test('the demo says that its plan cannot be changed', async () => {
    const { page } = await open('/billing', { ...billingOf({ source: 'operator' }), ...asDemo() })
    await onThePage(page).getByText('The demo’s plan cannot be changed.').waitFor()
    await onThePage(page).getByText('84 of 100 used').waitFor()
    expect(await buttonsOn(page)).toEqual(['View Payment History'])
    expect(await wordsOn(page)).not.toContain('set by whoever runs this server')
    await page.context().close()
  })
}
