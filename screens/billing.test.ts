import { expect, test } from 'vitest'
import { readSecondFactor } from '../shared/access/second-factor.ts'
import { checkConnection } from '../shared/access/stores.ts'
import { listResting, readUsage, restStores, subscriptionStatus } from '../shared/billing/billing.ts'
import { checkSession, paymentHistory, readSubscription } from '../shared/billing/payments.ts'
import { readTeam } from '../shared/workspace/team.ts'
import { fixture } from './api.ts'
import { PHONE } from './app.ts'
import {
  addDays,
  answerBilling,
  buildDetail,
  buildHistory,
  buildOtherUsage,
  buildStatus,
  buildUsage,
  checkLayout,
  createBillingScreen,
  type Detail,
  formatDateIn,
  readText,
  type Status,
  sampleStores,
  signInAs,
} from './billing-scene.ts'

// Plan, limits and payments of an account: /billing, the subscription drawer, and the banners above every screen.

const app = createBillingScreen()
const main = () => app.page.getByRole('main')
const findNotices = () => app.page.getByRole('region', { name: 'Notices' })
const findDrawer = () => app.page.getByRole('dialog', { name: 'Subscription' })
const findHeaderButton = () => app.page.getByRole('banner').getByRole('button', { name: /^Subscription: / })
const search = () => new URL(app.page.url()).search
const usageIsShown = () => main().getByText('84 of 100 used').waitFor()
/** Buttons and links of the page, in order. */
const actions = () =>
  main()
    .getByRole('button')
    .or(main().getByRole('link'))
    .evaluateAll((all) => all.map((each) => each.textContent))

test('/billing shows plan, status, price, cycle, dates, limits, usage and premium features', {
  tags: ['A2.1', 'A2.7', 'A9'],
}, async () => {
  answerBilling(app, { plan: 'starter', extraStores: 1, amount: 2_900 })
  const page = await app.open('/billing')
  await main().getByRole('heading', { name: 'Starter' }).waitFor()
  await usageIsShown()
  const text = await readText(main())
  for (const part of [
    'Billing and Subscription',
    `Current plan Starter Active Renews on ${formatDateIn(12)}.`,
    'Price $29.00 a month Billing cycle Monthly Extra stores 1',
    `Next billing date ${formatDateIn(12)} Last payment ${formatDateIn(-18)} Card On file`,
    'Limits and usage Stores 1 of 2 connected Emails 1,234 of 5,000 used SMS Near the limit 84 of 100 used WhatsApp Limit reached 100 of 100 used',
    'Advanced Analytics Ranges up to a year, trends and tables Included',
    'Priority Support Your email names your plan, so we can answer it first Included',
    'Custom Branding Your logo and colors, and links under your own domain Included',
    'API Access API keys for your own programs Not available',
  ])
    expect(text).toContain(part)
  await page.getByRole('heading', { name: 'Ready to Scale?' }).waitFor()
  await checkLayout(app)
  await page.getByRole('link', { name: 'View Plans' }).click()
  await page.waitForURL('**/pricing')
})

