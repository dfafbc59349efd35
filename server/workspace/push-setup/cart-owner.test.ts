import { beforeEach, expect, test } from 'vitest'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { DAY, HOUR, MINUTE, passTime, readMessages } from '../../../test/message-scene.ts'
import {
  createTestBrowser,
  fillBrowserCart,
  postFromPage,
  readStoreUrl,
  setUpPush,
  subscribeBrowser,
  type TestBrowser,
} from '../../../test/push-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { foldStorePosts } from '../../carts/capture/capture-intake.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createRestoreToken } from '../../delivery/compose/compose.ts'
import { hashBrowserTokens } from '../../shoppers/shoppers/rules.ts'

// Anyone can type another person's address at the checkout and is then taken for that person (S6). The person's cart
// must still not appear in that browser.
// So a cart's notification goes only to browsers that have reported its current contents (decision 72).

const world = createWorld()
let store: TestStore
let answerPush: typeof world.answerPush
const ANN = 'ann@shoppers.example'

beforeEach(async () => {
  answerPush ??= world.answerPush
  world.answerPush = answerPush
  world.pushes.length = 0
  // Late morning in New York, the store's time zone.
  world.now = new Date(`${new Date(world.now.getTime() + DAY).toISOString().slice(0, 10)}T15:00:00Z`)
  store = await createStore(world, { isFlowOn: false, plan: 'growth' })
  await world.db
    .updateTable('stores')
    .set({ abandonment_timeout_minutes: 60, effective_timeout_minutes: 60 })
    .where('id', '=', store.storeId)
    .execute()
})

async function switchOn(change: object = {}): Promise<void> {
  const settings = { enabled: true, frequency: 'immediate', delay: 0, maxNotifications: 1, title: 'Hi', ...change }
  const body = { storeUrl: await readStoreUrl(world, store), settings: { body: '{{ cart_items }}', ...settings } }
  const reply = await world.request('POST', '/push-notifications/save-settings', { token: store.token, body })
  expect([reply.status, reply.body.error]).toEqual([200, undefined])
}

type Goods = Parameters<typeof fillBrowserCart>[4]

/** A different client each time (X5). */
async function subscribed(
  email: string | undefined,
  items: Goods,
  browser = createTestBrowser(),
): Promise<TestBrowser & { token: string }> {
  const more = { ...(email && { email }), ...(items && { items }), ip: `198.51.100.${browser.cart.charCodeAt(0)}` }
  const reply = await subscribeBrowser(world, store, browser, more)
  expect([reply.status, reply.body.error]).toEqual([200, undefined])
  world.advance(MINUTE)
  return { ...browser, token: reply.body.token }
}

async function changes(browser: TestBrowser, items: Goods, email?: string): Promise<void> {
  await fillBrowserCart(world, store, browser, email, items)
  await foldStorePosts(world.deps, { storeId: store.storeId, db: world.db })
  world.advance(MINUTE)
}

const sendNext = () => passTime(world, store.storeId, HOUR + MINUTE)
const of = (...browsers: TestBrowser[]) => browsers.map(({ subscription }) => subscription.endpoint)
const went = () => world.pushes.map(({ subscription }) => subscription.endpoint)

test("a cart is shown only in its person's own browser after someone else types their address", async () => {
  await switchOn()
  const anns = await subscribed(ANN, [16])
  await subscribed(ANN, [17])
  await changes(anns, [16, 18])
  await sendNext()
  expect(went()).toEqual(of(anns))
  expect(world.pushes[0]!.payload.body).toBe('Earl Grey and 1 more')
})

test('a notification waits and reaches no one if the person has no subscription', async () => {
  await switchOn()
  const anns = createTestBrowser()
  await changes(anns, [16], ANN)
  await subscribed(ANN, [17])
  await changes(anns, [16, 18])
  await sendNext()
  expect(went()).toEqual([])
  expect((await readMessages(world, store.storeId))[0]).toMatchObject({ state: 'held', reason: 'no_contact' })
  await subscribed(ANN, [16, 18], anns)
  await passTime(world, store.storeId, MINUTE)
  expect(went()).toEqual(of(anns))
})

