import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readExchanges } from '../../../providers/contracts/recordings.ts'
import { saveKey } from '../../../providers/woocommerce/auth.ts'
import { openStore } from '../../../providers/woocommerce/recordings.ts'
import type { DemoStore } from '../../../providers/woocommerce/store.ts'
import { buildWooAccess } from '../../../test/woo-access.ts'
import { type GuardedHttp, openGuardedHttp } from '../../core/net/guarded-fetch.ts'
import type { CouponDraft, PlatformCoupon } from '../platform/coupon.ts'
import type { StoreClient } from '../platform/platform.ts'
import { readCoupon } from './coupons.ts'
import { createWooCommerceClient } from './platform.ts'

// WooCommerce coupons from recordings, and on the demo store, which responds as recorded.

const isCoupon = (row: unknown) => typeof row === 'object' && row !== null && 'discount_type' in row
const rows = ['coupons', 'coupons-expiry', 'coupon-status'].flatMap((file) =>
  readExchanges(`${file}.json`)
    .flatMap(({ response: { body } }) => (Array.isArray(body) ? body : [body]))
    .filter(isCoupon),
) as Record<string, unknown>[]

function read(raw: unknown): PlatformCoupon {
  const reading = readCoupon(raw, 'USD')
  if ('row' in reading) return reading.row
  throw new Error(reading.skipped.reason)
}

describe('as recorded', () => {
  test('every coupon is read', () => {
    expect(rows.length).toBeGreaterThan(40)
    for (const row of rows) expect(read(row)).toMatchObject({ couponId: String(row.id), code: row.code })
  })

  test('reads percentages in hundredths, money in minor units, times in UTC, "0.00" and null as none', () => {
    expect(read(rows.find(({ code }) => code === 'save15-7f3k2'))).toMatchObject({
      type: 'percentage',
      platformType: 'percent',
      percent: 1_500,
      amountMinor: null,
      minSpendMinor: null,
      usageLimit: 1,
      usageLimitPerUser: 1,
      usageCount: 0,
      isIndividual: true,
      isPublished: true,
      mark: null,
      createdAt: '2026-11-21T01:01:12Z',
    })
    expect(read(rows.find(({ code }) => code === 'freeship-9q'))).toMatchObject({
      type: 'other',
      platformType: 'free_shipping',
      amountMinor: 0,
      percent: null,
      minSpendMinor: 4_000,
      expiresAt: null,
    })
    // With an amount it has its own type, and free shipping as well.
    expect(read({ ...rows[0], discount_type: 'percent', amount: '10.00', free_shipping: true })).toMatchObject({
      type: 'percentage',
      percent: 1_000,
    })
  })

  test('only published ones can be applied; a store without a status field publishes all', () => {
    const status = (code: string) => read(rows.find((row) => row.code === code)).isPublished
    expect(['st-draft', 'st-private', 'st-pending', 'st-trash', 'st-publish'].map(status)).toEqual([
      false,
      false,
      false,
      false,
      true,
    ])
    const { status: _, ...without } = rows[0]!
    expect(read(without).isPublished).toBe(true)
  })

  test('a custom type keeps its name, and a coupon with too many entries is skipped', () => {
    expect(read({ ...rows[0], discount_type: 'fixed_product', amount: '5.00' })).toMatchObject({
      type: 'other',
      platformType: 'fixed_product',
      percent: null,
      amountMinor: 500,
    })
    expect(read({ ...rows[0], discount_type: 'toString', amount: 'x' })).toMatchObject({
      type: 'other',
      amountMinor: null,
    })
    const damaged = [{ amount: 'x' }, { amount: '101' }, { amount: '-1' }, { code: ' ' }, { id: 0 }]
    for (const part of damaged) {
      expect(readCoupon({ ...rows[0], discount_type: 'percent', ...part }, 'USD')).toHaveProperty('skipped')
    }
    const many = Array.from({ length: 2_001 }, (_, n) => n + 1)
    expect(readCoupon({ ...rows[0], product_ids: many }, 'USD')).toMatchObject({
      skipped: { id: '91', reason: 'too many restrictions' },
    })
  })
})

