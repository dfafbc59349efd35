import { beforeEach, expect, test } from 'vitest'
import type { FlowConditions } from '../../../shared/carts/flow-conditions.ts'
import { explain } from '../../../shared/delivery/reasons.ts'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { advanceToAbandoned, HOUR, readMessages } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'

// Several flows in a store: which flow a cart belongs to (decision 51); creating, ordering and deleting flows.

const world = createWorld()

let store: TestStore

beforeEach(async () => {
  store = await createStore(world, { plan: 'starter' })
})

const call = (method: string, url: string, body?: object) =>
  world.request(method, url, { token: store.token, ...(body && { body }) })

const flows = async () => (await call('GET', '/api/flows')).body.flows

const only = (condition: FlowConditions['groups'][number]['conditions'][number]): FlowConditions => ({
  match: 'all',
  groups: [{ match: 'all', conditions: [condition] }],
})
const above = (amount: number) => only({ fact: 'value', is: 'above', amount })

/** Creates an active flow with these conditions before the store's first flow. */
async function createEarlierFlow(conditions: FlowConditions | null): Promise<string> {
  const { id, steps } = (await call('POST', '/api/flows', { from: 'ready_email' })).body.flow
  const saved = await call('PUT', `/api/flows/${id}`, { name: 'First', conditions, steps })
  expect(saved.status).toBe(200)
  const others = (await flows()).map((flow: { id: string }) => flow.id).filter((each: string) => each !== id)
  expect((await call('PUT', '/api/flows/order', { flowIds: [id, ...others] })).status).toBe(200)
  await call('POST', `/api/flows/${id}/switch`, { isOn: true })
  return id
}

const readCart = async () =>
  world.db
    .selectFrom('carts')
    .select(['id', 'status', 'flow_id', 'flow_choice'])
    .where('store_id', '=', store.storeId)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()

async function createCart(more: Parameters<typeof buildOrder>[1] = {}) {
  const order = buildOrder(world, more)
  await recordOrders(world.deps, store.storeId, [order], 'sync')
  await advanceToAbandoned(world, store.storeId, HOUR)
  return order
}

const origins = async () => [...new Set((await readMessages(world, store.storeId)).map(({ origin_id }) => origin_id))]

test('a cart belongs to the first active flow whose conditions match, with the reason on record', async () => {
  const first = await createEarlierFlow(above(1_000))
  await createCart()
  const small = await readCart()
  expect(small.flow_id).toBe(store.flowId)
  expect(small.flow_choice).toMatchObject({
    flows: [
      { id: first, holds: false },
      { id: store.flowId, holds: true },
    ],
    values: { value: { currency: 'USD' } },
  })
  expect(await origins()).toEqual([store.flowId])
  await call('PUT', `/api/flows/${first}`, { name: 'First', conditions: above(1), steps: await readSteps(first) })
  await createCart()
  expect((await readCart()).flow_id).toBe(first)
  expect((await origins()).sort()).toEqual([first, store.flowId].sort())
})

const readSteps = async (id: string) => (await flows()).find((flow: { id: string }) => flow.id === id).steps

test('the first flow matches if no flow has conditions', async () => {
  const first = await createEarlierFlow(null)
  await createCart()
  const cart = await readCart()
  expect(cart.flow_id).toBe(first)
  expect(cart.flow_choice).toMatchObject({ flows: [{ id: first, holds: true }], values: {} })
  expect(await origins()).toEqual([first])
  // Activating with the last 24 hours adds only carts that no other flow has matched.
  const wouldAdd = async (id: string) => (await call('GET', `/api/flows/${id}/upcoming`)).body.cartsOfLast24h
  expect([await wouldAdd(first), await wouldAdd(store.flowId)]).toEqual([1, 0])
})

test('a cart keeps its flow for the episode when flows are reordered or deactivated', async () => {
  const first = await createEarlierFlow(above(1))
  const order = await createCart()
  expect((await readCart()).flow_id).toBe(first)
  await call('PUT', '/api/flows/order', { flowIds: [store.flowId, first] })
  await call('POST', `/api/flows/${first}/switch`, { isOn: false })
  // Active again before any send, then abandoned again (S2).
  const modifiedAt = new Date(world.now.getTime() + 60_000).toISOString()
  world.advance(60_000)
  const items = order.items.map((item) => ({ ...item, quantity: 3 }))
  await recordOrders(world.deps, store.storeId, [{ ...order, items, totalMinor: 6_300, modifiedAt }], 'sync')
  expect((await readCart()).status).toBe('active')
  await advanceToAbandoned(world, store.storeId, 2 * HOUR)
  expect((await readCart()).flow_id).toBe(first)
  expect(await origins()).toEqual([first])
  // Deactivated: planned messages stay, and the send decision holds them (D5).
  expect((await readMessages(world, store.storeId)).map(({ state }) => state)).toEqual([
    'scheduled',
    'scheduled',
    'scheduled',
  ])
})

test('a cart that matches no flow belongs to none', async () => {
  const first = await createEarlierFlow(above(1_000))
  await call('POST', `/api/flows/${store.flowId}/switch`, { isOn: false })
  await createCart()
  const cart = await readCart()
  expect(cart).toMatchObject({ flow_id: null, flow_choice: { flows: [{ id: first, holds: false }] } })
  expect(await readMessages(world, store.storeId)).toEqual([])
})

