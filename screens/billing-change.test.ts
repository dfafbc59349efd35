import { expect, test } from 'vitest'
import {
  createFreeSubscription,
  listResting,
  manualUpdate,
  restStores,
  subscriptionStatus,
} from '../shared/billing/billing.ts'
import {
  cancelSubscription,
  changePlan,
  createPortalSession,
  previewChange,
  reactivateSubscription,
} from '../shared/billing/payments.ts'
import {
  addDays,
  answerBilling,
  buildPreview,
  buildStatus,
  checkLayout,
  createBillingScreen,
  type Detail,
  formatDateIn,
  readText,
  type Status,
  sampleStores,
} from './billing-scene.ts'

// Subscription actions on /billing: change, cancel, reactivate, open the portal.

const app = createBillingScreen()
const main = () => app.page.getByRole('main')
const findButton = (name: string) => main().getByRole('button', { name, exact: true })
const dialog = () => app.page.getByRole('dialog', { name: 'Change plan' })
const press = (name: string | RegExp) => dialog().getByRole('button', { name }).click()
const alert = (text: string) => app.page.getByRole('alert').getByText(text).waitFor()
const search = () => new URL(app.page.url()).search
const listPreviews = () => app.api.calls(previewChange).map(({ sent }) => sent.body)
const listChanges = () => app.api.calls(changePlan).map(({ sent }) => sent.body)

const answerChange = (message: string, state: 'done' | 'scheduled' | 'confirm' = 'done', url: string | null = null) =>
  app.api.answer(changePlan, { state, url, message })

/** Opens the change to Growth with its preview of $16.50. */
async function showGrowth(): Promise<void> {
  answerBilling(app, { plan: 'starter' })
  app.api.answer(previewChange, buildPreview())
  await app.open('/billing?change=growth')
  await press('Show the price')
  await dialog().getByRole('button', { name: 'Pay $16.50 and change' }).waitFor()
}

test('a larger plan is chosen by keyboard, previewed with its amount, and then changed', async () => {
  answerBilling(app, { plan: 'starter' })
  app.api.answer(previewChange, buildPreview())
  answerChange('You are on Growth now.')
  const page = await app.open('/billing')
  await findButton('Change plan').press('Enter')
  await dialog().getByText('This is your current plan.').waitFor()
  await expect.poll(() => dialog().getByRole('button', { name: 'Show the price' }).isDisabled()).toBe(true)
  await dialog().getByRole('radio', { name: 'Starter' }).press('ArrowDown')
  await dialog().getByText('$49.00 a month, before tax.').waitFor()
  await checkLayout(app, '[role=dialog]')
  await dialog().getByRole('button', { name: 'Show the price' }).press('Enter')
  const heading = dialog().getByRole('heading', { name: 'Growth, monthly' })
  await heading.waitFor()
  await expect.poll(() => heading.evaluate((element) => element === document.activeElement)).toBe(true)
  expect(listPreviews()).toEqual([{ planKey: 'growth', cycle: 'month', addOns: { extraStores: 0 } }])
  const text = await readText(dialog())
  for (const part of [
    'The plan changes immediately.',
    'New plan, until the next bill $22.60 Credit for time already paid -$7.60 Tax $1.50',
    'Due now $16.50',
    `The next bill is $49.00, on ${formatDateIn(12)}.`,
  ])
    expect(text).toContain(part)
  await checkLayout(app, '[role=dialog]')
  answerBilling(app)
  await dialog().getByRole('button', { name: 'Pay $16.50 and change' }).dblclick()
  await dialog().waitFor({ state: 'detached' })
  await page.getByText('You are on Growth now.').waitFor()
  expect(listChanges()).toEqual([{ token: 'shown-1', restingStoreIds: [] }])
  await main().getByRole('heading', { name: 'Growth' }).waitFor()
  expect(search()).toBe('')
})

