import { describe, expect, test } from 'vitest'
import { couponTexts } from '../../shared/coupons.ts'
import { aWindow, instance, rowOf } from './scene.ts'

export const inTheStore = () =>
  describe('coupons as the store has them', () => {
    test('one made here is in the store, is changed and deleted there, and its code is taken', async () => {
      const page = await aWindow()
      await page.goto(`${instance.url}/coupons`)
      const open = page.getByRole('button', { name: 'Create coupon' })
      const form = page.getByRole('dialog')
      const code = form.getByLabel('Code', { exact: true })
      const create = form.getByRole('button', { name: 'Create coupon' })
      await open.click()
      await code.fill('REALONE')
      await form.getByLabel(/^Amount in/).fill('10')
      await create.click()
      // The list may have it before the dialog has its answer.
      await form.waitFor({ state: 'detached', timeout: 20_000 })
      await rowOf(page, 'REALONE').getByText('10%').waitFor({ timeout: 20_000 })
      // Seven days of the store's clocks, which may go forward or back meanwhile.
      await rowOf(page, 'REALONE')
        .getByText(/^(6 d 2[23] h|7 d [01] h)$/)
        .waitFor()
      await open.click()
      await code.fill('REALONE')
      await form.getByLabel(/^Amount in/).fill('10')
      await create.click()
      await form.getByText(couponTexts.duplicate).waitFor({ timeout: 20_000 })
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Leave' }).click()
      // Its question fades away beside the form.
      await expect.poll(() => form.count()).toBe(0)
      await page.getByRole('button', { name: 'Edit REALONE' }).click()
      await form.getByLabel(/^Amount in/).fill('20')
      await form.getByLabel('Active').uncheck()
      await form.getByRole('button', { name: 'Save' }).click()
      await form.waitFor({ state: 'detached', timeout: 20_000 })
      await rowOf(page, 'REALONE').getByText('20%').waitFor({ timeout: 20_000 })
      await rowOf(page, 'REALONE').getByText('Inactive').waitFor()
      await page.getByRole('button', { name: 'Delete REALONE' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await rowOf(page, 'REALONE').waitFor({ state: 'detached', timeout: 20_000 })
      await page.context().close()
    })

    test('Quick Create and its Undo reach the store, and another open window without a reload', async () => {
      const [page, other] = [await aWindow(), await aWindow()]
      for (const each of [page, other]) await each.goto(`${instance.url}/coupons`)
      await other.getByRole('button', { name: 'Quick Create' }).first().waitFor()
      await page.getByRole('button', { name: 'Quick Create' }).first().click()
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
      const code = await page
        .getByText(/^Coupon CART/)
        .locator('strong')
        .innerText()
      expect(code).toMatch(/^CART[A-Z0-9]{6}$/)
      await rowOf(page, code).waitFor()
      await rowOf(other, code).waitFor({ timeout: 20_000 })
      await page.getByRole('button', { name: 'Undo' }).click()
      await rowOf(page, code).waitFor({ state: 'detached', timeout: 20_000 })
      await rowOf(other, code).waitFor({ state: 'detached', timeout: 20_000 })
      for (const each of [page, other]) await each.context().close()
    })
  })
