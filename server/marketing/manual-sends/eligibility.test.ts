import { beforeEach, describe, expect, test } from 'vitest'
import { assignArm } from '../../../test/experiment-scene.ts'
import { buildOrder } from '../../../test/factories.ts'
import { createShop, grantConsent, postWithWorker, type Shop } from '../../../test/manual-send-scene.ts'
import { DAY, HOUR, passTime } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { READY_TEXTS } from '../../messages/templates/ready-templates.ts'

// Before a send: who would get the message, its preview, and a test to oneself.

const world = createWorld()
beforeEach(() => {
  world.sent.length = 0
  world.texts.length = 0
})

const ask = (shop: Shop, body: object) =>
  world.request('POST', '/api/carts/eligibility', { token: shop.token, body }).then((reply) => reply.body)

describe('eligibility by reason', () => {
  test('counts each cart once, with the reason as text, its end, and the price of the rest', async () => {
    const shop = await createShop(world, 5, { isConsenting: false })
    const [yes, no, stopped, cool, held] = shop.orders
    for (const order of [yes!, stopped!, cool!, held!]) await grantConsent(world, shop, order)
    await world.db
      .insertInto('suppressions')
      .values({
        account_id: shop.accountId,
        address_hash: world.deps.secrets.addressHash(stopped!.phone!),
        channel: 'sms',
        reason: 'unsubscribed',
        source: 'STOP',
        created_at: world.now,
      })
      .execute()
    await assignArm(world, shop.storeId, 'control', { phone: held!.phone! })
    await postWithWorker(world, shop, '/api/sms/send-reminder', { cartId: shop.cartIds[3] })
    const missing = createId()
    const before = await world.db.selectFrom('messages').select('id').execute()
    const answer = await ask(shop, { channel: 'sms', cartIds: [...shop.cartIds, missing] })
    expect(await world.db.selectFrom('messages').select('id').execute()).toHaveLength(before.length)
    expect(answer.total).toBe(6)
    expect(answer.eligible).toEqual([shop.cartIds[0]])
    expect(answer.price).toEqual({ total: { amount: 0.01, currency: 'USD' }, segments: 2, budgetLeft: null })
    const reasons = Object.fromEntries(
      answer.reasons.map((each: { reason: string; cartIds: string[]; mayOverride: boolean; until: string | null }) => [
        each.reason,
        [each.cartIds, each.mayOverride, each.until],
      ]),
    )
    const tomorrow = new Date(world.now.getTime() + 86_400_000).toISOString()
    expect(reasons).toEqual({
      no_consent: [[shop.cartIds[1]], false, null],
      suppressed_unsubscribed: [[shop.cartIds[2]], false, null],
      cooldown: [[shop.cartIds[3]], false, tomorrow],
      holdout: [[shop.cartIds[4]], true, null],
      cart_missing: [[missing], false, null],
    })
    expect(no!.phone).not.toBe(yes!.phone)
  })

  test("applies quiet hours in the shopper's own state: evening in California, night in New York (T2)", async () => {
    const shop = await createShop(world)
    world.now = new Date(world.now.getTime() + DAY)
    const shoppers = [
      buildOrder(world, { country: 'US', state: 'CA', phone: '+14155550134' }),
      buildOrder(world, { country: 'US', state: 'NY', phone: '+12125550134' }),
    ]
    await recordOrders(world.deps, shop.storeId, shoppers, 'sync')
    for (const order of shoppers) await grantConsent(world, shop, order)
    await passTime(world, shop.storeId, 25 * HOUR)
    // 21:30 in New York, 18:30 in Los Angeles.
    world.now = new Date(`${world.now.toISOString().slice(0, 10)}T02:30:00Z`)
    const { carts } = (await world.request('GET', '/api/carts/abandoned?limit=100', { token: shop.token })).body
    const getId = (order: { email: string | null }) =>
      carts.find((cart: { customer_email: string }) => cart.customer_email === order.email).id
    const cartIds = shoppers.map(getId)
    const { eligible, reasons } = await ask(shop, { channel: 'sms', cartIds })
    expect(eligible).toEqual([cartIds[0]])
    expect(reasons).toMatchObject([{ reason: 'quiet_hours', cartIds: [cartIds[1]] }])
  })

  test('evaluates a whole list by badge and search; stores see only their own carts', async () => {
    const shop = await createShop(world, 3)
    const otherShop = await createShop(world, 1)
    expect((await ask(shop, { channel: 'email' })).eligible.sort()).toEqual([...shop.cartIds].sort())
    const searched = await ask(shop, { channel: 'email', status: 'no action', search: shop.orders[1]!.email })
    expect(searched.eligible).toEqual([shop.cartIds[1]])
    const foreign = await ask(otherShop, { channel: 'email', cartIds: shop.cartIds })
    expect(foreign.reasons.map((each: { reason: string; count: number }) => [each.reason, each.count])).toEqual([
      ['cart_missing', 3],
    ])
  })
})

