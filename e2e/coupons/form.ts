import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { couponTexts } from '../../shared/coupons.ts'
import { checkInEveryTheme } from '../every-theme.ts'
import { aCoupon, someCoupons } from './api.ts'
import { changeSettings, openCoupons, rowOf } from './scene.ts'

const amount = (form: Locator) => form.getByLabel(/^Amount in/)
const cap = (form: Locator) => form.getByLabel('Maximum discount in USD (optional)')

async function openForm() {
  const { page, api } = await openCoupons(someCoupons())
  await page.getByRole('button', { name: 'Create coupon' }).click()
  const form = page.getByRole('dialog', { name: 'Create coupon' })
  await form.getByLabel('Code', { exact: true }).waitFor()
  return { page, api, form, save: form.getByRole('button', { name: 'Create coupon' }) }
}

const isFocused = (field: Locator) => field.evaluate((element) => element === document.activeElement)
const goodBye = (page: Page) => page.context().close()

export const theForm = () =>
  describe('the form of a coupon (B 2, B 5)', () => {
    test('says at each field what is wrong with it, and leads to the first', async () => {
      const { page, api, form, save } = await openForm()
      const personal = form.getByLabel('A personal code for each shopper')
      const says = async (field: Locator, typed: string, text: string) => {
        await field.fill(typed)
        await save.click()
        await form.getByText(text, { exact: true }).waitFor()
        const described = await field.getAttribute('aria-describedby')
        const said = await Promise.all(
          described!
            .trim()
            .split(/\s+/)
            .map((id) => page.locator(`[id="${id}"]`).innerText()),
        )
        expect(said).toContain(text)
      }
      const code = form.getByLabel('Code', { exact: true })
      await says(code, '', 'Coupon code is required')
      await expect.poll(() => isFocused(code)).toBe(true)
      await says(code, 'summer 10', 'Coupon code can only contain uppercase letters, numbers, and hyphens')
      await says(amount(form), '', 'Amount is required')
      await says(amount(form), '101', 'Percentage must be between 1 and 100')
      await says(amount(form), '10.555', 'Enter an amount with at most 2 decimals')
      expect(await amount(form).inputValue()).toBe('10.555')
      await says(code, 'A'.repeat(61), 'Coupon code can have at most 60 characters')
      await code.fill('')
      await form.getByLabel('Type').selectOption('fixed')
      await says(amount(form), '0', 'Fixed amount must be greater than 0')
      await says(form.getByLabel('Minimum spend in USD (optional)'), '0', 'Minimum spend must be greater than 0')
      await says(form.getByLabel('Usage limit (optional)'), '2000000000', 'Usage limit must be at most 1,000,000,000')
      await says(form.getByLabel('Start date'), '', 'Start date is required')
      await says(form.getByLabel('End date'), '', 'End date is required')
      await form.getByLabel('Start date').fill('2026-12-02T10:00')
      await says(form.getByLabel('End date'), '2026-12-02T10:00', 'End date must be after start date')
      await says(form.getByLabel('Usage limit (optional)'), '0', 'Usage limit must be greater than 0')
      await checkInEveryTheme(page, 'coupons-form-errors')
      await personal.check()
      await form.getByLabel('Type').selectOption('percentage')
      await says(cap(form), '0', 'Maximum discount must be greater than 0')
      await code.or(form.getByLabel('Beginning of the codes')).fill('SUMMER10')
      await form.getByLabel('Minimum spend in USD (optional)').fill('')
      await form.getByLabel('End date').fill('2026-12-03T10:00')
      await amount(form).fill('10')
      await save.click()
      await expect.poll(() => isFocused(cap(form))).toBe(true)
      expect(api.asked.filter(({ method }) => method === 'POST')).toEqual([])
      await goodBye(page)
    })

    test('writes the code in upper case where the cursor is, and reads dates by the clocks of the store', async () => {
      const { page, api, form, save } = await openForm()
      const code = form.getByLabel('Code', { exact: true })
      await code.pressSequentially('snow-10')
      expect(await code.inputValue()).toBe('SNOW-10')
      for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowLeft')
      await page.keyboard.type('white')
      expect(await code.inputValue()).toBe('SNOWWHITE-10')
      await form.getByText('Dates and times are in your store’s time zone, America/New_York.').waitFor()
      await amount(form).fill('12.5')
      await form.getByLabel('Start date').fill('2027-03-13T09:00')
      await form.getByLabel('End date').fill('2027-03-15T09:00')
      await form.getByLabel('Usage limit (optional)').fill('3')
      await form.getByLabel('Active').uncheck()
      await save.click()
      await rowOf(page, 'SNOWWHITE-10').waitFor()
      await page.getByText('SNOWWHITE-10 was created.').waitFor()
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
      expect(api.asked.find(({ method }) => method === 'POST')!.body).toEqual({
        ...{ code: 'SNOWWHITE-10', kind: 'shared', type: 'percentage', amount: 12.5, minSpend: null },
        // The clocks go forward between them.
        ...{ startDate: '2027-03-13T14:00:00.000Z', endDate: '2027-03-15T13:00:00.000Z' },
        ...{ maxDiscount: null, usageLimit: 3, isActive: false },
      })
      await goodBye(page)
    })

    test('has a maximum discount for a percentage of personal codes alone, and says why (decision 33)', async () => {
      const { page, api, form, save } = await openForm()
      expect(await form.getByText(couponTexts.sharedCap).count()).toBe(0)
      await cap(form).fill('20')
      await form.getByText(couponTexts.sharedCap).waitFor()
      await form.getByLabel('A personal code for each shopper').check()
      await form.getByText(couponTexts.sharedCap).waitFor({ state: 'detached' })
      await form.getByText('A shopper gets a code such as CART-7K2M9QXW').waitFor()
      await checkInEveryTheme(page, 'coupons-form-personal')
      await cap(form).fill('20')
      await form.getByLabel('Type').selectOption('fixed')
      await form.getByText(couponTexts.fixedCap).waitFor()
      expect([await cap(form).isDisabled(), await cap(form).inputValue()]).toEqual([true, ''])
      await form.getByLabel('Type').selectOption('percentage')
      expect(await cap(form).inputValue()).toBe('20')
      expect(await form.getByLabel('Hours a code is valid').inputValue()).toBe('72')
      expect(await form.getByLabel('Usage limit (optional)').count()).toBe(0)
      await form.getByLabel('Tie each code to the shopper’s email').check()
      await amount(form).fill('10')
      await save.click()
      await page.getByText('CART-•••••••• was created.').waitFor()
      expect(api.asked.find(({ method }) => method === 'POST')!.body).toMatchObject({
        ...{ code: 'CART', kind: 'personal', maxDiscount: 20, usageLimit: null, validHours: 72, isTiedToEmail: true },
      })
      await goodBye(page)
    })

    test('a coupon is edited, and its kind stays', async () => {
      const { page, api } = await openCoupons(someCoupons())
      await page.getByRole('button', { name: 'Edit SUMMER10' }).click()
      const form = page.getByRole('dialog', { name: 'Edit SUMMER10' })
      const before = api.coupons[0]!
      expect(await amount(form).inputValue()).toBe('10')
      expect(await form.getByLabel('One code for everybody').isDisabled()).toBe(true)
      await form.getByText(couponTexts.kindIsKept).waitFor()
      await amount(form).fill('25')
      await form.getByRole('button', { name: 'Save' }).click()
      await rowOf(page, 'SUMMER10').getByText('25%').waitFor()
      const { path, body } = api.asked.find(({ method }) => method === 'PUT')!
      expect(path).toBe(`/api/coupons/${before._id}`)
      // What was not touched goes back as it came, seconds and all.
      const { startDate, endDate } = before
      expect(body).toMatchObject({ code: 'SUMMER10', amount: 25, minSpend: 50, usageLimit: 100, startDate, endDate })
      await goodBye(page)
    })

    test('a code that exists is said at its field, what else went wrong in a banner, and what was typed stays', async () => {
      const { page, api, form, save } = await openForm()
      const code = form.getByLabel('Code', { exact: true })
      await code.fill('TWICE')
      await amount(form).fill('10')
      const duplicate = { error: couponTexts.duplicate, code: 'conflict', fields: { code: couponTexts.duplicate } }
      api.refuse = (request) => (request.method() === 'POST' ? { status: 409, json: duplicate } : null)
      await save.click()
      await form.getByText('A coupon with this code already exists in your store.').waitFor()
      await expect.poll(() => isFocused(code)).toBe(true)
      expect(await form.getByRole('alert').count()).toBe(0)
      api.refuse = (request) =>
        request.method() === 'POST' ? { status: 500, json: { error: 'x', code: 'internal' } } : null
      await save.click()
      await form.getByRole('alert').getByText('Failed to create coupon').waitFor()
      await form.getByRole('alert').getByText('Error', { exact: true }).waitFor()
      expect([await code.inputValue(), await amount(form).inputValue()]).toEqual(['TWICE', '10'])
      await form.getByRole('button', { name: 'Dismiss the error' }).click()
      await form.getByRole('alert').waitFor({ state: 'detached' })
      api.refuse = null
      await save.click()
      await rowOf(page, 'TWICE').waitFor()
      await goodBye(page)
    })

    test('a refusal of the key is said in the form and on the screen at once, and the buttons stay in sight', async () => {
      const { page, api, form, save } = await openForm()
      await page.setViewportSize({ width: 1280, height: 900 })
      await form.getByLabel('Code', { exact: true }).fill('KEPT')
      await amount(form).fill('10')
      api.refuse = (request) => {
        if (request.method() !== 'POST') return null
        api.more = { canWrite: false }
        return { status: 401, json: { error: couponTexts.readOnlyKey, code: 'store_credentials' } }
      }
      await save.click()
      await form.getByText(couponTexts.readOnlyKey).waitFor()
      expect(await form.getByRole('link', { name: 'Store tab of the settings' }).getAttribute('href')).toBe('/settings')
      const edge = (await save.boundingBox())!
      expect(edge.y + edge.height).toBeLessThanOrEqual(900)
      // Behind the form, for whoever closes it.
      await expect.poll(() => page.getByText(couponTexts.readOnlyKey).count()).toBe(2)
      expect(await form.getByLabel('Code', { exact: true }).inputValue()).toBe('KEPT')
      api.refuse = null
      api.more = {}
      await save.click()
      await rowOf(page, 'KEPT').waitFor()
      await expect.poll(() => page.getByText(couponTexts.readOnlyKey).count()).toBe(0)
      await goodBye(page)
    })

    test('a store that is disconnected elsewhere takes away nothing that was typed: the form says so', async () => {
      const { page, form, save } = await openForm()
      await form.getByLabel('Code', { exact: true }).fill('HALFWAY')
      const none = { hasConnection: false, platform: null, store_url: null, store: null }
      await page.route('**/api/stores/check-connection*', (route) => route.fulfill({ json: none }))
      await changeSettings({ capMessages: 7 })
      await form.getByText('No store connected. Please connect your store to manage coupons.').waitFor()
      expect(new URL(page.url()).pathname).toBe('/coupons')
      expect(await form.getByLabel('Code', { exact: true }).inputValue()).toBe('HALFWAY')
      expect(await save.isDisabled()).toBe(true)
      await form.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Leave' }).click()
      await page.waitForURL('**/store-setup')
      await goodBye(page)
    })

    test('an end date in the past is warned of', async () => {
      const { page, form } = await openForm()
      await form.getByLabel('End date').fill('2020-05-01T10:00')
      await form.getByText('This end date has passed: nobody can use the coupon.').waitFor()
      await form.getByLabel('End date').fill('2100-05-01T10:00')
      await form.getByText('This end date has passed').waitFor({ state: 'detached' })
      await goodBye(page)
    })

    test.each([
      [
        'the words of the server',
        404,
        { error: 'No store connected. Please connect your store to update coupons.', code: 'not_found' },
        'No store connected. Please connect your store to update coupons.',
      ],
      ['its own where the server has none', 500, { error: 'x', code: 'internal' }, 'Failed to update coupon'],
    ])('what was not updated is said in %s', async (_name, status, json, text) => {
      const { page, api } = await openCoupons([aCoupon()])
      api.refuse = (request) => (request.method() === 'PUT' ? { status, json } : null)
      await page.getByRole('button', { name: 'Edit SUMMER10' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('dialog').getByRole('alert').getByText(text).waitFor()
      await goodBye(page)
    })

    test('asks before changes are left, by Escape and by Back, and survives a reload', async () => {
      const { page, form } = await openForm()
      await page.reload()
      await form.getByLabel('Code', { exact: true }).fill('HALF')
      const asked = page.getByRole('dialog', { name: 'Leave without saving?' })
      await page.keyboard.press('Escape')
      await asked.waitFor()
      await page.keyboard.press('Escape')
      await asked.waitFor({ state: 'detached' })
      expect(await form.getByLabel('Code', { exact: true }).inputValue()).toBe('HALF')
      await page.goBack()
      await asked.getByRole('button', { name: 'Leave' }).click()
      await form.waitFor({ state: 'detached' })
      // Nothing was changed: nothing is asked.
      await page.getByRole('button', { name: 'Create coupon' }).click()
      await form.getByRole('button', { name: 'Cancel' }).click()
      await form.waitFor({ state: 'detached' })
      expect(await asked.count()).toBe(0)
      await goodBye(page)
    })

    test('is opened, filled in and sent by keys alone', async () => {
      const { page, api } = await openCoupons(someCoupons())
      const button = page.getByRole('button', { name: 'Create coupon' })
      await button.press('Enter')
      const form = page.getByRole('dialog', { name: 'Create coupon' })
      await expect.poll(() => isFocused(form.getByLabel('Code', { exact: true }))).toBe(true)
      await page.keyboard.type('keys')
      await page.keyboard.press('Tab')
      await page.keyboard.press('ArrowDown')
      expect(await form.getByLabel('A personal code for each shopper').isChecked()).toBe(true)
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.type('20')
      await page.keyboard.press('Enter')
      await rowOf(page, 'KEYS').getByText('20%').waitFor()
      expect(api.coupons[0]).toMatchObject({ code: 'KEYS', kind: 'shared', amount: 20 })
      await expect.poll(() => isFocused(button)).toBe(true)
      await goodBye(page)
    })
  })
