import { beforeEach, describe, expect, test } from 'vitest'
import { couponTexts } from '../../../shared/carts/coupons.ts'
import {
  type ConnectedStore,
  createConnectedStore,
  createOwnerCalls,
  registerOwner,
} from '../../../test/connected-store.ts'
import { buildCoupon } from '../../../test/fake-coupons.ts'
import { buildProblem } from '../../../test/fake-store.ts'
import { createWorld, type Reply } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { beginCouponsJob } from './jobs.ts'
import { enqueueStarts, startCoupons } from './start.ts'

// Members create, change and delete coupons (B 5, 7, 8; decisions 30 to 33, 128).

const world = createWorld()
const { disconnect } = createOwnerCalls(world)
let shop: ConnectedStore

const DAY_MS = 86_400_000
const formatDaysFromNow = (days: number) => new Date(world.now.getTime() + days * DAY_MS).toISOString()
const toSecond = (instant: string) => `${instant.slice(0, 19)}.000Z`

const body = (more: Record<string, unknown> = {}) => ({
  code: 'SAVE10',
  type: 'percentage',
  amount: 10,
  startDate: formatDaysFromNow(-1),
  endDate: formatDaysFromNow(7),
  ...more,
})
const post = (more: Record<string, unknown> = {}): Promise<Reply> =>
  world.request('POST', '/api/coupons', { token: shop.owner.token, body: body(more) })
const put = (id: string, more: Record<string, unknown> = {}): Promise<Reply> =>
  world.request('PUT', `/api/coupons/${id}`, { token: shop.owner.token, body: body(more) })
const remove = (id: string) => world.request('DELETE', `/api/coupons/${id}`, { token: shop.owner.token })
const list = async (query = '') =>
  (await world.request('GET', `/api/coupons${query}`, { token: shop.owner.token })).body
const findInStore = (code = 'save10') => shop.fake.allCoupons.find((coupon) => coupon.code === code)
const readRow = (id: string) =>
  world.db.selectFrom('coupons').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

const listStartJobs = () =>
  world.queued.filter(({ name, key }) => name === beginCouponsJob.name && key === shop.storeId)

beforeEach(async () => {
  shop = await createConnectedStore(world)
})

describe('creating a coupon', () => {
  test('writes it to the store and here, and returns it as specified (B 3)', { tags: ['B7'] }, async () => {
    const { status, body: created } = await post({ minSpend: 20, usageLimit: 5, amount: 12.5 })
    expect([status, created.coupon]).toMatchObject([
      200,
      {
        code: 'SAVE10',
        type: 'percentage',
        amount: 12.5,
        minSpend: 20,
        maxDiscount: null,
        usageLimit: 5,
        usageCount: 0,
        isActive: true,
        kind: 'shared',
        madeBy: 'recoup',
        currency: 'USD',
        editUrl: null,
        steps: [],
        startDate: formatDaysFromNow(-1),
        endDate: toSecond(formatDaysFromNow(7)),
        figures: { issued: null, sent: 0, used: 0, orders: 0, netRevenue: 0, discountGiven: 0 },
      },
    ])
    expect(findInStore()).toMatchObject({
      percent: 1_250,
      minSpendMinor: 2_000,
      usageLimit: 5,
      isIndividual: false,
      isPublished: true,
      mark: `coupon:${shop.owner.accountId}:${created.coupon._id}`,
    })
    expect(new Date(findInStore()!.expiresAt!).toISOString()).toBe(toSecond(formatDaysFromNow(7)))
  })

  test('accepts a fixed amount in the store’s currency and a lower-case code', async () => {
    const { body: created } = await post({ code: ' five-off ', type: 'fixed', amount: 5.05 })
    expect(created.coupon).toMatchObject({ code: 'FIVE-OFF', type: 'fixed', amount: 5.05 })
    expect(findInStore('five-off')).toMatchObject({ type: 'fixed', amountMinor: 505, percent: null })
  })

  test('keeps a personal one here only, because its codes are created for messages', async () => {
    const { status, body: created } = await post({
      kind: 'personal',
      code: 'CART',
      maxDiscount: 15,
      isTiedToEmail: true,
    })
    expect([status, created.coupon]).toMatchObject([
      200,
      { kind: 'personal', maxDiscount: 15, validHours: 72, isTiedToEmail: true, figures: { issued: 0 } },
    ])
    expect(shop.fake.allCoupons).toEqual([])
    expect(await readRow(created.coupon._id)).toMatchObject({ platform_id: null, max_discount_minor: 1_500 })
  })

  test('writes one that has not started, or is inactive, to the store as expired (decision 32)', async () => {
    const later = await post({ code: 'LATER', startDate: formatDaysFromNow(2) })
    const off = await post({ code: 'OFF', isActive: false })
    expect([later.body.coupon.endDate, off.body.coupon.endDate]).toEqual([
      toSecond(formatDaysFromNow(7)),
      toSecond(formatDaysFromNow(7)),
    ])
    expect([later.body.coupon.isActive, off.body.coupon.isActive]).toEqual([true, false])
    for (const code of ['later', 'off']) {
      expect([code, findInStore(code)!.expiresAt, findInStore(code)!.isPublished]).toEqual([
        code,
        formatDaysFromNow(-1),
        true,
      ])
    }
  })
})

