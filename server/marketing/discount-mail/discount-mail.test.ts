import { beforeEach, describe, expect, test } from 'vitest'
import { type CouponShop, createCouponShop, insertCoupon } from '../../../test/discount-scene.ts'
import { assignArm } from '../../../test/experiment-scene.ts'
import { buildOrder, completeOrderCheck, createColleague } from '../../../test/factories.ts'
import { postWithWorker } from '../../../test/manual-send-scene.ts'
import { DAY, MINUTE } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { closeAbandonedSends } from '../../delivery/send/abandoned.ts'
import { sendDue } from '../../delivery/send/send-due.ts'
import { beat } from '../../delivery/send/workers.ts'
import type { Outcome } from '../../messages/channels/channel.ts'

// A coupon by email to chosen customers (decision 39): one job, whose rows are messages with or without a cart.

const world = createWorld()
let answer: typeof world.answer
beforeEach(() => {
  answer ??= world.answer
  world.answer = answer
  world.sent.length = 0
})

const texts = { subject: 'For {{ customer_name }}', body: 'Here you are: {{ cart_items }} {{ checkout_link }}' }
const offersPath = '/api/email/send-discount-offers'

const start = (shop: CouponShop, body: object = {}, headers = {}) =>
  world.request('POST', offersPath, {
    token: shop.token,
    body: { customers: [...shop.people, ...shop.buyers], couponId: shop.couponId, ...texts, ...body },
    headers,
  })
const read = (shop: CouponShop, jobId: string) =>
  world.request('GET', `/api/carts/send/${jobId}`, { token: shop.token }).then((reply) => reply.body)
const send = async (shop: CouponShop) => {
  await completeOrderCheck(world, shop.storeId)
  await sendDue(world.deps, { storeId: shop.storeId })
}
const readRows = (shop: CouponShop) =>
  world.db.selectFrom('messages').selectAll().where('store_id', '=', shop.storeId).orderBy('id').execute()
const getAnswers = (job: { results: { shopperId: string; reason: string | null; outcome: string }[] }) =>
  Object.fromEntries(job.results.map((item) => [item.shopperId, item.reason ?? item.outcome]))

