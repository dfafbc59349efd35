import type { KyselyPlugin } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { createShop, postWithWorker, type Shop } from '../../../test/manual-send-scene.ts'
import { MINUTE } from '../../../test/message-scene.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { createWorld } from '../../../test/world.ts'
import type { DeliveryReport } from '../../messages/channels/channel.ts'
import { recordDeliveryReport } from '../outcome/delivery.ts'
import { closeAbandonedSends } from '../send/abandoned.ts'

// Providers' delivery reports of texts, early and late (D4).

const world = createWorld()
let answerText: typeof world.answerText
beforeEach(() => {
  answerText ??= world.answerText
  world.answerText = answerText
  world.texts.length = 0
})

const sendSms = (shop: Shop, n = 0, more: object = {}) =>
  postWithWorker(world, shop, '/api/sms/send-reminder', { cartId: shop.cartIds[n], ...more })
const readBadge = async (shop: Shop, n = 0) =>
  (await world.request('GET', `/api/carts/${shop.cartIds[n]}`, { token: shop.token })).body.cart

describe('reports of the provider', () => {
  async function createSent() {
    const shop = await createShop(world)
    const { messageId } = (await sendSms(shop)).body
    const report = (status: DeliveryReport['status'], more: Partial<DeliveryReport> = {}) =>
      recordDeliveryReport(world.deps, {
        accountId: shop.accountId,
        channel: 'sms',
        providerId: `t-${messageId}`,
        status,
        code: null,
        at: world.now,
        ...more,
      })
    const state = async () => {
      const row = await world.db
        .selectFrom('messages')
        .selectAll()
        .where('id', '=', messageId)
        .executeTakeFirstOrThrow()
      return row.reason ? `${row.state}(${row.reason})` : row.state
    }
    return { shop, messageId, report, state }
  }

  test('show delivered separately from accepted (D4), on the cart and in its timeline', async () => {
    const { shop, report, state } = await createSent()
    await report('sent')
    expect(await state()).toBe('sent')
    await report('delivered')
    expect(await state()).toBe('delivered')
    expect((await readBadge(shop)).sms_status).toBe('delivered')
    const { body } = await world.request('GET', `/api/carts/${shop.cartIds[0]}/messages`, { token: shop.token })
    expect(body.timeline.map((entry: { title: string }) => entry.title)).toEqual(
      expect.arrayContaining(['Manual SMS: checks passed', 'Manual SMS: sent', 'Manual SMS: delivered']),
    )
  })

  test('count even if they came before the send became unknown', async () => {
    const shop = await createShop(world)
    let messageId = ''
    world.answerText = async (text) => {
      messageId = text.messageId
      const report = { accountId: shop.accountId, channel: 'sms' as const, providerId: `t-${messageId}`, messageId }
      await recordDeliveryReport(world.deps, { ...report, code: null, status: 'delivered', at: world.now })
      return { kind: 'unknown', reason: 'timeout', response: '' }
    }
    await sendSms(shop)
    const state = async () =>
      (await world.db.selectFrom('messages').select('state').where('id', '=', messageId).executeTakeFirstOrThrow())
        .state
    expect(await state()).toBe('delivered')
    // The same of a process that ended while the message was in flight.
    await world.db
      .updateTable('messages')
      .set({ state: 'sending', worker_id: crypto.randomUUID(), finished_at: null })
      .where('id', '=', messageId)
      .execute()
    await closeAbandonedSends(world.deps)
    expect(await state()).toBe('delivered')
  })

  test('count even if the process that closes abandoned sends crashes', async () => {
    const shop = await createShop(world)
    world.answerText = async () => ({ kind: 'unknown', reason: 'timeout', response: '' })
    const { messageId } = (await sendSms(shop)).body
    const message = world.db.updateTable('messages').where('id', '=', messageId)
    const sending = { state: 'sending', worker_id: crypto.randomUUID(), finished_at: null } as const
    await message.set(sending).execute()
    const report = { accountId: shop.accountId, channel: 'sms' as const, providerId: `t-${messageId}`, messageId }
    await recordDeliveryReport(world.deps, { ...report, code: null, status: 'delivered', at: world.now })
    const ending: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (JSON.stringify(node).includes('delivery_reports')) throw new Error('the process ends')
        return node
      },
      transformResult: async ({ result }) => result,
    }
    await closeAbandonedSends({ ...world.deps, db: world.db.withPlugin(ending) })
    await closeAbandonedSends(world.deps)
    const row = await world.db.selectFrom('messages').select('state').where('id', '=', messageId).executeTakeFirst()
    expect(row?.state).toBe('delivered')
  })

  test('are ignored for an erased shopper, and so is a late reply (C8)', async () => {
    const shop = await createShop(world)
    let messageId = ''
    const erase = () =>
      world.db
        .updateTable('messages')
        .set({ state: 'unknown', judged: null, to_address: null, provider_id: null, provider_response: null })
        .where('id', '=', messageId)
        .execute()
    world.answerText = async (text) => {
      messageId = text.messageId
      await erase()
      return answerText(text)
    }
    await sendSms(shop)
    const report = { accountId: shop.accountId, channel: 'sms' as const, providerId: `t-${messageId}`, messageId }
    const bad = { code: '30005', suppress: 'invalid' as const, status: 'failed' as const }
    await recordDeliveryReport(world.deps, { ...report, ...bad, at: world.now })
    const row = await world.db.selectFrom('messages').selectAll().where('id', '=', messageId).executeTakeFirstOrThrow()
    expect([row.state, row.provider_id, row.provider_response]).toEqual(['unknown', null, null])
    const news = await readNotifications(world, shop.storeId)
    expect(news.filter(({ message }) => message.includes(shop.orders[0]!.phone!))).toEqual([])
  })

  test('lead to the same state in any order, twice, or before the reply', async () => {
    const orders = [
      ['sent', 'delivered', 'read'],
      ['read', 'delivered', 'sent', 'sent'],
    ] as const
    for (const order of orders) {
      const { report, state } = await createSent()
      for (const status of order) await report(status)
      expect(await state()).toBe('delivered')
    }
    for (const order of [
      ['failed', 'delivered'],
      ['delivered', 'failed', 'failed'],
    ] as const) {
      const { report, state } = await createSent()
      for (const status of order) await report(status, status === 'failed' ? { code: '30003' } : {})
      expect(await state()).toBe('failed(undelivered:30003)')
    }
    const shop = await createShop(world)
    world.answerText = async (text) => {
      const report = {
        accountId: shop.accountId,
        channel: 'sms' as const,
        providerId: `t-${text.messageId}`,
        code: null,
      }
      await recordDeliveryReport(world.deps, { ...report, status: 'delivered', at: world.now })
      return answerText(text)
    }
    await sendSms(shop)
    expect((await readBadge(shop)).sms_status).toBe('delivered')
  })

  test('of a failure remove the badge with an explanation, and a bad number is suppressed', async () => {
    const { shop, report } = await createSent()
    await report('failed', { code: '30005', suppress: 'invalid' })
    const cart = await readBadge(shop)
    expect([cart.status, cart.sms_status, cart.sms_sent_at]).toEqual(['No Action', 'failed', null])
    const status = await world.request('GET', `/api/sms/status/${shop.cartIds[0]}`, { token: shop.token })
    expect(status.body.error).toBe('This phone number does not exist.')
    world.advance(2 * MINUTE)
    expect((await sendSms(shop)).body.fields.reason).toBe('suppressed_invalid')
  })

  test('of another account’s message change nothing', async () => {
    const { report, state } = await createSent()
    const other = await createShop(world)
    await report('failed', { accountId: other.accountId })
    expect(await state()).toBe('sent')
  })

  test('with our message id replace a lost reply', async () => {
    const shop = await createShop(world)
    world.answerText = () => ({ kind: 'unknown', reason: 'timeout', response: 'no answer' })
    const { messageId, state } = (await sendSms(shop)).body
    expect(state).toBe('on_its_way')
    const report = { accountId: shop.accountId, channel: 'sms' as const, providerId: 'late', code: null, at: world.now }
    await recordDeliveryReport(world.deps, { ...report, messageId, status: 'delivered' })
    expect((await readBadge(shop)).sms_status).toBe('delivered')
  })

  test('with our message id also apply to a message that a click proved as delivered', async () => {
    const shop = await createShop(world)
    world.answerText = () => ({ kind: 'unknown', reason: 'timeout', response: 'no answer' })
    const { messageId } = (await sendSms(shop)).body
    world.advance(10 * MINUTE)
    const [link] = /\/c\/\S+/.exec(world.texts.at(-1)!.text)!
    await world.request('GET', link, { headers: { 'user-agent': 'Mozilla/5.0 (Macintosh) Firefox/140.0' } })
    expect((await readBadge(shop)).sms_status).toBe('sent')
    const report = { accountId: shop.accountId, channel: 'sms' as const, providerId: 'late', code: null, at: world.now }
    await recordDeliveryReport(world.deps, { ...report, messageId, status: 'delivered' })
    expect((await readBadge(shop)).sms_status).toBe('delivered')
  })
})
