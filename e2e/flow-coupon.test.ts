import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Coupon } from '../shared/coupons.ts'
import { aCoupon, DAY_MS, someCoupons, withCoupons } from './coupons/api.ts'
import { aWindow, begin, end, instance, rowOf } from './coupons/scene.ts'
import { checkInEveryTheme } from './every-theme.ts'
import { cardOf, openStep, panelOf } from './flow-steps.ts'

// The coupon of a flow's step in a real browser: chosen beside the words, saved, previewed and taken off again.

let flowId: string

beforeAll(async () => {
  await begin()
  const page = await aWindow()
  flowId = (await ask<{ flows: { id: string }[] }>(page, 'GET', '/api/flows')).flows[0]!.id
  await page.context().close()
})
afterAll(end)

/** As the owner's own screens ask. */
const ask = <T>(page: Page, method: string, path: string, body?: object): Promise<T> =>
  page.evaluate(
    async ([how, where, text]) => {
      const headers = { authorization: `Bearer ${localStorage.getItem('token')}`, 'content-type': 'application/json' }
      const reply = await fetch(where!, { method: how!, headers, ...(text && { body: text }) })
      if (!reply.ok) throw new Error(await reply.text())
      return reply.json()
    },
    [method, path, body && JSON.stringify(body)] as const,
  )

const createdIn = (page: Page, coupon: object) =>
  ask<{ coupon: Coupon }>(page, 'POST', '/api/coupons', {
    ...{ type: 'percentage', amount: 10, startDate: new Date().toISOString() },
    ...{ endDate: new Date(Date.now() + 7 * DAY_MS).toISOString(), ...coupon },
  })

async function openFlow(page: Page) {
  await page.goto(`${instance.url}/flows/${flowId}`)
  await openStep(page, 1)
}
const field = (page: Page) => page.getByRole('combobox', { name: 'Coupon' })
const rules = (page: Page) => page.getByRole('button', { name: 'Coupon rules' })
const days = (page: Page) => page.getByRole('textbox', { name: 'Days since they used a coupon' })

const channel = (page: Page, name: string) =>
  page.getByRole('radiogroup', { name: 'Channel' }).getByText(name, { exact: true }).click()

async function choose(page: Page, name: RegExp | string) {
  await field(page).click()
  await page.getByRole('option', { name }).click()
}

async function save(page: Page) {
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
}

test('is chosen, previewed before it is saved, kept with its rules, and taken off again', async () => {
  const page = await aWindow()
  await createdIn(page, { code: 'CART', kind: 'personal' })
  await openFlow(page)
  expect(await field(page).inputValue()).toBe('No coupon')
  await choose(page, /^CART-•+ · 10%$/)
  await page.getByText(/^10% · not for shoppers who used a coupon in the last 90 days$/).waitFor()
  await cardOf(page, 1).getByText('Coupon CART-••••••••').waitFor()
  await page.getByText('CART-EXAMPLE is an example. Each message gets a code of its own.').waitFor()
  await panelOf(page).frameLocator('iframe').getByText('CART-EXAMPLE').waitFor()
  await rules(page).click()
  await days(page).fill('')
  await page.getByRole('switch', { name: /^Only for carts above/ }).check()
  await rules(page).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  // What is wrong is not hidden, and one is led to it.
  await page.getByText('Enter a whole number of days between 1 and 3,650').waitFor()
  await page.getByText('Enter an amount greater than 0').waitFor()
  await expect.poll(() => days(page).evaluate((input) => input === document.activeElement)).toBe(true)
  await cardOf(page, 1).getByText('Needs a correction').waitFor()
  await days(page).fill('30')
  await page.getByRole('textbox', { name: 'Amount in USD' }).fill('49.5')
  await page.getByRole('switch', { name: 'Only for first orders' }).check()
  await page.getByRole('radio', { name: 'Do not send' }).check()
  await save(page)
  await page.reload()
  await openStep(page, 1)
  const line =
    /^10% · only for first orders · not for shoppers who used a coupon in the last 30 days · only for carts above \$49\.50/
  await page.getByText(line).waitFor()
  await cardOf(page, 1).getByText('Coupon CART-••••••••').waitFor()
  expect(await cardOf(page, 2).innerText()).not.toContain('CART')
  expect(await rules(page).getAttribute('aria-expanded')).toBe('false')
  await choose(page, 'No coupon')
  await panelOf(page).frameLocator('iframe').getByText('CART-EXAMPLE').waitFor({ state: 'detached' })
  await save(page)
  await page.reload()
  await openStep(page, 1)
  await expect.poll(() => field(page).inputValue()).toBe('No coupon')
  await page.context().close()
}, 120_000)

