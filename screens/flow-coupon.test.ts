import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { me } from '../shared/access/auth.ts'
import { type Coupon, FlowStepCoupon, listCoupons } from '../shared/carts/coupons.ts'
import { listFlows, previewFlow, saveFlow, trySaveFlow } from '../shared/marketing/flows.ts'
import { fixture } from './api.ts'
import { createScreens, ids } from './app.ts'
import { buildCoupon, buildCoupons, serveCoupons } from './coupons-scene.ts'
import { blockLiveConnection, checkLayout, isFocused } from './page-checks.ts'

const app = createScreens()
const { api } = app

type Flow = ReturnType<typeof fixture<typeof listFlows>>['flows'][number]
const findFlow = (): Flow => fixture(listFlows).flows.find(({ id }) => id === ids.flowId)!

/** The flow with these settings of its first step, as a server reply. */
function serveFlow(first: Partial<Flow['steps'][number]>): void {
  api.alter(listFlows, (reply) => ({
    ...reply,
    flows: reply.flows.map((flow) => ({
      ...flow,
      steps: flow.steps.map((step) => (step.step === 1 ? { ...step, ...first } : step)),
    })),
  }))
}

const withCoupon = (coupon: Coupon, isGone: boolean): Partial<Flow['steps'][number]> => ({
  coupon: { couponId: coupon._id, fallback: 'skip', firstOrderOnly: true, pauseDays: 90, aboveAmount: 50 },
  couponShown: FlowStepCoupon.parse({ ...coupon, isGone }),
})

const NO_EFFECT = { moved: 0, dueNow: 0, overtaken: 0, cancelled: 0, added: 0, tooLate: 0, changed: 0 }

async function openFlow(step = 1): Promise<Page> {
  api.answer(trySaveFlow, { effect: NO_EFFECT })
  const page = await app.open('/flows/:flowId')
  await openStep(page, step)
  return page
}

const openStep = (page: Page, place: number) =>
  page.getByRole('button', { name: new RegExp(`^(Edit|Show) message ${place},`) }).click()
const findCard = (page: Page, place: number) =>
  page
    .getByRole('list', { name: 'Messages in their order' })
    .locator('> li')
    .nth(place - 1)
const findField = (page: Page) => page.getByRole('combobox', { name: 'Coupon' })
const findRules = (page: Page) => page.getByRole('button', { name: 'Coupon rules' })
const findDays = (page: Page) => page.getByRole('textbox', { name: 'Days since they used a coupon' })
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })

const channel = (page: Page, name: string) =>
  page.getByRole('radiogroup', { name: 'Channel' }).getByText(name, { exact: true }).click()

async function choose(page: Page, name: RegExp | string): Promise<void> {
  await findField(page).click()
  await page.getByRole('option', { name }).click()
}

const takeSaves = () => api.answer(saveFlow, { flow: findFlow(), effect: NO_EFFECT })

const EXAMPLE = 'CART-EXAMPLE'
const EXAMPLE_NOTE = `${EXAMPLE} is an example. Each message gets a code of its own.`