test('a smaller plan shows lost features, resting stores, and the date', async () => {
  answerBilling(app)
  app.api.answer(
    previewChange,
    buildPreview({
      when: 'period_end',
      at: addDays(12),
      dueNow: 0,
      credit: 0,
      charge: 0,
      tax: 0,
      nextAmount: 1_900,
      token: 'smaller',
      lost: ['SMS and WhatsApp in flows.', 'Analytics export.'],
      storesTooMany: 1,
      stores: sampleStores,
    }),
  )
  answerChange('It changes to Starter.', 'scheduled')
  const page = await app.open('/billing?change=starter')
  await press('Show the price')
  await dialog()
    .getByText(`The plan changes on ${formatDateIn(12)}. Nothing is due now.`)
    .waitFor()
  const text = await readText(dialog())
  expect(text).toContain('Not included in Starter SMS and WhatsApp in flows. Analytics export.')
  expect(text).toContain('1 store will become inactive An inactive store tracks carts and syncs, but sends nothing.')
  expect(text).not.toContain('Due now')
  const findBox = (name: string) => dialog().getByRole('checkbox', { name })
  await expect.poll(() => findBox('Third Floor').isChecked()).toBe(true)
  await checkLayout(app, '[role=dialog]')
  await findBox('Third Floor').click()
  await dialog().getByText('Choose 1 store to make inactive.').waitFor()
  const confirm = dialog().getByRole('button', { name: `Change on ${formatDateIn(12)}` })
  await expect.poll(() => confirm.isDisabled()).toBe(true)
  await findBox('Kiln Road').click()
  await findBox('Second Hand').click()
  app.api.answer(subscriptionStatus, buildStatus({ change: { plan: 'starter', cycle: 'month', at: addDays(12) } }))
  await confirm.click()
  await page.getByText('It changes to Starter.').waitFor()
  expect(listChanges()).toEqual([{ token: 'smaller', restingStoreIds: [sampleStores[0]!.id, sampleStores[1]!.id] }])
  await main()
    .getByText(`Changes to Starter on ${formatDateIn(12)}.`)
    .waitFor()
})

test('the address contains the change, and Back returns to the choice', async () => {
  answerBilling(app, { plan: 'starter' })
  app.api.answer(previewChange, buildPreview({ dueNow: 0, credit: 0, charge: 0, tax: 0 }))
  const page = await app.open('/billing?change=growth&cycle=year&stores=2')
  await dialog().getByText('$708.00 a year, before tax.').waitFor()
  await dialog().getByText('$120 a year each').waitFor()
  await press('Show the price')
  await dialog().getByRole('heading', { name: 'Growth, yearly, with 2 extra stores' }).waitFor()
  await dialog().getByRole('button', { name: 'Change plan' }).waitFor()
  expect(listPreviews()).toEqual([{ planKey: 'growth', cycle: 'year', addOns: { extraStores: 2 } }])
  await press('Back')
  await dialog().getByText('$708.00 a year, before tax.').waitFor()
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'detached' })
  expect(search()).toBe('')
})

test('a changed amount is shown again, and its own token is sent', async () => {
  await showGrowth()
  app.api.fail(changePlan, 409, { error: 'The amount has changed.' })
  app.api.answer(previewChange, buildPreview({ dueNow: 1_649, token: 'shown-2' }))
  await press('Pay $16.50 and change')
  await dialog().getByRole('button', { name: 'Pay $16.49 and change' }).waitFor()
  await dialog().getByText('The amount has changed.').waitFor()
  await checkLayout(app, '[role=dialog]')
  answerChange('You are on Growth now.')
  await press('Pay $16.49 and change')
  await app.page.getByText('You are on Growth now.').waitFor()
  expect(listChanges().at(-1)).toEqual({ token: 'shown-2', restingStoreIds: [] })
})

test('the dialog returns to the choice with the reason if the changed amount cannot be loaded', async () => {
  await showGrowth()
  app.api.fail(changePlan, 409, { error: 'The amount has changed.' })
  app.api.fail(previewChange, 409, { error: 'A payment is overdue.' })
  await press('Pay $16.50 and change')
  await dialog().getByRole('alert').getByText('A payment is overdue.').waitFor()
  await dialog().getByRole('button', { name: 'Show the price' }).waitFor()
})

test('a failed preview shows the error; a declined card shows it with “Manage Billing”', async () => {
  answerBilling(app, { plan: 'starter' })
  app.api.fail(previewChange, 429, { error: 'Too many tries. Wait a minute.' })
  app.api.fail(changePlan, 400, { error: 'Your card was declined. Add another one under Manage Billing.' })
  const page = await app.open('/billing?change=growth')
  await press('Show the price')
  await dialog().getByRole('alert').getByText('Too many tries.').waitFor()
  await expect.poll(() => dialog().getByRole('button', { name: 'Manage Billing' }).count()).toBe(0)
  app.api.answer(previewChange, buildPreview())
  await press('Show the price')
  await press('Pay $16.50 and change')
  await dialog().getByRole('alert').getByText('Your card was declined.').waitFor()
  await checkLayout(app, '[role=dialog]')
  app.api.fail(createPortalSession, 409, { error: 'This is a copy of another installation.' })
  await press('Manage Billing')
  await dialog().getByRole('alert').getByText('This is a copy of another installation.').waitFor()
  app.api.answer(createPortalSession, { url: '/terms' })
  await press('Manage Billing')
  await page.waitForURL('**/terms')
})