describe('invalid input is reported at its field in the specified sentences (B 5)', () => {
  const wrong: [string, Record<string, unknown>, string, string][] = [
    ['an empty code', { code: ' ' }, 'code', 'Coupon code is required'],
    ['a missing code', { code: undefined }, 'code', 'Coupon code is required'],
    ['a code with a space', { code: 'SAVE 10' }, 'code', couponTexts.badCode],
    ['a missing amount', { amount: undefined }, 'amount', 'Amount is required'],
    ['less than 1 percent', { amount: 0.5 }, 'amount', 'Percentage must be between 1 and 100'],
    ['more than 100 percent', { amount: 101 }, 'amount', 'Percentage must be between 1 and 100'],
    ['a fixed amount of zero', { type: 'fixed', amount: 0 }, 'amount', 'Fixed amount must be greater than 0'],
    ['a minimum of zero', { minSpend: 0 }, 'minSpend', 'Minimum spend must be greater than 0'],
    ['a cap of zero', { kind: 'personal', maxDiscount: 0 }, 'maxDiscount', 'Maximum discount must be greater than 0'],
    ['a minimum above the limit', { minSpend: 2e9 }, 'minSpend', 'Minimum spend must be at most 1,000,000,000'],
    ['an amount above the limit', { type: 'fixed', amount: 2e9 }, 'amount', 'Amount must be at most 1,000,000,000'],
    ['a usage limit above the maximum', { usageLimit: 2e9 }, 'usageLimit', 'Usage limit must be at most 1,000,000,000'],
    ['a code of 61 letters', { code: 'A'.repeat(61) }, 'code', 'Coupon code can have at most 60 characters'],
    ['a missing start', { startDate: '' }, 'startDate', 'Start date is required'],
    ['a missing end', { endDate: undefined }, 'endDate', 'End date is required'],
    ['an invalid date', { endDate: 'someday' }, 'endDate', couponTexts.badDate],
    ['an end before the start', { endDate: '2020-01-01T00:00:00Z' }, 'endDate', 'End date must be after start date'],
    ['a usage limit of zero', { usageLimit: 0 }, 'usageLimit', 'Usage limit must be greater than 0'],
    ['a fractional usage limit', { usageLimit: 1.5 }, 'usageLimit', couponTexts.partOfAUse],
    ['a cap on a shared percentage (decision 33)', { maxDiscount: 5 }, 'maxDiscount', couponTexts.sharedCap],
    ['a cap on a fixed amount (decision 128)', { type: 'fixed', maxDiscount: 5 }, 'maxDiscount', couponTexts.fixedCap],
    ['a third decimal (decision 128)', { minSpend: 1.005 }, 'minSpend', 'Enter an amount with at most 2 decimals'],
    ['a third decimal in a percentage', { amount: 10.005 }, 'amount', 'Enter an amount with at most 2 decimals'],
  ]

  test.each(wrong)('%s', { tags: ['B5'] }, async (_, more, field, text) => {
    const { status, body: refused } = await post(more)
    expect([status, refused.fields]).toEqual([400, { [field]: text }])
    expect(shop.fake.allCoupons).toEqual([])
  })

  test('refuses decimals in yen (decision 128)', { tags: ['B5'] }, async () => {
    await world.db.updateTable('stores').set({ currency: 'JPY' }).where('id', '=', shop.storeId).execute()
    const { body: refused } = await post({ type: 'fixed', amount: 5.5 })
    expect(refused.fields).toEqual({ amount: 'Enter a whole amount, without decimals' })
    expect((await post({ type: 'fixed', amount: 500 })).body.coupon.amount).toBe(500)
    expect(findInStore()).toMatchObject({ amountMinor: 500 })
  })

  test('reports all errors at once', async () => {
    const { body: refused } = await world.request('POST', '/api/coupons', {
      token: shop.owner.token,
      body: { type: 'fixed' },
    })
    expect(Object.keys(refused.fields).sort()).toEqual(['amount', 'code', 'endDate', 'startDate'])
  })
})