test('is worked by the keyboard, and an SMS that does not name its code says so', async () => {
  const page = await aWindow()
  await withCoupons(page, someCoupons())
  await openFlow(page)
  await channel(page, 'SMS')
  await field(page).focus()
  await page.getByRole('option', { name: /^SUMMER10/ }).waitFor()
  for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key)
  await expect.poll(() => field(page).inputValue()).toMatch(/^SUMMER10 · 10%$/)
  const hint = page.getByText('The code is not in the text, so shoppers do not see the coupon.')
  await hint.waitFor()
  await page.getByRole('button', { name: 'coupon_code' }).click()
  await hint.waitFor({ state: 'detached' })
  await channel(page, 'WhatsApp')
  await page.getByText('WhatsApp templates have words of their own, which cannot name a coupon.').waitFor()
  expect(await field(page).count()).toBe(0)
  await channel(page, 'Email')
  // The list of items names it.
  await field(page).waitFor()
  expect(await page.getByText('so shoppers do not see the coupon').count()).toBe(0)
  await page.getByRole('textbox', { name: 'Text' }).fill('Come back: {{ checkout_link }}')
  await page.getByText('Neither the code nor the list of items is in the text').waitFor()
  await page.context().close()
})

test('offers what can be used now, finds others by their beginning, and says when there is nothing', async () => {
  const page = await aWindow()
  const many = Array.from({ length: 120 }, (_, each) => aCoupon({ code: `SPRING-${each}` }))
  const api = await withCoupons(page, [...someCoupons(), ...many])
  await openFlow(page)
  await field(page).click()
  await page.getByText('Type the beginning of a code to find others.').waitFor()
  await page.getByRole('option', { name: /^SUMMER10/ }).waitFor()
  expect(api.asked.find(({ query }) => query.limit === '100')?.query).toMatchObject({ usable: 'yes' })
  for (const name of [/^WINTER5/, /^SPRING15/]) expect(await page.getByRole('option', { name }).count()).toBe(0)
  await field(page).fill('spring-119')
  await page.getByRole('option', { name: /^SPRING-119/ }).click()
  expect(await field(page).inputValue()).toMatch(/^SPRING-119/)
  api.coupons = someCoupons().filter(({ code }) => code === 'SPRING15')
  await page.goto(`${instance.url}/readyz`)
  await openFlow(page)
  await page.getByText('None of your coupons can be used now.').waitFor()
  api.coupons = []
  await page.goto(`${instance.url}/readyz`)
  await openFlow(page)
  await page.getByText('No coupons yet.').waitFor()
  expect(await page.getByRole('link', { name: 'Create a coupon' }).getAttribute('href')).toBe('/coupons?form=new')
  await checkInEveryTheme(page, 'flow-coupon-none')
  api.refuse = () => ({ status: 422, json: { error: 'Not now.', code: 'unprocessable' } })
  await page.goto(`${instance.url}/readyz`)
  // A live connection asks again by itself when it is there, and Retry would be gone before it is pressed.
  await page.route('**/socket.io/**', (route) => route.abort())
  await openFlow(page)
  await page.getByText('The coupons could not be loaded').waitFor()
  await page.getByText('Not now.').waitFor()
  await checkInEveryTheme(page, 'flow-coupon-failed')
  // On a phone the panel is another one, which asks again; here it is opened anew.
  await page.goto(`${instance.url}/readyz`)
  await openFlow(page)
  await page.getByRole('button', { name: 'Retry' }).waitFor()
  api.refuse = null
  api.asked.length = 0
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('No coupons yet.').waitFor()
  expect(api.asked.filter(({ query }) => query.usable === 'yes')).toHaveLength(1)
  await page.context().close()
}, 120_000)

