import { beforeEach, describe, expect, test } from 'vitest'
import type { FlowConditions } from '../../../shared/carts/flow-conditions.ts'
import type { MessagePreview } from '../../../shared/delivery/reminders.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE, pot, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'

// The preview of a message for a cart explains whether the flow matches that cart (decisions 51 and 52).

const world = createWorld()
let shop: Shop
let n = 0

beforeEach(async () => {
  world.now = new Date(`${new Date(world.now.getTime() + DAY).toISOString().slice(0, 10)}T09:00:00Z`)
  shop = await createShop(world, { plan: 'starter' })
})

const above = (amount: number): FlowConditions => ({
  match: 'all',
  groups: [{ match: 'all', conditions: [{ fact: 'value', is: 'above', amount }] }],
})

const call = (method: string, url: string, body?: object) =>
  world.request(method, url, { token: shop.token, ...(body && { body }) })

const setEntry = (conditions: FlowConditions | null, flowId = shop.flowId) =>
  world.db
    .updateTable('flows')
    .set({ conditions: JSON.stringify(conditions) as never })
    .where('id', '=', flowId)
    .execute()

/** A cart that can be abandoned or still active. */
async function createCart({ isLeft: isAbandoned = true, items = [buildTea()] } = {}): Promise<string> {
  const browser = `t${++n}`
  await shop.fill(browser, items)
  await shop.type(browser, { email: `taken${n}@shoppers.example.com` })
  if (isAbandoned) {
    const abandoned = { abandon_at: new Date(world.now.getTime() + 15 * MINUTE) }
    await world.db.updateTable('carts').set(abandoned).where('store_id', '=', shop.storeId).execute()
    await shop.passTime(20 * MINUTE)
  }
  return (await shop.liveCarts()).at(-1)!.id
}

async function decisionFor(cartId: string, body: object = {}, flowId = shop.flowId) {
  const reply = await call('POST', `/api/flows/${flowId}/preview`, { step: 1, cartId, ...body })
  expect(reply.status).toBe(200)
  return (reply.body as MessagePreview).decision!
}

async function createFlow(more: object): Promise<string> {
  const { body } = await call('POST', '/api/flows', { from: 'ready_email' })
  const id: string = body.flow.id
  await world.db.updateTable('flows').set(more).where('id', '=', id).execute()
  return id
}

test("a cart outside the flow's conditions gets no message, and the preview names the unmet condition", async () => {
  await setEntry(above(49.99))
  const small = await createCart()
  expect(await decisionFor(small)).toEqual({
    outcome: 'skip',
    reason: 'not_taken:conditions',
    until: null,
    explanation: 'This flow does not handle this cart: the cart does not meet its conditions.',
    unmet: {
      of: 'flow',
      conditionValues: { value: { minor: 2_100, currency: 'USD' } },
      conditionsUnmet: { currency: 'USD', conditions: [{ fact: 'value', is: 'above', amount: 49.99 }] },
    },
  })
  expect(await decisionFor(await createCart({ items: [pot] }))).toMatchObject({ outcome: 'send', unmet: null })
})

test('unsaved flow conditions count', async () => {
  const active = await createCart({ isLeft: false })
  expect(await decisionFor(active, { entry: above(49.99) })).toMatchObject({ reason: 'not_taken:conditions' })
  expect(await decisionFor(active, { entry: above(1) })).toMatchObject({ reason: 'cart_active' })
})

test('a cart stays with its flow after the conditions change', async () => {
  const cart = await createCart()
  await setEntry(above(49.99))
  expect(await decisionFor(cart)).toMatchObject({ outcome: 'send', reason: 'ok' })
})

describe('a higher-priority flow', () => {
  test('is named if it already has the cart', async () => {
    const cart = await createCart()
    const below = await createFlow({ is_on: true, takes_from: new Date(world.now.getTime() - DAY) })
    expect((await decisionFor(cart, {}, below)).explanation).toMatch(
      /^This flow does not handle this cart: the cart belongs to “/,
    )
  })

  test('is named if it will match the cart, unless it is inactive or does not match', async () => {
    const below = await createFlow({ is_on: true, takes_from: new Date(world.now.getTime() - DAY) })
    const active = await createCart({ isLeft: false })
    expect((await decisionFor(active, {}, below)).explanation).toMatch(/“.+” is above this flow and handles it\.$/)
    await setEntry(above(49.99))
    expect(await decisionFor(active, {}, below)).toMatchObject({ reason: 'cart_active' })
    await setEntry(null)
    await world.db.updateTable('flows').set({ is_on: false }).where('id', '=', shop.flowId).execute()
    expect(await decisionFor(active, {}, below)).toMatchObject({ reason: 'cart_active' })
  })
})

test('a cart abandoned before activation, or matched by no flow at that time, gets no message', async () => {
  await setEntry(above(49.99))
  const untaken = await createCart()
  await setEntry(null)
  expect(await decisionFor(untaken)).toMatchObject({ outcome: 'skip', reason: 'not_taken:left_untaken' })
  await world.db.updateTable('flows').set({ takes_from: world.now }).where('id', '=', shop.flowId).execute()
  expect(await decisionFor(untaken)).toMatchObject({ outcome: 'skip', reason: 'not_taken:left_before' })
  // For an inactive flow, the preview says only that.
  await world.db.updateTable('flows').set({ is_on: false }).where('id', '=', shop.flowId).execute()
  expect(await decisionFor(untaken)).toMatchObject({ outcome: 'hold', reason: 'flow_off' })
})

test("the preview shows saved and unsaved message conditions with the cart's values", async () => {
  const cart = await createCart()
  const unmet = { of: 'step', conditionsUnmet: { conditions: [{ amount: 49.99 }] } }
  expect(await decisionFor(cart, { conditions: above(49.99) })).toMatchObject({
    outcome: 'skip',
    reason: 'condition',
    unmet,
  })
  const added = { step: undefined, channel: 'email', subject: 'Hello', body: '{{ checkout_link }}' }
  expect(await decisionFor(cart, { ...added, conditions: above(49.99) })).toMatchObject({ reason: 'condition', unmet })
  expect(await decisionFor(cart, { ...added, conditions: above(1) })).toMatchObject({ outcome: 'send', unmet: null })
  await setEntry(above(49.99))
  expect(await decisionFor(await createCart(), added)).toMatchObject({ reason: 'not_taken:conditions' })
})

test('the preview shows only the purchase for a purchased cart', async () => {
  await setEntry(above(49.99))
  const cart = await createCart()
  await shop.passTime(HOUR)
  await world.db.updateTable('carts').set({ status: 'purchased' }).where('id', '=', cart).execute()
  expect(await decisionFor(cart)).toMatchObject({ reason: 'purchased' })
})