test.each([
  [
    'a trial',
    { status: 'trialing', trialEndsAt: addDays(9), hasCard: false, lastPaymentDate: null },
    {},
    [
      'Growth Trial',
      `Trial until ${formatDateIn(9)}.`,
      `Trial ends ${formatDateIn(9)}`,
      'Card None added; after the trial the plan becomes Lite',
      'Add a card under Manage Billing to keep Growth after the trial.',
    ],
    ['Change plan', 'Manage Billing', 'Cancel subscription', 'View Payment History'],
  ],
  [
    'an overdue payment',
    { status: 'past_due' },
    { graceUntil: addDays(3) },
    [
      'Growth Past Due',
      `A payment is overdue. Messages are sent until ${formatDateIn(3)}.`,
      'Add another card under Manage Billing, or pay the open invoice in the payment history.',
    ],
    ['Manage Billing', 'Cancel subscription', 'View Payment History'],
  ],
  [
    'a cancellation at the period’s end',
    { cancelAtPeriodEnd: true, nextBillingDate: null, billingCycle: 'year', amount: 46_800 },
    {},
    [
      `Growth Active Ends ${formatDateIn(12)}`,
      `Ends on ${formatDateIn(12)}, then Lite.`,
      'Price $468.00 a year Billing cycle Yearly',
      `Paid until ${formatDateIn(12)}`,
    ],
    ['Reactivate', 'Manage Billing', 'View Payment History'],
  ],
  [
    'a scheduled change',
    {},
    { change: { plan: 'starter', cycle: 'month', at: addDays(12) } },
    [`Changes to Starter on ${formatDateIn(12)}.`],
    ['Keep Growth', 'Change plan', 'Manage Billing', 'Cancel subscription', 'View Payment History'],
  ],
  [
    'a chargeback',
    { status: 'canceled', nextBillingDate: null },
    { planInForce: 'free', hasActiveSubscription: false },
    ['Growth Canceled', 'The plan was canceled. The limits of Lite apply. Billing cycle Monthly Last payment'],
    ['Change plan', 'Manage Billing', 'View Payment History'],
  ],
  [
    'the free plan',
    { plan: 'free' },
    {},
    ['Current plan Lite Active', 'Price Free', 'Advanced Analytics Ranges up to a year, trends and tables Not in'],
    ['Change plan', 'View Plans', 'View Payment History'],
  ],
  [
    'test mode',
    { source: 'test', amount: 4_900 },
    { sells: 'test', isTestMode: true },
    ['Price List price $49.00/month, not charged in test mode', 'Test billing: plans are free here.'],
    ['Change plan', 'View Payment History'],
  ],
  [
    'an installation that sells nothing',
    { source: 'default', features: { ...buildDetail().subscription.features, maxStores: -1 } },
    { sells: 'none', isUnlimited: true },
    ['Price Nothing is charged', 'This installation has no billing. The server’s administrator sets the plan. Contact'],
    ['support@localhost', 'View Payment History'],
  ],
  [
    'a plan set by the operator',
    { source: 'operator' },
    {},
    ['The server’s administrator set this plan. Nothing is charged for it.'],
    ['Change plan', 'View Payment History'],
  ],
] as const)('/billing shows the state with its actions: %s', async (_, detail, status, parts, offered) => {
  answerBilling(app, detail as Partial<Detail>, status as Partial<Status>)
  await app.open('/billing')
  await usageIsShown()
  const text = await readText(main())
  for (const part of parts) expect(text).toContain(part)
  await expect.poll(actions).toEqual(offered)
  await checkLayout(app, 'main')
})

test.each(['viewer', 'member'] as const)('a %s sees the plan without payments, and who can change it', async (role) => {
  answerBilling(app, { plan: 'starter' })
  signInAs(app, role)
  const page = await app.open('/billing')
  await page.getByText('Only an owner or admin of this account can change its plan.').waitFor()
  await usageIsShown()
  const owner = fixture(readTeam).members.find((member) => member.role === 'owner')!
  await expect.poll(actions).toEqual([owner.email, 'View Plans'])
  await expect.poll(() => readText(main())).toContain('Price $19.00 a month')
})

test('/billing shows a skeleton while the subscription loads, and “Failed to load subscription details” with Retry', {
  tags: ['A8'],
}, async () => {
  answerBilling(app)
  app.api.fail(readSubscription, 400, { error: 'Not now.' })
  const first = app.api.hold(readSubscription)
  await app.open('/billing')
  await main().getByRole('status', { name: 'Loading' }).waitFor()
  first.release()
  const alert = main().getByRole('alert')
  await alert.getByText('Failed to load subscription details').waitFor()
  await alert.getByText('Not now.').waitFor()
  await checkLayout(app, 'main')
  app.api.answer(readSubscription, buildDetail())
  await alert.getByRole('button', { name: 'Retry' }).click()
  await main().getByRole('heading', { name: 'Growth' }).waitFor()
})

test('/billing shows “No subscription found” before a plan is chosen', { tags: ['A8'] }, async () => {
  app.api.answer(readSubscription, { subscription: null })
  app.api.answer(subscriptionStatus, buildStatus({ plan: null }))
  const page = await app.open('/billing')
  await page.getByText('No subscription found').waitFor()
  await page.getByText('No subscription information available').waitFor()
  await checkLayout(app, 'main')
  await main().getByRole('link', { name: 'View Plans' }).click()
  await page.waitForURL('**/pricing')
})