describe('a job', () => {
  test('writes about the most recently abandoned cart, or about none', async () => {
    const shop = await createCouponShop(world, { carts: 2, buyers: 2 })
    const missing = createId()
    const { body } = await start(shop, { customers: [...shop.people, ...shop.buyers, missing, shop.buyers[0]] })
    await send(shop)
    const job = await read(shop, body.jobId)
    expect(job).toMatchObject({ isDiscount: true, state: 'done', total: 5, counts: { sent: 4, failed: 1 } })
    const results: { shopperId: string; cartId: string | null; customer: string; explanation: string }[] = job.results
    const byShopper = new Map(results.map((item) => [item.shopperId, item]))
    for (const [index, id] of shop.people.entries()) {
      expect(byShopper.get(id)).toMatchObject({
        cartId: shop.cartIds[index],
        customer: 'Ada Lovelace',
        outcome: 'sent',
      })
    }
    for (const id of shop.buyers) {
      expect(byShopper.get(id)).toMatchObject({ cartId: null, customer: 'Ben Lovelace', outcome: 'sent' })
    }
    expect(byShopper.get(missing)).toMatchObject({
      outcome: 'failed',
      reason: 'customer_missing',
      explanation: 'Customer not found in this store.',
    })
    expect(world.sent.map(({ to, subject }) => [to, subject]).sort()).toEqual(
      [
        ...shop.orders.map(({ email }) => [email, 'For Ada']),
        ...shop.buyerOrders.map(({ email }) => [email, 'For Ben']),
      ].sort(),
    )
    const queued = await world.db
      .selectFrom('manual_messages')
      .selectAll()
      .where('store_id', '=', shop.storeId)
      .execute()
    expect(new Set(queued.map((row) => row.coupon_id))).toEqual(new Set([shop.couponId]))
  })

  test('requested twice with one key is one job, and a later purchase cancels messages without a cart, too', async () => {
    const shop = await createCouponShop(world, { carts: 1, buyers: 2 })
    const key = { 'idempotency-key': 'once' }
    const first = await start(shop, {}, key)
    const again = await start(shop, {}, key)
    expect(again.body).toEqual(first.body)
    expect(await readRows(shop)).toHaveLength(3)
    expect((await start(shop, { subject: 'Other' }, key)).status).toBe(409)
    const [buyer] = shop.buyerOrders
    world.advance(MINUTE)
    await recordOrders(world.deps, shop.storeId, [buildOrder(world, { kind: 'purchase', email: buyer!.email })], 'sync')
    await send(shop)
    const job = await read(shop, first.body.jobId)
    expect(getAnswers(job)).toEqual({
      [shop.people[0]!]: 'sent',
      [shop.buyers[0]!]: 'purchased',
      [shop.buyers[1]!]: 'sent',
    })
  })

  test('repeated with its key returns the first answer after the coupon has ended; a new request is rejected', async () => {
    const shop = await createCouponShop(world)
    const key = { 'idempotency-key': 'again' }
    const first = await start(shop, {}, key)
    await world.db.updateTable('coupons').set({ gone_at: world.now }).where('id', '=', shop.couponId).execute()
    const again = await start(shop, {}, key)
    expect([again.status, again.body]).toEqual([200, first.body])
    expect((await start(shop, { subject: 'Other' }, key)).status).toBe(409)
    expect((await start(shop, {}, { 'idempotency-key': 'new' })).status).toBe(422)
    world.advance(DAY)
    expect((await start(shop, {}, key)).status).toBe(422)
    expect(await readRows(shop)).toHaveLength(2)
  })

  test('retries failed messages, except for people who had it or have bought since', async () => {
    const shop = await createCouponShop(world, { carts: 1, buyers: 3 })
    const failing = new Set([shop.orders[0]!.email, shop.buyerOrders[0]!.email, shop.buyerOrders[1]!.email])
    world.answer = (mail) =>
      failing.has(mail.to)
        ? { kind: 'rejected', reason: '552', response: '552 mailbox full', isRecipientFault: false }
        : answer(mail)
    const { jobId } = (await start(shop)).body
    await send(shop)
    expect((await read(shop, jobId)).counts).toMatchObject({ sent: 1, failed: 3 })
    world.answer = answer
    world.advance(MINUTE)
    const late = buildOrder(world, { kind: 'purchase', email: shop.buyerOrders[1]!.email })
    await recordOrders(world.deps, shop.storeId, [late], 'sync')
    world.sent.length = 0
    const retry = () => world.request('POST', `/api/carts/send/${jobId}/retry`, { token: shop.token, body: {} })
    expect((await retry()).body.retried).toBe(3)
    expect((await retry()).body.retried).toBe(0)
    await send(shop)
    expect(world.sent.map(({ to }) => to).sort()).toEqual([shop.orders[0]!.email, shop.buyerOrders[0]!.email].sort())
    expect(getAnswers(await read(shop, jobId))[shop.buyers[1]!]).toBe('purchased')
  })

  test('does not retry an invalid address, but retries another failure', async () => {
    const shop = await createCouponShop(world, { carts: 1, buyers: 1 })
    const bad = shop.orders[0]!.email
    world.answer = (mail) =>
      mail.to === bad
        ? { kind: 'rejected', reason: 'smtp_550', response: '550 5.1.1 user unknown', isRecipientFault: true }
        : { kind: 'rejected', reason: 'smtp_552', response: '552 5.2.2 mailbox full', isRecipientFault: false }
    const { jobId } = (await start(shop)).body
    await send(shop)
    const retry = () => world.request('POST', `/api/carts/send/${jobId}/retry`, { token: shop.token, body: {} })
    expect(await read(shop, jobId)).toMatchObject({ counts: { failed: 2 }, retryable: 1 })
    expect((await retry()).body.retried).toBe(1)
    await send(shop)
    world.advance(MINUTE)
    const again = (await start(shop)).body.jobId
    await send(shop)
    expect(getAnswers(await read(shop, again))[shop.people[0]!]).toBe('suppressed_hard_bounce')
    expect(await read(shop, again)).toMatchObject({ counts: { failed: 2 }, retryable: 1 })
  })

  test('respects consent, suppressions and the control group', async () => {
    const shop = await createCouponShop(world, { carts: 1, buyers: 3, isConsenting: false })
    const withdrawn = world.deps.secrets.addressHash(shop.buyerOrders[1]!.email!)
    const suppression = { account_id: shop.accountId, channel: 'email' as const, reason: 'unsubscribed' as const }
    await world.db
      .insertInto('suppressions')
      .values({ ...suppression, address_hash: withdrawn, source: 'link', created_at: world.now })
      .execute()
    await assignArm(world, shop.storeId, 'control', { ids: [shop.buyers[2]!] })
    const { jobId } = (await start(shop)).body
    await send(shop)
    expect(getAnswers(await read(shop, jobId))).toEqual({
      // Germany requires consent, except for existing customers.
      [shop.people[0]!]: 'no_consent',
      [shop.buyers[0]!]: 'sent',
      [shop.buyers[1]!]: 'suppressed_unsubscribed',
      [shop.buyers[2]!]: 'holdout',
    })
    expect(world.sent.map(({ to }) => to)).toEqual([shop.buyerOrders[0]!.email])
  })

  test('resumes from its rows after a crash, without loss or repetition (D9, D10)', async () => {
    const shop = await createCouponShop(world, { carts: 6, buyers: 6 })
    const { storeId } = shop
    const { jobId } = (await start(shop)).body
    let remaining = 3
    const end = Promise.withResolvers<Outcome>()
    world.answer = async (mail) => (remaining-- > 0 ? answer(mail) : end.promise)
    await completeOrderCheck(world, storeId)
    // Each process has its own connections.
    const { channels } = world.deps
    const killed = { ...world.deps, workerId: createId(), channels: { ...channels, email: { ...channels.email } } }
    const killedEnds = sendDue(killed, { storeId }).catch(() => {})
    // Killed when the answers are stored and its five in-flight places are used again.
    await expect.poll(async () => [remaining, (await read(shop, jobId)).done]).toEqual([-5, 3])
    world.answer = answer
    world.advance(MINUTE)
    await beat(world.deps)
    await closeAbandonedSends(world.deps)
    await world.db.updateTable('send_schedule').set({ lease_until: null }).where('store_id', '=', storeId).execute()
    await send(shop)
    const job = await read(shop, jobId)
    expect(job).toMatchObject({ state: 'done', counts: { sent: 7, unknown: 5, failed: 0, waiting: 0 } })
    expect(new Set(world.sent.map(({ to }) => to)).size).toBe(12)
    expect(world.sent).toHaveLength(12)
    end.reject(new Error('The process is over.'))
    await killedEnds
  })
})

