import type { KyselyPlugin } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { buildOrder, completeOrderCheck } from '../../../test/factories.ts'
import { buildSavedSteps } from '../../../test/flow-edits.ts'
import {
  createShop,
  grantConsent,
  postWithWorker,
  type Shop,
  takeGermanPhone,
} from '../../../test/manual-send-scene.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  DAY,
  HOUR,
  MINUTE,
  passTime,
  readMessages,
} from '../../../test/message-scene.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { readNextDueAt } from '../../../test/send-scene.ts'
import { buildTemplate, createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { transact } from '../../core/db/db.ts'
import type { Outcome, TextChannel } from '../../messages/channels/channel.ts'
import { setNextDue as scheduleNextRun } from '../../messages/messages/sql.ts'
import { sendDue } from './send-due.ts'

// SMS and WhatsApp on the engine's way: flows, reports, budget, and channels that are nothing but a file.

const world = createWorld()
let answerText: typeof world.answerText
beforeEach(() => {
  answerText ??= world.answerText
  world.answerText = answerText
  world.textChannels.sms = true
  world.texts.length = 0
  world.sent.length = 0
})

const sendSms = (shop: Shop, n = 0, more: object = {}) =>
  postWithWorker(world, shop, '/api/sms/send-reminder', { cartId: shop.cartIds[n], ...more })

describe('steps of a flow', () => {
  /** A German shopper whose cart gets an SMS after an hour. */
  async function createTextFlow(plan: 'free' | 'starter' | 'growth') {
    world.now = new Date(`${new Date(world.now.getTime() + 86_400_000).toISOString().slice(0, 10)}T09:00:00Z`)
    const scene = await createMessageScene(world, 0, { plan })
    await world.db.updateTable('flow_steps').set({ channel: 'sms' }).where('store_id', '=', scene.storeId).execute()
    const order = buildOrder(world, { country: 'DE', phone: takeGermanPhone() })
    await recordOrders(world.deps, scene.storeId, [order], 'sync')
    await grantConsent(world, scene, order)
    return { ...scene, order }
  }
  const readFirst = async (storeId: string) => (await readMessages(world, storeId))[0]!

  test('are sent with the text of the step’s template when channel and plan allow it', async () => {
    const { storeId, order } = await createTextFlow('growth')
    await passTime(world, storeId, HOUR)
    expect(world.texts.map((text) => text.to)).toEqual([order.phone])
    expect(world.texts[0]!.text).toMatch(/Earl Grey[\s\S]*Reply STOP to opt out\.$/)
    expect(world.sent).toEqual([])
    expect((await readFirst(storeId)).state).toBe('sent')
  })

  test('are retried in time after a deferral, even if the process ends right after recording it (D6)', async () => {
    const { storeId } = await createTextFlow('growth')
    const store = { storeId, db: world.db }
    let hasEnded = false
    const ends: KyselyPlugin = {
      transformQuery({ node }) {
        if (hasEnded) throw new Error('the process has ended')
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const log = Object.assign(Object.create(world.deps.log), {
      info: (_: object, what: string) => {
        hasEnded ||= what === 'message.answered'
      },
    })
    world.answerText = async () => {
      // A cart of the store changes meanwhile: the next look is at what waits then.
      await transact(store, scheduleNextRun)
      return { kind: 'retry', reason: 'later', response: 'later', retryAfterMs: 90_000 }
    }
    await advanceToAbandoned(world, storeId, HOUR)
    await expect(sendDue({ ...world.deps, db: world.db.withPlugin(ends), log }, { storeId })).rejects.toThrow('ended')
    const { state, reason, wake_at } = await readFirst(storeId)
    expect([state, reason]).toEqual(['held', 'retry'])
    expect(await readNextDueAt(world, storeId)).toEqual(wake_at)
  })

  test('follow a changed channel while open; sent ones stay and are never sent twice', async () => {
    const { storeId, flowId, token, order } = await createTextFlow('growth')
    await passTime(world, storeId, HOUR)
    const save = async (channel: string, body = 'Your tea at {{ store_name }}: {{ checkout_link }}') => {
      const { flows } = (await world.request('GET', '/api/flows', { token })).body
      const steps = buildSavedSteps(flows[0].steps, () => ({ channel, body }))
      return world.request('PUT', `/api/flows/${flowId}`, { token, body: { name: 'Reminders', steps } })
    }
    const mailed = await save('email', 'A mail: {{ checkout_link }}')
    expect(mailed.body.flow.steps[1]).toMatchObject({ channel: 'email', body: 'A mail: {{ checkout_link }}' })
    expect((await readMessages(world, storeId)).map(({ channel, state }) => [channel, state])).toEqual([
      ['sms', 'sent'],
      ['email', 'scheduled'],
      ['email', 'scheduled'],
    ])
    // The same cart again: its first step was sent, on any channel.
    await recordOrders(world.deps, storeId, [{ ...order, total: '99.00' } as typeof order], 'sync')
    await passTime(world, storeId, HOUR)
    expect((await readMessages(world, storeId)).filter(({ step }) => step === 1)).toHaveLength(1)
    const back = await save('sms')
    expect(back.body.flow.steps[1]).toMatchObject({
      channel: 'sms',
      sms: 'Your tea at {{ store_name }}: {{ checkout_link }}',
      body: 'A mail: {{ checkout_link }}',
    })
    world.texts.length = 0
    await passTime(world, storeId, DAY)
    expect(world.texts.map(({ text }) => text)).toEqual([expect.stringMatching(/^Your tea at /)])
    expect(world.sent).toEqual([])
  })

  test.each([
    ['is accepted', 'accepted', ['sent', null], 1],
    ['is put off', 'retry', ['held', 'retry'], 2],
    ['gets no answer', 'unknown', ['unknown', 'unknown'], 1],
  ] as const)('an SMS on its way that %s stays an SMS when email is chosen meanwhile, and no mail follows it', async (_, kind, ends, tries) => {
    const { storeId, flowId, token } = await createTextFlow('growth')
    world.answerText = async ({ messageId }) => {
      world.answerText = answerText
      const { flows } = (await world.request('GET', '/api/flows', { token })).body
      const steps = buildSavedSteps(flows[0].steps, () => ({ channel: 'email', body: 'A mail: {{ checkout_link }}' }))
      const saved = await world.request('PUT', `/api/flows/${flowId}`, { token, body: { name: 'Reminders', steps } })
      expect(saved.status).toBe(200)
      return { kind, reason: 'later', response: 'later', providerId: `t-${messageId}`, retryAfterMs: 90_000 } as Outcome
    }
    await passTime(world, storeId, HOUR)
    expect(await readFirst(storeId)).toMatchObject({ channel: 'sms', state: ends[0], reason: ends[1] })
    await passTime(world, storeId, 2 * MINUTE)
    expect([world.texts.length, world.sent.length]).toEqual([tries, 0])
    expect((await readMessages(world, storeId)).map(({ channel }) => channel)).toEqual(['sms', 'email', 'email'])
  })

  test('are refused a channel without credentials, template, plan or text', async () => {
    const { flowId, token, accountId } = await createTextFlow('growth')
    await world.db.updateTable('flow_steps').set({ channel: 'email' }).where('flow_id', '=', flowId).execute()
    const save = async (channel: string, body = 'Hi {{ customer_name }}: {{ checkout_link }}') => {
      const { flows } = (await world.request('GET', '/api/flows', { token })).body
      const steps = buildSavedSteps(flows[0].steps, ({ step }) => (step === 1 ? { channel, subject: 'Hi', body } : {}))
      return (await world.request('PUT', `/api/flows/${flowId}`, { token, body: { name: 'R', steps } })).body.error
    }
    const channels = async () => (await world.request('GET', '/api/flows', { token })).body.channels
    expect(await save('sms', '')).toBe('Step 1: The message is empty.')
    expect(await save('sms', '{{ password }}')).toMatch(/^Step 1: The message uses "password"/)
    world.textChannels.sms = false
    expect(await save('sms')).toBe('Step 1: SMS is not set up yet. Enter the credentials under Settings, Sending.')
    world.textChannels.whatsapp = null
    expect(await save('whatsapp')).toMatch(/^Step 1: WhatsApp delivers only approved templates/)
    expect((await channels()).whatsapp.template).toBeNull()
    world.textChannels.whatsapp = buildTemplate
    expect(await channels()).toMatchObject({ whatsapp: { problem: null, template: buildTemplate.text } })
    await world.db.updateTable('subscriptions').set({ plan: 'starter' }).where('account_id', '=', accountId).execute()
    expect(await save('whatsapp')).toBe(
      'Step 1: SMS and WhatsApp in flows and planned campaigns are part of the Growth plan.',
    )
    await world.db.updateTable('subscriptions').set({ plan: 'growth' }).where('account_id', '=', accountId).execute()
    expect(await save('whatsapp', '')).toBeUndefined()
  })

  test('are held on a smaller plan and sent after an upgrade (decision 6)', async () => {
    const { storeId, token } = await createTextFlow('starter')
    await passTime(world, storeId, HOUR)
    expect([(await readFirst(storeId)).state, (await readFirst(storeId)).reason]).toEqual(['held', 'plan_required'])
    await world.request('POST', '/api/subscribe/manual-update', { token, body: { planKey: 'growth' } })
    await passTime(world, storeId, 1_000)
    expect(world.texts).toHaveLength(1)
  })

  test('are held with an explanation while the channel is not set up', async () => {
    world.textChannels.sms = false
    const { storeId } = await createTextFlow('growth')
    await passTime(world, storeId, HOUR)
    const row = await readFirst(storeId)
    expect([row.state, row.reason]).toEqual(['held', 'sms_not_configured'])
  })

  test('due at night wait for the morning, spread out, and are decided again (T2)', async () => {
    const { storeId, order } = await createTextFlow('growth')
    world.now = new Date(`${world.now.toISOString().slice(0, 10)}T19:30:00Z`)
    const late = buildOrder(world, { country: 'DE', phone: takeGermanPhone() })
    await recordOrders(world.deps, storeId, [late], 'sync')
    await grantConsent(world, { storeId } as never, late)
    await world.db.deleteFrom('messages').where('store_id', '=', storeId).execute()
    await passTime(world, storeId, HOUR)
    const held = (await readMessages(world, storeId)).find((row) => row.reason === 'quiet_hours')!
    const morning = new Date(held.wake_at.toISOString().slice(0, 10)).getTime() + 7 * HOUR
    expect(held.wake_at.getTime()).toBeGreaterThanOrEqual(morning)
    expect(held.wake_at.getTime()).toBeLessThanOrEqual(morning + 20 * MINUTE)
    world.texts.length = 0
    await passTime(world, storeId, morning + 20 * MINUTE - world.now.getTime())
    expect(world.texts.map((text) => text.to).sort()).toEqual([order.phone, late.phone].sort())
  })
})

describe('quiet hours that begin (T2)', () => {
  test.each([
    ['between decision and send', 'select used from plan_usage'],
    ['between send and wire', "state = 'sending', reason"],
  ])('%s lets nothing leave', async (_, statement) => {
    const shop = await createShop(world)
    const sendAt = `${world.now.toISOString().slice(0, 10)}T19:59:59Z`
    await postWithWorker(world, shop, '/api/carts/send', { channel: 'sms', cartIds: shop.cartIds, sendAt })
    world.now = new Date(sendAt)
    await completeOrderCheck(world, shop.storeId)
    let hasFallen = false
    const falling: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (!hasFallen && JSON.stringify(node).includes(statement)) {
          hasFallen = true
          world.advance(2_000)
        }
        return node
      },
      transformResult: async ({ result }) => result,
    }
    await sendDue({ ...world.deps, db: world.deps.db.withPlugin(falling) }, { storeId: shop.storeId })
    await passTime(world, shop.storeId, 5 * MINUTE)
    const [row] = await readMessages(world, shop.storeId)
    expect([hasFallen, world.texts, row!.state, row!.reason]).toEqual([true, [], 'skipped', 'quiet_hours'])
  })
})

describe('the monthly budget', () => {
  const budget = (shop: Shop) =>
    world.request('GET', '/api/account/sending-budget', { token: shop.token }).then((r) => r.body)
  const setBudget = (shop: Shop, monthly: number | null) =>
    world.request('PUT', '/api/account/sending-budget', { token: shop.token, body: { monthly } })

  test('is booked at list price when a text is sent and corrected by the final price', async () => {
    const shop = await createShop(world, 3)
    expect(await budget(shop)).toEqual({ monthly: null, currency: 'USD', spent: 0 })
    const answers: Outcome[] = [
      {
        kind: 'accepted',
        providerId: createId(),
        response: 'queued',
        segments: 2,
        cost: { amountMicros: 15_900, currency: 'USD' },
      },
      { kind: 'rejected', reason: '30007', response: 'filtered', isRecipientFault: false },
      { kind: 'unknown', reason: 'timeout', response: 'no answer' },
    ]
    world.answerText = () => answers.shift()!
    for (const n of [0, 1, 2]) await sendSms(shop, n)
    expect((await budget(shop)).spent).toBe(0.0259)
    const rows = await world.db.selectFrom('messages').selectAll().where('store_id', '=', shop.storeId).execute()
    expect(rows.map((row) => [row.state, row.segments, row.cost_micros]).sort()).toEqual([
      ['failed', 2, 0],
      ['sent', 2, 15_900],
      ['unknown', 2, 10_000],
    ])
  })

  test('is never exceeded, even when several stores and processes send at once', async () => {
    const first = await createShop(world, 25)
    const second = await createShop(world, 25, { accountId: first.accountId })
    await setBudget(first, 0.2)
    const jobs = await Promise.all(
      [first, second].map((shop) =>
        world.request('POST', `/api/carts/send?storeId=${shop.storeId}`, {
          token: first.token,
          body: { channel: 'sms', cartIds: shop.cartIds },
        }),
      ),
    )
    expect(jobs.map((job) => job.status)).toEqual([200, 200])
    for (const { storeId } of [first, second]) await completeOrderCheck(world, storeId)
    await Promise.all([first, second, first, second].map(({ storeId }) => sendDue({ ...world.deps }, { storeId })))
    for (let round = 0; round < 5; round++) {
      world.advance(2_000)
      for (const { storeId } of [first, second]) await sendDue(world.deps, { storeId })
    }
    expect(world.texts).toHaveLength(20)
    expect(await budget(first)).toMatchObject({ monthly: 0.2, spent: 0.2 })
    const refused = await world.db
      .selectFrom('messages')
      .select(['reason'])
      .where('store_id', 'in', [first.storeId, second.storeId])
      .where('state', '=', 'skipped')
      .execute()
    expect(refused).toHaveLength(30)
    expect(new Set(refused.map((row) => row.reason))).toEqual(new Set(['budget']))
    const reached = (await readNotifications(world, first.storeId)).filter(({ type }) => type === 'budget_reached')
    expect(reached).toHaveLength(1)
  })

  test('limits how many of the selected carts are eligible and priced', async () => {
    const shop = await createShop(world, 3)
    await setBudget(shop, 0.02)
    const body = { channel: 'sms', cartIds: shop.cartIds }
    const answer = (await world.request('POST', '/api/carts/eligibility', { token: shop.token, body })).body
    expect(answer.eligible).toEqual(shop.cartIds.slice(0, 2))
    expect(answer.reasons).toMatchObject([{ reason: 'budget', cartIds: [shop.cartIds[2]] }])
    expect(answer.price).toMatchObject({ total: { amount: 0.02 }, budgetLeft: { amount: 0.02 } })
  })

  test('is visible to members and changed only by owners and admins', async () => {
    const shop = await createShop(world)
    expect((await setBudget(shop, -1)).status).toBe(400)
    expect((await setBudget(shop, 12.5)).body).toEqual({ monthly: 12.5, currency: 'USD', spent: 0 })
    expect((await setBudget(shop, null)).body.monthly).toBe(null)
  })
})

test('another provider needs only its own channel file', async () => {
  const shop = await createShop(world)
  const texts: string[] = []
  const pigeon: TextChannel = {
    poolSize: 1,
    estimate: () => ({ segments: 1, cost: { amountMicros: 0, currency: 'USD' } }),
    send: async ({ to, text }) => {
      texts.push(`${to}: ${text}`)
      return { kind: 'accepted', providerId: 'coo', response: 'taken off' }
    },
    check: async () => ({ isOk: true, detail: 'fed' }),
    close: async () => {},
  }
  const { text } = world.deps.channels
  world.deps.channels.text = async () => pigeon
  expect((await sendSms(shop)).body.message).toBe('SMS sent successfully!')
  world.deps.channels.text = text
  expect(texts).toHaveLength(1)
})

describe('with 50 senders at once', () => {
  /** So many processes that all believe to have the store, over and over until nothing is left. */
  async function fiftySenders(storeId: string): Promise<void> {
    for (let round = 0; round < 3; round++) {
      await completeOrderCheck(world, storeId)
      const one = async () => {
        await world.db.updateTable('send_schedule').set({ lease_until: null }).where('store_id', '=', storeId).execute()
        await sendDue(world.deps, { storeId })
      }
      await Promise.allSettled(Array.from({ length: 50 }, one))
      world.advance(2_000)
    }
  }

  test('the plan’s messages are used exactly, and a cart gets one text per cooldown', async () => {
    const shop = await createShop(world, 12, { plan: 'starter' })
    const month = `${world.now.toISOString().slice(0, 7)}-01`
    const used = { account_id: shop.accountId, month, channel: 'sms' as const, used: 93 }
    await world.db.insertInto('plan_usage').values(used).execute()
    // Each cart three times, in three jobs.
    for (const n of [1, 2, 3]) {
      const reply = await world.request('POST', '/api/carts/send', {
        token: shop.token,
        body: { channel: 'sms', cartIds: shop.cartIds, body: `${n}: {{ checkout_link }}` },
      })
      expect(reply.status).toBe(200)
    }
    await fiftySenders(shop.storeId)
    expect(world.texts).toHaveLength(7)
    expect(new Set(world.texts.map((text) => text.to)).size).toBe(7)
    const rows = await world.db
      .selectFrom('messages')
      .select(['state', 'reason'])
      .where('store_id', '=', shop.storeId)
      .execute()
    const refused = rows.filter((row) => row.state === 'skipped').map((row) => row.reason)
    expect(refused).toHaveLength(29)
    expect([...new Set(refused)].sort()).toEqual(['cooldown', 'plan_limit'])
    const counted = await world.db
      .selectFrom('plan_usage')
      .select('used')
      .where('account_id', '=', shop.accountId)
      .where('channel', '=', 'sms')
      .executeTakeFirstOrThrow()
    expect(counted.used).toBe(100)
  })
})