test('/billing shows the limits if usage fails to load, and the limits of A 9 if the server returns none', async () => {
  const { customBranding, apiAccess } = buildDetail().subscription.features
  answerBilling(app, { plan: 'starter' })
  const subscription = { ...buildDetail({ plan: 'starter' }).subscription }
  app.api.raw(readSubscription, 200, {
    subscription: { ...subscription, features: { customBranding, apiAccess, maxStores: 2 } },
  })
  app.api.fail(readUsage, 400, { error: 'Not now.' })
  const page = await app.open('/billing')
  await page.getByText('Usage could not be loaded.').waitFor()
  await expect
    .poll(() => readText(main()))
    .toContain('2 stores 100 emails per month 50 SMS per month 50 WhatsApp messages per month')
  app.api.answer(readUsage, buildUsage())
  await main().getByRole('button', { name: 'Retry' }).click()
  await usageIsShown()
})

test('the drawer and the account settings link to /billing', async () => {
  answerBilling(app)
  app.api.answer(readSecondFactor, { isOn: false, since: null, recoveryCodesLeft: 0 })
  const page = await app.open('/settings/account')
  await findHeaderButton().click()
  await page.getByRole('dialog').getByRole('link', { name: 'Billing and Subscription' }).click()
  await main().getByRole('heading', { name: 'Growth' }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.goBack()
  await main().getByText('Growth · ').getByRole('link', { name: 'Billing and Subscription' }).click()
  await page.waitForURL('**/billing')
})

test('the demo states that its plan cannot be changed', async () => {
  answerBilling(app, { source: 'operator' })
  signInAs(app, 'owner', true)
  await app.open('/billing')
  await main().getByText('The demo’s plan cannot be changed.').waitFor()
  await usageIsShown()
  await expect.poll(() => actions()).toEqual(['View Payment History'])
  await expect.poll(() => readText(main())).not.toContain('administrator set this plan')
})

// The drawer.

test('the header’s button opens the drawer by keyboard: plan, status, limits with meters, features', {
  tags: ['A2.12'],
}, async () => {
  app.api.answer(subscriptionStatus, buildStatus({ plan: 'starter' }))
  app.api.answer(readUsage, buildUsage())
  const page = await app.open('/settings')
  await findHeaderButton().press('Enter')
  await findDrawer().getByRole('heading', { name: 'Starter' }).waitFor()
  const text = await readText(findDrawer())
  for (const part of [
    `Current plan Starter Active Renews on ${formatDateIn(12)}.`,
    'Stores 1 of 2 connected Emails 1,234 of 5,000 used',
    'SMS Near the limit 84 of 100 used',
    'WhatsApp Limit reached 100 of 100 used 14 messages held until Dec 1, 2026. 3 of these will expire before then.',
    'Advanced Analytics Priority Support Customer Segmentation Scheduled Campaigns',
  ])
    expect(text).toContain(part)
  const meters = findDrawer().getByRole('meter')
  await expect
    .poll(() => meters.evaluateAll((all) => all.map((each) => (each as HTMLMeterElement).value)))
    .toEqual([1, 1_234, 84, 100])
  await checkLayout(app)
  await page.keyboard.press('Escape')
  await findDrawer().waitFor({ state: 'detached' })
  await expect.poll(() => findHeaderButton().evaluate((element) => element === document.activeElement)).toBe(true)
})

test('the drawer offers “Ready to Scale?” on every plan but Growth, and “View Plans” links to the plans', {
  tags: ['A2.12'],
}, async () => {
  app.api.answer(subscriptionStatus, buildStatus())
  app.api.answer(readUsage, buildOtherUsage())
  const page = await app.open('/settings')
  await findHeaderButton().click()
  await findDrawer().getByText('20,400 used, no limit').waitFor()
  const text = await readText(findDrawer())
  for (const part of [
    'Stores 1 connected, no limit',
    'SMS Not in this plan',
    'Plan features Everything in Starter Multi-store Dashboard',
    '2 messages held. All of these will expire before Dec 1, 2026.',
  ])
    expect(text).toContain(part)
  await expect.poll(() => findDrawer().getByRole('meter').count()).toBe(0)
  expect(text).not.toContain('Ready to Scale?')
  await findDrawer().getByRole('button', { name: 'Close' }).click()
  app.api.answer(subscriptionStatus, buildStatus({ plan: 'starter' }))
  await findHeaderButton().click()
  await findDrawer().getByRole('heading', { name: 'Ready to Scale?' }).waitFor()
  await findDrawer().getByRole('link', { name: 'View Plans' }).click()
  await page.waitForURL('**/pricing')
})

test('the drawer shows a skeleton while it loads, and a failure with Retry', { tags: ['A2.12', 'A8'] }, async () => {
  app.api.answer(subscriptionStatus, buildStatus({ plan: 'starter' }))
  app.api.fail(readUsage, 400, { error: 'Not now.' })
  const first = app.api.hold(readUsage)
  await app.open('/settings')
  await findHeaderButton().click()
  await findDrawer().getByRole('status', { name: 'Loading' }).first().waitFor()
  first.release()
  const alert = findDrawer().getByRole('alert')
  await alert.getByText('Failed to load subscription status').waitFor()
  await alert.getByText('Not now.').waitFor()
  await checkLayout(app)
  app.api.answer(readUsage, buildUsage())
  await alert.getByRole('button', { name: 'Retry' }).click()
  await findDrawer().getByText('84 of 100 used').waitFor()
})

test('the drawer shows “No subscription information available” when the plan is gone', { tags: ['A8'] }, async () => {
  app.api.answer(subscriptionStatus, buildStatus())
  app.api.answer(readUsage, buildUsage())
  await app.open('/settings')
  await findHeaderButton().waitFor()
  app.api.answer(subscriptionStatus, buildStatus({ plan: null, hasActiveSubscription: true }))
  await findHeaderButton().click()
  await findDrawer().getByText('No subscription information available').waitFor()
  await findDrawer().getByRole('link', { name: 'View Plans' }).waitFor()
})

test.each([
  ['a trial', { status: 'trialing', trialEndsAt: addDays(9) }, `Trial until ${formatDateIn(9)}.`],
  ['a cancellation', { cancelAtPeriodEnd: true, nextBillingDate: null }, `Ends on ${formatDateIn(12)}, then Lite.`],
  [
    'a scheduled change',
    { change: { plan: 'starter', cycle: 'month', at: addDays(12) } },
    `Changes to Starter on ${formatDateIn(12)}.`,
  ],
  ['an overdue payment', { status: 'past_due', graceUntil: addDays(3) }, `Messages are sent until ${formatDateIn(3)}.`],
  [
    'a payment overdue for too long',
    { status: 'past_due', graceUntil: addDays(-2), hasActiveSubscription: false },
    'Messages are held until it is paid.',
  ],
  ['a chargeback', { status: 'canceled', planInForce: 'free' }, 'The limits of Lite apply.'],
] as const)('the drawer announces changes of the plan: %s', async (_, status, text) => {
  app.api.answer(subscriptionStatus, buildStatus(status))
  app.api.answer(readUsage, buildUsage())
  const page = await app.open('/settings')
  await findHeaderButton().click()
  await findDrawer().getByText(text).waitFor()
  const isEnding = 'cancelAtPeriodEnd' in status
  await expect.poll(() => page.getByText(`Ends ${formatDateIn(12)}`, { exact: true }).count()).toBe(isEnding ? 1 : 0)
  if (!isEnding) return
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: `Subscription: Growth, Active, Ends ${formatDateIn(12)}` }).waitFor()
})