describe('an existing code', () => {
  test('is a conflict at its field, in any case (decision 31)', async () => {
    shop.fake.allCoupons = [buildCoupon({ couponId: '7', code: 'Save10' })]
    const { status, body: refused } = await post()
    expect([status, refused.fields]).toEqual([409, { code: couponTexts.duplicate }])
    expect(shop.fake.allCoupons.length).toBe(1)
  })

  test('is a conflict even if it belongs to a draft, which the store itself ignores (decision 32)', async () => {
    shop.fake.allCoupons = [buildCoupon({ couponId: '7', code: 'save10', isPublished: false })]
    const { status, body: refused } = await post()
    expect([status, refused.fields]).toEqual([409, { code: couponTexts.duplicateDraft }])
  })

  test('is a conflict even if only the store finds it a moment later', async () => {
    shop.fake.couponByCode = async () => null
    shop.fake.allCoupons = [buildCoupon({ couponId: '7', code: 'save10' })]
    expect(await post()).toMatchObject({ status: 409, body: { fields: { code: couponTexts.duplicate } } })
  })
})

describe('the store', () => {
  test('a lost answer is looked up, and the coupon exists once and is known', async () => {
    let isLost = true
    shop.fake.afterCoupon = async () => {
      if (isLost) throw buildProblem('timeout')
    }
    const { status, body: created } = await post()
    isLost = false
    expect([status, shop.fake.allCoupons.length]).toEqual([200, 1])
    expect((await list()).coupons.map(({ _id }: { _id: string }) => _id)).toEqual([created.coupon._id])
  })

  test('a coupon whose creation was never confirmed is adopted when it is created again', async () => {
    const { couponByCode } = shop.fake
    shop.fake.afterCoupon = async () => {
      shop.fake.couponByCode = async () => Promise.reject(buildProblem('timeout'))
      throw buildProblem('timeout')
    }
    expect(await post()).toMatchObject({
      status: 503,
      body: {
        error: expect.stringMatching(/^Failed to create coupon: The store takes too long .* usually an outage/),
      },
    })
    expect((await list()).coupons).toEqual([])
    Object.assign(shop.fake, { couponByCode, afterCoupon: async () => {} })
    const { status, body: created } = await post({ amount: 20 })
    expect([status, created.coupon.amount, shop.fake.allCoupons.length, findInStore()!.percent]).toEqual([
      200, 20, 1, 2_000,
    ])
  })

  test('a refused coupon returns the store’s reason', { tags: ['B8'] }, async () => {
    shop.fake.couponRefusal = () => 'The store did not keep what was sent (expiry date).'
    const error = 'Failed to create coupon: The store did not keep what was sent (expiry date).'
    expect(await post()).toMatchObject({ status: 422, body: { error } })
    expect((await list()).coupons).toEqual([])
  })

  test('a read-only key is reported in a sentence for each action', async () => {
    const { body: created } = await post()
    shop.fake.afterCoupon = async () => Promise.reject(buildProblem('read_only_key'))
    for (const ask of [
      () => post({ code: 'OTHER' }),
      () => put(created.coupon._id),
      () => remove(created.coupon._id),
    ]) {
      expect(await ask()).toMatchObject({
        status: 401,
        body: { code: 'store_credentials', error: couponTexts.readOnlyKey },
      })
      expect((await list()).canWrite).toBe(false)
    }
    expect(await post({ kind: 'personal' })).toMatchObject({ body: { error: couponTexts.readOnlyKey } })
    expect((await list()).canWrite).toBe(false)
    shop.fake.afterCoupon = async () => {}
    expect(await post({ code: 'MENDED' })).toMatchObject({ status: 200 })
    expect((await list()).canWrite).toBe(true)
  })

  test('a disconnected store is reported in a sentence for each action (decision 128)', { tags: ['B5'] }, async () => {
    const { body: created } = await post()
    const id = created.coupon._id
    const texts = async () => {
      const q = `?storeId=${shop.storeId}`
      const { token } = shop.owner
      const replies = [
        await world.request('GET', `/api/coupons${q}`, { token }),
        await world.request('POST', `/api/coupons${q}`, { token, body: body() }),
        await world.request('PUT', `/api/coupons/${id}${q}`, { token, body: body() }),
        await world.request('DELETE', `/api/coupons/${id}${q}`, { token }),
      ]
      return replies.map((reply) => reply.body.error)
    }
    await disconnect(shop.owner)
    const messages = ['manage', 'create', 'update', 'delete'].map(
      (verb) => `No store connected. Please connect your store to ${verb} coupons.`,
    )
    expect(await texts()).toEqual(messages)
    shop = { ...shop, owner: await registerOwner(world) }
    expect(await texts()).toEqual(messages)
    expect(await post()).toMatchObject({ status: 404, body: { error: messages[1] } })
  })

  test('the request body names the coupon by id or URL, as specified (B 7)', { tags: ['B7'] }, async () => {
    const { status } = await post({ platform: 'woocommerce', storeId: shop.fake.profile.storeUrl })
    expect(status).toBe(200)
    expect(await post({ code: 'OTHER', storeId: 'https://nobody.example.com' })).toMatchObject({ status: 404 })
  })
})