test('a lost subscription does not fall back to a browser that did not fill the cart', async () => {
  await switchOn()
  const anns = await subscribed(ANN, [16])
  await subscribed(ANN, [17])
  await changes(anns, [16, 18])
  world.answerPush = () => ({ kind: 'gone', response: '410' })
  await sendNext()
  expect(went()).toEqual(of(anns))
  expect((await readMessages(world, store.storeId))[0]).toMatchObject({ state: 'failed', reason: 'rejected:push_gone' })
})

test('a product added by an order belongs to no browser, until one reports it', async () => {
  await switchOn()
  const browser = await subscribed(ANN, [16])
  const kettle = { productId: '18', variationId: null, name: 'Red kettle', unitPriceMinor: 2_100 }
  const line = { ...kettle, sku: null, imageUrl: null, quantity: 1 }
  await recordOrders(world.deps, store.storeId, [buildOrder(world, { email: ANN, items: [line] })], 'webhook')
  await sendNext()
  expect(went()).toEqual([])
  await changes(browser, [18])
  await passTime(world, store.storeId, MINUTE)
  expect(went()).toEqual(of(browser))
})

test('each browser that reported the same contents may show them', async () => {
  await switchOn()
  const first = await subscribed(ANN, [16, 18])
  const second = await subscribed(ANN, [16, 18])
  world.answerPush = (push) =>
    push.subscription.endpoint === second.subscription.endpoint ? { kind: 'gone', response: '410' } : answerPush(push)
  await sendNext()
  expect(went()).toEqual(of(second, first))
})

test('the link of a notification shows no products that another browser added since', async () => {
  await switchOn()
  const eves = await subscribed(ANN, [17])
  await sendNext()
  expect(went()).toEqual(of(eves))
  const token = createRestoreToken(world.deps.secrets, (await readMessages(world, store.storeId))[0]!.id)
  const readPage = async () => {
    const { status, body } = await world.request('GET', `/api/carts/${token}`)
    return [status, JSON.stringify(body).includes('Red kettle')]
  }
  expect(await readPage()).toEqual([200, false])
  await changes(createTestBrowser(), [16, 18], ANN)
  expect(await readPage()).toEqual([404, false])
  expect((await world.request('POST', `/api/carts/${token}/restore`)).status).toBe(404)
  await changes(eves, [17, 18])
  expect(await readPage()).toEqual([200, true])
})

test('a notification contains no name, because the browser may belong to someone else', async () => {
  await switchOn({ title: 'Hi {{ customer_name }}' })
  await subscribed(ANN, [16])
  await world.db.updateTable('shoppers').set({ first_name: 'Ann' }).where('store_id', '=', store.storeId).execute()
  await sendNext()
  expect(world.pushes.map(({ payload }) => payload.title)).toEqual(['Hi there'])
})

test('a campaign applies the same rule to its count and its sends', async () => {
  const anns = createTestBrowser()
  await changes(anns, [16], ANN)
  await subscribed(ANN, [17])
  await changes(anns, [16, 18])
  await passTime(world, store.storeId, 25 * HOUR)
  const audience = { type: 'push', targetAudience: { mode: 'matching' } }
  const counted = async () =>
    (await world.request('POST', '/api/campaigns/audience', { token: store.token, body: audience })).body.total
  expect(await counted()).toBe(0)
  await subscribed(ANN, [16, 18], anns)
  expect(await counted()).toBe(1)
  const content = { subject: 'Spring', body: '{{ cart_items }}', template: 'custom' }
  const body = { ...audience, name: 'Spring', sendNow: true, content, schedule: { startDate: '2030-01-01' } }
  const created = await world.request('POST', '/api/campaigns', { token: store.token, body })
  expect([created.status, created.body.error]).toEqual([200, undefined])
  await passTime(world, store.storeId, MINUTE)
  await passTime(world, store.storeId, MINUTE)
  expect(went()).toEqual(of(anns))
})

