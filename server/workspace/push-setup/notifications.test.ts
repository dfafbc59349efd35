import { beforeEach, describe, expect, test } from 'vitest'
import { assignArm } from '../../../test/experiment-scene.ts'
import { completeOrderCheck, createStore, type TestStore } from '../../../test/factories.ts'
import { DAY, HOUR, listStepDecisions, MINUTE, passTime, readMessages } from '../../../test/message-scene.ts'
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
import { sendPush } from '../../delivery/push/send-push.ts'

// The store's own push notifications, from abandonment to click (decisions 72, 73, 77, 78; P1, T1, T2).

const world = createWorld()
let store: TestStore
let answerPush: typeof world.answerPush

beforeEach(async () => {
  answerPush ??= world.answerPush
  world.answerPush = answerPush
  world.pushes.length = 0
  // Late morning in New York, the store's time zone.
  world.now = new Date(`${new Date(world.now.getTime() + DAY).toISOString().slice(0, 10)}T15:00:00Z`)
  store = await createStore(world, { isFlowOn: false, plan: 'free' })
  await world.db
    .updateTable('stores')
    .set({ abandonment_timeout_minutes: 60, effective_timeout_minutes: 60 })
    .where('id', '=', store.storeId)
    .execute()
})

const settings = {
  enabled: true,
  frequency: 'immediate',
  delay: 0,
  maxNotifications: 3,
  title: 'Hi!',
  body: 'Cart waits',
}

async function switchOn(change: object = {}) {
  const storeUrl = await readStoreUrl(world, store)
  const body = { storeUrl, settings: { ...settings, ...change } }
  const reply = await world.request('POST', '/push-notifications/save-settings', { token: store.token, body })
  expect([reply.status, reply.body.error]).toEqual([200, undefined])
}

async function subscribed(
  browser: TestBrowser = createTestBrowser(),
  email?: string,
): Promise<TestBrowser & { token: string }> {
  const reply = await subscribeBrowser(world, store, browser, {
    ...(email && { email }),
    ip: `198.51.100.${browser.cart.charCodeAt(0)}`,
  })
  expect([reply.status, reply.body.error]).toEqual([200, undefined])
  return { ...browser, token: reply.body.token }
}

const times = async () =>
  (await readMessages(world, store.storeId)).map(({ state, due_at }) => [state, (due_at.getTime() - start) / MINUTE])
let start = 0
const postEvent = (body: object) => postFromPage(world, store, 'events', body)
const subscriptions = () =>
  world.db.selectFrom('push_subscriptions').select('id').where('store_id', '=', store.storeId).execute()
const ledger = async () =>
  (
    await world.db
      .selectFrom('consents')
      .select(['status', 'source'])
      .where('store_id', '=', store.storeId)
      .orderBy('at')
      .orderBy('id')
      .execute()
  ).map(({ status, source }) => [status, source])

