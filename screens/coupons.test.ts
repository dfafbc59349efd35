import { describe, expect, test } from 'vitest'
import { me } from '../shared/access/auth.ts'
import { checkConnection } from '../shared/access/stores.ts'
import { couponTexts, createCoupon, deleteCoupon, listCoupons } from '../shared/carts/coupons.ts'
import { type PluginView, readPlugin } from '../shared/workspace/plugin.ts'
import { createScreens, PHONE } from './app.ts'
import {
  addTime,
  buildCoupon,
  buildCoupons,
  DAY_MS,
  EDIT_URL,
  findError,
  findRow,
  MINUTE_MS,
  serveCoupons,
} from './coupons-scene.ts'
import { blockLiveConnection, checkLayout, openAnotherPage } from './page-checks.ts'

const app = createScreens()
const { api } = app

async function openCoupons(coupons = buildCoupons(), list: Parameters<typeof serveCoupons>[2] = {}) {
  const server = serveCoupons(api, coupons, list)
  const page = await app.open('/coupons')
  await page.getByText('Create and manage time-limited coupons for your customers', { exact: true }).waitFor()
  return { page, server }
}

const buildPluginView = (changes: Partial<PluginView>): PluginView => ({
  version: '0.2.0',
  newerVersion: null,
  connectedAt: addTime(-DAY_MS),
  calledAt: addTime(-MINUTE_MS),
  cartAt: null,
  isAlive: true,
  isReached: true,
  isOutdated: false,
  showsLanguages: true,
  reason: null,
  test: { isWaiting: false, seenAt: null },
  ...changes,
})