describe('the preview matches the sent message', () => {
  const preview = (shop: Shop, body: object) =>
    world.request('POST', '/api/messages/preview', { token: shop.token, body: { cartId: shop.cartIds[0], ...body } })

  test('for an SMS, with its length, its price and whether it would be sent now', async () => {
    const shop = await createShop(world)
    const { body } = await preview(shop, { channel: 'sms' })
    expect(body.words).toEqual({ subject: '', body: READY_TEXTS.sms })
    const long = await ask(shop, {
      channel: 'sms',
      cartIds: shop.cartIds,
      body: `${'Tea. '.repeat(90)}{{ checkout_link }}`,
    })
    expect(long.price.segments).toBe(4)
    expect(body).toMatchObject({ segments: 2, price: { amount: 0.01, currency: 'USD' }, problem: null })
    expect(body.decision).toMatchObject({ outcome: 'send', reason: 'ok' })
    await postWithWorker(world, shop, '/api/sms/send-reminder', { cartId: shop.cartIds[0] })
    const withoutLink = (text: string) => text.replace(/\/c\/[\w-]{43}/, '/c/…')
    expect(withoutLink(world.texts[0]!.text)).toBe(withoutLink(body.text))
    const after = await preview(shop, { channel: 'sms', body: 'Back: {{ checkout_link }}' })
    expect(after.body.text).toMatch(/^Back: .*\nReply STOP to opt out\.$/)
    expect(after.body.decision).toMatchObject({ outcome: 'hold', reason: 'cooldown' })
  })

  test('for a mail with unsaved text; a cart without a message gets the reason', async () => {
    const shop = await createShop(world)
    const { body } = await preview(shop, {
      channel: 'email',
      subject: 'For {{ customer_name }}',
      body: 'Come {{ cart_total }}',
    })
    expect([body.subject, body.problem]).toEqual(['For Ada', null])
    expect(body.html).toContain('$42.00')
    const wrong = await preview(shop, { channel: 'email', body: '{{ nonsense }}' })
    expect(wrong.body.problem).toMatch(/nonsense/)
    expect(world.sent).toEqual([])
  })
})

describe('a test to oneself', () => {
  const tryOut = (shop: Shop, body: object) =>
    world.request('POST', '/api/messages/test-send', { token: shop.token, body: { cartId: shop.cartIds[0], ...body } })
  const counted = async (shop: Shop) => {
    const messages = await world.db.selectFrom('messages').select('id').where('store_id', '=', shop.storeId).execute()
    const usage = await world.db.selectFrom('plan_usage').selectAll().where('account_id', '=', shop.accountId).execute()
    const touches = await world.db.selectFrom('touchpoints').select('id').where('store_id', '=', shop.storeId).execute()
    return [messages.length, usage.length, touches.length]
  }

  test("goes to the member's own address, is marked, counts nowhere, and its links do not change the cart", async () => {
    const shop = await createShop(world, 1, { isConsenting: false })
    const { email } = await world.db
      .selectFrom('users')
      .select('email')
      .where('id', '=', shop.userId)
      .executeTakeFirstOrThrow()
    const reply = await tryOut(shop, { channel: 'email', to: 'somebody@else.example' })
    expect(reply.body).toMatchObject({ isAccepted: true, to: email })
    expect(world.sent.map((mail) => [mail.to, mail.subject.slice(0, 7)])).toEqual([[email, '[Test] ']])
    const link = /\/c\/[\w-]{43}/.exec(world.sent[0]!.html)![0]
    const opened = await world.app.inject({ method: 'GET', url: link, headers: { 'user-agent': 'Mozilla/5.0' } })
    const token = /cart_id=(rt_[\w-]{43})$/.exec(String(opened.headers.location))![1]!
    expect((await world.request('GET', `/api/carts/${token}`)).body.cart.items).toHaveLength(1)
    expect((await world.request('POST', `/api/carts/${token}/restore`)).status).toBe(200)
    expect(await counted(shop)).toEqual([0, 0, 0])
  })

  test('by SMS goes to a number the member enters, never after STOP, and its price is booked', async () => {
    const shop = await createShop(world)
    expect((await tryOut(shop, { channel: 'sms', to: 'no number' })).status).toBe(422)
    const { body } = await tryOut(shop, { channel: 'sms', to: '(212) 555-0188' })
    expect(body).toMatchObject({ isAccepted: true, to: '+12125550188' })
    expect(world.texts.map((text) => [text.to, text.text.slice(0, 10)])).toEqual([['+12125550188', '[Test] Hi ']])
    expect(await counted(shop)).toEqual([0, 0, 0])
    const budget = await world.request('GET', '/api/account/sending-budget', { token: shop.token })
    expect(budget.body.spent).toBe(0.01)
    await world.db
      .insertInto('suppressions')
      .values({
        account_id: shop.accountId,
        address_hash: world.deps.secrets.addressHash('+12125550188'),
        channel: 'sms',
        reason: 'unsubscribed',
        source: 'STOP',
        created_at: world.now,
      })
      .execute()
    expect((await tryOut(shop, { channel: 'sms', to: '+12125550188' })).status).toBe(422)
  })
})

test('a missing consent names the country of the rule for carts requested by id', async () => {
  const shop = await createShop(world, 1)
  await recordOrders(world.deps, shop.storeId, [buildOrder(world, { country: 'BR' })], 'sync')
  await passTime(world, shop.storeId, DAY)
  const { id } = await world.db
    .selectFrom('carts')
    .select('id')
    .where('store_id', '=', shop.storeId)
    .where('id', 'not in', shop.cartIds)
    .executeTakeFirstOrThrow()
  const answer = await ask(shop, { channel: 'email', cartIds: [id] })
  expect(answer.reasons).toMatchObject([{ reason: 'no_consent', count: 1, countries: { [id]: 'BR' } }])
  const all = await ask(shop, { channel: 'email' })
  expect(all.reasons.every((each: object) => !('countries' in each))).toBe(true)
})
