import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { checkInEveryTheme } from '../every-theme.ts'
import { aStatus, dateIn, inDays, otherUsage, someUsage } from './answers.ts'
import { open } from './scene.ts'

const STATUS = 'subscribe/status'
const USAGE = 'subscribe/usage'
const button = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Subscription: / })
const drawer = (page: Page) => page.getByRole('dialog', { name: 'Subscription' })

export function theDrawer() {
  test('the header’s button opens it by the keyboard: plan, status, limits with meters, features (A 2.12)', async () => {
    const { page } = await open('/settings', { [STATUS]: aStatus({ plan: 'starter' }), [USAGE]: someUsage() })
    await button(page).press('Enter')
    const shown = drawer(page)
    await shown.getByRole('heading', { name: 'Starter' }).waitFor()
    const text = (await shown.innerText()).replace(/\s+/g, ' ')
    expect(text).toContain(`Current plan Starter Active Renews on ${dateIn(12)}.`)
    expect(text).toContain('Stores 1 of 2 connected Emails 1,234 of 5,000 used')
    expect(text).toContain('SMS Near the limit 84 of 100 used')
    expect(text).toContain(
      'WhatsApp Limit reached 100 of 100 used 14 messages held until Dec 1, 2026. 3 of these will expire before then.',
    )
    expect(text).toContain('Advanced Analytics Priority Support Customer Segmentation Scheduled Campaigns')
    const meters = await shown
      .getByRole('meter')
      .evaluateAll((all) => all.map((each) => (each as HTMLMeterElement).value))
    expect(meters).toEqual([1, 1_234, 84, 100])
    await checkInEveryTheme(page, 'billing-drawer')
    await page.keyboard.press('Escape')
    await shown.waitFor({ state: 'detached' })
    await expect.poll(() => button(page).evaluate((element) => element === document.activeElement)).toBe(true)
    await page.context().close()
  })

  test('“Ready to Scale?” stands there for every plan that is not Growth; “View Plans” leads to the plans', async () => {
    const { page, answer } = await open('/settings', { [STATUS]: aStatus(), [USAGE]: otherUsage() })
    await button(page).click()
    await drawer(page).getByText('20,400 used, no limit').waitFor()
    const text = (await drawer(page).innerText()).replace(/\s+/g, ' ')
    expect(text).toContain('Stores 1 connected, no limit')
    expect(text).toContain('SMS Not in this plan')
    expect(text).toContain('Plan features Everything in Starter Multi-store Dashboard')
    expect(text).toContain('2 messages held. All of these will expire before Dec 1, 2026.')
    expect(await drawer(page).getByRole('meter').count()).toBe(0)
    expect(text).not.toContain('Ready to Scale?')
    await drawer(page).getByRole('button', { name: 'Close' }).click()
    await answer(STATUS, aStatus({ plan: 'starter' }))
    await button(page).click()
    await drawer(page).getByRole('heading', { name: 'Ready to Scale?' }).waitFor()
    await drawer(page).getByRole('link', { name: 'View Plans' }).click()
    await page.waitForURL('**/pricing')
    await page.context().close()
  })

  test('a skeleton while it waits; a failure has Retry, which asks again', async () => {
    const { page } = await open('/settings', { [STATUS]: aStatus({ plan: 'starter' }), [USAGE]: 'hangs' })
    await button(page).click()
    await drawer(page).getByRole('status', { name: 'Loading' }).first().waitFor()
    await page.context().close()

    const failing = await open('/settings', {
      [STATUS]: aStatus({ plan: 'starter' }),
      [USAGE]: { status: 400, error: 'Not now.' },
    })
    await button(failing.page).click()
    const alert = drawer(failing.page).getByRole('alert')
    await alert.getByText('Failed to load subscription status').waitFor()
    await alert.getByText('Not now.').waitFor()
    await checkInEveryTheme(failing.page, 'billing-drawer-failed')
    await failing.answer(USAGE, someUsage())
    await alert.getByRole('button', { name: 'Retry' }).click()
    await drawer(failing.page).getByText('84 of 100 used').waitFor()
    await failing.page.context().close()
  })

  test('a plan that is gone by then: “No subscription information available”', async () => {
    const { page, answer } = await open('/settings', { [STATUS]: aStatus(), [USAGE]: someUsage() })
    await button(page).waitFor()
    await answer(STATUS, aStatus({ plan: null, hasActiveSubscription: true }))
    await button(page).click()
    await drawer(page).getByText('No subscription information available').waitFor()
    await drawer(page).getByRole('link', { name: 'View Plans' }).waitFor()
    await page.context().close()
  })

  test.each([
    ['a trial', { status: 'trialing', trialEndsAt: inDays(9) }, `Trial until ${dateIn(9)}.`],
    ['a cancellation', { cancelAtPeriodEnd: true, nextBillingDate: null }, `Ends on ${dateIn(12)}, then Lite.`],
    [
      'a change that waits',
      { change: { plan: 'starter', cycle: 'month', at: inDays(12) } },
      `Changes to Starter on ${dateIn(12)}.`,
    ],
    ['an overdue payment', { status: 'past_due', graceUntil: inDays(3) }, `Messages are sent until ${dateIn(3)}.`],
    [
      'one overdue too long',
      { status: 'past_due', graceUntil: inDays(-2), hasActiveSubscription: false },
      'Messages are held until it is paid.',
    ],
    ['the end by a chargeback', { status: 'canceled', planInForce: 'free' }, 'The limits of Lite apply.'],
  ] as const)('it says what will become of the plan: %s', async (_, given, words) => {
    const { page } = await open('/settings', { [STATUS]: aStatus(given), [USAGE]: someUsage() })
    await button(page).click()
    await drawer(page).getByText(words).waitFor()
    const isEnding = 'cancelAtPeriodEnd' in given
    expect(await page.getByText(`Ends ${dateIn(12)}`, { exact: true }).count()).toBe(isEnding ? 1 : 0)
    if (isEnding) {
      await checkInEveryTheme(page, 'billing-drawer-ending')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: `Subscription: Growth, Active, Ends ${dateIn(12)}` }).waitFor()
    }
    await page.context().close()
  })

  test('on a phone it is opened from the menu', async () => {
    const { page } = await open(
      '/settings',
      { [STATUS]: aStatus({ plan: 'starter' }), [USAGE]: someUsage() },
      { viewport: { width: 360, height: 800 } },
    )
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page
      .getByRole('dialog', { name: 'Menu' })
      .getByRole('button', { name: 'Subscription: Starter, Active' })
      .click()
    await drawer(page).getByText('84 of 100 used').waitFor()
    await drawer(page).getByRole('link', { name: 'View Plans' }).click()
    await page.waitForURL('**/pricing')
    await page.context().close()
  })
}
