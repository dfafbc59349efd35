import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { checkInEveryTheme } from '../every-theme.ts'
import { aPreview, aStatus, dateIn, inDays, someStores } from './answers.ts'
import { billingOf } from './page.ts'
import { open } from './scene.ts'

const PREVIEW = 'payments/preview-change'
const CHANGE = 'payments/change'
const PORTAL = 'payments/create-portal-session'
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Change plan' })
const press = (page: Page, name: string | RegExp) => dialog(page).getByRole('button', { name }).click()
const wordsIn = async (page: Page) => (await dialog(page).innerText()).replace(/\s+/g, ' ')
const bodies = (sent: { call: string; body: unknown }[], of: string) =>
  sent.filter(({ call }) => call === of).map(({ body }) => body)

const STARTER = billingOf({ plan: 'starter' })
const FEWER = {
  when: 'period_end' as const,
  at: inDays(12),
  ...{ dueNow: 0, credit: 0, charge: 0, tax: 0, nextAmount: 1_900, token: 'smaller' },
  lost: ['SMS and WhatsApp as steps of a flow.', 'Export of analytics.'],
  ...{ storesTooMany: 1, stores: someStores },
}

export function theChange() {
  test('a larger plan: chosen by the keyboard, its amount shown before the button, then made', async () => {
    const { page, sent, answer } = await open('/billing', {
      ...STARTER,
      [PREVIEW]: aPreview(),
      [CHANGE]: { state: 'done', url: null, message: 'You are on Growth now.' },
    })
    await page.getByRole('main').getByRole('button', { name: 'Change plan' }).press('Enter')
    await dialog(page).getByText('This is what you have now.').waitFor()
    expect(await dialog(page).getByRole('button', { name: 'Show what it costs' }).isDisabled()).toBe(true)
    await dialog(page).getByRole('radio', { name: 'Starter' }).press('ArrowDown')
    await dialog(page).getByText('$49.00 a month, before tax.').waitFor()
    await checkInEveryTheme(page, 'billing-change', '[role=dialog]')
    await dialog(page).getByRole('button', { name: 'Show what it costs' }).press('Enter')
    const heading = dialog(page).getByRole('heading', { name: 'Growth, monthly' })
    await heading.waitFor()
    await expect.poll(() => heading.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(bodies(sent, PREVIEW)).toEqual([{ planKey: 'growth', cycle: 'month', addOns: { extraStores: 0 } }])
    const words = await wordsIn(page)
    expect(words).toContain('The plan changes at once.')
    expect(words).toContain('New plan, until the next bill $22.60 Credit for what is paid already -$7.60 Tax $1.50')
    expect(words).toContain('Due now $16.50')
    expect(words).toContain(`The next bill is $49.00, on ${dateIn(12)}.`)
    await checkInEveryTheme(page, 'billing-change-shown', '[role=dialog]')
    const now = billingOf({})
    for (const [call, said] of Object.entries(now)) await answer(call, said)
    await press(page, 'Pay $16.50 and change')
    await dialog(page).waitFor({ state: 'detached' })
    expect(bodies(sent, CHANGE)).toEqual([{ token: 'shown-1', restingStoreIds: [] }])
    await page.getByText('You are on Growth now.').waitFor()
    await page.getByRole('main').getByRole('heading', { name: 'Growth' }).waitFor()
    expect(new URL(page.url()).search).toBe('')
    await page.context().close()
  })

  test('a smaller plan: what is lost, which stores rest, and when', async () => {
    const { page, sent, answer } = await open('/billing?change=starter', {
      ...billingOf({}),
      [PREVIEW]: aPreview(FEWER),
      [CHANGE]: { state: 'scheduled', url: null, message: 'It changes to Starter.' },
    })
    await press(page, 'Show what it costs')
    await dialog(page)
      .getByText(`The plan changes on ${dateIn(12)}. Nothing is due now.`)
      .waitFor()
    const words = await wordsIn(page)
    expect(words).toContain('What Starter does not have SMS and WhatsApp as steps of a flow. Export of analytics.')
    expect(words).toContain('1 store will have to rest A store that rests goes on capturing carts and syncing')
    expect(words).not.toContain('Due now')
    const box = (name: string) => dialog(page).getByRole('checkbox', { name })
    expect(await box('Third Floor').isChecked()).toBe(true)
    await checkInEveryTheme(page, 'billing-change-smaller', '[role=dialog]')
    await box('Third Floor').click()
    await dialog(page).getByText('Choose 1 store to rest.').waitFor()
    const make = dialog(page).getByRole('button', { name: `Change on ${dateIn(12)}` })
    expect(await make.isDisabled()).toBe(true)
    await checkInEveryTheme(page, 'billing-change-too-few', '[role=dialog]')
    await box('Kiln Road').click()
    await box('Second Hand').click()
    await answer('subscribe/status', aStatus({ change: { plan: 'starter', cycle: 'month', at: inDays(12) } }))
    await make.click()
    await page.getByText('It changes to Starter.').waitFor()
    expect(bodies(sent, CHANGE)).toEqual([
      { token: 'smaller', restingStoreIds: [someStores[0]!.id, someStores[1]!.id] },
    ])
    await page
      .getByRole('main')
      .getByText(`Changes to Starter on ${dateIn(12)}.`)
      .waitFor()
    await page.context().close()
  })

  test('the address names the change: ?change=growth&cycle=year&stores=2; Back goes back to the choice', async () => {
    const { page, sent } = await open('/billing?change=growth&cycle=year&stores=2', {
      ...STARTER,
      [PREVIEW]: aPreview({ dueNow: 0, credit: 0, charge: 0, tax: 0 }),
    })
    await dialog(page).getByText('$708.00 a year, before tax.').waitFor()
    await dialog(page).getByText('$120 a year for each').waitFor()
    await press(page, 'Show what it costs')
    await dialog(page).getByRole('heading', { name: 'Growth, yearly, with 2 extra stores' }).waitFor()
    await dialog(page).getByRole('button', { name: 'Change plan' }).waitFor()
    expect(bodies(sent, PREVIEW)).toEqual([{ planKey: 'growth', cycle: 'year', addOns: { extraStores: 2 } }])
    await press(page, 'Back')
    await dialog(page).getByText('$708.00 a year, before tax.').waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('')
    await page.context().close()
  })

  test('the amount has changed in between: it is shown again, and its own token is taken', async () => {
    const { page, sent, answer } = await open('/billing?change=growth', {
      ...STARTER,
      [PREVIEW]: aPreview(),
      [CHANGE]: { status: 409, error: 'The amount has changed.' },
    })
    await press(page, 'Show what it costs')
    await answer(PREVIEW, aPreview({ dueNow: 1_649, token: 'shown-2' }))
    await press(page, 'Pay $16.50 and change')
    await dialog(page).getByRole('button', { name: 'Pay $16.49 and change' }).waitFor()
    await dialog(page).getByText('The amount has changed.').waitFor()
    await checkInEveryTheme(page, 'billing-change-again', '[role=dialog]')
    await answer(CHANGE, { state: 'done', url: null, message: 'You are on Growth now.' })
    await press(page, 'Pay $16.49 and change')
    await page.getByText('You are on Growth now.').waitFor()
    expect(bodies(sent, CHANGE).at(-1)).toEqual({ token: 'shown-2', restingStoreIds: [] })
    await page.context().close()
  })

  test('where the amount cannot be shown again, it is told why, and the choice stands there', async () => {
    const { page, answer } = await open('/billing?change=growth', {
      ...STARTER,
      [PREVIEW]: aPreview(),
      [CHANGE]: { status: 409, error: 'The amount has changed.' },
    })
    await press(page, 'Show what it costs')
    await answer(PREVIEW, { status: 409, error: 'A payment is overdue.' })
    await press(page, 'Pay $16.50 and change')
    await dialog(page).getByRole('alert').getByText('A payment is overdue.').waitFor()
    await dialog(page).getByRole('button', { name: 'Show what it costs' }).waitFor()
    await page.context().close()
  })

  test('a declined card is told in words, and changes nothing', async () => {
    const { page, answer } = await open('/billing?change=growth', {
      ...STARTER,
      [PREVIEW]: { status: 429, error: 'Too many tries. Wait a minute.' },
      [CHANGE]: { status: 400, error: 'Your card was declined. Add another one under Manage Billing.' },
    })
    await press(page, 'Show what it costs')
    await dialog(page).getByRole('alert').getByText('Too many tries.').waitFor()
    expect(await dialog(page).getByRole('button', { name: 'Manage Billing' }).count()).toBe(0)
    await answer(PREVIEW, aPreview())
    await press(page, 'Show what it costs')
    await press(page, 'Pay $16.50 and change')
    await dialog(page).getByRole('alert').getByText('Your card was declined.').waitFor()
    await checkInEveryTheme(page, 'billing-change-declined', '[role=dialog]')
    await answer(PORTAL, { status: 409, error: 'This is a copy of another installation.' })
    await press(page, 'Manage Billing')
    await dialog(page).getByRole('alert').getByText('This is a copy of another installation.').waitFor()
    await answer(PORTAL, { url: '/terms' })
    await press(page, 'Manage Billing')
    await page.waitForURL('**/terms')
    await page.context().close()
  })

  test('in a trial without a card the next bill comes only if one is added', async () => {
    const { page } = await open('/billing?change=growth', {
      ...billingOf({ plan: 'starter', status: 'trialing', trialEndsAt: inDays(12), hasCard: false }),
      [PREVIEW]: aPreview({ dueNow: 0, credit: 0, charge: 0, tax: 0, needsCard: true }),
    })
    await press(page, 'Show what it costs')
    await dialog(page)
      .getByText(`If you add a card, the next bill is $49.00, on ${dateIn(12)}.`)
      .waitFor()
    await checkInEveryTheme(page, 'billing-change-trial', '[role=dialog]')
    await page.context().close()
  })

  test('a bank that asks has its page, in a new window', async () => {
    const { page } = await open('/billing?change=growth', {
      ...STARTER,
      [PREVIEW]: aPreview(),
      [CHANGE]: { state: 'confirm', url: 'https://bank.example/3ds', message: 'Growth begins once it is confirmed.' },
    })
    await press(page, 'Show what it costs')
    await press(page, 'Pay $16.50 and change')
    await dialog(page).getByText('Growth begins once it is confirmed.').waitFor()
    const link = dialog(page).getByRole('link', { name: 'Confirm the payment' })
    expect([await link.getAttribute('href'), await link.getAttribute('target')]).toEqual([
      'https://bank.example/3ds',
      '_blank',
    ])
    await checkInEveryTheme(page, 'billing-change-bank', '[role=dialog]')
    await page.context().close()
  })

  test('a change in the address leads to Pricing where no card pays yet, and to Reactivate where the subscription ends', async () => {
    const { page } = await open('/billing?change=growth&cycle=year', billingOf({ plan: 'free' }))
    await page.waitForURL('**/pricing?plan=growth&cycle=year')
    await page.context().close()
    const ending = await open('/billing?change=growth', billingOf({ plan: 'starter', cancelAtPeriodEnd: true }))
    await ending.page.getByText('Reactivate it first, then change its plan.').waitFor()
    expect(await dialog(ending.page).count()).toBe(0)
    await ending.page.context().close()
    const overdue = await open('/billing?change=growth', billingOf({ plan: 'starter', status: 'past_due' }))
    await overdue.page.getByText('Pay it first, under Manage Billing, then change the plan.').waitFor()
    expect(await dialog(overdue.page).count()).toBe(0)
    await overdue.page.context().close()
  })
}