describe('rejects the whole request', () => {
  test('without customers, without a valid coupon of the store, and for viewers', { tags: ['B5'] }, async () => {
    const shop = await createCouponShop(world)
    const other = await createCouponShop(world)
    const refused = async (body: object) => {
      const reply = await start(shop, body)
      return [reply.status, reply.body.error]
    }
    const noCustomers = [400, 'Please select at least one customer.']
    expect(await refused({ customers: [] })).toEqual(noCustomers)
    expect(await refused({ customers: undefined })).toEqual(noCustomers)
    expect(await refused({ couponId: undefined })).toEqual([400, 'Please choose a coupon.'])
    expect((await refused({ couponId: other.couponId }))[0]).toBe(404)
    const expired = await insertCoupon(world, shop, { ends_at: new Date(world.now.getTime() - MINUTE) })
    expect(await refused({ couponId: expired })).toEqual([422, 'This coupon has expired. Choose another one.'])
    expect((await refused({ couponId: await insertCoupon(world, shop, { gone_at: world.now }) }))[0]).toBe(422)
    expect((await refused({ couponId: await insertCoupon(world, shop, { is_active: false }) }))[0]).toBe(422)
    expect((await refused({ body: '{{ nonsense }}' }))[0]).toBe(422)
    const viewer = await createColleague(world, shop)
    const looking = { token: viewer.token, body: { customers: shop.people, couponId: shop.couponId } }
    expect((await world.request('POST', offersPath, looking)).status).toBe(403)
    expect(await readRows(shop)).toEqual([])
  })

  test('with a cart URL outside the store (X1)', { tags: ['B2'] }, async () => {
    const shop = await createCouponShop(world)
    const { url } = await world.db
      .selectFrom('stores')
      .select('url')
      .where('id', '=', shop.storeId)
      .executeTakeFirstOrThrow()
    const foreign = [
      'https://evil.example/cart',
      `${url}.evil.example/cart`,
      `${url}:8443/cart`,
      url.replace('https://', 'https://evil.example@'),
    ]
    for (const cartUrl of foreign) {
      const reply = await start(shop, { cartUrl })
      expect([cartUrl, reply.status, reply.body.fields?.cartUrl]).toEqual([
        cartUrl,
        422,
        'The cart URL must be an address of your store.',
      ])
    }
    const open = await start(shop, { cartUrl: url.replace('https:', 'http:') })
    expect([open.status, open.body.fields?.cartUrl]).toEqual([
      422,
      'Your store uses https. The cart URL must begin with https:// too.',
    ])
    for (const cartUrl of ['javascript:alert(1)', '/cart', `${url}/${'x'.repeat(2_100)}`]) {
      expect([cartUrl.slice(0, 20), (await start(shop, { cartUrl })).status]).toEqual([cartUrl.slice(0, 20), 400])
    }
    expect((await start(shop, { cartUrl: `${url}/cart/?from=mail` })).status).toBe(200)
    const stored = await world.db
      .selectFrom('manual_messages')
      .select('cart_url')
      .where('store_id', '=', shop.storeId)
      .execute()
    expect(new Set(stored.map((row) => row.cart_url))).toEqual(new Set([`${url}/cart/?from=mail`]))
  })

  test('with customers of another account (X2)', async () => {
    const [shop, other] = [await createCouponShop(world), await createCouponShop(world)]
    const { jobId } = (await start(shop, { customers: [...other.people, ...other.buyers] })).body
    await send(shop)
    await send(other)
    expect((await read(shop, jobId)).counts).toMatchObject({ failed: 2, sent: 0 })
    expect(world.sent).toEqual([])
  })
})

