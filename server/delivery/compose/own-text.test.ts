import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { buildSavedSteps } from '../../../test/flow-edits.ts'
import { createShop, postWithWorker, type Shop } from '../../../test/manual-send-scene.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  HOUR,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { createWorld } from '../../../test/world.ts'
import { createRenders } from '../../messages/templates/render-queue.ts'

// Owners' texts: test-rendered before they are stored, and rendered where a crash has no effect.

const world = createWorld()
const renders = createRenders({
  program: new URL('../../../test/faulty-render-thread.ts', import.meta.url),
  limitMs: 100,
})
afterAll(() => renders.close())
afterEach(() => {
  delete world.deps.renders
  world.sent.length = 0
})

/** It stopped the process for minutes. */
const SLOW = `${'{%a%} '.repeat(28)}x`

describe('a text that cannot be rendered is refused before it is stored', () => {
  const requests: [string, (shop: Shop, body: string) => [string, object]][] = [
    [
      'an email now',
      ({ cartIds, orders }, body) => ['/api/email/send-email', { to: orders[0]!.email, cart_id: cartIds[0], body }],
    ],
    [
      'an email later',
      ({ cartIds }, body) => ['/api/email/schedule-reminder', { cartId: cartIds[0], delayHours: 1, body }],
    ],
    ['an SMS', ({ cartIds }, body) => ['/api/sms/send-reminder', { cartId: cartIds[0], body }]],
    ['emails to many', ({ cartIds }, body) => ['/api/carts/send', { channel: 'email', cartIds, body }]],
    ['SMS to many', ({ cartIds }, body) => ['/api/carts/send', { channel: 'sms', cartIds, body }]],
    ['WhatsApp to many', ({ cartIds }, body) => ['/api/carts/send', { channel: 'whatsapp', cartIds, body }]],
  ]
  const stored = ({ storeId }: Shop) =>
    world.db.selectFrom('manual_messages').selectAll().where('store_id', '=', storeId).execute()

  test.each(requests)('%s', async (_name, request) => {
    const shop = await createShop(world)
    for (const [body, word] of [
      [SLOW, /uses \{% a %\}, which does not exist/],
      ['Hi {{ custmer_name }}', /uses "custmer_name", which does not exist/],
      ['{% for i in (1..9) %}x{% endfor %}', /loops over a range/],
    ] as const) {
      const reply = await postWithWorker(world, shop, ...request(shop, body))
      expect([reply.status, reply.body.error]).toEqual([422, expect.stringMatching(word)])
    }
    expect(await stored(shop)).toEqual([])
  })

  test('a subject too', async () => {
    const shop = await createShop(world)
    const reply = await postWithWorker(world, shop, '/api/carts/send', {
      channel: 'email',
      cartIds: shop.cartIds,
      subject: '{% if %}',
    })
    expect(reply.status).toBe(422)
    expect(await stored(shop)).toEqual([])
  })

  test('a flow’s step, by mail or by SMS', async () => {
    const { storeId, flowId, token } = await createMessageScene(world, 0, { plan: 'growth' })
    const { flows } = (await world.request('GET', '/api/flows', { token })).body
    const save = (channel: string) =>
      world.request('PUT', `/api/flows/${flowId}`, {
        token,
        body: { name: 'Flow', steps: buildSavedSteps(flows[0].steps, () => ({ channel, subject: 'S', body: SLOW })) },
      })
    const before = await world.db
      .selectFrom('templates')
      .select(['id', 'version', 'body'])
      .where('store_id', '=', storeId)
      .execute()
    for (const channel of ['email', 'sms']) {
      const reply = await save(channel)
      expect([reply.status, reply.body.error]).toEqual([
        422,
        expect.stringMatching(/^Step 1: .*uses \{% a %\}, which does not exist/),
      ])
    }
    expect(
      await world.db
        .selectFrom('templates')
        .select(['id', 'version', 'body'])
        .where('store_id', '=', storeId)
        .execute(),
    ).toEqual(before)
  })

  test('a preview names the problem, and a test is not sent', async () => {
    const shop = await createShop(world)
    const input = { cartId: shop.cartIds[0], channel: 'email', body: SLOW }
    const preview = await postWithWorker(world, shop, '/api/messages/preview', input)
    expect([preview.status, preview.body.problem]).toEqual([
      200,
      expect.stringMatching(/uses \{% a %\}, which does not exist/),
    ])
    const trial = await postWithWorker(world, shop, '/api/messages/test-send', input)
    expect([trial.status, world.sent]).toEqual([422, []])
  })
})

