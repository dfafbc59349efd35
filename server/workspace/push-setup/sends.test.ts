import { beforeEach, describe, expect, test } from 'vitest'
import { authTexts } from '../../../shared/access/auth.ts'
import { DEFAULT_PUSH } from '../../../shared/delivery/push.ts'
import { createColleague, createStore, type TestStore } from '../../../test/factories.ts'
import { DAY, MINUTE, passTime, readMessages } from '../../../test/message-scene.ts'
import { readTestFlags } from '../../../test/notifications.ts'
import {
  createTestBrowser,
  readStoreUrl,
  setUpPush,
  subscribeBrowser,
  type TestBrowser,
} from '../../../test/push-scene.ts'
import { createWorld } from '../../../test/world.ts'

// Push notifications sent by members (decision 79), and their statistics (decision 80).

const world = createWorld()
let store: TestStore

beforeEach(async () => {
  world.pushes.length = 0
  // Late morning in New York, the store's time zone.
  world.now = new Date(`${new Date(world.now.getTime() + DAY).toISOString().slice(0, 10)}T15:00:00Z`)
  store = await createStore(world, { isFlowOn: false, plan: 'free' })
})

async function subscribed(browser: TestBrowser = createTestBrowser(), email?: string): Promise<void> {
  const reply = await subscribeBrowser(world, store, browser, email ? { email } : {})
  expect([reply.status, reply.body.error]).toEqual([200, undefined])
}

const subscriptions = () =>
  world.db.selectFrom('push_subscriptions').select('id').where('store_id', '=', store.storeId).execute()

test('the statistics have both sets of fields at both addresses, for the own account only (decision 132)', {
  tags: ['A7'],
}, async () => {
  await subscribed(createTestBrowser(), 'ann@shoppers.example')
  await subscribed(createTestBrowser())
  const storeUrl = await readStoreUrl(world, store)
  const none = { notifications: 0, clickRate: 0 }
  for (const path of ['/push-notifications/store-stats', '/api/push-notifications/store-stats']) {
    const { body } = await world.request('GET', `${path}?storeUrl=${storeUrl}`, { token: store.token })
    expect(body).toEqual({
      success: true,
      message: 'Store stats loaded',
      stats: {
        totalCustomers: 2,
        subscribedCustomers: 2,
        pendingCustomers: 0,
        conversionRate: 100,
        subscribers: 2,
        ...none,
      },
    })
  }
  const otherStore = await createStore(world)
  const refused = await world.request('GET', `/push-notifications/store-stats?storeUrl=${storeUrl}`, {
    token: otherStore.token,
  })
  expect(refused.status).toBe(404)
})

describe('a manual push notification', () => {
  const body = { title: 'Sale', body: 'Today only', icon: 'https://shop.example/i.png' }
  const send = async (call: string, change: object = {}, token = store.token) =>
    world.request('POST', `/push-notifications/${call}`, {
      token,
      body: { ...body, storeUrl: await readStoreUrl(world, store), ...change },
    })

  test('to all is sent to each subscriber once for repeated clicks, after a decision per person', {
    tags: ['A7'],
  }, async () => {
    expect((await send('send-store-notification')).body.error).toBe('No one has subscribed yet.')
    await subscribed(createTestBrowser(), 'ann@shoppers.example')
    await subscribed(createTestBrowser(), 'eve@shoppers.example')
    const cartUrl = `${await readStoreUrl(world, store)}/cart`
    const reply = await send('send-store-notification', { cartUrl })
    expect(reply.body).toMatchObject({ success: true, message: 'Test notification sent to 2 customers' })
    expect(reply.body.results).toHaveLength(2)
    // Within a minute, across a change of the clock's minute.
    world.advance(50_000)
    expect((await send('send-store-notification', { cartUrl })).body).toEqual(reply.body)
    await passTime(world, store.storeId, MINUTE)
    expect(world.pushes.map(({ payload }) => [payload.title, payload.body, payload.icon, payload.cartId])).toEqual([
      ['Sale', 'Today only', 'https://shop.example/i.png', null],
      ['Sale', 'Today only', 'https://shop.example/i.png', null],
    ])
    const { pathname, search } = new URL(world.pushes[0]!.payload.url!)
    expect((await world.request('GET', pathname + search)).headers.location).toBe(cartUrl)
  })

  test('needs a confirmed address in the account, like mail and like activation (decision 132)', {
    tags: ['A6'],
  }, async () => {
    await subscribed()
    const waits = (at: Date | null) =>
      world.db.updateTable('users').set({ email_confirmed_at: at }).where('id', '=', store.userId).execute()
    await waits(null)
    const settings = { ...DEFAULT_PUSH, enabled: true }
    const calls = ['send-store-notification', 'save-settings']
    for (const call of calls) {
      const refused = await send(call, { settings })
      expect([call, refused.status, refused.body.error]).toEqual([call, 403, authTexts.verifyFirst])
    }
    await waits(world.now)
    for (const call of calls) expect([call, (await send(call, { settings })).status]).toEqual([call, 200])
  })

  test('may link only to the store (X1), and viewers may not send it', { tags: ['A7'] }, async () => {
    await subscribed()
    const foreign = await send('send-store-notification', { cartUrl: 'https://evil.example/cart' })
    expect([foreign.status, foreign.body.error]).toEqual([422, 'The cart URL must be an address of your store.'])
    const { token } = await createColleague(world, store, 'viewer')
    expect((await send('send-store-notification', {}, token)).status).toBe(403)
  })

  test('to the own browser is marked as a test, not stored and not counted', async () => {
    await setUpPush(world, store)
    const { subscription } = createTestBrowser()
    const reply = await send('send-to-this-browser', { subscription })
    expect(reply.body).toEqual({ success: true, message: 'Sent to this browser.' })
    expect(world.pushes.map(({ payload }) => [payload.title, payload.token])).toEqual([['[Test] Sale', undefined]])
    expect(await readTestFlags(world, store.storeId)).toEqual([['connection_test', true]])
    expect([await subscriptions(), await readMessages(world, store.storeId)]).toEqual([[], []])
    world.pushes.length = 0
    await send('send-to-this-browser', { subscription, title: 'At {{ store_name }}', body: '{{ cart_total }} waits' })
    expect(world.pushes[0]!.payload).toMatchObject({
      title: '[Test] At Tea & Co',
      body: expect.stringMatching(/^\$\d+.* waits$/),
    })
    const elsewhere = await send('send-to-this-browser', {
      subscription: { ...subscription, endpoint: 'https://evil.example/x' },
    })
    expect(elsewhere.status).toBe(422)
  })
})