describe('the list of coupons', () => {
  test('shows discount, badge, time left, uses and revenue of each coupon', {
    tags: ['A2.1', 'B2', 'B4'],
  }, async () => {
    const { page } = await openCoupons()
    await findRow(page, 'SUMMER10').waitFor()
    const readRowText = async (code: string) => (await findRow(page, code).innerText()).replace(/\s+/g, ' ')
    await expect.poll(() => readRowText('SUMMER10')).toMatch(/10% Minimum spend \$50\.00 Active 6 d 0 h 12 \/ 100/)
    await expect.poll(() => readRowText('CART-••••••••')).toMatch(/10%, at most \$20\.00 Active 6 d 0 h 0 \/ ∞/)
    await expect.poll(() => readRowText('WINTER5')).toMatch(/\$5\.00 off Starts \w{3} \d+ Active/)
    await expect.poll(() => readRowText('SPRING15')).toMatch(/15% Inactive Expired Expired/)
    await expect.poll(() => readRowText('FREESHIP')).toMatch(/Fixed product .*Active No end 1,204 \/ ∞/)
    await page.getByRole('button', { name: 'SUMMER10', exact: true }).click()
    const panel = page.getByRole('dialog')
    for (const text of ['214 messages', '12 times', '$1,840.50', '$204.50']) await panel.getByText(text).waitFor()
    const flow = panel.getByRole('link', { name: 'Abandoned cart reminders' })
    await expect.poll(() => flow.getAttribute('href')).toMatch(/^\/flows\/0/)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'CART-••••••••', exact: true }).click()
    await panel.getByText('Works once, for 72 hours after its message is sent').waitFor()
    await panel.getByText('40 codes').waitFor()
  })

  test('links to the store for coupons created there and does not edit them here (decision 30)', async () => {
    const { page, server } = await openCoupons()
    const own = findRow(page, 'FREESHIP')
    await own.getByText('Created in WooCommerce · Edit there').waitFor()
    await expect.poll(() => own.getByRole('link').getAttribute('href')).toBe(EDIT_URL)
    await expect.poll(() => own.getByRole('button').allInnerTexts()).toEqual(['FREESHIP', ''])
    await expect.poll(() => findRow(page, 'SUMMER10').getByRole('button').count()).toBe(4)
    await app.open(`/coupons?form=${server.coupons[4]!._id}`)
    await own.waitFor()
    await app.waitUntilSettled()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })

  test('copies a code, but not a pattern', async () => {
    await app.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    try {
      const { page } = await openCoupons()
      await page.getByRole('button', { name: 'Copy SUMMER10' }).click()
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('SUMMER10')
      await expect.poll(() => page.getByRole('button', { name: /^Copy CART/ }).count()).toBe(0)
    } finally {
      await app.page.context().clearPermissions()
    }
  })

  test('loads 50 a page, and searches codes by prefix', async () => {
    const many = Array.from({ length: 120 }, (_, n) => buildCoupon({ code: `MANY${String(n).padStart(3, '0')}` }))
    const { page } = await openCoupons([...many, buildCoupon({ code: 'OTHER' })])
    await page.getByText('Showing 1 to 50 of 121 entries').waitFor()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(50)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('Showing 51 to 100 of 121 entries').waitFor()
    const search = page.getByLabel('Search codes')
    await search.fill('oth')
    await search.press('Enter')
    await findRow(page, 'OTHER').waitFor()
    await expect.poll(() => api.calls(listCoupons).at(-1)!.query).toMatchObject({ search: 'oth', page: 1, limit: 50 })
    await search.fill('none')
    await search.press('Enter')
    await page.getByText('No coupon code begins with “none”.').waitFor()
    await page.getByRole('button', { name: 'Clear the search' }).click()
    await page.getByText('Showing 1 to 50 of 121 entries').waitFor()
  })

  test('counts the time left down to expired without a reload', { tags: ['B2'] }, async () => {
    const page = await openAnotherPage(app)
    await page.clock.install()
    serveCoupons(api, [buildCoupon({ endDate: addTime(DAY_MS + 90 * MINUTE_MS) })])
    await page.goto(`${app.url}/coupons`)
    const row = findRow(page, 'SUMMER10')
    await row.getByText('1 d 1 h').waitFor()
    await row.locator('.mark.tone-good', { hasText: 'Active' }).waitFor()
    await page.clock.fastForward(DAY_MS)
    await row.getByText(/^1 h (29|30) min$/).waitFor()
    await page.clock.fastForward(80 * MINUTE_MS)
    await row.getByText(/^(9|10) min$/).waitFor()
    await page.clock.fastForward(11 * MINUTE_MS)
    await expect.poll(() => row.getByText('Expired').count()).toBe(2)
    // The badge keeps the setting, but not the look of an active coupon.
    await row.locator('.mark-plain', { hasText: 'Active' }).waitFor()
  })

  test('is refetched when the store’s coupons change', async () => {
    const { page, server } = await openCoupons()
    await findRow(page, 'SUMMER10').waitFor()
    // The first may come from the start of the live connection.
    for (const code of ['FIRST', 'SECOND']) {
      server.coupons = [buildCoupon({ code }), ...server.coupons]
      await expect
        .poll(() => {
          app.live.changed('coupons')
          return findRow(page, code).count()
        })
        .toBe(1)
    }
  })

  test('explains coupons when empty, and offers Quick Create', { tags: ['B2'] }, async () => {
    const { page, server } = await openCoupons([])
    await page.getByText('No coupons yet').waitFor()
    await page.getByText(/Offer a discount in your reminders/).waitFor()
    await page.getByRole('button', { name: 'Quick Create' }).nth(1).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText(/^Coupon CART[A-Z0-9]{6} created:/).waitFor()
    expect(server.coupons).toHaveLength(1)
  })

  const changes = /Quick Create|Create coupon|^Edit|^Delete/

  test('offers a viewer no changes', async () => {
    serveCoupons(api)
    api.alter(me, ({ user }) => ({ user: { ...user, role: 'viewer' as const } }))
    const page = await app.open('/coupons?form=new')
    await findRow(page, 'SUMMER10').waitFor()
    await app.waitUntilSettled()
    await expect.poll(() => page.getByRole('button', { name: changes }).count()).toBe(0)
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })

  test('offers no changes with a read-only key and explains the fix', async () => {
    const { page } = await openCoupons(buildCoupons(), { canWrite: false })
    await page.getByText(couponTexts.readOnlyKey).waitFor()
    await page.getByText(/add a key with the permission Read\/Write/).waitFor()
    await expect
      .poll(() => page.getByRole('link', { name: 'Store tab of the settings' }).getAttribute('href'))
      .toBe('/settings')
    await expect.poll(() => page.getByRole('button', { name: changes }).count()).toBe(0)
  })

  test('warns that none can be created in a shop that only the plugin connects', async () => {
    api.alter(checkConnection, (reply) => ({ ...reply, store: { ...reply.store!, mode: 'plugin' as const } }))
    api.answer(readPlugin, { plugin: buildPluginView({}) })
    const { page } = await openCoupons([])
    await page.getByText('No coupons yet').waitFor()
    const warning = page.getByText('Recoup cannot reach your shop to create coupons')
    await expect.poll(() => api.calls(readPlugin).length).toBeGreaterThan(0)
    await expect.poll(() => warning.count()).toBe(0)
    api.answer(readPlugin, { plugin: buildPluginView({ isReached: false, reason: 'The shop does not answer.' }) })
    await openCoupons([])
    await warning.waitFor()
    await page.getByText('The shop does not answer.').waitFor()
    await checkLayout(app)
  })

  test('stays with its age under a dismissible banner when the store cannot be read', {
    tags: ['B2', 'B8'],
  }, async () => {
    const { page } = await openCoupons(buildCoupons(), { problem: 'Failed to fetch coupons (using fallback)' })
    await findError(page).getByText('Failed to fetch coupons (using fallback)').waitFor()
    await findRow(page, 'SUMMER10').waitFor()
    await page.getByText('Updated 2 min ago').waitFor()
    await checkLayout(app)
    await page.getByRole('button', { name: 'Dismiss the error' }).click()
    await findError(page).waitFor({ state: 'detached' })
    await findRow(page, 'SUMMER10').waitFor()
  })

  test.each([
    ['the server’s error', 503, 'store_unreachable', 'Your store did not answer.', 'Your store did not answer.'],
    ['its own error when the server names none', 500, 'internal', 'x', 'Failed to fetch coupons (using fallback)'],
  ] as const)(
    'shows %s when loading fails, and Retry loads it',
    { tags: ['B5', 'B8'] },
    async (_name, status, code, error, text) => {
      await blockLiveConnection(app.page)
      api.fail(listCoupons, status, { error, code })
      const page = await app.open('/coupons')
      await findError(page).getByText(text).waitFor()
      await page.getByText('The coupons could not be loaded.').waitFor()
      serveCoupons(api)
      await page.getByRole('button', { name: 'Retry' }).click()
      await findRow(page, 'SUMMER10').waitFor()
      await expect.poll(() => findError(page).count()).toBe(0)
    },
  )

  test('has no accessibility violations, and is a list of cards on a phone', async () => {
    const { page } = await openCoupons([
      ...buildCoupons(),
      buildCoupon({ code: 'A-CODE-THAT-IS-AS-LONG-AS-A-CODE-CAN-BE-WITH-SIXTY-LETTERS' }),
    ])
    await findRow(page, 'FREESHIP').waitFor()
    await checkLayout(app)
    await page.getByRole('button', { name: 'SUMMER10', exact: true }).click()
    await page.getByText('Net revenue').waitFor()
    await checkLayout(app)
    await page.setViewportSize(PHONE)
    await page.keyboard.press('Escape')
    await page.locator('.list-card').first().waitFor()
    await expect.poll(() => page.getByRole('table').count()).toBe(0)
    expect(await app.findViolations()).toEqual([])
  })
})

