import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { checkConnection } from '../shared/access/stores.ts'
import { couponTexts, createCoupon, listCoupons, updateCoupon } from '../shared/carts/coupons.ts'
import { fixture } from './api.ts'
import { createScreens, WIDE } from './app.ts'
import { buildCoupon, findRow, serveCoupons } from './coupons-scene.ts'
import { checkLayout, isFocused } from './page-checks.ts'

const app = createScreens()
const { api } = app

async function openForm() {
  const server = serveCoupons(api)
  const page = await app.open('/coupons?form=new')
  const form = page.getByRole('dialog', { name: 'Create coupon' })
  const code = form.getByLabel('Code', { exact: true })
  await code.waitFor()
  return { page, server, form, code, save: form.getByRole('button', { name: 'Create coupon' }) }
}

const findAmount = (form: Locator) => form.getByLabel(/^Amount in/)
const findCap = (form: Locator) => form.getByLabel('Maximum discount in USD (optional)')
const findMinSpend = (form: Locator) => form.getByLabel('Minimum spend in USD (optional)')
const findLimit = (form: Locator) => form.getByLabel('Usage limit (optional)')
const start = (form: Locator) => form.getByLabel('Start date')
const end = (form: Locator) => form.getByLabel('End date')

test('shows each error at its field, and focuses the first', { tags: ['B5'] }, async () => {
  const { page, form, code, save } = await openForm()
  /** Saves with these values, and reads the error of each field. */
  const expectRefusal = async (...fields: [Locator, string, string][]) => {
    for (const [field, typed] of fields) await field.fill(typed)
    await save.click()
    for (const [field, , text] of fields) {
      await form.getByText(text, { exact: true }).waitFor()
      const ids = (await field.getAttribute('aria-describedby'))!.trim().split(/\s+/)
      const described = await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).innerText()))
      expect(described).toContain(text)
    }
  }
  await expectRefusal(
    [code, '', 'Coupon code is required'],
    [findAmount(form), '', 'Amount is required'],
    [start(form), '', 'Start date is required'],
    [end(form), '', 'End date is required'],
    [findLimit(form), '0', 'Usage limit must be greater than 0'],
  )
  await expect.poll(() => isFocused(code)).toBe(true)
  await start(form).fill('2026-12-02T10:00')
  await expectRefusal(
    [code, 'summer 10', 'Coupon code can only contain uppercase letters, numbers, and hyphens'],
    [findAmount(form), '101', 'Percentage must be between 1 and 100'],
    [end(form), '2026-12-02T10:00', 'End date must be after start date'],
    [findLimit(form), '2000000000', 'Usage limit must be at most 1,000,000,000'],
  )
  await expectRefusal(
    [code, 'A'.repeat(61), 'Coupon code can have at most 60 characters'],
    [findAmount(form), '10.555', 'Enter an amount with at most 2 decimals'],
  )
  await expect.poll(() => findAmount(form).inputValue()).toBe('10.555')
  await form.getByLabel('Type').selectOption('fixed')
  await expectRefusal(
    [findAmount(form), '0', 'Fixed amount must be greater than 0'],
    [findMinSpend(form), '0', 'Minimum spend must be greater than 0'],
  )
  await form.getByLabel('A personal code for each shopper').check()
  await form.getByLabel('Type').selectOption('percentage')
  await form.getByLabel('Codes start with').fill('SUMMER10')
  await findMinSpend(form).fill('')
  await end(form).fill('2026-12-03T10:00')
  await findAmount(form).fill('10')
  await expectRefusal([findCap(form), '0', 'Maximum discount must be greater than 0'])
  await expect.poll(() => isFocused(findCap(form))).toBe(true)
  expect(api.calls(createCoupon)).toEqual([])
})

test('writes the code in upper case at the cursor, and reads dates in the store’s time zone', {
  tags: ['B2', 'B5'],
}, async () => {
  const { page, form, code, save } = await openForm()
  await code.pressSequentially('snow-10')
  await expect.poll(() => code.inputValue()).toBe('SNOW-10')
  for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowLeft')
  await page.keyboard.type('white')
  await expect.poll(() => code.inputValue()).toBe('SNOWWHITE-10')
  await form.getByText('In your store’s time zone, America/New_York.').waitFor()
  await findAmount(form).fill('12.5')
  // The clocks go forward between them.
  await start(form).fill('2027-03-13T09:00')
  await end(form).fill('2027-03-15T09:00')
  await findLimit(form).fill('3')
  await form.getByLabel('Active').uncheck()
  await save.click()
  await findRow(page, 'SNOWWHITE-10').waitFor()
  await page.getByText('SNOWWHITE-10 created').waitFor()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await expect
    .poll(() => api.calls(createCoupon)[0]!.sent.body)
    .toEqual({
      code: 'SNOWWHITE-10',
      kind: 'shared',
      type: 'percentage',
      amount: 12.5,
      minSpend: null,
      startDate: '2027-03-13T14:00:00.000Z',
      endDate: '2027-03-15T13:00:00.000Z',
      maxDiscount: null,
      usageLimit: 3,
      isActive: false,
      platform: 'woocommerce',
      storeId: fixture(checkConnection).store_url,
    })
})