test('a phone opens the drawer from the menu', async () => {
  app.api.answer(subscriptionStatus, buildStatus({ plan: 'starter' }))
  app.api.answer(readUsage, buildUsage())
  const page = await app.open('/settings', { viewport: PHONE })
  await page.getByRole('button', { name: 'Open menu' }).click()
  const menu = page.getByRole('dialog', { name: 'Menu' })
  await menu.getByRole('button', { name: 'Subscription: Starter, Active' }).click()
  await findDrawer().getByText('84 of 100 used').waitFor()
  await findDrawer().getByRole('link', { name: 'View Plans' }).click()
  await page.waitForURL('**/pricing')
})

// The banners.

test.each([
  [
    'past due',
    { status: 'past_due', graceUntil: addDays(3) },
    `A payment is overdue. Messages are sent until ${formatDateIn(3)}.`,
    'Go to billing',
  ],
  [
    'past due for too long',
    { status: 'past_due', graceUntil: addDays(-1), hasActiveSubscription: false },
    'A payment is overdue. Messages are held until it is paid.',
    'Go to billing',
  ],
  [
    'a trial without a card',
    { status: 'trialing', trialEndsAt: addDays(2), hasCard: false },
    `The trial of Growth ends on ${formatDateIn(2)}. After that the account moves to Lite, unless a card is added.`,
    'Go to billing',
  ],
  [
    'a trial with a card',
    { status: 'trialing', trialEndsAt: addDays(2) },
    `The trial of Growth ends on ${formatDateIn(2)}. After that your card is charged.`,
    'Go to billing',
  ],
  [
    'suspended',
    { suspension: { reason: 'Many recipients reported these mails as spam.', since: addDays(-1) } },
    `Sending has been suspended since ${formatDateIn(-1)}. Many recipients reported these mails as spam. This account sends nothing. Write to`,
    'support@localhost',
  ],
] as const)('a banner above every screen shows: %s', async (_, status, text, link) => {
  app.api.answer(subscriptionStatus, buildStatus(status))
  await app.open('/settings')
  await findNotices().getByText(text.split('. ')[0]!).waitFor()
  await expect.poll(() => readText(findNotices())).toContain(text)
  await findNotices().getByRole('link', { name: link }).waitFor()
  await checkLayout(app, '[aria-label=Notices]')
})