test('one that was refused is named at its field', async () => {
  const page = await aWindow()
  // The server knows nothing of it.
  await withCoupons(page, [aCoupon({ code: 'NOWHERE' })])
  await openFlow(page)
  await openStep(page, 2)
  await choose(page, /^NOWHERE/)
  await openStep(page, 1)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('This coupon no longer exists in your store. Choose another one.', { exact: true }).waitFor()
  expect(await cardOf(page, 2).getByRole('button', { name: 'Edit' }).getAttribute('aria-expanded')).toBe('true')
  await expect.poll(() => field(page).evaluate((input) => input === document.activeElement)).toBe(true)
  await page.context().close()
})

/** The flow with this coupon on its first step, as the server would tell it. */
const withStep = (page: Page, couponShown: Coupon & { isGone: boolean }) =>
  page.route(/\/api\/flows(\?|$)/, async (route) => {
    const reply = await route.fetch()
    const { flows, ...rest } = (await reply.json()) as { flows: { steps: object[] }[] }
    const coupon = { couponId: couponShown._id, fallback: 'skip', firstOrderOnly: true, pauseDays: 90, aboveAmount: 50 }
    const [flow] = flows
    const steps = flow!.steps.map((step, index) => (index === 0 ? { ...step, coupon, couponShown } : step))
    await route.fulfill({ response: reply, json: { ...rest, flows: [{ ...flow, steps }] } })
  })

test('one that was deleted in the store stays, says so, and looks right in every theme', async () => {
  const page = await aWindow()
  await withCoupons(page, someCoupons())
  await withStep(page, { ...aCoupon({ code: 'CART', kind: 'personal' }), isGone: true })
  await openFlow(page)
  await page.getByText('This coupon was deleted in your store. As things stand, this message is not sent.').waitFor()
  await cardOf(page, 1).getByText('Coupon CART-••••••••, deleted').waitFor()
  expect(await field(page).inputValue()).toMatch(/^CART-•+ · 10%$/)
  // What the preview shows is not dimmed any more.
  await page.locator('[aria-busy=false] iframe').waitFor()
  await checkInEveryTheme(page, 'flow-coupon-gone')
  await rules(page).click()
  await page.getByText('If the coupon is not valid, or these rules keep it back').waitFor()
  await checkInEveryTheme(page, 'flow-coupon-rules')
  await page.context().close()
}, 120_000)

test('a viewer sees which it is and its rules, and changes nothing', async () => {
  const page = await aWindow()
  await withCoupons(page, someCoupons())
  await page.route('**/api/auth/me*', async (route) => {
    const reply = await route.fetch()
    const { user, ...rest } = (await reply.json()) as { user: object }
    await route.fulfill({ response: reply, json: { ...rest, user: { ...user, role: 'viewer' } } })
  })
  await withStep(page, { ...aCoupon(), isGone: false })
  await openFlow(page)
  await expect.poll(() => field(page).getAttribute('readonly')).toBe('')
  await field(page).click()
  expect(await page.getByRole('option', { name: /SUMMER10|No coupon/ }).count()).toBe(0)
  await rules(page).click()
  for (const rule of await page.getByRole('switch').all()) expect(await rule.isDisabled()).toBe(true)
  for (const each of await page.getByRole('radio', { name: /Send without|Do not send/ }).all())
    expect(await each.isDisabled()).toBe(true)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.context().close()
})

test('deleted on the coupons screen, it is named with its step, which loses it', async () => {
  const page = await aWindow()
  await createdIn(page, { code: 'LATER20', amount: 20 })
  await openFlow(page)
  await openStep(page, 2)
  await choose(page, /^LATER20/)
  await save(page)
  await page.goto(`${instance.url}/coupons`)
  await rowOf(page, 'LATER20').getByRole('button', { name: 'Delete LATER20' }).click()
  await page
    .getByRole('dialog')
    .getByText(/, step 2$/)
    .waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await rowOf(page, 'LATER20').waitFor({ state: 'detached', timeout: 20_000 })
  await openFlow(page)
  await openStep(page, 2)
  await expect.poll(() => field(page).inputValue()).toBe('No coupon')
  expect(await cardOf(page, 2).innerText()).not.toContain('LATER20')
  await page.context().close()
}, 60_000)
