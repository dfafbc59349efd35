import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { aPreview, aStatus, inDays, someCredits, someStores } from './answers.ts'
import { billingOf } from './page.ts'
import { type Answers, instance, open } from './scene.ts'

const CHANGE = 'payments/change'
const main = (page: Page) => page.getByRole('main')
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name })

/** What every one of these calls may answer, the list of stores included. */
const DONE = {
  ...{ success: true, message: 'It is done.', url: '/store-setup', plan: 'growth', status: 'active', resting: [] },
  stores: someStores.map((store, at) => ({ ...store, isResting: at === 2, restsFirst: false })),
}

interface Press {
  name: string
  path: string
  call: string
  answers: Answers
  /** The button that leads to it. */
  first?: string
}

const presses: Press[] = [
  {
    ...{ name: 'Cancel subscription', path: '/billing', call: 'payments/cancel-subscription' },
    ...{ answers: billingOf({}), first: 'Cancel subscription' },
  },
  {
    ...{ name: 'Reactivate', path: '/billing', call: 'payments/reactivate-subscription' },
    answers: billingOf({ cancelAtPeriodEnd: true }),
  },
  {
    ...{ name: 'Keep Growth', path: '/billing', call: 'payments/reactivate-subscription' },
    answers: billingOf({}, { change: { plan: 'starter', cycle: 'month', at: inDays(12) } }),
  },
  {
    ...{ name: 'Save', path: '/billing', call: 'subscribe/resting-stores', answers: billingOf({}) },
    first: 'Choose which stores rest',
  },
  {
    ...{ name: 'Change to Lite', path: '/pricing', call: 'subscribe/create-free-subscription' },
    ...{ answers: { 'subscribe/status': aStatus() }, first: 'Start with Lite' },
  },
  {
    ...{ name: 'Continue with Lite', path: '/pricing', call: 'subscribe/create-free-subscription' },
    answers: { 'subscribe/status': aStatus({ plan: null }) },
  },
  { name: 'Set this plan', path: '/test-subscription', call: 'subscribe/manual-update', answers: {} },
]

export function theDoubleClick() {
  test('the button that pays for a larger plan: once, and the dialog ends as after one press', async () => {
    const { page, sent, answer } = await open('/billing?change=growth', {
      ...billingOf({ plan: 'starter' }),
      'payments/preview-change': aPreview(),
      [CHANGE]: { state: 'done', url: null, message: 'You are on the Growth plan.' },
    })
    await inDialog(page, 'Show what it costs').click()
    const pay = inDialog(page, 'Pay $16.50 and change')
    await pay.waitFor()
    for (const [call, said] of Object.entries(billingOf({}))) await answer(call, said)
    await pay.dblclick()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('You are on the Growth plan.').waitFor()
    expect(sent.filter(({ call }) => call === CHANGE)).toHaveLength(1)
    await page.context().close()
  })

  test.each(presses)('$name on $path', async ({ name, path, call, answers, first }) => {
    const { page, sent } = await open(path, { ...answers, [call]: DONE })
    if (first) await main(page).getByRole('button', { name: first }).click()
    const where = first ? page.getByRole('dialog') : main(page)
    await where.getByRole('button', { name, exact: true }).dblclick()
    const asked = () => sent.filter((one) => one.call === call && one.method !== 'GET').length
    await expect.poll(asked).toBeGreaterThan(0)
    // A second one would be answered by then.
    await expect.poll(() => page.locator('button[data-loading]').count()).toBe(0)
    expect(asked()).toBe(1)
    await page.context().close()
  })

  test('a pack of credits is paid once', async () => {
    const { page, sent } = await open('/billing', {
      ...billingOf({}),
      'subscribe/credits': { ...someCredits(), url: `${instance.url}/terms?stripe` },
    })
    await main(page).getByRole('button', { name: 'Buy $25 of credits' }).dblclick()
    await page.waitForURL('**/terms?stripe')
    expect(sent.filter(({ body }) => body).map(({ body }) => body)).toEqual([{ pack: 25 }])
    await page.context().close()
  })
}