test('the banner of an overdue payment shows a viewer who can pay', async () => {
  app.api.answer(subscriptionStatus, buildStatus({ status: 'past_due', graceUntil: addDays(3) }))
  signInAs(app, 'viewer')
  await app.open('/settings')
  await findNotices().getByText('An owner or admin of this account can pay it.').waitFor()
  await expect.poll(() => findNotices().getByRole('link', { name: 'Go to billing' }).count()).toBe(0)
})

test('the banner of a resting store links to /billing, except on that page', async () => {
  app.api.answer(subscriptionStatus, buildStatus())
  app.api.alter(checkConnection, (reply) => ({
    ...reply,
    store: { ...reply.store!, name: 'Kiln Road', isResting: true },
  }))
  const page = await app.open('/settings')
  await findNotices().getByText('Kiln Road is inactive.').waitFor()
  await checkLayout(app, '[aria-label=Notices]')
  await findNotices().getByRole('link', { name: 'Go to billing' }).click()
  await page.waitForURL('**/billing')
  await findNotices().getByRole('link', { name: 'Go to billing' }).waitFor({ state: 'hidden' })
  await findNotices().getByText('Kiln Road is inactive.').waitFor()
})

// The payment history.

const findHistory = () => app.page.getByRole('region', { name: 'Payment history' })
const pageButtons = () =>
  findHistory()
    .getByRole('navigation')
    .getByRole('button')
    .evaluateAll((all) => all.map((each) => each.textContent))

test('“View Payment History” shows payments with status, reason, refund and invoice; “Hide Payment History” hides them', {
  tags: ['A2.7', 'A3', 'A4.3'],
}, async () => {
  answerBilling(app)
  app.api.answer(paymentHistory, buildHistory(5))
  const page = await app.open('/billing')
  await page.getByRole('button', { name: 'View Payment History' }).press('Enter')
  const rows = findHistory().getByRole('row')
  await rows.nth(5).waitFor()
  await expect
    .poll(async () => (await rows.allInnerTexts()).map((row) => row.replace(/\s+/g, ' ').trim()))
    .toEqual([
      'Date Description Status Amount Invoice',
      'Oct 20, 2026 Growth with 2 extra stores, by the year Succeeded $49.00 RC-000',
      'Oct 19, 2026 Growth, by the month Pending $50.00 in_1',
      'Oct 18, 2026 Growth with 2 extra stores, by the year Failed Your card was declined. $51.00 RC-002',
      'Oct 17, 2026 Growth, by the month Canceled $52.00 RC-003',
      'Oct 16, 2026 Growth with 2 extra stores, by the year Refunded $53.00 $12.50 refunded RC-004',
    ])
  const marks = findHistory().locator('.mark')
  await expect
    .poll(async () => new Set(await marks.evaluateAll((all) => all.map((each) => getComputedStyle(each).color))).size)
    .toBe(5)
  const invoice = findHistory().getByRole('link', { name: 'Invoice RC-002, in a new window' })
  await expect.poll(() => invoice.getAttribute('href')).toBe('https://invoice.stripe.example/2')
  await expect.poll(() => findHistory().getByRole('navigation').count()).toBe(0)
  await checkLayout(app, 'main')
  await page.getByRole('button', { name: 'Hide Payment History' }).click()
  await findHistory().waitFor({ state: 'detached' })
})

