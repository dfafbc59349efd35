import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../../providers/woocommerce/recordings.ts'
import type { DemoStore } from '../../../providers/woocommerce/store.ts'
import { couponTexts } from '../../../shared/carts/coupons.ts'
import { type ConnectedStore, createConnectedStore } from '../../../test/connected-store.ts'
import { buildWooAccess } from '../../../test/woo-access.ts'
import { createWorld } from '../../../test/world.ts'
import { type GuardedHttp, openGuardedHttp } from '../../core/net/guarded-fetch.ts'
import { createWooCommerceClient } from '../../platforms/woocommerce/platform.ts'
import { pullCoupons } from '../sync/local-copies.ts'

// Coupons in a WooCommerce store, as recorded and as before version 10, which publishes every draft.

const world = createWorld()
const DAY_MS = 86_400_000
const formatDaysFromNow = (days: number) =>
  `${new Date(world.now.getTime() + days * DAY_MS).toISOString().slice(0, 19)}Z`

describe.each(['10.4.4', '9.9.5'])('WooCommerce %s', (version) => {
  let demo: DemoStore
  let guarded: GuardedHttp
  let shop: ConnectedStore

  beforeAll(async () => {
    demo = (await openStore({ publicUrl: '', version, now: () => world.now.getTime() })).store
    guarded = openGuardedHttp({ allowPrivate: true, totalTimeoutMs: 2_000 })
    shop = await createConnectedStore(world)
    const access = buildWooAccess(demo.url, demo.keys)
    const client = createWooCommerceClient(access, { fetch: guarded.fetch, now: () => world.now, pauseMs: 0 })
    world.storeClient = () => client
  })

  afterAll(async () => {
    await guarded.close()
    await demo.stop()
  })

  const ask = (method: string, path: string, body?: object) =>
    world.request(method, path, { token: shop.owner.token, ...(body && { body }) })
  const input = (code: string, more: object = {}) => ({
    code,
    type: 'percentage',
    amount: 10,
    startDate: formatDaysFromNow(-1),
    endDate: formatDaysFromNow(7),
    ...more,
  })
  const inStore = (code: string) => demo.coupons.list(code).find((coupon) => coupon.code === code)
  const goodUntil = (code: string) => {
    const at = inStore(code)?.expiresAt
    return at ? new Date(at * 1_000).toISOString() : null
  }
  const iso = (instant: string) => new Date(instant).toISOString()

  test('a coupon is created, changed, withdrawn, restored and deleted', async () => {
    const { body: created } = await ask('POST', '/api/coupons', input('SAVE10', { minSpend: 20, usageLimit: 5 }))
    const path = `/api/coupons/${created.coupon._id}`
    expect(inStore('save10')).toMatchObject({
      status: 'publish',
      amountMinor: 1_000,
      minimumMinor: 2_000,
      usageLimit: 5,
    })
    expect(goodUntil('save10')).toBe(iso(formatDaysFromNow(7)))
    await ask('PUT', path, input('SAVE15', { amount: 15 }))
    expect(inStore('save15')).toMatchObject({ amountMinor: 1_500, minimumMinor: 0, usageLimit: null })
    await ask('PUT', path, input('SAVE15', { isActive: false }))
    expect([inStore('save15')!.status, goodUntil('save15')]).toEqual(['publish', iso(formatDaysFromNow(-1))])
    await pullCoupons(world.deps, { storeId: shop.storeId, isFull: true })
    const { body: on } = await ask('PUT', path, input('SAVE15'))
    expect([goodUntil('save15'), iso(on.coupon.endDate)]).toEqual([
      iso(formatDaysFromNow(7)),
      iso(formatDaysFromNow(7)),
    ])
    expect((await ask('DELETE', path)).body.success).toBe(true)
    expect(inStore('save15')).toBeUndefined()
  })

  test('a coupon that has not started cannot be used', async () => {
    await ask('POST', '/api/coupons', input('LATER', { startDate: formatDaysFromNow(2) }))
    expect([inStore('later')!.status, goodUntil('later')]).toEqual(['publish', iso(formatDaysFromNow(-1))])
  })

  test('a used code and a draft’s code are refused, and the store’s own coupons are copied', async () => {
    demo.coupons.add({ code: 'theirs', status: 'draft' })
    const refused = await ask('POST', '/api/coupons', input('THEIRS'))
    expect([refused.status, refused.body.fields]).toEqual([409, { code: couponTexts.duplicateDraft }])
    expect((await ask('POST', '/api/coupons', input('WELCOME10'))).body.fields).toEqual({ code: couponTexts.duplicate })
    await pullCoupons(world.deps, { storeId: shop.storeId, isFull: true })
    const { body } = await ask('GET', '/api/coupons')
    const codes = body.coupons.map(({ code, madeBy }: { code: string; madeBy: string }) => `${code} ${madeBy}`)
    expect(codes).toEqual(expect.arrayContaining(['THEIRS store', 'WELCOME10 store', 'LATER recoup']))
  })

  test('an answer that never arrived is looked up', async () => {
    demo.connections.loseAnswers(/batch/)
    const { status, body } = await ask('POST', '/api/coupons', input('LOST'))
    demo.connections.restore()
    expect([status, body.coupon.code, demo.coupons.list('lost').length]).toEqual([200, 'LOST', 1])
  })
})
