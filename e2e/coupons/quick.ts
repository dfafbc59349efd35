import { describe, expect, test } from 'vitest'
import { couponTexts } from '../../shared/coupons.ts'
import { checkInEveryTheme } from '../every-theme.ts'
import { DAY_MS, someCoupons } from './api.ts'
import { errorOf, openCoupons, rowOf } from './scene.ts'

export const quickCreate = () =>
  describe('Quick Create (B 9) and Delete', () => {
    test('asks for a percentage, 10 at first, and makes the rest; Undo deletes it again', async () => {
      const { page, api } = await openCoupons(someCoupons())
      await page.getByRole('button', { name: 'Quick Create' }).click()
      const asked = page.getByRole('dialog', { name: 'Quick Create' })
      expect(await asked.getByLabel('Discount').inputValue()).toBe('10 %')
      await checkInEveryTheme(page, 'coupons-quick')
      for (const [typed, text] of [
        ['', 'Amount is required'],
        ['0.5', 'Percentage must be between 1 and 100'],
        ['101', 'Percentage must be between 1 and 100'],
      ] as const) {
        await asked.getByLabel('Discount').fill(typed)
        await asked.getByRole('button', { name: 'Create', exact: true }).click()
        await asked.getByText(text).waitFor()
      }
      expect(api.asked.filter(({ method }) => method === 'POST')).toEqual([])
      await asked.getByLabel('Discount').fill('15')
      await asked.getByRole('button', { name: 'Create', exact: true }).click()
      const notice = page.getByRole('status').filter({ hasText: 'was created' })
      await notice.getByText(/Coupon CART[A-Z0-9]{6} was created: 15%, for seven days from now\./).waitFor()
      const { body } = api.asked.find(({ method }) => method === 'POST')!
      expect(body).toMatchObject({ type: 'percentage', amount: 15, isActive: true })
      expect(body.code).toMatch(/^CART[A-Z0-9]{6}$/)
      const [start, end] = [Date.parse(String(body.startDate)), Date.parse(String(body.endDate))]
      expect(end - start).toBe(7 * DAY_MS)
      expect(Math.abs(start - Date.now())).toBeLessThan(60_000)
      const code = String(body.code)
      await rowOf(page, code).waitFor()
      await notice.getByRole('button', { name: 'Undo' }).click()
      await rowOf(page, code).waitFor({ state: 'detached' })
      await notice.waitFor({ state: 'detached' })
      expect(api.coupons.map((coupon) => coupon.code)).not.toContain(code)
      await page.context().close()
    })

    test.each([
      ['the words of the server', 409, { error: couponTexts.duplicate, code: 'conflict' }, couponTexts.duplicate],
      ['its own where the server has none', 500, { error: 'x', code: 'internal' }, 'Failed to create coupon'],
      [
        'that no store is connected',
        404,
        { error: 'No store connected. Please connect your store to create coupons.', code: 'not_found' },
        'No store connected. Please connect your store to create coupons.',
      ],
    ])('what was not created is said in %s', async (_name, status, json, text) => {
      const { page, api } = await openCoupons(someCoupons())
      api.refuse = (request) => (request.method() === 'POST' ? { status, json } : null)
      await page.getByRole('button', { name: 'Quick Create' }).click()
      await page.getByLabel('Discount').fill('30')
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await errorOf(page).getByText(text).waitFor()
      expect(await page.getByLabel('Discount').inputValue()).toBe('30 %')
      await page.getByRole('button', { name: 'Dismiss the error' }).click()
      await errorOf(page).waitFor({ state: 'detached' })
      await page.context().close()
    })

    test('Delete asks first and names the steps that lose it', async () => {
      const { page, api } = await openCoupons(someCoupons())
      await page.getByRole('button', { name: 'Delete SUMMER10' }).click()
      const asked = page.getByRole('dialog', { name: 'Delete SUMMER10?' })
      await asked.getByText('Are you sure you want to delete this coupon? This action cannot be undone.').waitFor()
      await asked.getByText('Abandoned cart reminders, step 2').waitFor()
      await checkInEveryTheme(page, 'coupons-delete')
      await asked.getByRole('button', { name: 'Cancel' }).click()
      expect(api.asked.some(({ method }) => method === 'DELETE')).toBe(false)
      await page.getByRole('button', { name: 'Delete SPRING15' }).click()
      expect(await page.getByText('These steps send it').count()).toBe(0)
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await rowOf(page, 'SPRING15').waitFor({ state: 'detached' })
      await rowOf(page, 'SUMMER10').waitFor()
      await page.context().close()
    })

    test.each([
      [
        'the words of the server',
        422,
        { error: 'The store refused it.', code: 'unprocessable' },
        'The store refused it.',
      ],
      ['its own where the server has none', 500, { error: 'x', code: 'internal' }, 'Failed to delete coupon'],
      [
        'that no store is connected',
        404,
        { error: 'No store connected. Please connect your store to delete coupons.', code: 'not_found' },
        'No store connected. Please connect your store to delete coupons.',
      ],
    ])('what was not deleted stays, and is said in %s', async (_name, status, json, text) => {
      const { page, api } = await openCoupons(someCoupons())
      api.refuse = (request) => (request.method() === 'DELETE' ? { status, json } : null)
      await page.getByRole('button', { name: 'Delete SUMMER10' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await errorOf(page).getByText(text).waitFor()
      await rowOf(page, 'SUMMER10').waitFor()
      await page.context().close()
    })
  })