test('the payment history has ten payments per page, at most five page buttons, and the page in the address', {
  tags: ['A2.7', 'A9'],
}, async () => {
  answerBilling(app)
  app.api.answer(paymentHistory, buildHistory(83))
  const page = await app.open('/billing')
  await page.getByRole('button', { name: 'View Payment History' }).click()
  await findHistory().getByText('Page 1 of 9, 83 payments').waitFor()
  await expect.poll(() => app.api.calls(paymentHistory).at(-1)!.sent.query).toEqual({ page: '1', limit: '10' })
  await expect.poll(() => findHistory().getByRole('row').count()).toBe(11)
  await expect.poll(() => pageButtons()).toEqual(['1', '2', '3', '4', '5'])
  await findHistory().getByRole('button', { name: 'Page 5' }).click()
  await findHistory().getByText('Page 5 of 9').waitFor()
  await expect.poll(() => pageButtons()).toEqual(['3', '4', '5', '6', '7'])
  expect(search()).toBe('?payments=5')
  await page.reload()
  await findHistory().getByRole('button', { name: 'Page 7' }).click()
  await findHistory().getByText('Page 7 of 9').waitFor()
  await findHistory().getByRole('button', { name: 'Page 9' }).click()
  await findHistory().getByText('Page 9 of 9').waitFor()
  await expect.poll(() => pageButtons()).toEqual(['5', '6', '7', '8', '9'])
  await expect.poll(() => findHistory().getByRole('row').count()).toBe(4)
  await checkLayout(app, 'main')
})

test('a page beyond the end of the payment history redirects to the last page', async () => {
  answerBilling(app)
  app.api.answer(paymentHistory, buildHistory(12))
  const page = await app.open('/billing?payments=12')
  await findHistory().getByText('Page 2 of 2, 12 payments').waitFor()
  await page.waitForURL('**/billing?payments=2')
})

test('“Failed to load payment history” has Retry, and an empty one shows “No payment history found”', {
  tags: ['A8'],
}, async () => {
  answerBilling(app)
  app.api.fail(paymentHistory, 400, { error: 'Not now.' })
  await app.open('/billing?payments=1')
  const alert = findHistory().getByRole('alert')
  await alert.getByText('Failed to load payment history').waitFor()
  await checkLayout(app, 'main')
  app.api.answer(paymentHistory, buildHistory(0))
  await alert.getByRole('button', { name: 'Retry' }).click()
  await findHistory().getByText('No payment history found').waitFor()
})

// The return from checkout.

test('the return from checkout reads the session once, shows the plan, and removes it from the address', {
  tags: ['A4.3'],
}, async () => {
  answerBilling(app)
  app.api.answer(paymentHistory, buildHistory(0))
  app.api.answer(checkSession, { success: true, plan: 'growth', status: 'active' })
  const page = await app.open('/billing?session_id=cs_test_1&payments=1')
  const message = page.getByRole('status').filter({ hasText: 'Your checkout is complete.' })
  await message.getByText('You are on the Growth plan.').waitFor()
  expect(search()).toBe('?payments=1')
  await expect.poll(() => app.api.calls(checkSession).map(({ query }) => query)).toEqual([{ session_id: 'cs_test_1' }])
  await checkLayout(app, 'main')
  await page.reload()
  await page.getByRole('heading', { name: 'Growth' }).waitFor()
  await expect.poll(() => message.count()).toBe(0)
  await expect.poll(() => app.api.calls(checkSession)).toHaveLength(1)
  // Back does not return to it either.
  await page.goBack()
  expect(page.url()).not.toContain('/billing')
})