test('allows a maximum discount only for a percentage of personal codes, and gives the reason (decision 33)', async () => {
  const { page, form, save } = await openForm()
  await expect.poll(() => form.getByText(couponTexts.sharedCap).count()).toBe(0)
  await findCap(form).fill('20')
  await form.getByText(couponTexts.sharedCap).waitFor()
  await form.getByLabel('A personal code for each shopper').check()
  await form.getByText(couponTexts.sharedCap).waitFor({ state: 'detached' })
  await form.getByText('A shopper gets a code such as CART-7K2M9QXW').waitFor()
  await checkLayout(app)
  await findCap(form).fill('20')
  await form.getByLabel('Type').selectOption('fixed')
  await form.getByText(couponTexts.fixedCap).waitFor()
  await expect
    .poll(async () => [await findCap(form).isDisabled(), await findCap(form).inputValue()])
    .toEqual([true, ''])
  await form.getByLabel('Type').selectOption('percentage')
  await expect.poll(() => findCap(form).inputValue()).toBe('20')
  await expect.poll(() => form.getByLabel('Hours a code is valid').inputValue()).toBe('72')
  await expect.poll(() => findLimit(form).count()).toBe(0)
  await form.getByLabel('Tie each code to the shopper’s email').check()
  await findAmount(form).fill('10')
  await save.click()
  await page.getByText('CART-•••••••• created').waitFor()
  await expect
    .poll(() => api.calls(createCoupon)[0]!.sent.body)
    .toMatchObject({
      code: 'CART',
      kind: 'personal',
      maxDiscount: 20,
      usageLimit: null,
      validHours: 72,
      isTiedToEmail: true,
    })
})

test('edits a coupon without changing its kind, dates or untouched fields', { tags: ['B2'] }, async () => {
  const { coupons } = serveCoupons(api)
  const page = await app.open('/coupons')
  await page.getByRole('button', { name: 'Edit SUMMER10' }).click()
  const form = page.getByRole('dialog', { name: 'Edit SUMMER10' })
  const { _id, startDate, endDate } = coupons[0]!
  await expect.poll(() => findAmount(form).inputValue()).toBe('10')
  await expect.poll(() => form.getByLabel('One code for everyone').isDisabled()).toBe(true)
  await form.getByText(couponTexts.kindIsKept).waitFor()
  await findAmount(form).fill('25')
  await form.getByRole('button', { name: 'Save' }).click()
  await findRow(page, 'SUMMER10').getByText('25%').waitFor()
  const { params, sent } = api.calls(updateCoupon)[0]!
  expect(params.id).toBe(_id)
  expect(sent.body).toMatchObject({
    code: 'SUMMER10',
    amount: 25,
    minSpend: 50,
    usageLimit: 100,
    startDate,
    endDate,
  })
})

test('shows an existing code at its field, other errors in a banner, and keeps the input', {
  tags: ['B8'],
}, async () => {
  const { page, form, code, save } = await openForm()
  await code.fill('TWICE')
  await findAmount(form).fill('10')
  const error = couponTexts.duplicate
  api.fail(createCoupon, 409, { error, code: 'conflict', fields: { code: error } })
  await save.click()
  await form.getByText('A coupon with this code already exists in your store.').waitFor()
  await expect.poll(() => isFocused(code)).toBe(true)
  await expect.poll(() => form.getByRole('alert').count()).toBe(0)
  api.fail(createCoupon, 500, { error: 'x', code: 'internal' })
  await save.click()
  await form.getByRole('alert').getByText('Failed to create coupon').waitFor()
  await form.getByRole('alert').getByText('Error', { exact: true }).waitFor()
  await expect.poll(async () => [await code.inputValue(), await findAmount(form).inputValue()]).toEqual(['TWICE', '10'])
  await form.getByRole('button', { name: 'Dismiss the error' }).click()
  await form.getByRole('alert').waitFor({ state: 'detached' })
  serveCoupons(api)
  await save.click()
  await findRow(page, 'TWICE').waitFor()
})