describe('Quick Create', () => {
  test('asks for a percentage, 10 by default, and creates the rest; Undo deletes the coupon', {
    tags: ['B2', 'B9'],
  }, async () => {
    const { page, server } = await openCoupons()
    await page.getByRole('button', { name: 'Quick Create' }).click()
    const dialog = page.getByRole('dialog', { name: 'Quick Create' })
    const discount = dialog.getByLabel('Discount')
    const create = dialog.getByRole('button', { name: 'Create', exact: true })
    await expect.poll(() => discount.inputValue()).toBe('10 %')
    await checkLayout(app)
    for (const [typed, text] of [
      ['', 'Amount is required'],
      ['0.5', 'Percentage must be between 1 and 100'],
      ['101', 'Percentage must be between 1 and 100'],
    ] as const) {
      await discount.fill(typed)
      await create.click()
      await dialog.getByText(text).waitFor()
    }
    expect(api.calls(createCoupon)).toEqual([])
    await discount.fill('15')
    await create.click()
    const notice = page.getByRole('status').filter({ hasText: 'created:' })
    await notice.getByText(/Coupon CART[A-Z0-9]{6} created: 15%, valid for seven days\./).waitFor()
    const { body } = api.calls(createCoupon)[0]!
    expect(body).toMatchObject({ type: 'percentage', amount: 15, isActive: true })
    expect(body.code).toMatch(/^CART[A-Z0-9]{6}$/)
    const start = Date.parse(body.startDate)
    expect(Date.parse(body.endDate) - start).toBe(7 * DAY_MS)
    expect(Math.abs(start - Date.parse(addTime(0)))).toBeLessThan(MINUTE_MS)
    await findRow(page, body.code).waitFor()
    await notice.getByRole('button', { name: 'Undo' }).click()
    await findRow(page, body.code).waitFor({ state: 'detached' })
    await notice.waitFor({ state: 'detached' })
    expect(server.coupons.map(({ code }) => code)).not.toContain(body.code)
  })

  test.each([
    ['the server’s error', 409, 'conflict', couponTexts.duplicate, couponTexts.duplicate],
    ['its own error when the server names none', 500, 'internal', 'x', 'Failed to create coupon'],
  ] as const)(
    'shows %s when nothing was created, and keeps the percentage',
    { tags: ['B5', 'B8'] },
    async (_name, status, code, error, text) => {
      const { page } = await openCoupons()
      api.fail(createCoupon, status, { error, code })
      await page.getByRole('button', { name: 'Quick Create' }).click()
      await page.getByLabel('Discount').fill('30')
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await findError(page).getByText(text).waitFor()
      await expect.poll(() => page.getByLabel('Discount').inputValue()).toBe('30 %')
      await page.getByRole('button', { name: 'Dismiss the error' }).click()
      await findError(page).waitFor({ state: 'detached' })
    },
  )
})

