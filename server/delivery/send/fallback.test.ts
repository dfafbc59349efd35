import { beforeEach, describe, expect, test } from 'vitest'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { grantConsent, takeGermanPhone } from '../../../test/manual-send-scene.ts'
import { DAY, HOUR, MINUTE, passTime, readMessages } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createToken } from '../../carts/links/message-tokens.ts'
import { createId } from '../../core/common/ids.ts'
import { unsubscribe } from '../preferences/unsubscribe.ts'

// A step with several channels is sent by the first usable one only (decision 54, D1).

const world = createWorld()
let answer: typeof world.answer
let store: TestStore

beforeEach(async () => {
  answer ??= world.answer
  world.answer = answer
  world.textChannels.sms = true
  world.texts.length = 0
  world.sent.length = 0
  world.now = new Date(`${new Date(world.now.getTime() + DAY).toISOString().slice(0, 10)}T09:00:00Z`)
  store = await createStore(world, { plan: 'growth' })
})

const call = (method: string, url: string, body?: object) =>
  world.request(method, url, { token: store.token, ...(body && { body }) })

async function setChannels(channels: string[]) {
  const { flows } = (await call('GET', '/api/flows')).body
  const steps = flows[0].steps.map((step: object) => ({ ...step, channels }))
  const saved = await call('PUT', `/api/flows/${store.flowId}`, { name: 'Reminders', steps })
  expect([saved.status, saved.body.error]).toEqual([200, undefined])
}

/** For a German shopper who has consented to all channels. */
async function createCart(more: Parameters<typeof buildOrder>[1] = {}) {
  const order = buildOrder(world, { country: 'DE', phone: takeGermanPhone(), ...more })
  await recordOrders(world.deps, store.storeId, [order], 'sync')
  await grantConsent(world, store, { ...order, email: order.email ?? `${createId()}@shoppers.example` })
  return order
}

const first = async () => (await readMessages(world, store.storeId)).find(({ step }) => step === 1)!

/** Its decisions as text. */
async function readFirstExplanations(): Promise<string[]> {
  const { id, cart_id: cartId } = await first()
  const { messages } = (await call('GET', `/api/carts/${cartId}/messages`)).body
  const { decisions } = messages.find((message: { id: string }) => message.id === id)
  return decisions.map(({ explanation }: { explanation: string }) => explanation)
}

const readLastRecord = async () =>
  await world.db
    .selectFrom('decision_records')
    .select(['outcome', 'reason', 'inputs'])
    .where('store_id', '=', store.storeId)
    .where('message_id', '=', (await first()).id)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .where('outcome', '<>', 'result')
    .limit(1)
    .executeTakeFirstOrThrow()

test('a message is sent by its first usable channel and keeps no other', async () => {
  await setChannels(['email', 'sms'])
  await createCart()
  await passTime(world, store.storeId, HOUR)
  expect([world.sent.length, world.texts.length]).toEqual([1, 0])
  expect(await first()).toMatchObject({ channel: 'email', channels: null, state: 'sent' })
})

test('without an email address the SMS is sent, and the record explains the skipped email', async () => {
  await setChannels(['email', 'sms'])
  const { phone } = await createCart({ email: null })
  await passTime(world, store.storeId, HOUR)
  expect(world.sent).toEqual([])
  expect(world.texts.map(({ to }) => to)).toEqual([phone])
  expect(world.texts[0]!.text).toContain('Reply STOP')
  expect(await first()).toMatchObject({ channel: 'sms', channels: null, state: 'sent' })
  expect((await readLastRecord()).inputs).toMatchObject({
    channel: 'sms',
    otherChannels: [{ channel: 'email', reason: 'no_contact' }],
  })
  expect((await readFirstExplanations()).at(-2)).toContain('By email: No usable email address has been captured yet.')
  // The forecast shows the same.
  const { messages } = (await call('GET', `/api/flows/${store.flowId}/upcoming?minutes=1440`)).body
  expect(messages).toMatchObject([{ step: 2, channel: 'sms', to: phone }])
})

test('a message without a usable channel waits for the one that is free first', async () => {
  await setChannels(['email', 'sms'])
  world.now = new Date(`${world.now.toISOString().slice(0, 10)}T20:30:00Z`)
  await createCart({ email: null })
  await passTime(world, store.storeId, HOUR)
  // Night in Germany: the number is known, the email is not.
  expect(await first()).toMatchObject({
    channel: 'sms',
    channels: ['email', 'sms'],
    state: 'held',
    reason: 'quiet_hours',
  })
  expect(await readFirstExplanations()).toEqual([
    'By SMS: It is within quiet hours where the shopper lives. By email: No usable email address has been captured yet.',
  ])
  await passTime(world, store.storeId, 10 * HOUR)
  expect(world.texts).toHaveLength(1)
})

describe('a sent message never uses another channel', () => {
  test('after a bounce or an unknown outcome', async () => {
    for (const [outcome, state] of [
      [{ kind: 'rejected', reason: 'rejected', response: '550 no', isRecipientFault: true }, 'failed'],
      [{ kind: 'unknown', reason: 'unknown', response: 'no answer' }, 'unknown'],
    ] as const) {
      world.answer = () => outcome
      await setChannels(['email', 'sms'])
      await createCart()
      await passTime(world, store.storeId, HOUR)
      expect((await readMessages(world, store.storeId)).filter(({ step }) => step === 1).at(-1)!.state).toBe(state)
      await passTime(world, store.storeId, HOUR)
      expect(world.texts).toEqual([])
      store = await createStore(world, { plan: 'growth' })
    }
  })

  test('after a temporary refusal: the retry uses the same channel, even if the step has changed', async () => {
    await setChannels(['email', 'sms'])
    await createCart()
    world.answer = () => ({ kind: 'retry', reason: 'greylisted', response: '451 later' })
    await passTime(world, store.storeId, HOUR)
    expect(await first()).toMatchObject({ channel: 'email', channels: null, state: 'held', reason: 'retry' })
    await setChannels(['sms', 'email'])
    expect(await first()).toMatchObject({ channel: 'email', channels: null })
    world.answer = answer
    await passTime(world, store.storeId, 30 * MINUTE)
    expect(world.texts).toEqual([])
    expect(await first()).toMatchObject({ channel: 'email', state: 'sent' })
  })
})

test('the database refuses a second message of a step by another channel (D1)', async () => {
  await setChannels(['email', 'sms'])
  await createCart()
  await passTime(world, store.storeId, HOUR)
  const { id } = await first()
  const copy = world.pool.query(
    `insert into messages (store_id, id, shopper_id, cart_id, origin_kind, origin_id, step_id, step, channel, state, due_at, expires_at, wake_at,
      created_at, updated_at)
    select store_id, gen_random_uuid(), shopper_id, cart_id, origin_kind, origin_id, step_id, step, 'sms', 'scheduled', due_at, expires_at, wake_at,
      created_at, updated_at from messages where id = $1`,
    [id],
  )
  await expect(copy).rejects.toThrow(/messages_once_per_cart/)
})

test('an unsubscribe from one channel keeps the other and closes messages that have only that channel', async () => {
  await setChannels(['email', 'sms'])
  await createCart()
  await passTime(world, store.storeId, HOUR)
  await unsubscribe(world.deps, createToken(world.deps.secrets, 'unsubscribe', (await first()).id), 'one-click')
  expect((await readMessages(world, store.storeId)).map(({ state }) => state)).toEqual([
    'sent',
    'scheduled',
    'scheduled',
  ])
  await passTime(world, store.storeId, DAY)
  expect([world.sent.length, world.texts.length]).toEqual([1, 1])
})