test('in a trial without a card the next bill depends on adding one', async () => {
  answerBilling(app, { plan: 'starter', status: 'trialing', trialEndsAt: addDays(12), hasCard: false })
  app.api.answer(previewChange, buildPreview({ dueNow: 0, credit: 0, charge: 0, tax: 0, needsCard: true }))
  await app.open('/billing?change=growth')
  await press('Show the price')
  await dialog()
    .getByText(`If you add a card, the next bill is $49.00, on ${formatDateIn(12)}.`)
    .waitFor()
})

test('a payment that needs confirmation links to the bank’s page in a new window', async () => {
  await showGrowth()
  answerChange('Growth begins once it is confirmed.', 'confirm', 'https://bank.example/3ds')
  await press('Pay $16.50 and change')
  await dialog().getByText('Growth begins once it is confirmed.').waitFor()
  const link = dialog().getByRole('link', { name: 'Confirm the payment' })
  await expect
    .poll(async () => [await link.getAttribute('href'), await link.getAttribute('target')])
    .toEqual(['https://bank.example/3ds', '_blank'])
  await checkLayout(app, '[role=dialog]')
})

test('a change in the address opens /pricing on a plan without a card', async () => {
  answerBilling(app, { plan: 'free' })
  const page = await app.go('/billing?change=growth&cycle=year')
  await page.waitForURL('**/pricing?plan=growth&cycle=year')
})

test.each([
  ['ends', { cancelAtPeriodEnd: true }, 'Reactivate it first, then change the plan.'],
  ['is overdue', { status: 'past_due' }, 'Pay it first, under Manage Billing, then change the plan.'],
] as const)('a change in the address explains the required step if the subscription %s', async (_, detail, text) => {
  answerBilling(app, { plan: 'starter', ...detail })
  const page = await app.open('/billing?change=growth')
  await page.getByText(text).waitFor()
  await expect.poll(() => dialog().count()).toBe(0)
})

// Canceling, reactivating, the portal.

const CONFIRM =
  'Are you sure you want to cancel your subscription? You will lose access at the end of your current billing period.'
const ENDING = { cancelAtPeriodEnd: true, nextBillingDate: null }
/** When a press removes its button, the focus moves to the group of the remaining ones. */
const readFocusedText = () => app.page.evaluate(() => document.activeElement?.textContent)

test('canceling shows the confirmation of A 5, and Reactivate undoes it', {
  tags: ['A2.7', 'A4.3', 'A5'],
}, async () => {
  const message = 'Your subscription ends on Dec 6, 2026.'
  answerBilling(app)
  app.api.answer(cancelSubscription, { success: true, message })
  app.api.answer(listResting, { stores: sampleStores.map((store, at) => ({ ...store, restsFirst: at === 0 })) })
  const page = await app.open('/billing')
  await findButton('Cancel subscription').press('Enter')
  const confirm = page.getByRole('dialog', { name: 'Cancel Growth?' })
  await confirm.getByText(CONFIRM).waitFor()
  await confirm.getByText(`Your Growth plan stays until the billing period ends on ${formatDateIn(12)}.`).waitFor()
  await confirm.getByText('2 stores of 3 will then become inactive: Third Floor and Kiln Road.').waitFor()
  await checkLayout(app, '[role=dialog]')
  await confirm.getByRole('button', { name: 'Keep Growth' }).click()
  await confirm.waitFor({ state: 'detached' })
  expect(app.api.calls(cancelSubscription)).toEqual([])

  await findButton('Cancel subscription').click()
  answerBilling(app, ENDING)
  await confirm.getByRole('button', { name: 'Cancel subscription' }).press('Enter')
  await page.getByText(message).waitFor()
  await findButton('Reactivate').waitFor()
  await expect.poll(readFocusedText).toBe('ReactivateManage Billing')
  await expect.poll(() => findButton('Cancel subscription').count()).toBe(0)

  answerBilling(app)
  app.api.answer(reactivateSubscription, { success: true, message: 'Your subscription continues.' })
  await findButton('Reactivate').press('Enter')
  await page.getByText('Your subscription continues.').waitFor()
  await findButton('Cancel subscription').waitFor()
  await expect.poll(readFocusedText).toBe('Change planManage BillingCancel subscription')
})

test('“Keep Growth” cancels a scheduled change', async () => {
  answerBilling(app, {}, { change: { plan: 'starter', cycle: 'month', at: addDays(12) } })
  app.api.answer(reactivateSubscription, { success: true, message: 'You keep Growth.' })
  const page = await app.open('/billing')
  await findButton('Keep Growth').waitFor()
  app.api.answer(subscriptionStatus, buildStatus())
  await findButton('Keep Growth').click()
  await page.getByText('You keep Growth.').waitFor()
  await findButton('Keep Growth').waitFor({ state: 'detached' })
})

