import { beforeEach, expect, test } from 'vitest'
import type { MessageView } from '../../../shared/carts.ts'
import { consent, germanPhone } from '../../../test/by-hand-scene.ts'
import { anOrder, aStore, type TestStore } from '../../../test/factories.ts'
import { DAY, MINUTE, messagesOf, pass, wait } from '../../../test/message-scene.ts'
import { aWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'

// What the page of a cart says of its planned messages: what the page of their flow says.

const world = aWorld()
let store: TestStore

beforeEach(async () => {
  // Afternoon in Germany.
  world.now = new Date(`${new Date(world.now.getTime() + DAY).toISOString().slice(0, 10)}T14:00:00Z`)
  store = await aStore(world, { plan: 'growth' })
})

const request = (method: string, path: string, body?: object) =>
  world.request(method, path, { token: store.token, ...(body && { body }) })

/** By email, else by SMS; the first step in an hour. */
async function left({ isMailed }: { isMailed: boolean }): Promise<string> {
  const order = anOrder(world, { country: 'DE', phone: germanPhone() })
  await recordOrders(world.deps, store.storeId, [order], 'sync')
  await consent(world, store, order)
  const abandon_at = new Date(world.now.getTime() + 15 * MINUTE)
  await world.db
    .updateTable('carts')
    .set({ abandon_at, ...(!isMailed && { email: null }) })
    .where('store_id', '=', store.storeId)
    .execute()
  await world.pool.query(`update flow_steps set fallback = '{sms}' where store_id = $1`, [store.storeId])
  await wait(world, store.storeId, 45 * MINUTE)
  return (await messagesOf(world, store.storeId))[0]!.cart_id!
}

const shown = async (cartId: string): Promise<MessageView[]> =>
  (await request('GET', `/api/carts/${cartId}/messages`)).body.messages
const upcoming = async () => (await request('GET', `/api/flows/${store.flowId}/upcoming`)).body

test('a message that has another channel to go by is said to go by that one, and why', async () => {
  const cartId = await left({ isMailed: false })
  const [first] = await shown(cartId)
  expect(first).toMatchObject({ step: 1, channel: 'email', state: 'scheduled', variant: null })
  expect(first!.forecast).toMatchObject({ channel: 'sms', isExpected: true })
  expect(first!.forecast!.explanation).toMatch(/^By email: /)
  expect((await upcoming()).messages).toMatchObject([{ step: 1, channel: 'sms' }])
  await pass(world, store.storeId, 15 * MINUTE)
  expect((await shown(cartId))[0]).toMatchObject({ channel: 'sms', state: 'sent', forecast: null })
})

test('what goes as it was planned is said to, until the last one, and what is known not to go is said with its reason', async () => {
  const cartId = await left({ isMailed: true })
  const plain = { channel: 'email', isExpected: true, explanation: '' }
  expect((await shown(cartId)).map(({ forecast }) => forecast)).toEqual([plain, plain, plain])
  const conditions = {
    match: 'all',
    groups: [{ match: 'all', conditions: [{ fact: 'items', is: 'at_least', count: 999 }] }],
  }
  await world.pool.query('update flow_steps set conditions = $2 where store_id = $1 and step = 1', [
    store.storeId,
    JSON.stringify(conditions),
  ])
  const [first, second] = await shown(cartId)
  const { notSent } = await upcoming()
  expect(first!.forecast).toEqual({ channel: 'email', isExpected: false, explanation: notSent[0].explanation })
  expect(second!.forecast).toMatchObject({ isExpected: true })
})

test('of a split message the variant is named before it goes, and is the one it then has', async () => {
  const cartId = await left({ isMailed: true })
  const { flows } = (await request('GET', '/api/flows')).body
  const steps = flows[0].steps.map(({ id, delayMinutes, variants: [own] }: (typeof flows)[0]['steps'][0]) => ({
    ...{ id, delayMinutes },
    variants: [
      { id: own.id, sharePercent: 1, words: {} },
      { sharePercent: 99, words: { email: { subject: 'Other', body: own.words.email.body } } },
    ],
  }))
  const saved = await request('PUT', `/api/flows/${store.flowId}`, { name: flows[0].name, steps })
  expect([saved.status, saved.body.error]).toEqual([200, undefined])
  const planned = (await shown(cartId)).map(({ variant }) => variant)
  expect(planned.every((variant) => variant === 'A' || variant === 'B')).toBe(true)
  await pass(world, store.storeId, 15 * MINUTE)
  const [sent] = await shown(cartId)
  expect(sent).toMatchObject({ state: 'sent', variant: planned[0] })
  expect(sent!.subject === 'Other').toBe(planned[0] === 'B')
})
