import { afterAll, beforeAll, expect, test } from 'vitest'
import { aCoupon, someCoupons } from './coupons/api.ts'
import { theForm } from './coupons/form.ts'
import { theList } from './coupons/list.ts'
import { quickCreate } from './coupons/quick.ts'
import { begin, end, openCoupons } from './coupons/scene.ts'
import { inTheStore } from './coupons/store.ts'
import { checkInEveryTheme } from './every-theme.ts'

// The coupons screen in a real browser. What the server tells of coupons is made up (`coupons/api.ts`), so that each way it can
// answer is looked at; only `coupons/store.ts` goes all the way to a store.

beforeAll(begin)
afterAll(end)

theList()
quickCreate()
theForm()
inTheStore()

test('looks right in every theme, wide and on a phone, with its details open too', async () => {
  const { page } = await openCoupons([
    ...someCoupons(),
    aCoupon({ code: 'A-CODE-THAT-IS-AS-LONG-AS-A-CODE-CAN-BE-WITH-SIXTY-LETTERS' }),
  ])
  await page.getByText('FREESHIP').first().waitFor()
  await checkInEveryTheme(page, 'coupons')
  await page.getByRole('button', { name: 'SUMMER10', exact: true }).click()
  await page.getByText('Net revenue').waitFor()
  await checkInEveryTheme(page, 'coupons-panel')
  await page.setViewportSize({ width: 360, height: 800 })
  await page.keyboard.press('Escape')
  await page.locator('.list-card').first().waitFor()
  expect(await page.getByRole('table').count()).toBe(0)
  await page.context().close()
})
