import { expect, test } from 'vitest'
import { createFreeSubscription, manualUpdate } from '../shared/billing/billing.ts'
import { setAccess } from './access-scene.ts'
import { createScreens } from './app.ts'

// A new account's first plan, test mode, and the return to the free plan.

const app = createScreens()
const main = () => app.page.getByRole('main')
const findButton = (name: string) => main().getByRole('button', { name, exact: true })
const activateFreePlan = () => {
  setAccess(app, { plan: 'free', isConnected: false })
  return { success: true, message: 'You are on Lite.', url: '/store-setup' }
}

test('the plans offer “Continue with Lite” first to an account without a plan, and it opens the set-up', {
  tags: ['A4.2', 'A4.3'],
}, async () => {
  setAccess(app, { plan: null, isConnected: false })
  await app.open('/pricing')
  await findButton('Continue with Lite').waitFor()
  await expect
    .poll(() => main().getByRole('button').allInnerTexts())
    .toEqual(['Continue with Lite', 'Choose Starter', 'Choose Growth'])
  await app.page.getByText('Upgrade when you reach a limit.').waitFor()
  expect(await app.findViolations()).toEqual([])
  // The set-up also opens if the plan cannot be created, and shows what is missing (A 4.3).
  app.api.fail(createFreeSubscription, 500, { error: 'x' })
  await findButton('Continue with Lite').click()
  await app.page.waitForURL('**/store-setup')
  await app.page.getByRole('heading', { name: 'Subscription Required' }).waitFor()
  await app.page.getByRole('link', { name: 'Choose a Plan' }).click()
  app.api.answer(createFreeSubscription, activateFreePlan)
  await findButton('Continue with Lite').click()
  await app.page.waitForURL('**/store-setup')
  await app.page.getByRole('button', { name: 'Connect Store' }).waitFor()
})

test('in test mode the step before the payment opens the test page, which sets plan and period', {
  tags: ['A2.1', 'A2.6'],
}, async () => {
  setAccess(app, { plan: 'free' })
  app.api.answer(manualUpdate, {
    success: true,
    message: 'You are on the Starter plan.',
    plan: 'starter',
    status: 'active',
  })
  await app.open('/pricing')
  await app.page.getByText('choosing a plan charges nothing').waitFor()
  await findButton('Choose Starter').click()
  await app.page.getByRole('heading', { level: 1, name: 'Complete Your Purchase' }).waitFor()
  await app.page.getByText('This server is in billing test mode: nothing is charged.').waitFor()
  await expect.poll(() => app.page.getByLabel('Extra stores').count()).toBe(0)
  await app.page.getByText('Yearly', { exact: false }).click()
  await app.page.getByText('$180.00').first().waitFor()
  await findButton('Continue to the test page').click()
  await app.page.waitForURL('**/test-subscription?plan=starter&cycle=year')
  await expect.poll(() => app.page.getByLabel('Plan').inputValue()).toBe('starter')
  await expect.poll(() => app.page.getByRole('radio', { name: 'Yearly' }).isChecked()).toBe(true)
  expect(await app.findViolations()).toEqual([])
  await app.page.goBack()
  await app.page.getByRole('heading', { level: 1, name: 'Complete Your Purchase' }).waitFor()
  await app.page.getByRole('link', { name: 'All plans' }).click()
  await app.page.getByRole('heading', { level: 1, name: 'Choose your plan' }).waitFor()
  expect(app.api.calls(manualUpdate)).toEqual([])
  await app.open('/test-subscription?plan=starter&cycle=year')
  await findButton('Set this plan').click()
  await app.page.getByText('You are on the Starter plan.').waitFor()
  await expect.poll(() => app.api.calls(manualUpdate)[0]!.body).toEqual({ planKey: 'starter', cycle: 'year' })
})

test('changing from a paid plan to Lite needs a confirmation, which also shows a failure', {
  tags: ['A4.3'],
}, async () => {
  setAccess(app, { plan: 'growth' })
  await app.open('/pricing')
  await findButton('Start with Lite').click()
  const dialog = app.page.getByRole('dialog', { name: 'Change to Lite?' })
  await dialog.getByText('Your Growth plan ends now, not at the end').waitFor()
  await dialog.getByText('500 emails per month').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(app.api.calls(createFreeSubscription)).toEqual([])
  app.api.fail(createFreeSubscription, 403, { error: 'Not today.', code: 'forbidden' })
  await findButton('Start with Lite').click()
  await dialog.getByRole('button', { name: 'Change to Lite' }).click()
  await dialog.getByText('Not today.').waitFor()
  app.api.answer(createFreeSubscription, activateFreePlan)
  await dialog.getByRole('button', { name: 'Change to Lite' }).click()
  await app.page.waitForURL('**/store-setup')
})