describe('a text that crashes the renderer', () => {
  const setBody = (storeId: string, body: string) =>
    world.db
      .updateTable('templates')
      .set({ body, design: null })
      .where('store_id', '=', storeId)
      .where('key', '=', 'first_reminder')
      .execute()
  const news = async (storeId: string) =>
    (await readNotifications(world, storeId)).filter(({ type }) => type.endsWith('_failed'))
  const attempts = (storeId: string) =>
    world.db.selectFrom('message_compositions').select('attempts').where('store_id', '=', storeId).execute()
  const firsts = async (storeId: string) =>
    (await readMessages(world, storeId))
      .filter(({ step }) => step === 1)
      .map(({ state, reason }) => `${state}(${reason})`)

  test('closes its messages, notifies the owner once, and delays no other store', async () => {
    world.deps.renders = renders
    const [bad, good] = [await createMessageScene(world, 3), await createMessageScene(world, 2)]
    await setBody(bad.storeId, 'SPIN {{ customer_name | upcase }}')
    await setBody(good.storeId, 'Own words {{ customer_name | upcase }} {{ checkout_link }}')
    await advanceToAbandoned(world, good.storeId, HOUR)
    await advanceToAbandoned(world, bad.storeId, 0)
    await Promise.all([sendDueMessages(world, bad.storeId), sendDueMessages(world, good.storeId)])
    expect(await firsts(bad.storeId)).toEqual(Array(3).fill('failed(template_error)'))
    expect(await news(bad.storeId)).toMatchObject([
      { type: 'email_failed', title: '3 messages were not sent: the text cannot be rendered' },
    ])
    expect(world.sent.map(({ text }) => text)).toEqual(Array(2).fill(expect.stringContaining('Own words')))
    expect([await attempts(bad.storeId), await attempts(good.storeId)]).toEqual([[], []])
    const decisions = await world.db
      .selectFrom('decision_records')
      .select(['outcome', 'reason'])
      .where('store_id', '=', bad.storeId)
      .execute()
    expect(decisions).toEqual(Array(3).fill({ outcome: 'result', reason: 'template_error' }))
  })

  test('is not rendered again after crashing two processes, unlike other texts of its batch', async () => {
    const { storeId } = await createMessageScene(world, 3)
    await setBody(storeId, 'Own words {{ customer_name | upcase }} {{ checkout_link }}')
    await advanceToAbandoned(world, storeId, HOUR)
    const [guilty, neighbour] = (await readMessages(world, storeId)).filter(({ step }) => step === 1)
    const row = (message_id: string, attempts: number) => ({ store_id: storeId, message_id, attempts, at: world.now })
    await world.db
      .insertInto('message_compositions')
      .values([row(guilty!.id, 2), row(neighbour!.id, 1)])
      .execute()
    await sendDueMessages(world, storeId)
    expect((await firsts(storeId)).sort()).toEqual(['failed(template_error)', 'sent(null)', 'sent(null)'])
    expect(await attempts(storeId)).toEqual([])
    expect(await news(storeId)).toHaveLength(1)
  })

  test('has a visible row during an attempt', async () => {
    world.deps.renders = renders
    const { storeId } = await createMessageScene(world, 2)
    await setBody(storeId, 'SPIN {{ customer_name | upcase }} again')
    await advanceToAbandoned(world, storeId, HOUR)
    const sending = sendDueMessages(world, storeId)
    await expect.poll(() => attempts(storeId), { interval: 10 }).toEqual([{ attempts: 1 }, { attempts: 1 }])
    await sending
    expect(await attempts(storeId)).toEqual([])
  })
})
