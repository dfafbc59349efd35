import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { assignArm, readAssignments } from '../../../test/experiment-scene.ts'
import { buildOrder, completeOrderCheck } from '../../../test/factories.ts'
import { createShop, grantConsent, postWithWorker, type Shop, takeUsPhone } from '../../../test/manual-send-scene.ts'
import { DAY, HOUR, MINUTE, passTime } from '../../../test/message-scene.ts'
import { buildTemplate, createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { recordInbound } from '../../delivery/outcome/delivery.ts'

// Manual sends (D9, D11) through the endpoints of B 7. START is a Monday, 10:00 in New York; SMS are allowed from 13:00
// there.

const world = createWorld()
let lastNumber = 1_000
const canadianPhone = () => `+1416555${lastNumber++}`
const usualText = () => world.answerText
let answerText: ReturnType<typeof usualText>
let answer: typeof world.answer
beforeEach(() => {
  answerText ??= world.answerText
  answer ??= world.answer
  Object.assign(world, { answerText, answer })
  world.sent.length = 0
  world.texts.length = 0
})

const sendSms = (shop: Shop, more: object = {}, headers = {}) =>
  postWithWorker(world, shop, '/api/sms/send-reminder', { cartId: shop.cartIds[0], ...more }, headers)
const sendEmail = (shop: Shop, more: object = {}, headers = {}) =>
  postWithWorker(
    world,
    shop,
    '/api/email/send-email',
    { to: shop.orders[0]!.email, cart_id: shop.cartIds[0], ...more },
    headers,
  )

const readCart = (shop: Shop) =>
  world.request('GET', `/api/carts/${shop.cartIds[0]}`, { token: shop.token }).then((reply) => reply.body.cart)

describe('a single message', () => {
  test("by email answers with the mail server's result and sets the Email Sent badge", async () => {
    const shop = await createShop(world, 1, { plan: 'free' })
    const reply = await sendEmail(shop)
    expect([reply.status, reply.body.message, reply.body.state]).toEqual([200, 'Email sent successfully!', 'sent'])
    expect(world.sent.map((mail) => [mail.to, mail.subject])).toEqual([
      [shop.orders[0]!.email, 'Complete Your Purchase'],
    ])
    expect((await readCart(shop)).status).toBe('Email Sent')
  })

  test('rejects a cart that turned out to be none, single and in bulk (S6)', async () => {
    const shop = await createShop(world)
    const order = { ...buildOrder(world), kind: 'pending' as const, status: 'pending' }
    await recordOrders(world.deps, shop.storeId, [order], 'webhook')
    const cart = await world.db
      .selectFrom('carts')
      .select('id')
      .where('email', '=', order.email)
      .executeTakeFirstOrThrow()
    // Learned only now: the cart had been an order created by the shop's staff.
    const before = new Date(Date.parse(order.modifiedAt) - MINUTE).toISOString()
    await recordOrders(world.deps, shop.storeId, [{ ...order, source: 'staff', modifiedAt: before }], 'webhook')
    const reply = await sendEmail(shop, { cart_id: cart.id, to: order.email, delayHours: 1 })
    expect([reply.status, reply.body.error]).toEqual([404, 'Cart not found'])
    const { jobId } = (await postWithWorker(world, shop, '/api/carts/send', { channel: 'email', cartIds: [cart.id] }))
      .body
    const job = await world.request('GET', `/api/carts/send/${jobId}`, { token: shop.token })
    expect(job.body).toMatchObject({ state: 'done', counts: { failed: 1, waiting: 0 } })
  })

  test("by SMS goes to the cart's phone with stop instructions and sets the SMS Sent badge", {
    tags: ['B3', 'B4'],
  }, async () => {
    const shop = await createShop(world)
    const reply = await sendSms(shop)
    expect([reply.status, reply.body.message]).toEqual([200, 'SMS sent successfully!'])
    expect(world.texts).toMatchObject([{ channel: 'sms', to: shop.orders[0]!.phone, template: null }])
    expect(world.texts[0]!.text).toMatch(
      /^Hi Ada, you left Earl Grey in your cart at Tea & Co\. .*\/c\/[\w-]{43}\nReply STOP/,
    )
    expect((await readCart(shop)).status).toBe('SMS Sent')
    const status = await world.request('GET', `/api/sms/status/${shop.cartIds[0]}`, { token: shop.token })
    expect(status.body).toEqual({
      status: 'sent',
      attempts: 1,
      lastSent: world.now.toISOString(),
      delivered: false,
      error: null,
    })
  })

  test('by WhatsApp is the filled-in approved template', { tags: ['B7'] }, async () => {
    const shop = await createShop(world)
    const reply = await postWithWorker(world, shop, '/api/whatsapp/send-reminder', { cartId: shop.cartIds[0] })
    expect([reply.status, reply.body.message]).toEqual([200, 'WhatsApp message sent successfully!'])
    const [text] = world.texts
    expect(text!.template).toMatchObject({
      name: 'cart_reminder',
      body: ['Ada', 'Tea & Co', expect.stringMatching(/\/c\//)],
    })
    expect(text!.text).toBe(`Hi Ada, your cart at Tea & Co is still here: ${text!.template!.body[2]}`)
    expect((await readCart(shop)).status).toBe('WhatsApp Sent')
  })

  test('is reported as sending when the provider is slow, and the late answer is recorded', async () => {
    const shop = await createShop(world)
    let accept = () => {}
    world.answerText = (text) =>
      new Promise((resolve) => {
        accept = () => resolve({ kind: 'accepted', providerId: `t-${text.messageId}`, response: 'queued' })
      })
    const replies = world.request('POST', '/api/sms/send-reminder', {
      token: shop.token,
      body: { cartId: shop.cartIds[0] },
    })
    await completeOrderCheck(world, shop.storeId)
    while (world.queued.length === 0) await sleep(10)
    const working = world.runJobs()
    const reply = await replies
    expect([reply.status, reply.body.state]).toEqual([200, 'on_its_way'])
    // As with mails, the badge follows the provider's acceptance.
    expect((await readCart(shop)).status).toBe('No Action')
    const readStatus = () => world.request('GET', `/api/sms/status/${shop.cartIds[0]}`, { token: shop.token })
    expect((await readStatus()).body.attempts).toBe(1)
    accept()
    await working
    expect((await readStatus()).body).toMatchObject({ status: 'sent', attempts: 1 })
    expect((await readCart(shop)).status).toBe('SMS Sent')
  })

  test('rejected by the provider reports the reason and leaves the badge unchanged', { tags: ['B3'] }, async () => {
    const shop = await createShop(world)
    world.answerText = () => ({
      kind: 'rejected',
      reason: '30006',
      response: '30006 Landline',
      isRecipientFault: true,
      suppress: 'invalid',
    })
    const reply = await sendSms(shop)
    expect([reply.status, reply.body.error]).toEqual([
      422,
      'This is a landline, or the carrier does not support SMS. (30006 Landline)',
    ])
    expect((await readCart(shop)).status).toBe('No Action')
    const status = await world.request('GET', `/api/sms/status/${shop.cartIds[0]}`, { token: shop.token })
    expect(status.body).toMatchObject({
      status: 'failed',
      attempts: 1,
      delivered: false,
      error: 'This is a landline, or the carrier does not support SMS.',
    })
    world.answerText = answerText
    expect((await sendSms(shop)).body.error).toBe('The number is not valid or does not accept messages.')
  })

  test('with invalid credentials reports them at once and on the cart, and can be retried', async () => {
    const shop = await createShop(world)
    world.answerText = () => ({ kind: 'retry', reason: '190', response: '190 Error validating access token' })
    const reply = await postWithWorker(world, shop, '/api/whatsapp/send-reminder', { cartId: shop.cartIds[0] })
    const expectedMessage =
      'The access token has expired or was revoked. Enter a new one under Settings, Sending. It will be retried.'
    expect([reply.status, reply.body.state, reply.body.message]).toEqual([200, 'on_its_way', expectedMessage])
    const { body } = await world.request('GET', `/api/carts/${shop.cartIds[0]}/messages`, { token: shop.token })
    const message = body.messages.find(({ channel }: { channel: string }) => channel === 'whatsapp')
    expect([message.explanation, message.decisions.at(-1).explanation]).toEqual([expectedMessage, expectedMessage])
  })

  test("requires `to` to be the cart's contact or a customer of the store (X5)", async () => {
    const shop = await createShop(world, 2)
    const reply = await sendEmail(shop, { to: 'somebody@else.example' })
    expect([reply.status, reply.body.code]).toEqual([422, 'unprocessable'])
    expect((await sendEmail(shop, { to: shop.orders[1]!.email })).status).toBe(422)
    await world.db
      .insertInto('customers')
      .values({ store_id: shop.storeId, customer_id: '7', email: shop.orders[1]!.email, seen_at: world.now })
      .execute()
    expect((await sendEmail(shop, { to: shop.orders[1]!.email!.toUpperCase() })).status).toBe(200)
    expect(world.sent.map((mail) => mail.to)).toEqual([shop.orders[1]!.email])
  })

  test("checks the plan first, with the specification's message", { tags: ['B6'] }, async () => {
    const shop = await createShop(world, 1, { plan: 'free' })
    const sms = await sendSms(shop)
    expect([sms.status, sms.body.code, sms.body.error]).toEqual([
      403,
      'plan_required',
      'SMS feature requires Starter or Growth plan. Please upgrade to send SMS messages.',
    ])
    const whatsapp = await postWithWorker(world, shop, '/api/whatsapp/send-bulk', { cartIds: shop.cartIds })
    expect([whatsapp.status, whatsapp.body.error]).toEqual([
      403,
      'WhatsApp feature requires Starter plan or higher. Please upgrade to send WhatsApp messages.',
    ])
  })
})

describe('a temporary reason is returned instead of holding the message (D11)', () => {
  test('missing SMS consent (C6) is returned at once, and the record names the rule', async () => {
    const shop = await createShop(world, 1, { isConsenting: false })
    const reply = await sendSms(shop)
    expect([reply.status, reply.body.fields.reason]).toEqual([422, 'no_consent'])
    expect(reply.body.error).toMatch(/has not opted in/)
    const rows = await world.db.selectFrom('messages').selectAll().where('store_id', '=', shop.storeId).execute()
    expect(rows.map((row) => [row.state, row.reason])).toEqual([['skipped', 'no_consent']])
    const record = await world.db
      .selectFrom('decision_records')
      .selectAll()
      .where('store_id', '=', shop.storeId)
      .execute()
    expect(record.map((row) => [row.outcome, row.reason, row.inputs.consentRule])).toEqual([
      ['skip', 'no_consent', 'confirmed_opt_in'],
    ])
  })

  test("quiet hours at the shopper's place (T2) are returned with their end", async () => {
    const shop = await createShop(world)
    const now = world.now
    world.now = new Date('2026-03-20T21:30:00Z')
    const reply = await sendSms(shop)
    expect([reply.status, reply.body.fields.reason]).toEqual([422, 'quiet_hours'])
    expect(Date.parse(reply.body.fields.until)).toBeGreaterThanOrEqual(Date.parse('2026-03-21T07:00:00Z'))
    expect(Date.parse(reply.body.fields.until)).toBeLessThan(Date.parse('2026-03-21T07:20:01Z'))
    // Email has no quiet hours.
    expect((await sendEmail(shop)).status).toBe(200)
    world.now = now
  })

  test("24 hours or the store's setting between two texts of a channel for a cart (decision 12)", {
    tags: ['B4'],
  }, async () => {
    const shop = await createShop(world)
    expect((await sendSms(shop)).status).toBe(200)
    world.advance(2 * MINUTE)
    const second = await sendSms(shop, { body: 'Another: {{ checkout_link }}' })
    expect([second.status, second.body.fields.reason]).toEqual([422, 'cooldown'])
    expect((await postWithWorker(world, shop, '/api/whatsapp/send-reminder', { cartId: shop.cartIds[0] })).status).toBe(
      200,
    )
    const saved = await world.request('PUT', '/api/stores/settings', {
      token: shop.token,
      body: { textCooldownHours: 1 },
    })
    expect(saved.body.store.textCooldownHours).toBe(1)
    world.advance(HOUR)
    expect((await sendSms(shop)).status).toBe(200)
    expect(world.texts.map((text) => text.channel)).toEqual(['sms', 'whatsapp', 'sms'])
  })

  test('in the US one SMS per cart within 48 hours of abandonment, regardless of the cooldown (C6)', async () => {
    const shop = await createShop(world, 1, { country: 'US', phone: takeUsPhone })
    await world.db.updateTable('stores').set({ text_cooldown_hours: 1 }).where('id', '=', shop.storeId).execute()
    const day = world.now.toISOString().slice(0, 10)
    world.now = new Date(`${day}T19:00:00Z`)
    expect((await sendSms(shop)).status).toBe(200)
    world.advance(90 * MINUTE)
    expect((await sendSms(shop)).body.fields.reason).toBe('sms_once_per_cart')
    const late = await createShop(world, 1, { country: 'US', phone: takeUsPhone })
    world.now = new Date(world.now.getTime() + 2 * DAY)
    world.now = new Date(`${world.now.toISOString().slice(0, 10)}T19:00:00Z`)
    expect((await sendSms(late)).body.fields.reason).toBe('sms_too_late')
  })

  test("WhatsApp rejects marketing to +1 and missing templates, and allows free text within 24 hours of the shopper's message", {
    tags: ['B2'],
  }, async () => {
    const american = await createShop(world, 1, { country: 'CA', phone: canadianPhone })
    world.now = new Date(`${world.now.toISOString().slice(0, 10)}T19:00:00Z`)
    const send = (shop: Shop) => postWithWorker(world, shop, '/api/whatsapp/send-reminder', { cartId: shop.cartIds[0] })
    expect((await send(american)).body.fields.reason).toBe('whatsapp_marketing_refused')
    const from = american.orders[0]!.phone!
    const account = { accountId: american.accountId, db: world.db }
    await recordInbound(world.deps, account, { channel: 'whatsapp', from, at: world.now })
    expect((await send(american)).status).toBe(200)
    expect(world.texts.at(-1)).toMatchObject({ template: null, text: expect.stringContaining('you left Earl Grey') })

    const german = await createShop(world)
    world.now = new Date(`${world.now.toISOString().slice(0, 10)}T12:00:00Z`)
    world.textChannels.whatsapp = null
    expect((await send(german)).body.fields.reason).toBe('template_missing')
    world.textChannels.whatsapp = false
    expect((await send(german)).body.fields.reason).toBe('whatsapp_not_configured')
    world.textChannels.whatsapp = buildTemplate
  })

  test('the control group is returned, can be overridden, and the person stays in it', async () => {
    const shop = await createShop(world)
    const { storeId } = shop
    await assignArm(world, storeId, 'control')
    expect((await sendEmail(shop)).body.fields.reason).toBe('holdout')
    expect((await sendEmail(shop, { overrideHoldout: true })).status).toBe(200)
    expect((await readAssignments(world, storeId)).map(({ arm }) => arm)).toEqual(['control'])
  })

  test('a send above the monthly volume is refused with plan_required', async () => {
    const shop = await createShop(world)
    const month = `${world.now.toISOString().slice(0, 7)}-01`
    await world.db
      .insertInto('plan_usage')
      .values({ account_id: shop.accountId, month, channel: 'sms', used: 100 })
      .execute()
    const reply = await sendSms(shop)
    expect([reply.status, reply.body.code, reply.body.fields.reason]).toEqual([403, 'plan_required', 'plan_limit'])
  })

  test('a purchase in the meantime is returned', async () => {
    const shop = await createShop(world)
    const at = world.now.toISOString()
    const bought = { ...shop.orders[0]!, kind: 'purchase' as const, status: 'processing', modifiedAt: at, paidAt: at }
    await recordOrders(world.deps, shop.storeId, [bought], 'sync')
    expect((await sendSms(shop)).body.error).toMatch(/has bought/)
  })
})

describe('idempotency (D9)', () => {
  test('replays the first answer under a key for 24 hours, and rejects a different body', async () => {
    const shop = await createShop(world)
    const key = { 'idempotency-key': 'a-key' }
    const first = await sendEmail(shop, {}, key)
    world.advance(23 * HOUR)
    expect((await sendEmail(shop, {}, key)).body).toEqual(first.body)
    const other = await sendEmail(shop, { subject: 'Something else' }, key)
    expect([other.status, other.body.code]).toEqual([409, 'conflict'])
    expect(world.sent).toHaveLength(1)
    world.advance(HOUR + 1)
    expect((await sendEmail(shop, {}, key)).body.messageId).not.toBe(first.body.messageId)
    expect(world.sent).toHaveLength(2)
  })

  test('replays a rejection under a key', async () => {
    const shop = await createShop(world, 1, { isConsenting: false })
    const key = { 'idempotency-key': 'refused' }
    const first = await sendSms(shop, {}, key)
    await grantConsent(world, shop, shop.orders[0]!)
    expect((await sendSms(shop, {}, key)).body.error).toBe(first.body.error)
    expect((await sendSms(shop)).status).toBe(200)
  })

  test('without a key merges the same click within a minute, also twenty at once', async () => {
    const shop = await createShop(world)
    const replies = await Promise.all(Array.from({ length: 20 }, () => sendEmail(shop)))
    expect(new Set(replies.map((reply) => `${reply.status} ${reply.body.messageId}`)).size).toBe(1)
    expect(world.sent).toHaveLength(1)
    world.advance(MINUTE + 1)
    expect((await sendEmail(shop)).status).toBe(200)
    expect(world.sent).toHaveLength(2)
  })
})

describe('a scheduled message', () => {
  const schedule = (shop: Shop, body: object) =>
    postWithWorker(world, shop, '/api/email/schedule-reminder', {
      cartId: shop.cartIds[0],
      reminderType: 'first',
      ...body,
    })

  test('is sent once after the given hours, with the template of its kind', async () => {
    const shop = await createShop(world)
    const reply = await schedule(shop, { delayHours: 2 })
    const dueAt = new Date(world.now.getTime() + 2 * HOUR).toISOString()
    expect(reply.body).toMatchObject({ message: 'Email scheduled successfully!', state: 'scheduled', dueAt })
    await passTime(world, shop.storeId, 2 * HOUR - MINUTE)
    expect(world.sent).toHaveLength(0)
    await passTime(world, shop.storeId, MINUTE)
    expect(world.sent.map((mail) => mail.subject)).toEqual(['Your cart at Tea & Co'])
  })

  test('is sent at its time to the minute, and never more than an hour late (D7)', async () => {
    const shop = await createShop(world)
    const sendAt = new Date(world.now.getTime() + 90 * MINUTE).toISOString()
    expect((await schedule(shop, { sendAt })).body.dueAt).toBe(sendAt)
    world.advance(150 * MINUTE)
    await passTime(world, shop.storeId, 0)
    expect(world.sent).toHaveLength(0)
    const [row] = await world.db.selectFrom('messages').selectAll().where('store_id', '=', shop.storeId).execute()
    expect([row!.state, row!.reason]).toEqual(['skipped', 'too_old'])
  })

  test("rejects a past or missing time with the specification's message", {
    tags: ['B5'],
  }, async () => {
    const shop = await createShop(world)
    const past = new Date(world.now.getTime() - HOUR).toISOString()
    for (const body of [{}, { sendAt: past }]) {
      const reply = await schedule(shop, body)
      expect([reply.status, reply.body.error]).toEqual([400, 'Please select a valid date and time.'])
    }
  })

  test('is cancelled by a purchase', async () => {
    const shop = await createShop(world)
    await schedule(shop, { delayHours: 1 })
    const at = world.now.toISOString()
    const bought = { ...shop.orders[0]!, kind: 'purchase' as const, status: 'processing', modifiedAt: at, paidAt: at }
    await recordOrders(world.deps, shop.storeId, [bought], 'sync')
    await passTime(world, shop.storeId, HOUR)
    expect(world.sent).toHaveLength(0)
  })
})