test('is chosen, previewed before it is saved, and saved with its rules', async () => {
  const { coupons } = serveCoupons(api)
  const { _id: couponId } = coupons.find(({ code }) => code === 'CART')!
  takeSaves()
  api.answer(previewFlow, ({ body: { coupon } }) => ({
    ...fixture(previewFlow),
    ...(coupon?.couponId === couponId && { html: `<p>${EXAMPLE}</p>`, couponNote: EXAMPLE_NOTE }),
  }))
  const page = await openFlow()
  await expect.poll(() => findField(page).inputValue()).toBe('No coupon')
  await choose(page, /^CART-•+ · 10%/)
  await page.getByText(/^10%.* · not for shoppers who used a coupon in the last 90 days$/).waitFor()
  await findCard(page, 1).getByText('Coupon CART-••••••••').waitFor()
  await page.getByText(EXAMPLE_NOTE).waitFor()
  await page.locator('.step-panel').frameLocator('iframe').getByText(EXAMPLE).waitFor()
  await findRules(page).click()
  await findDays(page).fill('')
  await page.getByRole('switch', { name: /^Only for carts above/ }).check()
  await findRules(page).click()
  await save(page).click()
  // The rules expand for their error.
  await page.getByText('Enter a whole number of days between 1 and 3,650').waitFor()
  await page.getByText('Enter an amount greater than 0').waitFor()
  await expect.poll(() => isFocused(findDays(page))).toBe(true)
  await findCard(page, 1).getByText('Fix the marked fields').waitFor()
  expect(api.calls(saveFlow)).toEqual([])
  await findDays(page).fill('30')
  await page.getByRole('textbox', { name: 'Amount in USD' }).fill('49.5')
  await page.getByRole('switch', { name: 'Only for first orders' }).check()
  await page.getByRole('radio', { name: 'Do not send' }).check()
  await save(page).click()
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
  const [first, second] = api.calls(saveFlow)[0]!.body.steps
  expect(first!.coupon).toEqual({
    couponId,
    fallback: 'skip',
    firstOrderOnly: true,
    pauseDays: 30,
    aboveAmount: 49.5,
  })
  expect(second).not.toHaveProperty('coupon')
})

test('of a saved message is shown with its rules, and can be removed', async () => {
  const { coupons } = serveCoupons(api)
  takeSaves()
  serveFlow(withCoupon(coupons[1]!, false))
  const page = await openFlow()
  const line =
    '10%, at most $20.00 · only for first orders · not for shoppers who used a coupon in the last 90 days · only for carts above $50.00 · else not sent'
  await page.getByText(line).waitFor()
  await findCard(page, 1).getByText('Coupon CART-••••••••').waitFor()
  await expect.poll(() => findCard(page, 2).innerText()).not.toContain('CART')
  await expect.poll(() => findRules(page).getAttribute('aria-expanded')).toBe('false')
  await choose(page, 'No coupon')
  await findCard(page, 1).getByText('Coupon CART').waitFor({ state: 'detached' })
  await expect.poll(() => api.calls(previewFlow).at(-1)?.body.coupon).toBeNull()
  await save(page).click()
  await expect.poll(() => api.calls(saveFlow).map(({ body }) => body.steps[0]!.coupon)).toEqual([null])
})

test('is chosen by keyboard, and a text without its code shows a hint', async () => {
  serveCoupons(api)
  const page = await openFlow()
  await channel(page, 'SMS')
  await findField(page).focus()
  await page.getByRole('option', { name: /^SUMMER10/ }).waitFor()
  for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key)
  await expect.poll(() => findField(page).inputValue()).toMatch(/^SUMMER10 · 10%$/)
  const hint = page.getByText('The code is not in the text, so shoppers do not see the coupon.')
  await hint.waitFor()
  await page.getByRole('button', { name: 'coupon_code' }).click()
  await hint.waitFor({ state: 'detached' })
  await channel(page, 'WhatsApp')
  await page.getByText('WhatsApp templates have fixed text without a coupon.').waitFor()
  await expect.poll(() => findField(page).count()).toBe(0)
  await channel(page, 'Email')
  // The list item names it.
  await findField(page).waitFor()
  await expect.poll(() => page.getByText('so shoppers do not see the coupon').count()).toBe(0)
  await page.getByRole('textbox', { name: 'Text' }).fill('Come back: {{ checkout_link }}')
  await page.getByText('Neither the code nor the list of items is in the text').waitFor()
})

test('is one of the usable ones; others are found by prefix', async () => {
  const many = Array.from({ length: 120 }, (_, each) => buildCoupon({ code: `SPRING-${each}` }))
  serveCoupons(api, [...buildCoupons(), ...many])
  const page = await openFlow()
  await findField(page).click()
  await page.getByText('Type the beginning of a code to find others.').waitFor()
  await page.getByRole('option', { name: /^SUMMER10/ }).waitFor()
  await expect
    .poll(() => api.calls(listCoupons).map(({ query }) => query))
    .toEqual(expect.arrayContaining([expect.objectContaining({ usable: 'yes', limit: 100 })]))
  for (const name of [/^WINTER5/, /^SPRING15/])
    await expect.poll(() => page.getByRole('option', { name }).count()).toBe(0)
  await findField(page).fill('spring-119')
  await page.getByRole('option', { name: /^SPRING-119/ }).click()
  await expect.poll(() => findField(page).inputValue()).toMatch(/^SPRING-119/)
})