test('“Manage Billing” opens the provider’s portal', { tags: ['A2.7'] }, async () => {
  answerBilling(app)
  app.api.answer(createPortalSession, { url: '/terms' })
  const page = await app.open('/billing')
  await findButton('Manage Billing').click()
  await page.waitForURL('**/terms')
})

test.each([
  ['the portal', {}, createPortalSession, 'Manage Billing', 'Failed to open billing portal'],
  ['reactivating', ENDING, reactivateSubscription, 'Reactivate', 'Failed to reactivate subscription'],
  ['canceling', {}, cancelSubscription, 'Cancel subscription', 'Failed to cancel subscription'],
] as const)('a failure of %s shows the server’s error or the default of A 8', { tags: ['A8'] }, async (...row) => {
  const [, detail, endpoint, label, text] = row
  answerBilling(app, detail)
  app.api.fail(endpoint, 409, { error: 'This is a copy of another installation.' })
  await app.open('/billing')
  await findButton(label).click()
  const isCancel = endpoint === cancelSubscription
  const again = isCancel ? app.page.getByRole('dialog').getByRole('button', { name: label }) : findButton(label)
  if (isCancel) await again.click()
  await alert('This is a copy of another installation.')
  await checkLayout(app, isCancel ? '[role=dialog]' : 'main')
  app.api.cut(endpoint)
  await again.click()
  await alert(text)
  if (!isCancel) return
  // After a retry the old error is gone.
  const dialog = app.page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Keep Growth' }).click()
  await dialog.waitFor({ state: 'detached' })
  await findButton(label).click()
  await dialog.getByText(CONFIRM).waitFor()
  await expect.poll(() => dialog.getByText(text).count()).toBe(0)
})

test('a portal without an address counts as a failure', { tags: ['A8'] }, async () => {
  answerBilling(app)
  app.api.answer(createPortalSession, { url: '' })
  const page = await app.open('/billing')
  await findButton('Manage Billing').click()
  await alert('Failed to open billing portal')
  await expect.poll(() => new URL(page.url()).pathname).toBe('/billing')
})

// Pressed twice, sent once.

const done = { success: true as const, message: 'It is done.' }
const scheduled = { change: { plan: 'starter' as const, cycle: 'month' as const, at: addDays(12) } }

interface DoubleClick {
  name: string
  path: string
  endpoint: typeof cancelSubscription | typeof restStores | typeof createFreeSubscription | typeof manualUpdate
  detail?: Partial<Detail>
  status?: Partial<Status>
  /** Opens the dialog with the button. */
  opener?: string
}

const doubleClicks: DoubleClick[] = [
  { name: 'Cancel subscription', path: '/billing', endpoint: cancelSubscription, opener: 'Cancel subscription' },
  { name: 'Reactivate', path: '/billing', endpoint: reactivateSubscription, detail: ENDING },
  { name: 'Keep Growth', path: '/billing', endpoint: reactivateSubscription, status: scheduled },
  {
    name: 'Save',
    path: '/billing',
    endpoint: restStores,
    detail: { plan: 'starter' },
    opener: 'Choose inactive stores',
  },
  { name: 'Change to Lite', path: '/pricing', endpoint: createFreeSubscription, opener: 'Start with Lite' },
  { name: 'Continue with Lite', path: '/pricing', endpoint: createFreeSubscription, status: { plan: null } },
  { name: 'Set this plan', path: '/test-subscription', endpoint: manualUpdate, status: { isTestMode: true } },
]

test.each(doubleClicks)('a double click on “$name” of $path sends once', async (row) => {
  const { name, path, endpoint, detail, status, opener } = row
  answerBilling(app, detail, status)
  app.api.answer(listResting, {
    stores: sampleStores.map((store, at) => ({ ...store, isResting: at === 2, restsFirst: false })),
  })
  app.api.answer(cancelSubscription, done)
  app.api.answer(reactivateSubscription, done)
  app.api.answer(restStores, { success: true, resting: [] })
  app.api.answer(createFreeSubscription, { ...done, url: '/store-setup' })
  app.api.answer(manualUpdate, { ...done, plan: 'growth', status: 'active' })
  const { release } = app.api.hold(endpoint)
  await app.open(path)
  if (opener) await findButton(opener).click()
  const scope = opener ? app.page.getByRole('dialog') : main()
  await scope.getByRole('button', { name, exact: true }).dblclick()
  await expect.poll(() => app.api.calls(endpoint).length).toBe(1)
  release()
  await expect.poll(() => app.page.locator('button[data-loading]').count()).toBe(0)
  await app.waitUntilSettled()
  await expect.poll(() => app.api.calls(endpoint)).toHaveLength(1)
})