describe('the store’s push notifications', () => {
  test('are sent after abandonment to subscribers, with title, text, link and picture', {
    tags: ['A1', 'A3', 'A6'],
  }, async () => {
    await switchOn({ title: 'At {{ store_name }}', body: 'Your cart: {{ cart_total }}' })
    await subscribed()
    await passTime(world, store.storeId, HOUR + MINUTE)
    expect(world.pushes).toHaveLength(1)
    const { payload, topic, vapid, subscription } = world.pushes[0]!
    expect(payload).toMatchObject({
      title: 'At Tea & Co',
      body: expect.stringMatching(/^Your cart: \$/),
      origin: world.deps.config.publicUrl,
      actions: [
        { action: 'open', title: 'View cart' },
        { action: 'stop', title: 'Stop these' },
      ],
    })
    expect(payload.url).toMatch(/\/c\/[\w-]{43}$/)
    expect([payload.tag, topic]).toEqual([payload.cartId, payload.cartId!.replaceAll('-', '')])
    expect(subscription.endpoint).toContain('mozilla')
    expect(vapid.privateKey.length).toBeGreaterThan(40)
    const [message] = await readMessages(world, store.storeId)
    expect(message).toMatchObject({ state: 'sent', origin_kind: 'push', channel: 'push', step: 1 })
    expect(await listStepDecisions(world, store.storeId)).toEqual(['send ok', 'result accepted'])
  })

  test.each(['starter', 'growth'] as const)('are available on the %s plan, as on the free one (decision 132)', {
    tags: ['A6'],
  }, async (plan) => {
    await world.db.updateTable('subscriptions').set({ plan }).where('account_id', '=', store.accountId).execute()
    await switchOn()
    await subscribed()
    await passTime(world, store.storeId, HOUR + MINUTE)
    expect(world.pushes).toHaveLength(1)
  })

  test.each([
    ['immediate', 0, [60, 420, 780]],
    ['1hour', 0, [60, 420, 780]],
    ['6hours', 0, [360, 720, 1_080]],
    ['24hours', 0, [1_440, 2_880, 4_320]],
    ['custom', 500, [500, 1_000, 1_500]],
    ['custom', 5, [60, 420, 780]],
  ])('with frequency %s and delay %i are due after %j minutes, not before abandonment, six hours apart', async (frequency, delay, due) => {
    await switchOn({ frequency, delay })
    await subscribed()
    start = world.now.getTime()
    await passTime(world, store.storeId, HOUR)
    const { effective_timeout_minutes: timeout } = await world.db
      .selectFrom('stores')
      .select('effective_timeout_minutes')
      .where('id', '=', store.storeId)
      .executeTakeFirstOrThrow()
    expect(timeout).toBe(60)
    const planned = (await times()).map(([, minutes]) => minutes)
    expect(planned).toEqual(due)
  })

  test('are limited in number, and later ones move with the shopper’s activity', async () => {
    await switchOn({ maxNotifications: 2, frequency: '6hours' })
    const browser = await subscribed()
    await passTime(world, store.storeId, 5 * HOUR)
    start = world.now.getTime()
    await fillBrowserCart(world, store, { ...browser })
    await foldStorePosts(world.deps, { storeId: store.storeId, db: world.db })
    expect((await times()).length).toBe(2)
    await passTime(world, store.storeId, 3 * DAY)
    expect(world.pushes.length).toBeLessThanOrEqual(2)
  })

  test('wait for a browser if the shopper has not subscribed', async () => {
    await switchOn()
    await setUpPush(world, store)
    const browser = createTestBrowser()
    await fillBrowserCart(world, store, browser, 'ann@shoppers.example')
    await foldStorePosts(world.deps, { storeId: store.storeId, db: world.db })
    await passTime(world, store.storeId, HOUR + MINUTE)
    expect(world.pushes).toEqual([])
    expect((await readMessages(world, store.storeId))[0]).toMatchObject({ state: 'held', reason: 'no_contact' })
    await subscribed(browser, 'ann@shoppers.example')
    await passTime(world, store.storeId, MINUTE)
    expect(world.pushes).toHaveLength(1)
  })

  test("respect quiet hours at the shopper's place (T2) and the frequency cap (T1)", async () => {
    await switchOn()
    // Half past eight in the evening.
    world.now = new Date(world.now.getTime() + 10.5 * HOUR)
    await completeOrderCheck(world, store.storeId)
    await subscribed()
    await passTime(world, store.storeId, HOUR + MINUTE)
    expect([world.pushes.length, (await readMessages(world, store.storeId))[0]!.reason]).toEqual([0, 'quiet_hours'])
    await passTime(world, store.storeId, 11 * HOUR)
    expect(world.pushes).toHaveLength(1)
    await world.db.updateTable('stores').set({ cap_messages: 1 }).where('id', '=', store.storeId).execute()
    await passTime(world, store.storeId, 7 * HOUR)
    expect((await readMessages(world, store.storeId))[2]).toMatchObject({ state: 'held', reason: 'frequency_cap' })
  })

  test('are planned for carts that were active at activation, but not for earlier abandoned ones', async () => {
    const early = createTestBrowser()
    await subscribed(early)
    await passTime(world, store.storeId, 61 * MINUTE)
    await subscribed(createTestBrowser(), 'ann@shoppers.example')
    world.advance(30 * MINUTE)
    await switchOn()
    await passTime(world, store.storeId, 31 * MINUTE)
    expect(world.pushes.map(({ subscription }) => subscription.endpoint)).not.toContain(early.subscription.endpoint)
    expect(world.pushes).toHaveLength(1)
  })

  test('are not sent to the control group of the store’s flow (decision 77)', async () => {
    await world.db
      .updateTable('flows')
      .set({ is_on: true, takes_from: world.now })
      .where('id', '=', store.flowId)
      .execute()
    await switchOn()
    await subscribed(createTestBrowser(), 'ann@shoppers.example')
    await assignArm(world, store.storeId, 'control')
    await passTime(world, store.storeId, HOUR + MINUTE)
    expect(world.pushes).toEqual([])
    const own = (await readMessages(world, store.storeId)).filter(({ origin_kind }) => origin_kind === 'push')
    expect(own[0]!.reason).toBe('holdout')
  })

  test("stop when deactivated, and do not appear among the owner's flows", async () => {
    await switchOn()
    await subscribed()
    await switchOn({ enabled: false })
    await passTime(world, store.storeId, 2 * HOUR)
    expect(world.pushes).toEqual([])
    const flows = await world.request('GET', '/api/flows', { token: store.token })
    expect(flows.body.flows.map(({ id }: { id: string }) => id)).toEqual([store.flowId])
    const own = await world.db
      .selectFrom('flows')
      .select('id')
      .where('store_id', '=', store.storeId)
      .where('kind', '=', 'push')
      .executeTakeFirstOrThrow()
    const switched = await world.request('POST', `/api/flows/${own.id}/switch`, {
      token: store.token,
      body: { isOn: true },
    })
    expect(switched.status).toBe(404)
  })
})