test('a discount mail is available on the free plan, as a job and as a single call (decision 128)', async () => {
  const shop = await createCouponShop(world, { plan: 'free', carts: 1, buyers: 1 })
  await insertCoupon(world, shop, { code: 'FREE-10' })
  const { status, body } = await start(shop, { customers: shop.people })
  expect(status).toBe(200)
  await send(shop)
  expect((await read(shop, body.jobId)).counts).toMatchObject({ sent: 1 })
  const offer = { discountCode: 'FREE-10', discountAmount: 10, discountType: 'percentage', storeId: shop.storeId }
  const single = await postWithWorker(world, shop, '/api/email/send-discount-offer', {
    ...offer,
    to: shop.buyerOrders[0]!.email,
  })
  expect(single.body).toMatchObject({ success: true, state: 'sent' })
})

describe('the single call of the specification', () => {
  const offer = (shop: CouponShop, body: object) => postWithWorker(world, shop, '/api/email/send-discount-offer', body)

  test('sends the coupon with this code to a customer with or without a cart', { tags: ['B7'] }, async () => {
    const shop = await createCouponShop(world)
    await insertCoupon(world, shop, {
      code: 'SAVE-5',
      type: 'fixed',
      platform_type: 'fixed_cart',
      percent: null,
      amount_minor: 500,
    })
    const base = { discountCode: 'save-5', discountAmount: '$5.00', discountType: 'fixed', storeId: shop.storeId }
    const refused = async (body: object) => {
      const reply = await offer(shop, { ...base, to: shop.orders[0]!.email, ...body })
      return [reply.status, Object.keys(reply.body.fields ?? {})]
    }
    expect(await refused({ to: 'nobody@shoppers.example' })).toEqual([422, ['to']])
    expect(await refused({ discountCode: 'OTHER' })).toEqual([422, ['discountCode']])
    expect(await refused({ discountAmount: 6 })).toEqual([422, ['discountAmount']])
    expect(await refused({ discountType: 'percentage' })).toEqual([422, ['discountType']])
    expect(await refused({ discountAmount: 'much' })).toEqual([400, ['discountAmount']])
    expect(world.sent).toEqual([])
    const sent = await offer(shop, { ...base, to: shop.buyerOrders[0]!.email })
    expect(sent.body).toMatchObject({ success: true, state: 'sent' })
    expect(world.sent.map(({ to }) => to)).toEqual([shop.buyerOrders[0]!.email])
    expect(world.sent[0]!.text).toContain('$5.00')
    expect(world.sent[0]!.text).toContain('SAVE-5')
    const toCart = await offer(shop, { ...base, to: shop.orders[0]!.email })
    expect(toCart.body).toMatchObject({ success: true, state: 'sent' })
    expect(world.sent[1]!.text).toContain('Total with the coupon: $37.00')
  })
})

