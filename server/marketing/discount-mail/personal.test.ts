import { beforeEach, describe, expect, test } from 'vitest'
import { createDemoCoupons } from '../../../test/demo-coupons.ts'
import { type CouponShop, createCouponShop, insertCoupon } from '../../../test/discount-scene.ts'
import { postWithWorker } from '../../../test/manual-send-scene.ts'
import { MINUTE } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { codesJob } from '../../carts/coupon-codes/codes-jobs.ts'

// A discount mail with personal codes: the codes are created in the store first, and the mails wait for them.

const world = createWorld()
const demo = createDemoCoupons(world)
let answer: typeof world.answer
let shop: CouponShop
let couponId: string
let prefix = 0

beforeEach(async () => {
  answer ??= world.answer
  world.answer = answer
  world.queued.length = 0
  shop = await createCouponShop(world, { carts: 1, buyers: 2 })
  await demo.connect(shop)
  couponId = await insertCoupon(world, shop, { kind: 'personal', platform_id: null, code: `OWN${++prefix}` })
  world.sent.length = 0
})

const ask = (method: string, url: string, body?: object) =>
  world.request(method, url, { token: shop.token, ...(body && { body }) }).then((reply) => reply.body)
const texts = { subject: 'For you', body: 'Take {{ coupon_amount }} off with {{ coupon_code }}. {{ checkout_link }}' }
const start = async (): Promise<string> =>
  (
    await ask('POST', '/api/email/send-discount-offers', {
      customers: [...shop.people, ...shop.buyers],
      couponId,
      ...texts,
    })
  ).jobId
const read = (jobId: string) => ask('GET', `/api/carts/send/${jobId}`)
const inStore = () => demo.store.coupons.list(`OWN${prefix}-`)
const codeIn = (text: string) => /OWN\d+-[A-Z0-9]{8}/.exec(text)?.[0]
const codesSent = () => world.sent.map(({ text }) => codeIn(text))

describe('a job', () => {
  test('creates its codes at once and sends each mail with its own', async () => {
    const jobId = await start()
    expect(world.queued.map(({ name }) => name)).toContain(codesJob.name)
    await demo.work(shop)
    expect((await read(jobId)).counts).toMatchObject({ sent: 3, failed: 0, waiting: 0 })
    expect(new Set(codesSent()).size).toBe(3)
    expect(codesSent().sort()).toEqual(
      inStore()
        .map(({ code }) => code.toUpperCase())
        .sort(),
    )
    expect(inStore()).toMatchObject([{ usageLimit: 1 }, { usageLimit: 1 }, { usageLimit: 1 }])
  })

  test('creates none for a shared coupon', async () => {
    couponId = shop.couponId
    await start()
    expect(world.queued.map(({ name }) => name)).not.toContain(codesJob.name)
  })

  test('waits for a store that creates no codes, and reports no result meanwhile', async () => {
    const jobId = await start()
    world.queued.splice(0, world.queued.length, ...world.queued.filter(({ name }) => name !== codesJob.name))
    await demo.work(shop)
    expect(await read(jobId)).toMatchObject({ state: 'running', counts: { waiting: 3 } })
    expect(world.sent).toEqual([])
    await demo.make(shop)
    await demo.work(shop)
    expect(await read(jobId)).toMatchObject({ state: 'done', counts: { sent: 3 } })
  })

  test('uses a new code for each retried mail', async () => {
    world.answer = () => ({ kind: 'rejected', reason: '552', response: '552 mailbox full', isRecipientFault: false })
    const jobId = await start()
    await demo.work(shop)
    const failed = codesSent()
    expect((await read(jobId)).counts).toMatchObject({ failed: 3 })
    world.answer = answer
    world.sent.length = 0
    world.advance(MINUTE)
    expect((await ask('POST', `/api/carts/send/${jobId}/retry`, {})).retried).toBe(3)
    await demo.work(shop)
    expect((await read(jobId)).counts).toMatchObject({ sent: 3, failed: 0 })
    expect(new Set([...failed, ...codesSent()]).size).toBe(6)
  })

  test('uses the current rules of codes whose coupon was edited meanwhile', async () => {
    const jobId = await start()
    await demo.make(shop)
    world.queued.splice(0, world.queued.length, ...world.queued.filter(({ name }) => name !== codesJob.name))
    await world.db.updateTable('coupons').set({ percent: 2_000 }).where('id', '=', couponId).execute()
    await demo.work(shop)
    expect(world.sent).toEqual([])
    expect((await read(jobId)).counts).toMatchObject({ waiting: 3 })
    await demo.make(shop)
    await demo.work(shop)
    expect(inStore()).toMatchObject([{ amountMinor: 2_000 }, { amountMinor: 2_000 }, { amountMinor: 2_000 }])
    expect(world.sent.map(({ text }) => /Take (.*?) off/.exec(text)?.[1])).toEqual(['20%', '20%', '20%'])
  })

  test('fails with a reason where the store has lost the code', async () => {
    const jobId = await start()
    await demo.make(shop)
    const [lost] = inStore()
    demo.store.coupons.delete(lost!.code)
    await demo.work(shop)
    const job = await read(jobId)
    expect(job.counts).toMatchObject({ sent: 2, failed: 1 })
    const failed = job.results.find(({ outcome }: { outcome: string }) => outcome === 'failed')
    expect(failed).toMatchObject({ reason: 'coupon_invalid:gone', explanation: expect.stringMatching(/coupon/i) })
    expect(codesSent()).not.toContain(lost!.code.toUpperCase())
  })
})

test('the single call accepts neither a personal coupon nor one of its codes, which belongs to someone else', async () => {
  await start()
  await demo.work(shop)
  world.sent.length = 0
  const [coupon] = inStore()
  for (const discountCode of [`OWN${prefix}`, coupon!.code]) {
    const body = { to: shop.buyerOrders[0]!.email, discountCode, discountAmount: 10, discountType: 'percentage' }
    const reply = await postWithWorker(world, shop, '/api/email/send-discount-offer', {
      ...body,
      storeId: shop.storeId,
    })
    expect([reply.status, Object.keys(reply.body.fields)]).toEqual([422, ['discountCode']])
  }
  expect(world.sent).toEqual([])
})