test.each([
  [
    'that none can be used now',
    () => buildCoupons().filter(({ code }) => code === 'SPRING15'),
    'None of your coupons can be used now.',
  ],
  ['that there are no coupons', () => [], 'No coupons yet.'],
] as const)('shows a link to create one instead of the field, and %s', async (_name, coupons, text) => {
  serveCoupons(api, [...coupons()])
  const page = await openFlow()
  await page.getByText(text).waitFor()
  await expect
    .poll(() => page.getByRole('link', { name: 'Create a coupon' }).getAttribute('href'))
    .toBe('/coupons?form=new')
  await expect.poll(() => findField(page).count()).toBe(0)
  await checkLayout(app)
})

test('cannot be chosen while the coupons fail to load, and Retry asks once', async () => {
  await blockLiveConnection(app.page)
  api.fail(listCoupons, 422, { error: 'Not now.', code: 'unprocessable' })
  const page = await openFlow()
  await page.getByText('The coupons could not be loaded').waitFor()
  await page.getByText('Not now.').waitFor()
  expect(await app.findViolations()).toEqual([])
  const failed = api.calls(listCoupons).length
  serveCoupons(api, [])
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('No coupons yet.').waitFor()
  const requests = api.calls(listCoupons).slice(failed)
  expect(requests.filter(({ query }) => query.usable === 'yes')).toHaveLength(1)
})

test('that the server refuses shows the error at its field, in its message', async () => {
  serveCoupons(api, [buildCoupon({ code: 'NOWHERE' })])
  const error = 'This coupon no longer exists in your store. Choose another one.'
  const refusal = { error: `Step 2: ${error}`, code: 'unprocessable', fields: { 'steps.1.coupon': error } } as const
  api.fail(saveFlow, 422, refusal)
  const page = await openFlow(2)
  await choose(page, /^NOWHERE/)
  await openStep(page, 1)
  await save(page).click()
  await page.getByText(error, { exact: true }).waitFor()
  await expect
    .poll(() => findCard(page, 2).getByRole('button', { name: 'Edit' }).getAttribute('aria-expanded'))
    .toBe('true')
  await expect.poll(() => isFocused(findField(page))).toBe(true)
})

test('that was deleted in the store stays, with a warning', async () => {
  serveCoupons(api)
  serveFlow(withCoupon(buildCoupon({ code: 'CART', kind: 'personal' }), true))
  const page = await openFlow()
  await page.getByText('This coupon was deleted in your store. Right now, this message would not be sent.').waitFor()
  await findCard(page, 1).getByText('Coupon CART-••••••••, deleted').waitFor()
  await expect.poll(() => findField(page).inputValue()).toMatch(/^CART-•+ · 10%$/)
  await findRules(page).click()
  await page.getByText('If the coupon is invalid or these rules exclude the shopper').waitFor()
  // The preview is dimmed until it is up to date.
  await page.locator('[aria-busy=false] iframe').waitFor()
  await checkLayout(app)
})

test('is shown to a viewer with its rules, read-only', async () => {
  serveCoupons(api)
  api.alter(me, ({ user }) => ({ user: { ...user, role: 'viewer' as const } }))
  serveFlow(withCoupon(buildCoupon(), false))
  const page = await openFlow()
  await expect.poll(() => findField(page).getAttribute('readonly')).toBe('')
  await findField(page).click()
  await expect.poll(() => page.getByRole('option', { name: /SUMMER10|No coupon/ }).count()).toBe(0)
  await findRules(page).click()
  for (const rule of await page.getByRole('switch').all()) await expect.poll(() => rule.isDisabled()).toBe(true)
  for (const each of await page.getByRole('radio', { name: /Send without|Do not send/ }).all())
    await expect.poll(() => each.isDisabled()).toBe(true)
})