describe('eligibility', () => {
  test('counts by reason, as decided now, without writing anything', async () => {
    const shop = await createCouponShop(world, { carts: 2, buyers: 1 })
    const missing = createId()
    const ask = (customers: string[]) =>
      world.request('POST', '/api/email/discount-eligibility', { token: shop.token, body: { customers } })
    const hash = world.deps.secrets.addressHash(shop.orders[1]!.email!)
    const suppression = { account_id: shop.accountId, channel: 'all' as const, reason: 'complaint' as const }
    await world.db
      .insertInto('suppressions')
      .values({ ...suppression, address_hash: hash, source: 'report', created_at: world.now })
      .execute()
    const { body } = await ask([...shop.people, ...shop.buyers, missing])
    expect(body.total).toBe(4)
    expect(body.eligible.sort()).toEqual([shop.people[0]!, shop.buyers[0]!].sort())
    expect(body.reasons.map((each: { reason: string; customers: string[] }) => [each.reason, each.customers])).toEqual([
      ['suppressed_complaint', [shop.people[1]]],
      ['customer_missing', [missing]],
    ])
    expect(await readRows(shop)).toEqual([])
  })

  test('and previews the mail for one of them', async () => {
    const shop = await createCouponShop(world)
    const preview = (customer: string) =>
      world.request('POST', '/api/email/discount-preview', {
        token: shop.token,
        body: { customer, couponId: shop.couponId, ...texts },
      })
    const withCart = (await preview(shop.people[0]!)).body
    expect([withCart.subject, withCart.problem, withCart.decision.outcome]).toEqual(['For Ada', null, 'send'])
    expect(withCart.html).toContain('Earl Grey')
    const without = (await preview(shop.buyers[0]!)).body
    expect([without.subject, without.problem, without.decision.outcome]).toEqual(['For Ben', null, 'send'])
    expect(without.html).not.toContain('Earl Grey')
    expect((await preview(createId())).status).toBe(404)
    const personal = await insertCoupon(world, shop, { kind: 'personal', platform_id: null, code: 'CART' })
    const example = await world.request('POST', '/api/email/discount-preview', {
      token: shop.token,
      body: { customer: shop.people[0], couponId: personal },
    })
    expect([example.body.problem, example.body.text]).toEqual([null, expect.stringContaining('CART-EXAMPLE')])
  })
})
