import { describe, expect, test } from 'vitest'
import { couponTexts } from '../../shared/coupons.ts'
import { checkInEveryTheme } from '../every-theme.ts'
import { aCoupon, DAY_MS, EDIT_URL, MINUTE_MS, someCoupons, withCoupons } from './api.ts'
import { aWindow, errorOf, instance, openCoupons, rowOf } from './scene.ts'

export const theList = () =>
  describe('the list of coupons (B 2)', () => {
    test('shows discount, badge, time left and uses of each, and what came of it', async () => {
      const { page } = await openCoupons(someCoupons())
      await rowOf(page, 'SUMMER10').waitFor()
      const textOf = async (code: string) => (await rowOf(page, code).innerText()).replace(/\s+/g, ' ')
      expect(await textOf('SUMMER10')).toMatch(/10% Minimum spend \$50\.00 Active 6 d 0 h 12 \/ 100/)
      expect(await textOf('CART-••••••••')).toMatch(/10%, at most \$20\.00 Active 6 d 0 h 0 \/ ∞/)
      expect(await textOf('WINTER5')).toMatch(/\$5\.00 off Active Starts \w{3} \d+/)
      expect(await textOf('SPRING15')).toMatch(/15% Inactive Expired Expired/)
      expect(await textOf('FREESHIP')).toMatch(/Fixed product .*Active No end 1,204 \/ ∞/)
      await page.getByRole('button', { name: 'SUMMER10', exact: true }).click()
      const panel = page.getByRole('dialog')
      for (const text of ['214 messages', '12 times', '$1,840.50', '$204.50']) await panel.getByText(text).waitFor()
      const flow = panel.getByRole('link', { name: 'Abandoned cart reminders' })
      expect(await flow.getAttribute('href')).toMatch(/^\/flows\/0/)
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'CART-••••••••', exact: true }).click()
      await panel.getByText('Works once, for 72 hours after its message is sent').waitFor()
      await panel.getByText('40 codes').waitFor()
      await page.context().close()
    })

    test('the store’s own are read-only, with the way to where they are edited (decision 30)', async () => {
      const coupons = someCoupons()
      const { page } = await openCoupons(coupons)
      const own = rowOf(page, 'FREESHIP')
      await own.getByText('Made in WooCommerce: edit it there').waitFor()
      expect(await own.getByRole('link').getAttribute('href')).toBe(EDIT_URL)
      await expect.poll(() => own.getByRole('button').allInnerTexts()).toEqual(['FREESHIP', ''])
      expect(await rowOf(page, 'SUMMER10').getByRole('button').count()).toBe(4)
      // Its form is not to be had by an address either.
      await page.goto(`${instance.url}/coupons?form=${coupons[4]!._id}`)
      await own.waitFor()
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
      await page.context().close()
    })

    test('copies a code, and offers no copy of a pattern', async () => {
      const permissions = ['clipboard-read', 'clipboard-write']
      const { page } = await openCoupons(someCoupons(), {}, { permissions })
      await page.getByRole('button', { name: 'Copy SUMMER10' }).click()
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('SUMMER10')
      expect(await page.getByRole('button', { name: /^Copy CART/ }).count()).toBe(0)
      await page.context().close()
    })

    test('asks for 50 a page, and for codes by their beginning', async () => {
      const many = Array.from({ length: 120 }, (_, n) => aCoupon({ code: `MANY${String(n).padStart(3, '0')}` }))
      const { page, api } = await openCoupons([...many, aCoupon({ code: 'OTHER' })])
      await page.getByText('Showing 1 to 50 of 121 entries').waitFor()
      expect(await page.getByRole('row').count()).toBe(51)
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByText('Showing 51 to 100 of 121 entries').waitFor()
      await page.getByLabel('Search codes').fill('oth')
      await page.getByLabel('Search codes').press('Enter')
      await rowOf(page, 'OTHER').waitFor()
      expect(api.asked.at(-1)!.query).toMatchObject({ search: 'oth', page: '1', limit: '50' })
      await page.getByLabel('Search codes').fill('none')
      await page.getByLabel('Search codes').press('Enter')
      await page.getByText('No coupon code begins with “none”.').waitFor()
      await page.getByRole('button', { name: 'Clear the search' }).click()
      await page.getByText('Showing 1 to 50 of 121 entries').waitFor()
      await page.context().close()
    })

    test('the time left counts down and turns to expired without a reload', async () => {
      // One of its own: the clock cannot be taken out of it.
      const page = await aWindow({})
      await page.clock.install()
      const now = await page.evaluate(() => Date.now())
      await withCoupons(page, [aCoupon({ endDate: new Date(now + DAY_MS + 90 * MINUTE_MS).toISOString() }, now)])
      await page.goto(`${instance.url}/coupons`)
      const row = rowOf(page, 'SUMMER10')
      await row.getByText('1 d 1 h').waitFor()
      await row.locator('.mark.tone-good', { hasText: 'Active' }).waitFor()
      await page.clock.fastForward(DAY_MS)
      await row.getByText(/^1 h (29|30) min$/).waitFor()
      await page.clock.fastForward(80 * MINUTE_MS)
      await row.getByText(/^(9|10) min$/).waitFor()
      await page.clock.fastForward(11 * MINUTE_MS)
      await expect.poll(() => row.getByText('Expired').count()).toBe(2)
      // What was set stays, and does not look as if it held.
      await row.locator('.mark.tone-quiet', { hasText: 'Active' }).waitFor()
      await page.context().close()
    })

    test('says what coupons are for where there are none, and offers Quick Create', async () => {
      const { page, api } = await openCoupons([])
      await page.getByText('No coupons yet').waitFor()
      await page.getByText(/A coupon is a code that takes something off/).waitFor()
      await page.getByRole('button', { name: 'Quick Create' }).nth(1).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
      await page.getByText(/^Coupon CART[A-Z0-9]{6} was created/).waitFor()
      expect(api.coupons).toHaveLength(1)
      await page.context().close()
    })

    test('a viewer sees them and is offered nothing to change', async () => {
      const page = await aWindow()
      await withCoupons(page, someCoupons())
      await page.route('**/api/auth/me', async (route) => {
        const reply = await route.fetch()
        const { user, ...rest } = (await reply.json()) as { user: object }
        await route.fulfill({ response: reply, json: { ...rest, user: { ...user, role: 'viewer' } } })
      })
      await page.goto(`${instance.url}/coupons?form=new`)
      await rowOf(page, 'SUMMER10').waitFor()
      const offered = page.getByRole('button', { name: /Quick Create|Create coupon|^Edit|^Delete/ })
      await expect.poll(() => offered.count()).toBe(0)
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
      await page.context().close()
    })

    test('with a read-only key it says so and what to do, and offers nothing to change', async () => {
      const { page } = await openCoupons(someCoupons(), { canWrite: false })
      await page.getByText(couponTexts.readOnlyKey).waitFor()
      await page.getByText(/add a key with the permission Read\/Write/).waitFor()
      expect(await page.getByRole('link', { name: 'Store tab of the settings' }).getAttribute('href')).toBe('/settings')
      expect(await page.getByRole('button', { name: /Quick Create|Create coupon|^Edit|^Delete/ }).count()).toBe(0)
      await page.context().close()
    })

    test('a reading of the store that failed keeps the list with its age, under a banner that can be dismissed', async () => {
      // The reading that succeeded last stays the same one, however often the screen asks.
      const readAt = new Date(Date.now() - 120_000).toISOString()
      const problem = 'Failed to fetch coupons (using fallback)'
      const { page } = await openCoupons(someCoupons(), { problem, readAt })
      await errorOf(page).getByText('Failed to fetch coupons (using fallback)').waitFor()
      await rowOf(page, 'SUMMER10').waitFor()
      await page.getByText('Read from your store 2 min ago').waitFor()
      await checkInEveryTheme(page, 'coupons-fallback')
      await page.getByRole('button', { name: 'Dismiss the error' }).click()
      await errorOf(page).waitFor({ state: 'detached' })
      await rowOf(page, 'SUMMER10').waitFor()
      await page.context().close()
    })

    test.each([
      [
        'the words of the server',
        503,
        { error: 'Your store did not answer.', code: 'store_unreachable' },
        'Your store did not answer.',
      ],
      [
        'its own where the server has none',
        500,
        { error: 'x', code: 'internal' },
        'Failed to fetch coupons (using fallback)',
      ],
      [
        'that no store is connected',
        404,
        { error: 'No store connected. Please connect your store to manage coupons.', code: 'not_found' },
        'No store connected. Please connect your store to manage coupons.',
      ],
    ])('a list that cannot be had says %s, and can be asked for again', async (_name, status, json, text) => {
      const page = await aWindow()
      const api = await withCoupons(page, someCoupons())
      api.refuse = () => ({ status, json })
      // A live connection asks again by itself when it is there, and Retry would be gone before it is pressed.
      await page.route('**/socket.io/**', (route) => route.abort())
      await page.goto(`${instance.url}/coupons`)
      await errorOf(page).getByText(text).waitFor({ timeout: 20_000 })
      await page.getByText('The coupons could not be loaded.').waitFor()
      api.refuse = null
      await page.getByRole('button', { name: 'Retry' }).click()
      await rowOf(page, 'SUMMER10').waitFor()
      expect(await errorOf(page).count()).toBe(0)
      await page.context().close()
    })
  })