test.each([
  [
    'an unpaid session',
    () => app.api.answer(checkSession, { success: false, plan: null, status: null }),
    'status',
    'The checkout was not completed.',
  ],
  [
    'another account’s session',
    () => app.api.fail(checkSession, 404, { error: 'Checkout session not found' }),
    'alert',
    'Checkout session not found',
  ],
  [
    'a malformed session',
    () => app.api.fail(checkSession, 400, { error: 'This is not a checkout session.' }),
    'alert',
    'This is not a checkout session.',
  ],
  ['no answer', () => app.api.cut(checkSession), 'alert', 'Failed to process checkout'],
] as const)('the return from checkout with %s shows the result', { tags: ['A4.3'] }, async (_, answer, role, text) => {
  answerBilling(app)
  answer()
  const page = await app.open('/billing?session_id=cs_test_2')
  await main().getByRole(role).filter({ hasText: text }).waitFor()
  expect(search()).toBe('')
  await page.getByRole('heading', { name: 'Growth' }).waitFor()
})

// Resting stores.

const [kiln, second, third] = sampleStores
const buildResting = (...ids: string[]) => ({
  stores: sampleStores.map((store) => ({ ...store, isResting: ids.includes(store.id), restsFirst: false })),
})
const findRestingCard = () => app.page.getByRole('region', { name: 'Inactive stores' })

test('the card of resting stores shows resting stores with the reason, and the owner can choose another', async () => {
  answerBilling(app, { plan: 'starter' })
  app.api.answer(listResting, buildResting(third!.id))
  const page = await app.open('/billing')
  await findRestingCard().waitFor()
  const text = await readText(findRestingCard())
  for (const part of [
    'Your plan includes 2 stores, and 3 are connected.',
    'An inactive store tracks carts and syncs, but sends nothing. Third Floor shop2.example',
    'To activate it, choose a larger plan or an extra store,',
  ])
    expect(text).toContain(part)
  await checkLayout(app, 'main')
  await findRestingCard().getByRole('button', { name: 'Choose inactive stores' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Choose inactive stores' })
  const findBox = (name: string) => dialog.getByRole('checkbox', { name })
  const save = dialog.getByRole('button', { name: 'Save' })
  await expect.poll(() => findBox('Third Floor').isChecked()).toBe(true)
  await findBox('Third Floor').press('Space')
  await dialog.getByText('Choose 1 store to make inactive.').waitFor()
  await expect.poll(() => save.isDisabled()).toBe(true)
  await checkLayout(app, '[role=dialog]')
  await findBox('Kiln Road').press('Space')
  app.api.fail(restStores, 409, { error: 'The stores have changed.' })
  await save.click()
  await dialog.getByRole('alert').getByText('The stores have changed.').waitFor()
  app.api.answer(restStores, { success: true, resting: [kiln!.id] })
  app.api.answer(listResting, buildResting(kiln!.id))
  await save.click()
  await page.getByText('Inactive stores saved').waitFor()
  await expect.poll(() => readText(findRestingCard())).toContain('Kiln Road shop0.example')
  await expect.poll(() => app.api.calls(restStores).at(-1)!.body).toEqual({ storeIds: [kiln!.id] })
})

test('the card of resting stores lists several, without a choice for a viewer', async () => {
  answerBilling(app, { plan: 'free' })
  app.api.answer(listResting, buildResting(second!.id, third!.id))
  signInAs(app, 'viewer')
  await app.open('/billing')
  await findRestingCard().getByText('Your plan includes 1 store, and 3 are connected.').waitFor()
  const text = await readText(findRestingCard())
  expect(text).toContain('Second Hand shop1.example Third Floor shop2.example')
  // Lite has no extra stores.
  expect(text).toContain('To activate it, choose a larger plan, or make another store inactive.')
  await expect.poll(() => findRestingCard().getByRole('button').count()).toBe(0)
})

test('the card of resting stores is absent if all stores fit the plan', async () => {
  answerBilling(app)
  app.api.answer(listResting, buildResting())
  await app.open('/billing')
  await usageIsShown()
  await app.waitUntilSettled()
  await expect.poll(() => findRestingCard().count()).toBe(0)
})
