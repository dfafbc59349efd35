import { afterEach, describe, expect, test } from 'vitest'
import { collectRows, openShopifyClient } from '../../../test/shopify-client.ts'
import type { CouponDraft } from '../platform/coupon.ts'
import { buildCouponUrl, readCoupon } from './coupons.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function opened(options: Parameters<typeof openShopifyClient>[0] = {}) {
  const one = await openShopifyClient(options)
  open.push(one)
  return one
}

const MARK = 'coupon:019ac0de-0000-7000-8000-000000000001:019ac0de-0000-7000-8000-000000000002'

const draft = (part: Partial<CouponDraft> = {}): CouponDraft => ({
  ...({ code: 'BACK10', type: 'percentage', percent: 1_000, amountMinor: null } as const),
  currency: 'USD',
  minSpendMinor: null,
  expiresAt: '2026-12-24T12:00:00Z',
  usageLimit: 1,
  isIndividual: false,
  email: null,
  mark: MARK,
  ...part,
})

async function createCoupon({ client }: Awaited<ReturnType<typeof opened>>, part: Partial<CouponDraft> = {}) {
  const [result] = await client.createCoupons([draft(part)])
  if (!result || !('coupon' in result)) throw new Error(JSON.stringify(result))
  return result.coupon
}

describe('making one', () => {
  test('a percentage is stored as sent, and found by code and mark', async () => {
    const one = await opened()
    const coupon = await createCoupon(one)
    expect(coupon).toMatchObject({
      code: 'BACK10',
      type: 'percentage',
      percent: 1_000,
      amountMinor: null,
      expiresAt: '2026-12-24T12:00:00Z',
      usageLimit: 1,
      usageCount: 0,
      isPublished: true,
      isIndividual: false,
      mark: MARK,
      limits: { productIds: [], emails: [] },
    })
    expect(await one.client.couponByCode('back10', 'USD')).toMatchObject({ couponId: coupon.couponId, code: 'back10' })
    expect(await one.client.couponByCode('NOBODY', 'USD')).toBeNull()
  })

  test('creates an amount with a minimum, not combinable, without an end', async () => {
    const part = {
      type: 'fixed',
      percent: null,
      amountMinor: 1_550,
      minSpendMinor: 5_000,
      isIndividual: true,
      expiresAt: null,
      usageLimit: null,
    } as const
    expect(await createCoupon(await opened(), part)).toMatchObject({
      type: 'fixed',
      amountMinor: 1_550,
      minSpendMinor: 5_000,
      isIndividual: true,
      expiresAt: null,
      usageLimit: null,
    })
  })

  test('an ended one is stored as ended', async () => {
    expect(await createCoupon(await opened(), { expiresAt: '2026-11-25T12:00:00Z' })).toMatchObject({
      expiresAt: '2026-11-25T12:00:00Z',
      isPublished: true,
    })
  })

  test('an existing code is a duplicate in any case', async () => {
    const one = await opened()
    await createCoupon(one)
    const results = await one.client.createCoupons([draft({ code: 'back10' }), draft({ code: 'OTHER' })])
    expect(results).toMatchObject([{ refusal: 'duplicate' }, { coupon: { code: 'OTHER' } }])
  })

  test('a personal one is restricted to the customer with that address, and refused without such a customer', async () => {
    const one = await opened()
    const coupon = await createCoupon(one, { email: 'Nora.Lindqvist@example.com' })
    expect(coupon.limits.emails).toEqual(['nora.lindqvist@example.com'])
    expect(await one.client.createCoupons([draft({ code: 'B', email: 'nobody@example.com' })])).toMatchObject([
      { refusal: 'refused', detail: expect.stringContaining('no customer') },
    ])
  })

  test('withheld data does not lead to a second discount', async () => {
    const one = await opened({ plan: 'basic' })
    const coupon = await createCoupon(one)
    const all = (await collectRows(one.client.coupons({ currency: 'USD' }))).flatMap((page) => page.rows)
    expect(all.filter(({ mark }) => mark === MARK)).toEqual([coupon])
  })

  test('reports a missing scope', async () => {
    const { client } = await opened({ app: { scopes: ['read_orders', 'read_discounts'] } })
    await expect(client.createCoupons([draft()])).rejects.toMatchObject({
      code: 'shopify_scopes_missing',
      detail: 'write_discounts',
    })
  })
})