describe('the browsers of one person', () => {
  async function twoBrowsers() {
    await switchOn()
    const old = await subscribed(createTestBrowser(), 'ann@shoppers.example')
    world.advance(MINUTE)
    const young = await subscribed(createTestBrowser(), 'ann@shoppers.example')
    return { old, young }
  }

  test('are tried newest first; a lost subscription falls back to the next within the same attempt, counted once (P1)', async () => {
    const { old, young } = await twoBrowsers()
    world.answerPush = (push) =>
      push.subscription.endpoint === young.subscription.endpoint ? { kind: 'gone', response: '410' } : answerPush(push)
    await passTime(world, store.storeId, HOUR + 2 * MINUTE)
    expect(world.pushes.map(({ subscription }) => subscription.endpoint)).toEqual(
      [young, old].map(({ subscription }) => subscription.endpoint),
    )
    expect(await subscriptions()).toHaveLength(1)
    expect((await ledger()).at(-1)).toEqual(['withdrawn', 'push service'])
    const sent = (await readMessages(world, store.storeId)).filter(({ state }) => state === 'sent')
    expect(sent.map(({ attempts }) => attempts)).toEqual([1])
    const usage = await world.db
      .selectFrom('plan_usage')
      .select('used')
      .where('account_id', '=', store.accountId)
      .where('channel', '=', 'push')
      .execute()
    expect(usage).toEqual([{ used: 1 }])
  })

  test.each([
    ['nothing has happened since: the next browser has it, on a decision of its own', false],
    ['the shopper has withdrawn meanwhile: no subscription (C2)', true],
  ])('a service that reports a lost subscription late, and %s', async (_, hasStopped) => {
    const { old, young } = await twoBrowsers()
    world.answerPush = (push) => {
      if (push.subscription.endpoint !== young.subscription.endpoint) return answerPush(push)
      world.advance(2_000)
      return { kind: 'gone', response: '410' }
    }
    await passTime(world, store.storeId, HOUR + 2 * MINUTE)
    expect(world.pushes.map(({ subscription }) => subscription.endpoint)).toEqual([young.subscription.endpoint])
    expect((await readMessages(world, store.storeId))[0]).toMatchObject({ state: 'held', reason: 'retry' })
    const { token } = old
    if (hasStopped) await postFromPage(world, store, 'unsubscribe', { storeKey: store.captureKey, token })
    await passTime(world, store.storeId, 5 * MINUTE)
    const went = world.pushes.slice(1).map(({ subscription }) => subscription.endpoint)
    expect(went).toEqual(hasStopped ? [] : [old.subscription.endpoint])
  })

  test('a slow read of the subscriptions leads to a new decision without a send (D3)', async () => {
    await twoBrowsers()
    await passTime(world, store.storeId, HOUR + 2 * MINUTE)
    const { messageId: id, ...message } = world.pushes[0]!
    const shop = { storeId: store.storeId, db: world.db }
    const outcome = await sendPush(world.deps, shop, { ...message, id, mayGoOn: () => false })
    expect([outcome.kind, world.pushes.length]).toEqual(['retry', 1])
  })

  test('when all subscriptions are lost, the message fails for good and no further ones are planned', async () => {
    await twoBrowsers()
    world.answerPush = () => ({ kind: 'gone', response: '410' })
    await passTime(world, store.storeId, HOUR + 2 * MINUTE)
    expect(await subscriptions()).toEqual([])
    expect((await readMessages(world, store.storeId))[0]).toMatchObject({
      state: 'failed',
      reason: 'rejected:push_gone',
    })
  })

  test('a rejected signature holds the message and notifies the owner once (P1)', async () => {
    await switchOn()
    await subscribed()
    world.answerPush = () => ({ kind: 'unauthorized', response: '403 another key' })
    await passTime(world, store.storeId, HOUR + MINUTE)
    expect((await readMessages(world, store.storeId))[0]).toMatchObject({ state: 'held', reason: 'retry' })
    await passTime(world, store.storeId, 5 * MINUTE)
    const news = await world.db
      .selectFrom('pending_notifications')
      .select(['type', 'data'])
      .where('store_id', '=', store.storeId)
      .execute()
    expect(news.filter(({ type }) => type === 'push_refused')).toEqual([
      { type: 'push_refused', data: { answer: '403 another key' } },
    ])
  })

  test('429 waits as long as requested; a timeout after the body is never retried', async () => {
    await switchOn()
    await subscribed()
    world.answerPush = () => ({ kind: 'retry', reason: 'push_429', response: '429', retryAfterMs: 20 * MINUTE })
    await passTime(world, store.storeId, HOUR + MINUTE)
    world.answerPush = () => ({ kind: 'unknown', reason: 'timeout_after_body', response: '' })
    await passTime(world, store.storeId, 10 * MINUTE)
    expect(world.pushes).toHaveLength(1)
    await passTime(world, store.storeId, 11 * MINUTE)
    expect([world.pushes.length, (await readMessages(world, store.storeId))[0]!.state]).toEqual([2, 'unknown'])
    await passTime(world, store.storeId, HOUR)
    expect(world.pushes).toHaveLength(2)
  })
})