test('shows the refusal of a read-only key in the form and on the screen, and keeps its buttons in view', async () => {
  const { page, server, form, code, save } = await openForm()
  await code.fill('KEPT')
  await findAmount(form).fill('10')
  server.list = { canWrite: false }
  api.fail(createCoupon, 401, { error: couponTexts.readOnlyKey, code: 'store_credentials' })
  await save.click()
  await form.getByText(couponTexts.readOnlyKey).waitFor()
  await expect
    .poll(() => form.getByRole('link', { name: 'Store tab of the settings' }).getAttribute('href'))
    .toBe('/settings')
  const edge = (await save.boundingBox())!
  expect(edge.y + edge.height).toBeLessThanOrEqual(WIDE.height)
  // Behind the form, for after it is closed.
  await expect.poll(() => page.getByText(couponTexts.readOnlyKey).count()).toBe(2)
  await expect.poll(() => code.inputValue()).toBe('KEPT')
  serveCoupons(api)
  await save.click()
  await findRow(page, 'KEPT').waitFor()
  await expect.poll(() => page.getByText(couponTexts.readOnlyKey).count()).toBe(0)
})

test('keeps the input when the store is disconnected elsewhere, and cannot be saved', {
  tags: ['B5'],
}, async () => {
  const { page, form, code, save } = await openForm()
  await code.fill('HALFWAY')
  api.answer(checkConnection, { hasConnection: false, platform: null, store_url: null, store: null })
  await expect
    .poll(() => {
      app.live.changed('settings')
      return form.getByText('No store connected. Please connect your store to manage coupons.').count()
    })
    .toBe(1)
  await expect.poll(() => new URL(page.url()).pathname).toBe('/coupons')
  await expect.poll(() => code.inputValue()).toBe('HALFWAY')
  await expect.poll(() => save.isDisabled()).toBe(true)
  await form.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.waitForURL('**/store-setup')
})

test('warns about an end date in the past, beside other errors', async () => {
  const { form, save } = await openForm()
  await end(form).fill('2020-05-01T10:00')
  await form.getByText(couponTexts.endIsPast).waitFor()
  await save.click()
  await form.getByText(couponTexts.noCode).waitFor()
  await checkLayout(app)
  await end(form).fill('2100-05-01T10:00')
  await form.getByText(couponTexts.endIsPast).waitFor({ state: 'detached' })
})

test.each([
  [
    'the server’s error',
    404,
    'not_found',
    'No store connected. Please connect your store to update coupons.',
    'No store connected. Please connect your store to update coupons.',
  ],
  ['its own error when the server names none', 500, 'internal', 'x', 'Failed to update coupon'],
] as const)(
  'shows %s when a change was not saved',
  { tags: ['B5', 'B8'] },
  async (_name, status, code, error, text) => {
    const coupon = buildCoupon()
    serveCoupons(api, [coupon])
    api.fail(updateCoupon, status, { error, code })
    const page = await app.open(`/coupons?form=${coupon._id}`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByRole('alert').getByText(text).waitFor()
  },
)

test('confirms before Escape and Back discard changes, and survives a reload', async () => {
  serveCoupons(api)
  const page = await app.open('/coupons')
  await page.getByRole('button', { name: 'Create coupon' }).click()
  const form = page.getByRole('dialog', { name: 'Create coupon' })
  const code = form.getByLabel('Code', { exact: true })
  await code.waitFor()
  await page.reload()
  await code.fill('HALF')
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  await page.keyboard.press('Escape')
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => code.inputValue()).toBe('HALF')
  await page.goBack()
  await dialog.getByRole('button', { name: 'Leave' }).click()
  await form.waitFor({ state: 'detached' })
  // Nothing was changed, so no confirmation.
  await page.getByRole('button', { name: 'Create coupon' }).click()
  await form.getByRole('button', { name: 'Cancel' }).click()
  await form.waitFor({ state: 'detached' })
  await expect.poll(() => dialog.count()).toBe(0)
})

test('opens, is filled in and submitted by keyboard, and returns the focus', async () => {
  serveCoupons(api)
  const page = await app.open('/coupons')
  const button = page.getByRole('button', { name: 'Create coupon' })
  await button.press('Enter')
  const form = page.getByRole('dialog', { name: 'Create coupon' })
  await expect.poll(() => isFocused(form.getByLabel('Code', { exact: true }))).toBe(true)
  await page.keyboard.type('keys')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => form.getByLabel('A personal code for each shopper').isChecked()).toBe(true)
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('20')
  await page.keyboard.press('Enter')
  await findRow(page, 'KEYS').getByText('20%').waitFor()
  await expect
    .poll(() => api.calls(createCoupon).map(({ body }) => body))
    .toMatchObject([{ code: 'KEYS', kind: 'shared', amount: 20 }])
  await expect.poll(() => isFocused(button)).toBe(true)
  await expect.poll(() => api.calls(listCoupons).length).toBeGreaterThan(1)
})
