import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { checkInEveryTheme } from '../every-theme.ts'
import { aStatus, dateIn, inDays, someStores } from './answers.ts'
import { billingOf } from './page.ts'
import { open } from './scene.ts'

const CANCEL = 'payments/cancel-subscription'
const REACTIVATE = 'payments/reactivate-subscription'
const PORTAL = 'payments/create-portal-session'
const DETAIL = 'payments/subscription'
const STATUS = 'subscribe/status'
const CONFIRM =
  'Are you sure you want to cancel your subscription? You will lose access at the end of your current billing period.'

const button = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name })
/** Where a press has taken its own button away, the focus is on the buttons that are left. */
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent)
const ENDING = { cancelAtPeriodEnd: true, nextBillingDate: null }

export function theDeeds() {
  test('canceling is confirmed in the words of A 5; Reactivate stands in its place, and takes it back', async () => {
    const done = { success: true, message: 'Your subscription ends on Dec 6, 2026.' }
    const { page, sent, answer } = await open('/billing', {
      ...{ ...billingOf({}), [CANCEL]: done },
      'subscribe/resting-stores': {
        stores: someStores.map((store, at) => ({ ...store, restsFirst: at === 0 })),
      },
    })
    await button(page, 'Cancel subscription').press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Cancel Growth?' })
    await dialog.getByText(CONFIRM).waitFor()
    await dialog.getByText(`Your Growth plan stays until its period ends on ${dateIn(12)}.`).waitFor()
    await dialog.getByText('2 stores of the 3 connected will rest then: Third Floor and Kiln Road.').waitFor()
    await checkInEveryTheme(page, 'billing-cancel', '[role=dialog]')
    await dialog.getByRole('button', { name: 'Keep Growth' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(sent.filter(({ call }) => call === CANCEL)).toEqual([])

    await button(page, 'Cancel subscription').click()
    const ending = billingOf(ENDING)
    await answer(DETAIL, ending[DETAIL]!)
    await answer(STATUS, ending[STATUS]!)
    await dialog.getByRole('button', { name: 'Cancel subscription' }).press('Enter')
    await page.getByText(done.message).waitFor()
    await button(page, 'Reactivate').waitFor()
    await expect.poll(() => focused(page)).toBe('ReactivateManage Billing')
    expect(await button(page, 'Cancel subscription').count()).toBe(0)

    const back = billingOf({})
    await answer(REACTIVATE, { success: true, message: 'Your subscription goes on.' })
    await answer(DETAIL, back[DETAIL]!)
    await answer(STATUS, back[STATUS]!)
    await button(page, 'Reactivate').press('Enter')
    await page.getByText('Your subscription goes on.').waitFor()
    await button(page, 'Cancel subscription').waitFor()
    await expect.poll(() => focused(page)).toBe('Change planManage BillingCancel subscription')
    await page.context().close()
  })

  test('a change that waits is taken back', async () => {
    const change = { plan: 'starter' as const, cycle: 'month' as const, at: inDays(12) }
    const { page, answer } = await open('/billing', {
      ...billingOf({}, { change }),
      [REACTIVATE]: { success: true, message: 'You keep Growth.' },
    })
    await button(page, 'Keep Growth').waitFor()
    await answer(STATUS, aStatus())
    await button(page, 'Keep Growth').click()
    await page.getByText('You keep Growth.').waitFor()
    await button(page, 'Keep Growth').waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('“Manage Billing” leads to the provider’s portal', async () => {
    const { page } = await open('/billing', { ...billingOf({}), [PORTAL]: { url: '/terms' } })
    await button(page, 'Manage Billing').click()
    await page.waitForURL('**/terms')
    await page.context().close()
  })

  const REFUSED = { status: 409, error: 'This is a copy of another installation.' }
  const AWAY = { status: 0, error: '' }
  test.each([
    ['the portal', {}, PORTAL, 'Manage Billing', 'Failed to open billing portal'],
    ['reactivating', ENDING, REACTIVATE, 'Reactivate', 'Failed to reactivate subscription'],
    ['canceling', {}, CANCEL, 'Cancel subscription', 'Failed to cancel subscription'],
  ] as const)('a failure is told in the server’s words, else in those of A 8: %s', async (name, detail, call, label, words) => {
    const { page, answer } = await open('/billing', { ...billingOf(detail), [call]: REFUSED })
    await button(page, label).click()
    const dialog = page.getByRole('dialog')
    const again = call === CANCEL ? dialog.getByRole('button', { name: label }) : button(page, label)
    if (call === CANCEL) await again.click()
    await page.getByRole('alert').getByText(REFUSED.error).waitFor()
    await checkInEveryTheme(page, `billing-refused-${name.replace(' ', '-')}`)
    await answer(call, AWAY)
    await again.click()
    await page.getByRole('alert').getByText(words).waitFor()
    await page.context().close()
  })

  test('a portal without an address is none', async () => {
    const { page } = await open('/billing', { ...billingOf({}), [PORTAL]: { url: '' } })
    await button(page, 'Manage Billing').click()
    await page.getByRole('alert').getByText('Failed to open billing portal').waitFor()
    expect(new URL(page.url()).pathname).toBe('/billing')
    await page.context().close()
  })
}