test('only an inactive flow can be deleted; its open messages are cancelled and the others move up', async () => {
  const first = await createEarlierFlow(null)
  await createCart()
  const refused = await call('DELETE', `/api/flows/${first}`)
  expect([refused.status, refused.body.error]).toEqual([422, 'Switch the flow off before you delete it.'])
  await call('POST', `/api/flows/${first}/switch`, { isOn: false })
  expect((await call('DELETE', `/api/flows/${first}`)).body).toEqual({ ok: true, cancelled: 3 })
  const messages = await readMessages(world, store.storeId)
  expect(messages.map(({ state, reason }) => `${state} ${reason}`)).toEqual(Array(3).fill('cancelled flow_removed'))
  expect((await flows()).map(({ id, position }: { id: string; position: number }) => [id, position])).toEqual([
    [store.flowId, 1],
  ])
})

test('a copy has its own text and follows the first flow', async () => {
  const last = (await call('POST', '/api/flows', { from: 'win_back' })).body.flow
  const copy = (await call('POST', `/api/flows/${store.flowId}/copy`)).body.flow
  expect(copy).toMatchObject({ name: 'Abandoned cart reminders (copy)', isOn: false, position: 2 })
  expect((await flows()).map(({ id }: { id: string }) => id)).toEqual([store.flowId, copy.id, last.id])
  const [step] = copy.steps
  const texts = { email: { subject: 'Other', body: 'Other {{ checkout_link }}' } }
  const steps = [{ id: step.id, delayMinutes: 60, variants: [{ ...step.variants[0], words: texts }] }]
  expect((await call('PUT', `/api/flows/${copy.id}`, { name: 'Copy', steps })).body.flow.steps[0].subject).toBe('Other')
  expect((await readSteps(store.flowId))[0].subject).not.toBe('Other')
})

test('a copy restarts the variant letters, in order and with the text of each variant', async () => {
  const { name, steps } = (await flows())[0]
  const [step] = steps
  const createTexts = (subject: string) => ({ email: { subject, body: 'Your cart: {{ checkout_link }}' } })
  const save = async (variants: object[]) =>
    (await call('PUT', `/api/flows/${store.flowId}`, { name, steps: [{ id: step.id, delayMinutes: 60, variants }] }))
      .body.flow
  type StoredVariant = { id: string; name: string; words: { email: { subject: string } } }
  const letters = (of: { steps: { variants: StoredVariant[] }[] }) =>
    of.steps[0]!.variants.map(({ name: letter, words: { email } }) => `${letter} ${email.subject}`)
  const share = (id: string | null, sharePercent: number, subject: string) => ({
    sharePercent,
    words: createTexts(subject),
    ...(id && { id }),
  })
  const two = await save([share(step.variants[0].id, 50, 'one'), share(null, 50, 'two')])
  const [a] = two.steps[0].variants
  const split = await save([share(a.id, 40, 'one'), share(null, 30, 'three'), share(null, 30, 'four')])
  expect(letters(split)).toEqual(['A one', 'C three', 'D four'])
  const copy = (await call('POST', `/api/flows/${store.flowId}/copy`)).body.flow
  expect(letters(copy)).toEqual(['A one', 'B three', 'C four'])
  // Removing the first keeps the test going with the copy's own text.
  const [, c, d] = split.steps[0].variants
  expect(letters(await save([share(d.id, 50, 'four'), share(c.id, 50, 'three')]))).toEqual(['D four', 'C three'])
  const second = (await call('POST', `/api/flows/${store.flowId}/copy`)).body.flow
  expect(letters(second)).toEqual(['A four', 'B three'])
  expect(second.steps[0].subject).toBe('four')
  expect(letters(await save([share(c.id, 100, 'three')]))).toEqual(['C three'])
  expect(letters((await call('POST', `/api/flows/${store.flowId}/copy`)).body.flow)).toEqual(['A three'])
  expect(letters((await flows())[0])).toEqual(['C three'])
})

test('the API rejects an order that does not name all flows', async () => {
  const other = (await call('POST', '/api/flows', { from: 'ready_email' })).body.flow.id
  expect((await call('PUT', '/api/flows/order', { flowIds: [other] })).status).toBe(409)
  expect((await call('PUT', '/api/flows/order', { flowIds: [other, other, store.flowId] })).status).toBe(422)
  const strange = await createStore(world)
  expect((await call('PUT', '/api/flows/order', { flowIds: [other, strange.flowId] })).status).toBe(404)
})

test('every library entry creates an inactive flow with the announced content', async () => {
  for (const from of ['ready_email', 'email_sms', 'high_value', 'win_back', 'last_discount']) {
    const { flow } = (await call('POST', '/api/flows', { from })).body
    expect([from, flow.isOn, flow.steps.length > 1]).toEqual([from, false, true])
  }
  const [, , sms, valuable] = await flows()
  expect(sms.steps[0]).toMatchObject({ channels: ['email', 'sms'] })
  expect(sms.steps[0].sms).toContain('Reply STOP')
  expect(valuable.conditions).toEqual(above(100))
})

test('every library entry names what it needs and the store lacks', async () => {
  const missing = async () =>
    Object.fromEntries(
      (await call('GET', '/api/flows')).body.library.map((each: { key: string; missing: string[] }) => [
        each.key,
        each.missing,
      ]),
    )
  const noCoupon = 'There is no coupon yet. Create one under Coupons, or choose one later.'
  const noPlan = explain('plan_required')
  expect(await missing()).toEqual({
    ready_email: [],
    email_sms: [noPlan],
    high_value: [],
    win_back: [],
    last_discount: [noCoupon],
  })
  await world.db
    .updateTable('stores')
    .set({ postal_address: '', sender_name: '' })
    .where('id', '=', store.storeId)
    .execute()
  const sender = [
    'Enter the sender name shown in your emails.',
    'Enter your postal address: the law requires it in marketing emails.',
  ]
  expect(await missing()).toEqual({
    ready_email: sender,
    email_sms: [...sender, noPlan],
    high_value: sender,
    win_back: sender,
    last_discount: [...sender, noCoupon],
  })
})