describe('Delete', () => {
  test('confirms first and lists the steps that lose the coupon', { tags: ['B2'] }, async () => {
    const { page, server } = await openCoupons()
    await page.getByRole('button', { name: 'Delete SUMMER10' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete SUMMER10?' })
    await dialog.getByText('Are you sure you want to delete this coupon? This action cannot be undone.').waitFor()
    await dialog.getByText('Abandoned cart reminders, step 2').waitFor()
    await checkLayout(app)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(api.calls(deleteCoupon)).toEqual([])
    const { _id } = server.coupons.find(({ code }) => code === 'SPRING15')!
    await page.getByRole('button', { name: 'Delete SPRING15' }).click()
    await expect.poll(() => page.getByText('Flow steps that send it').count()).toBe(0)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await findRow(page, 'SPRING15').waitFor({ state: 'detached' })
    await findRow(page, 'SUMMER10').waitFor()
    await expect.poll(() => api.calls(deleteCoupon).map(({ params }) => params.id)).toEqual([_id])
  })

  test.each([
    ['the server’s error', 422, 'unprocessable', 'The store refused it.', 'The store refused it.'],
    ['its own error when the server names none', 500, 'internal', 'x', 'Failed to delete coupon'],
  ] as const)(
    'shows %s when the coupon was not deleted, which stays',
    { tags: ['B5', 'B8'] },
    async (_name, status, code, error, text) => {
      const { page } = await openCoupons()
      api.fail(deleteCoupon, status, { error, code })
      await page.getByRole('button', { name: 'Delete SUMMER10' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await findError(page).getByText(text).waitFor()
      await findRow(page, 'SUMMER10').waitFor()
    },
  )
})