describe('worker events', () => {
  const touches = () =>
    world.db
      .selectFrom('touchpoints')
      .select(['kind', 'is_human', 'class_reason'])
      .where('store_id', '=', store.storeId)
      .orderBy('at')
      .execute()

  async function notified() {
    await switchOn()
    const browser = await subscribed(createTestBrowser(), 'ann@shoppers.example')
    await passTime(world, store.storeId, HOUR + MINUTE)
    return { browser, token: world.pushes[0]!.payload.token!, url: world.pushes[0]!.payload.url }
  }

  test('a click is one touch together with the link it opens (A1); shown and closed imply delivery', {
    tags: ['A3'],
  }, async () => {
    const { token, url } = await notified()
    world.advance(MINUTE)
    const statsPath = `/push-notifications/store-stats?storeUrl=${await readStoreUrl(world, store)}`
    const stats = async () => (await world.request('GET', statsPath, { token: store.token })).body.stats
    // Automated requests to the link do not count (decision 80).
    await world.app.inject({ url: new URL(url).pathname, headers: { 'user-agent': 'python-requests/2.32' } })
    expect(await touches()).toMatchObject([{ kind: 'click', is_human: false }])
    expect((await stats()).clickRate).toBe(0)
    world.advance(MINUTE)
    for (const kind of ['shown', 'close', 'click'])
      expect((await postEvent({ token, kind })).body).toEqual({ success: true })
    expect((await readMessages(world, store.storeId))[0]!.state).toBe('delivered')
    expect(await listStepDecisions(world, store.storeId)).toEqual(['send ok', 'result accepted', 'result delivered'])
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
    const opened = await world.app.inject({ url: new URL(url).pathname, headers })
    expect(opened.headers.location).toContain('/cart/recover?cart_id=rt_')
    const pressed = (await touches()).slice(1)
    expect(pressed.every(({ is_human }) => is_human)).toBe(true)
    expect(pressed[0]).toMatchObject({ kind: 'click', class_reason: 'pressed_notification' })
    expect(await stats()).toEqual({
      totalCustomers: 1,
      subscribedCustomers: 1,
      pendingCustomers: 0,
      conversionRate: 100,
      subscribers: 1,
      notifications: 1,
      clickRate: 100,
    })
  })

  test('reject a missing token or one for another purpose (X1)', async () => {
    const { url } = await notified()
    for (const token of [url.split('/').at(-1)!, 'x', 'A'.repeat(43)])
      expect((await postEvent({ token, kind: 'click' })).status).toBe(404)
    expect((await postEvent({ token: 'A'.repeat(43), kind: 'other' })).status).toBe(400)
  })

  test('“Stop” ends notifications in all browsers of the person, for all unsent messages (C2)', async () => {
    const { token } = await notified()
    await subscribed(createTestBrowser(), 'ann@shoppers.example')
    expect(await subscriptions()).toHaveLength(2)
    await postEvent({ token, kind: 'stop' })
    expect(await subscriptions()).toEqual([])
    expect((await ledger()).slice(-2)).toEqual([
      ['withdrawn', 'Stop in a notification'],
      ['withdrawn', 'Stop in a notification'],
    ])
    world.pushes.length = 0
    await passTime(world, store.storeId, DAY)
    expect(world.pushes).toEqual([])
  })

  test('an opt-out from everything by email ends notifications as well (C1)', async () => {
    await switchOn()
    await subscribed(createTestBrowser(), 'ann@shoppers.example')
    const address = 'ann@shoppers.example'
    const row = { account_id: store.accountId, address_hash: world.deps.secrets.addressHash(address), address }
    await world.db
      .insertInto('suppressions')
      .values({ ...row, channel: 'all', reason: 'unsubscribed', source: 'preference page', created_at: world.now })
      .execute()
    await passTime(world, store.storeId, HOUR + MINUTE)
    expect([world.pushes.length, (await readMessages(world, store.storeId))[0]!.reason]).toEqual([
      0,
      'suppressed_unsubscribed',
    ])
  })
})