describe('changing a coupon', () => {
  test('writes to the store and here', { tags: ['B7'] }, async () => {
    const { body: created } = await post({ minSpend: 20, usageLimit: 5 })
    const { status, body: changed } = await put(created.coupon._id, {
      code: 'SAVE20',
      type: 'fixed',
      amount: 7.5,
      minSpend: 30,
      usageLimit: 3,
      startDate: formatDaysFromNow(-2),
      endDate: formatDaysFromNow(9),
    })
    expect([status, changed.coupon]).toMatchObject([
      200,
      {
        _id: created.coupon._id,
        code: 'SAVE20',
        type: 'fixed',
        amount: 7.5,
        minSpend: 30,
        usageLimit: 3,
        startDate: formatDaysFromNow(-2),
        endDate: toSecond(formatDaysFromNow(9)),
        isActive: true,
      },
    ])
    expect(shop.fake.allCoupons).toMatchObject([
      { code: 'save20', type: 'fixed', percent: null, amountMinor: 750, minSpendMinor: 3_000, usageLimit: 3 },
    ])
    expect(toSecond(findInStore('save20')!.expiresAt!)).toBe(toSecond(formatDaysFromNow(9)))
    await put(created.coupon._id, { code: 'SAVE20' })
    expect((await list()).coupons).toMatchObject([{ type: 'percentage', amount: 10, minSpend: null, usageLimit: null }])
    expect(findInStore('save20')).toMatchObject({ percent: 1_000, minSpendMinor: null, usageLimit: null })
  })

  test('switching it off withdraws it in the store, and switching it on sets the real end date (decision 32)', async () => {
    const { body: created } = await post()
    await put(created.coupon._id, { isActive: false })
    expect(findInStore()!.expiresAt).toBe(formatDaysFromNow(-1))
    const { body: on } = await put(created.coupon._id, { isActive: true })
    expect([toSecond(findInStore()!.expiresAt!), on.coupon.endDate]).toEqual([
      toSecond(formatDaysFromNow(7)),
      toSecond(formatDaysFromNow(7)),
    ])
  })

  test('is refused for the store’s own, for one of another kind and for an unknown one', { tags: ['B5'] }, async () => {
    shop.fake.allCoupons = [buildCoupon({ couponId: '7', code: 'theirs' })]
    await world.request('POST', '/api/stores/sync', { token: shop.owner.token, body: {} })
    const [theirs] = (await list()).coupons
    expect(theirs).toMatchObject({ code: 'THEIRS', madeBy: 'store' })
    expect(theirs.editUrl).toBe(`${shop.fake.profile.homeUrl}/wp-admin/post.php?post=7&action=edit`)
    expect(await put(theirs._id)).toMatchObject({ status: 409, body: { error: couponTexts.notOurs } })
    expect(await remove(theirs._id)).toMatchObject({ status: 409, body: { error: couponTexts.notOurs } })
    const { body: created } = await post()
    expect(await put(created.coupon._id, { kind: 'personal' })).toMatchObject({
      body: { fields: { kind: couponTexts.kindIsKept } },
    })
    expect(await put(createId())).toMatchObject({ status: 404, body: { error: 'Invalid coupon ID' } })
    expect(await put('undefined')).toMatchObject({ status: 400, body: { error: 'Invalid coupon ID' } })
    expect(await remove('7')).toMatchObject({ status: 400, body: { error: 'Invalid coupon ID' } })
  })

  test('to an existing code is a conflict, and one deleted in the store is reported and no longer listed', async () => {
    const { body: created } = await post()
    shop.fake.allCoupons.push(buildCoupon({ couponId: '7', code: 'taken', isPublished: false }))
    expect(await put(created.coupon._id, { code: 'TAKEN' })).toMatchObject({
      body: { fields: { code: couponTexts.duplicateDraft } },
    })
    shop.fake.allCoupons = []
    expect(await put(created.coupon._id)).toMatchObject({ status: 404, body: { error: couponTexts.goneInStore } })
    expect((await list()).coupons).toEqual([])
  })
})