describe('in the demo store', () => {
  let shop: DemoStore
  let guarded: GuardedHttp
  let client: StoreClient
  let requests: string[] = []
  /** Overrides the store's response. */
  let instead: (path: string, body: Record<string, unknown>) => Record<string, unknown> | null = () => null

  const createClient = (keys: { consumerKey: string; consumerSecret: string }) =>
    createWooCommerceClient(buildWooAccess(shop.url, keys), {
      now: () => new Date(shop.shop.now()),
      pauseMs: 0,
      fetch: async (url, request) => {
        requests.push(`${request?.method} ${new URL(url).pathname}`)
        const answer = await guarded.fetch(url, request)
        const other = instead(new URL(url).pathname, JSON.parse(answer.body.toString()))
        return other ? { ...answer, body: Buffer.from(JSON.stringify(other)) } : answer
      },
    })

  beforeAll(async () => {
    shop = (await openStore({ publicUrl: '' })).store
    guarded = openGuardedHttp({ allowPrivate: true })
    client = createClient(shop.keys)
  })

  afterAll(async () => {
    await guarded.close()
    await shop.stop()
  })

  const draft = (code: string, more: Partial<CouponDraft> = {}): CouponDraft => ({
    code,
    type: 'percentage',
    percent: 1_250,
    amountMinor: null,
    currency: 'USD',
    minSpendMinor: 2_000,
    expiresAt: '2026-12-31T23:59:59.000Z',
    usageLimit: 5,
    isIndividual: true,
    email: null,
    mark: `test:${code}`,
    ...more,
  })
  const make = async (one: CouponDraft) => (await client.createCoupons([one]))[0]!
  async function listed() {
    const all: PlatformCoupon[] = []
    for await (const page of client.coupons({ currency: 'USD' })) all.push(...page.rows)
    return all
  }
  const codes = async () => (await listed()).map(({ code }) => code)

  test('a new coupon is returned as sent, and found by list, id and code in any case', async () => {
    const result = await make(draft('SAVE-12'))
    expect(result).toMatchObject({
      coupon: {
        code: 'save-12',
        percent: 1_250,
        minSpendMinor: 2_000,
        usageLimit: 5,
        isIndividual: true,
        expiresAt: '2026-12-31T23:59:59Z',
        mark: 'test:SAVE-12',
        limits: { emails: [] },
      },
    })
    if (!('coupon' in result)) throw new Error('not made')
    const { couponId } = result.coupon
    expect(await client.couponByCode('Save-12', 'USD')).toEqual(result.coupon)
    expect(await client.couponByCode('save-1', 'USD')).toBeNull()
    expect(await client.couponsById({ ids: [couponId, '99999999', 'x'], currency: 'USD' })).toEqual({
      rows: [result.coupon],
      skipped: [],
    })
    expect(await codes()).toContain('save-12')
  })

  test('an unreadable coupon counts as existing, and one without an id may be any of them', async () => {
    const result = await client.createCoupons(['R-1', 'R-2', 'R-3'].map((code) => draft(code)))
    const ids = result.map((each) => ('coupon' in each ? each.coupon.couponId : ''))
    const damaged = (part: object) => {
      instead = (_, body) =>
        (Object.values(body) as { id: number }[]).map((row) =>
          row.id === Number(ids[1]) ? { ...row, ...part } : row,
        ) as never
    }
    const read = async () => {
      const { rows, skipped } = await client.couponsById({ ids: [...ids, '99999999'], currency: 'USD' })
      return [rows.map(({ code }) => code).sort(), skipped]
    }
    damaged({ amount: 'x' })
    expect(await read()).toEqual([['r-1', 'r-3'], [{ id: ids[1], reason: 'no amount' }]])
    damaged({ id: null })
    expect(await read()).toEqual([['r-1', 'r-3'], [ids[1], '99999999'].map((id) => ({ id, reason: 'no id' }))])
    instead = () => null
    await client.deleteCoupons(ids)
  })

  test('creates a fixed amount for one address', async () => {
    const fixed = { type: 'fixed', percent: null, amountMinor: 1_005, minSpendMinor: null } as const
    const result = await make(draft('FIVE', { ...fixed, expiresAt: null, usageLimit: null, email: 'Ada@Mail.example' }))
    expect(result).toMatchObject({
      coupon: { ...fixed, expiresAt: null, usageLimit: null, limits: { emails: ['ada@mail.example'] } },
    })
  })

  test('a batch reports each result: a duplicate and a refusal do not affect the others', async () => {
    const result = await client.createCoupons([
      draft('B-1'),
      draft('save-12'),
      draft('B-2', { percent: 15_000 }),
      draft('B-3'),
    ])
    expect(result.map((each) => ('coupon' in each ? each.coupon.code : each.refusal))).toEqual([
      'b-1',
      'duplicate',
      'refused',
      'b-3',
    ])
    expect(result[2]).toEqual({ refusal: 'refused', detail: 'Invalid discount amount.' })
  })

  test('many changes are sent in batches of a hundred with one result each', async () => {
    const result = await client.createCoupons(Array.from({ length: 130 }, (_, n) => draft(`EDIT-${n}`)))
    const ids = result.flatMap((each) => ('coupon' in each ? [each.coupon.couponId] : []))
    requests = []
    const changes = [...ids.slice(1), '99999999'].map((id) => ({ id, draft: { currency: 'USD', percent: 2_000 } }))
    const changed = await client.updateCoupons([
      { id: ids[0]!, draft: { currency: 'USD', percent: 15_000 } },
      ...changes,
    ])
    expect(requests).toEqual(['POST /wp-json/wc/v3/coupons/batch', 'POST /wp-json/wc/v3/coupons/batch'])
    expect(changed[0]).toEqual({ refusal: 'refused', detail: 'Invalid discount amount.' })
    expect(changed.slice(1, -1).every((each) => 'coupon' in each && each.coupon.percent === 2_000)).toBe(true)
    expect(changed.at(-1)).toMatchObject({ refusal: 'gone' })
    expect((await listed()).find(({ couponId }) => couponId === ids[7])).toMatchObject({
      percent: 2_000,
      usageLimit: 5,
    })
    instead = (path, body) =>
      path.endsWith('/batch') && Array.isArray(body.update) ? { update: body.update.toReversed() } : null
    await expect(client.updateCoupons(changes.slice(0, 2))).rejects.toMatchObject({ code: 'bad_answer' })
    instead = (_, body) => ({ update: (body.update as object[]).map((row) => ({ ...row, amount: '3.00' })) })
    expect(await client.updateCoupons(changes.slice(0, 1))).toEqual([
      { refusal: 'refused', detail: 'The store did not keep what was sent (amount).' },
    ])
    instead = () => null
    await client.deleteCoupons(ids)
  })

  test('more than a hundred are created in several batches', async () => {
    requests = []
    const result = await client.createCoupons(Array.from({ length: 130 }, (_, n) => draft(`MANY-${n}`)))
    expect(result.every((each) => 'coupon' in each)).toBe(true)
    expect(requests).toEqual(['POST /wp-json/wc/v3/coupons/batch', 'POST /wp-json/wc/v3/coupons/batch'])
    const ids = result.flatMap((each) => ('coupon' in each ? [each.coupon.couponId] : []))
    expect((await client.deleteCoupons(ids)).length).toBe(130)
  })

  test('a coupon that the store changes is deleted again and reported (decision 32)', async () => {
    const withoutDate = (row: Record<string, unknown>) => ({ ...row, date_expires: null, date_expires_gmt: null })
    instead = (path, body) =>
      path.endsWith('/batch') && Array.isArray(body.create) ? { create: body.create.map(withoutDate) } : null
    const result = await make(draft('IGNORED'))
    instead = () => null
    expect(result).toEqual({ refusal: 'refused', detail: 'The store did not keep what was sent (expiry date).' })
    expect(await codes()).not.toContain('ignored')
  })

  test('a change affects only the given fields; an empty date clears it', async () => {
    const result = await make(draft('CHANGE'))
    if (!('coupon' in result)) throw new Error('not made')
    const { couponId } = result.coupon
    const changed = await client.updateCoupon(couponId, { currency: 'USD', expiresAt: null, percent: 2_000 })
    expect(changed).toEqual({
      coupon: { ...result.coupon, expiresAt: null, percent: 2_000, modifiedAt: expect.anything() },
    })
    expect(await client.updateCoupon(couponId, { currency: 'USD', code: 'SAVE-12' })).toMatchObject({
      refusal: 'duplicate',
    })
    expect(await client.updateCoupon('99999999', { currency: 'USD', percent: 1 })).toMatchObject({ refusal: 'gone' })
  })

  test('deletion is permanent, and repeating it returns the same', async () => {
    const result = await make(draft('SHORT'))
    if (!('coupon' in result)) throw new Error('not made')
    const ids = [result.coupon.couponId, '99999999', 'x']
    expect(await client.deleteCoupons(ids)).toEqual(ids.slice(0, 2))
    expect(await client.deleteCoupons(ids)).toEqual(ids.slice(0, 2))
    expect(await client.couponByCode('SHORT', 'USD')).toBeNull()
    expect(await make(draft('SHORT'))).toHaveProperty('coupon')
  })

  test('a read-only key can read, and a write explains the problem in any language', async () => {
    const pair = { consumerKey: 'ck_reader', consumerSecret: 'cs_reader' }
    saveKey(shop.shop, {
      consumer_key: pair.consumerKey,
      consumer_secret: pair.consumerSecret,
      permissions: 'read',
      role: 'administrator',
      description: 'reader',
    })
    const reader = createClient(pair)
    expect(await reader.couponByCode('SAVE-12', 'USD')).not.toBeNull()
    await expect(reader.createCoupons([draft('RO')])).rejects.toMatchObject({ code: 'read_only_key' })
    instead = (_, body) => (body.code ? { ...body, message: 'Der Schlüssel darf nicht schreiben.' } : null)
    await expect(reader.createCoupons([draft('RO')])).rejects.toMatchObject({ code: 'read_only_key' })
    await expect(reader.deleteCoupons(['1'])).rejects.toMatchObject({ code: 'read_only_key' })
    await expect(reader.updateCoupon('1', { currency: 'USD', percent: 1 })).rejects.toMatchObject({
      code: 'read_only_key',
    })
    instead = () => null
  })
})
