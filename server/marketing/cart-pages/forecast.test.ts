import { beforeEach, expect, test } from 'vitest'
import type { MessageView } from '../../../shared/carts/carts.ts'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { grantConsent, takeGermanPhone } from '../../../test/manual-send-scene.ts'
import { advanceToAbandoned, DAY, MINUTE, passTime, readMessages } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'

// The forecast on a cart's page matches the forecast on the page of its flow.

const world = createWorld()
let store: TestStore

beforeEach(async () => {
  // Afternoon in Germany.
  world.now = new Date(`${new Date(world.now.getTime() + DAY).toISOString().slice(0, 10)}T14:00:00Z`)
  store = await createStore(world, { plan: 'growth' })
})

const request = (method: string, path: string, body?: object) =>
  world.request(method, path, { token: store.token, ...(body && { body }) })

/** Reachable by email, or else by SMS; the first step is due in an hour. */
async function abandonCart({ isMailed }: { isMailed: boolean }): Promise<string> {
  const order = buildOrder(world, { country: 'DE', phone: takeGermanPhone() })
  await recordOrders(world.deps, store.storeId, [order], 'sync')
  await grantConsent(world, store, order)
  const abandon_at = new Date(world.now.getTime() + 15 * MINUTE)
  await world.db
    .updateTable('carts')
    .set({ abandon_at, ...(!isMailed && { email: null }) })
    .where('store_id', '=', store.storeId)
    .execute()
  await world.pool.query(`update flow_steps set fallback = '{sms}' where store_id = $1`, [store.storeId])
  await advanceToAbandoned(world, store.storeId, 45 * MINUTE)
  return (await readMessages(world, store.storeId))[0]!.cart_id!
}

const readMessageViews = async (cartId: string): Promise<MessageView[]> =>
  (await request('GET', `/api/carts/${cartId}/messages`)).body.messages
const upcoming = async () => (await request('GET', `/api/flows/${store.flowId}/upcoming`)).body

test('the forecast names the fallback channel of a message, and the reason', async () => {
  const cartId = await abandonCart({ isMailed: false })
  const [first] = await readMessageViews(cartId)
  expect(first).toMatchObject({ step: 1, channel: 'email', state: 'scheduled', variant: null })
  expect(first!.forecast).toMatchObject({ channel: 'sms', isExpected: true })
  expect(first!.forecast!.explanation).toMatch(/^By email: /)
  expect((await upcoming()).messages).toMatchObject([{ step: 1, channel: 'sms' }])
  await passTime(world, store.storeId, 15 * MINUTE)
  expect((await readMessageViews(cartId))[0]).toMatchObject({ channel: 'sms', state: 'sent', forecast: null })
})

test('the forecast names messages expected on time, to the last one, and those known not to be sent, with the reason', async () => {
  const cartId = await abandonCart({ isMailed: true })
  const plain = { channel: 'email', isExpected: true, explanation: '' }
  expect((await readMessageViews(cartId)).map(({ forecast }) => forecast)).toEqual([plain, plain, plain])
  const conditions = {
    match: 'all',
    groups: [{ match: 'all', conditions: [{ fact: 'items', is: 'at_least', count: 999 }] }],
  }
  await world.pool.query('update flow_steps set conditions = $2 where store_id = $1 and step = 1', [
    store.storeId,
    JSON.stringify(conditions),
  ])
  const [first, second] = await readMessageViews(cartId)
  const { notSent } = await upcoming()
  expect(first!.forecast).toEqual({ channel: 'email', isExpected: false, explanation: notSent[0].explanation })
  expect(second!.forecast).toMatchObject({ isExpected: true })
})

test('the forecast names the variant of a split message before the send, as it will be used', async () => {
  const cartId = await abandonCart({ isMailed: true })
  const { flows } = (await request('GET', '/api/flows')).body
  const steps = flows[0].steps.map(({ id, delayMinutes, variants: [own] }: (typeof flows)[0]['steps'][0]) => ({
    id,
    delayMinutes,
    variants: [
      { id: own.id, sharePercent: 1, words: {} },
      { sharePercent: 99, words: { email: { subject: 'Other', body: own.words.email.body } } },
    ],
  }))
  const saved = await request('PUT', `/api/flows/${store.flowId}`, { name: flows[0].name, steps })
  expect([saved.status, saved.body.error]).toEqual([200, undefined])
  const planned = (await readMessageViews(cartId)).map(({ variant }) => variant)
  expect(planned.every((variant) => variant === 'A' || variant === 'B')).toBe(true)
  await passTime(world, store.storeId, 15 * MINUTE)
  const [sent] = await readMessageViews(cartId)
  expect(sent).toMatchObject({ state: 'sent', variant: planned[0] })
  expect(sent!.subject === 'Other').toBe(planned[0] === 'B')
})