describe('deleting a coupon', () => {
  test('deletes it in the store, removes it from flow steps and keeps its row for reports', {
    tags: ['B7'],
  }, async () => {
    const { body: created } = await post()
    const id = created.coupon._id
    const step = await world.db
      .updateTable('flow_steps')
      .set({ coupon_id: id })
      .where('store_id', '=', shop.storeId)
      .where('step', '=', 2)
      .returning('flow_id')
      .executeTakeFirstOrThrow()
    const steps = [{ flowId: step.flow_id, flowName: expect.any(String), step: 2 }]
    expect((await list()).coupons[0].steps).toEqual(steps)
    expect((await remove(id)).body).toEqual({ success: true, steps })
    expect([shop.fake.allCoupons, (await list()).coupons]).toEqual([[], []])
    expect((await readRow(id)).gone_at).toEqual(world.now)
    expect((await remove(id)).status).toBe(404)
    expect((await post()).status).toBe(200)
  })

  test('looks up a lost answer and accepts one that is already gone', async () => {
    const { body: created } = await post()
    shop.fake.afterCoupon = async () => Promise.reject(buildProblem('timeout'))
    expect((await remove(created.coupon._id)).status).toBe(200)
    shop.fake.afterCoupon = async () => {}
    const { body: again } = await post()
    shop.fake.allCoupons = []
    expect((await remove(again.coupon._id)).status).toBe(200)
  })

  test('is refused while the store does not answer', { tags: ['B8'] }, async () => {
    const { body: created } = await post()
    shop.fake.problem = buildProblem('unreachable')
    const { status, body: refused } = await remove(created.coupon._id)
    expect([status, refused.error]).toEqual([503, expect.stringContaining('Failed to delete coupon')])
    expect((await list()).coupons.length).toBe(1)
  })
})

describe('starting a coupon', () => {
  test('sets its real end date in the store once', async () => {
    await post({ code: 'LATER', startDate: formatDaysFromNow(1) })
    await enqueueStarts(world.deps)
    expect(listStartJobs()).toEqual([])
    world.advance(DAY_MS)
    await enqueueStarts(world.deps)
    expect(listStartJobs().length).toBe(1)
    shop.fake.problem = buildProblem('unreachable')
    await startCoupons(world.deps, { storeId: shop.storeId })
    shop.fake.problem = null
    await startCoupons(world.deps, { storeId: shop.storeId })
    expect(toSecond(findInStore('later')!.expiresAt!)).toBe(toSecond(formatDaysFromNow(6)))
    world.queued.length = 0
    await enqueueStarts(world.deps)
    expect(listStartJobs()).toEqual([])
  })

  test('skips one that is switched off while others are started', async () => {
    const later = { startDate: formatDaysFromNow(1) }
    const ids = [
      (await post({ code: 'LATER', ...later })).body.coupon._id,
      (await post({ code: 'NEXT', ...later })).body.coupon._id,
    ]
    world.advance(DAY_MS)
    let off: Promise<Reply[]> | undefined
    shop.fake.afterCoupon = async () => {
      off ??= Promise.all(['LATER', 'NEXT'].map((code, at) => put(ids[at], { code, isActive: false })))
    }
    await startCoupons(world.deps, { storeId: shop.storeId })
    expect((await off!).map(({ status }) => status)).toEqual([200, 200])
    for (const code of ['later', 'next']) expect(findInStore(code)!.expiresAt! < formatDaysFromNow(0)).toBe(true)
    for (const id of ids) expect(await readRow(id)).toMatchObject({ is_active: false, is_withheld: true })
  })

  test('skips an inactive one and one of a disconnected store', async () => {
    await post({ code: 'OFF', startDate: formatDaysFromNow(1), isActive: false })
    await post({ code: 'LATER', startDate: formatDaysFromNow(1) })
    world.advance(DAY_MS)
    await disconnect(shop.owner)
    world.queued.length = 0
    await enqueueStarts(world.deps)
    expect(listStartJobs()).toEqual([])
  })
})