describe('changing one', () => {
  test('changes the given fields', async () => {
    const one = await opened()
    const { couponId } = await createCoupon(one, { minSpendMinor: 5_000 })
    const changed = await one.client.updateCoupon(couponId, {
      currency: 'USD',
      percent: 1_500,
      minSpendMinor: null,
      code: 'BACK15',
    })
    expect(changed).toMatchObject({
      coupon: { couponId, percent: 1_500, minSpendMinor: null, code: 'BACK15', mark: MARK, usageLimit: 1 },
    })
    const ended = await one.client.updateCoupons([
      { id: couponId, draft: { currency: 'USD', expiresAt: '2026-11-25T12:00:00Z' } },
    ])
    expect(ended).toMatchObject([{ coupon: { expiresAt: '2026-11-25T12:00:00Z' } }])
    const again = await one.client.updateCoupon(couponId, { currency: 'USD', expiresAt: '2026-12-31T00:00:00Z' })
    expect(again).toMatchObject({ coupon: { expiresAt: '2026-12-31T00:00:00Z', isPublished: true } })
  })

  test('reports a missing one as gone', async () => {
    const { client } = await opened()
    expect(await client.updateCoupon('77', { currency: 'USD', percent: 500 })).toMatchObject({ refusal: 'gone' })
    expect(await client.updateCoupon('no id', { currency: 'USD', percent: 500 })).toMatchObject({ refusal: 'gone' })
  })

  test('deleting returns the missing ids, deleted now or before', async () => {
    const one = await opened()
    const { couponId } = await createCoupon(one)
    expect(await one.client.deleteCoupons([couponId, '77', 'no id'])).toEqual([couponId, '77'])
    expect(await one.client.couponsById({ ids: [couponId], currency: 'USD' })).toEqual({ rows: [], skipped: [] })
  })
})

describe('the list', () => {
  test('has the shop’s own and ours, and those changed since', async () => {
    const one = await opened()
    one.advance(3_600_000)
    const since = new Date(one.now() - 60_000).toISOString()
    await createCoupon(one)
    const rows = (await collectRows(one.client.coupons({ currency: 'USD' }))).flatMap((page) => page.rows)
    expect(rows.map(({ code }) => code)).toEqual(['SPROUT10', 'GARDEN15', 'AUTUMN', 'BACK10'])
    expect(rows.map(({ mark }) => mark)).toEqual([null, null, null, MARK])
    expect(rows[0]).toMatchObject({ usageLimitPerUser: 1 })
    expect(rows[1]).toMatchObject({ type: 'fixed', amountMinor: 1_500, minSpendMinor: 7_500 })
    const changed = (await collectRows(one.client.coupons({ currency: 'USD', modifiedSince: since }))).flatMap(
      (page) => page.rows,
    )
    expect(changed.map(({ code }) => code)).toEqual(['BACK10'])
  })
})

describe('other discounts', () => {
  const node = (codeDiscount: object) => ({
    id: 'gid://shopify/DiscountNode/7',
    codeDiscount: { __typename: 'DiscountCodeBasic', codes: { nodes: [{ code: 'X' }] }, ...codeDiscount },
  })
  const percentage = { value: { __typename: 'DiscountPercentage', percentage: 0.125 } }
  const read = (part: object) => {
    const reading = readCoupon(node({ customerGets: percentage, ...part }), 'USD')
    return reading && ('row' in reading ? reading.row : reading.skipped)
  }

  test('keeps a percentage in hundredths', () => {
    expect(read({})).toMatchObject({ type: 'percentage', percent: 1_250 })
  })

  test.each([
    ['free shipping', { __typename: 'DiscountCodeFreeShipping' }, 'free_shipping'],
    ['buy one get one', { __typename: 'DiscountCodeBxgy' }, 'buy_x_get_y'],
    ['an app’s', { __typename: 'DiscountCodeApp' }, 'app'],
    ['from so many pieces', { minimumRequirement: { __typename: 'DiscountMinimumQuantity' } }, 'minimum_quantity'],
  ])('reads %s as a custom type', (_, part, platformType) => {
    expect(read(part)).toMatchObject({ type: 'other', platformType, percent: null, amountMinor: null })
  })

  test('ignores an automatic one without a code', () => {
    expect(readCoupon(node({ __typename: 'DiscountAutomaticBasic' }), 'USD')).toBeNull()
  })

  test('reads segments, markets and hidden customers as unknown recipients', () => {
    for (const __typename of ['DiscountCustomerSegments', 'DiscountMarkets', 'DiscountCustomers']) {
      expect(read({ context: { __typename } })).toMatchObject({ limits: { emails: ['*?*'] } })
    }
  })

  test('is unreadable with more products than were returned', () => {
    const items = {
      __typename: 'DiscountProducts',
      products: { nodes: [], pageInfo: { hasNextPage: true, endCursor: 'x' } },
    }
    expect(read({ customerGets: { ...percentage, items } })).toEqual({ id: '7', reason: 'too many restrictions' })
  })

  test('ignores an incomplete mark', () => {
    expect(read({ tags: ['recoup-2:bc', 'recoup-1:a', 'sale'] })).toMatchObject({ mark: 'abc' })
    expect(read({ tags: ['recoup-2:bc'] })).toMatchObject({ mark: null })
  })
})

test('links to the admin page of a discount', () => {
  expect(buildCouponUrl('https://my-shop.myshopify.com', '12')).toBe(
    'https://admin.shopify.com/store/my-shop/discounts/12',
  )
  expect(buildCouponUrl('http://localhost:5500', '12')).toBe('http://localhost:5500/admin/discounts/12')
  expect(buildCouponUrl('https://my-shop.myshopify.com', '../x')).toBe(
    'https://admin.shopify.com/store/my-shop/discounts/0',
  )
})