test('a cart begun after an order, or before this rule existed, belongs to the browser that reports it', async () => {
  await switchOn()
  const browser = await subscribed(undefined, [16])
  const order = buildOrder(world, { kind: 'purchase', email: null })
  await recordOrders(world.deps, store.storeId, [order], 'plugin', new Map([[order.orderId, browser.cart]]))
  world.advance(MINUTE)
  await world.db.updateTable('push_subscriptions').set({ marks: [] }).where('store_id', '=', store.storeId).execute()
  const next = { ...browser, cart: createTestBrowser().cart }
  const { storeKey, publicKey } = await setUpPush(world, store)
  const { token, subscription, cart, device } = next
  const resubscribe = () =>
    postFromPage(world, store, 'resubscribe', { storeKey, publicKey, token, subscription, cart: `${cart}x` })
  expect((await resubscribe()).status).toBe(422)
  // The device is known, but not whose cart it is.
  const early = { storeKey, publicKey, token, subscription, cart, device }
  expect((await postFromPage(world, store, 'resubscribe', early)).status).toBe(422)
  await fillBrowserCart(world, store, next, undefined, [18])
  const reply = await postFromPage(world, store, 'resubscribe', {
    storeKey,
    publicKey,
    token,
    subscription,
    cart,
    device,
  })
  expect([reply.status, reply.body.token]).toEqual([200, token])
  await sendNext()
  expect(world.pushes.at(-1)!.payload.body).toContain('Red kettle')
  expect(went().at(-1)).toBe(subscription.endpoint)
})

test.each([
  ['the one it was meant for', false],
  ['the next one, as the first had gone', true],
])('a stop in an old notification ends its browser’s subscription for every user of the browser: %s (C2)', async (_, isNext) => {
  await switchOn()
  const browser = await subscribed(undefined, [16])
  const unsubscribed = isNext
    ? await subscribed(undefined, undefined, { ...createTestBrowser(), cart: browser.cart })
    : null
  world.answerPush = (push) =>
    push.subscription.endpoint === unsubscribed?.subscription.endpoint
      ? { kind: 'gone', response: '410' }
      : answerPush(push)
  await sendNext()
  expect(went()).toEqual(of(...(unsubscribed ? [unsubscribed] : []), browser))
  const { token: stop } = world.pushes.at(-1)!.payload
  // Another cart in the same browser, of an unrelated person.
  const { subscription, device, token } = browser
  const next = { ...browser, cart: createTestBrowser().cart }
  await fillBrowserCart(world, store, next, undefined, [18])
  const { storeKey, publicKey } = await setUpPush(world, store)
  const body = { storeKey, publicKey, token, subscription, cart: next.cart, device }
  expect((await postFromPage(world, store, 'resubscribe', body)).status).toBe(200)
  expect((await postFromPage(world, store, 'events', { token: stop, kind: 'stop' })).status).toBe(200)
  world.pushes.length = 0
  await sendNext()
  expect(went()).toEqual([])
  const { rows } = await world.pool.query('select 1 from push_subscriptions where store_id = $1', [store.storeId])
  expect(rows).toEqual([])
})

test('the stored marks are not keys, and are erased with the person (C8)', async () => {
  const browser = await subscribed(ANN, [16])
  const readKeys = async () => {
    const facts = await world.db.selectFrom('facts').select('payload').where('store_id', '=', store.storeId).execute()
    const carts = await world.db.selectFrom('carts').select('fold').where('store_id', '=', store.storeId).execute()
    return JSON.stringify([facts, carts])
  }
  for (const mark of hashBrowserTokens(browser)) expect(await readKeys()).toContain(mark)
  expect(await readKeys()).not.toContain(browser.device)
  expect(await readKeys()).not.toContain(browser.cart)
  const { token } = store
  await world.request('DELETE', `/api/privacy/${ANN}`, { token, body: { confirmation: 'erase' } })
  await world.runJobs()
  // Only the information which browsers reported the same cart remains.
  for (const mark of hashBrowserTokens(browser)) expect(await readKeys()).not.toContain(mark)
})
