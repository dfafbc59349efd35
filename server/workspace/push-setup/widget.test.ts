import { beforeEach, describe, expect, test } from 'vitest'
import { pushTexts } from '../../../shared/delivery/push.ts'
import { WORKER_VERSION } from '../../../shared/delivery/push-worker-version.ts'
import { createColleague, createStore, type TestStore } from '../../../test/factories.ts'
import {
  createTestBrowser,
  fillBrowserCart,
  postFromPage,
  readStoreUrl,
  setUpPush,
  subscribeBrowser,
} from '../../../test/push-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { endOldKeys, signingKey } from '../../delivery/push/keys.ts'

const world = createWorld()
let store: TestStore

beforeEach(async () => {
  store = await createStore(world)
})

const rows = () => world.db.selectFrom('push_subscriptions').selectAll().where('store_id', '=', store.storeId).execute()
const ledger = () =>
  world.db
    .selectFrom('consents')
    .select(['channel', 'status', 'source', 'wording'])
    .where('store_id', '=', store.storeId)
    .orderBy('at')
    .execute()
const ask = async (call: string, body: object = {}) =>
  world.request('POST', `/api/push-notifications/${call}`, {
    token: store.token,
    body: { storeUrl: await readStoreUrl(world, store), ...body },
  })

describe("the widget's settings", () => {
  test('return key, texts and worker address for a matching store address and Origin, and 404 otherwise', {
    tags: ['A7', 'A9'],
  }, async () => {
    const storeUrl = await readStoreUrl(world, store)
    expect((await postFromPage(world, store, 'auto-setup', { storeUrl })).status).toBe(404)
    const { body } = await ask('generate-vapid-keys')
    const setup = await postFromPage(world, store, 'auto-setup', {
      storeUrl,
      userAgent: 'x',
      timestamp: 1,
      method: 'easy',
    })
    expect(setup.body).toMatchObject({
      success: true,
      storeKey: store.captureKey,
      publicKey: body.vapidKeys.publicKey,
      askAgainDays: 30,
      workerUrl: `${storeUrl}/sw.js`,
      prompt: { delayMs: 5_000, accept: 'Yes, remind me' },
    })
    expect(setup.body.prompt.text).toContain('Tea & Co sends you')
    expect(setup.headers['access-control-allow-origin']).toBe(storeUrl)
    const other = await createStore(world)
    const foreign = [
      [{ storeUrl }, await readStoreUrl(world, other)],
      [{ storeUrl: await readStoreUrl(world, other) }, storeUrl],
      [{ storeUrl: 'https://nowhere.example' }, 'https://nowhere.example'],
    ] as const
    for (const [sighting, origin] of foreign)
      expect((await postFromPage(world, store, 'auto-setup', sighting, { origin })).status).toBe(404)
  })

  test('record method, address and worker when the widget runs', async () => {
    const storeUrl = await readStoreUrl(world, store)
    await setUpPush(world, store)
    world.advance(120_000)
    await postFromPage(world, store, 'auto-setup', { storeUrl, hasWorker: true })
    const { body } = await world.request('GET', `/api/push-notifications/setup?storeUrl=${storeUrl}`, {
      token: store.token,
    })
    const at = world.now.toISOString()
    const places = [{ method: 'functions', origin: storeUrl, widgetAt: at, workerAt: at, isWorkerOld: false }]
    expect(body.seen).toEqual(places)
  })

  test('detect an old copy of sw.js by a freshly fetched worker, until a newer one is reported (decision 78)', async () => {
    const storeUrl = await readStoreUrl(world, store)
    await setUpPush(world, store)
    const isOldAfter = async (method: string, workerVersion: number, isFresh?: boolean) => {
      const sighting = { storeUrl, method, hasWorker: true, workerVersion, ...(isFresh && { isFresh }) }
      expect((await postFromPage(world, store, 'auto-setup', sighting)).body.workerVersion).toBe(WORKER_VERSION)
      const path = `/api/push-notifications/setup?storeUrl=${storeUrl}`
      const { seen: sightings } = (await world.request('GET', path, { token: store.token })).body
      return sightings.find((each: { method: string }) => each.method === method).isWorkerOld
    }
    expect(await isOldAfter('easy', 0, true)).toBe(true)
    expect(await isOldAfter('easy', WORKER_VERSION)).toBe(false)
    // A browser that returns after a long time still has its old copy.
    expect(await isOldAfter('easy', 0)).toBe(false)
    // The owner has put an old file back.
    expect(await isOldAfter('easy', 0, true)).toBe(true)
    expect(await isOldAfter('easy', WORKER_VERSION, true)).toBe(false)
    // The plugin has no copy.
    expect(await isOldAfter('plugin', 0, true)).toBe(false)
  })
})

describe('a subscription', () => {
  test('is stored with the displayed text, tied to its cart, and with encrypted keys', async () => {
    const browser = createTestBrowser()
    const reply = await subscribeBrowser(world, store, browser, { email: 'ann@shoppers.example' })
    expect([reply.status, reply.body.success]).toEqual([200, true])
    const [row] = await rows()
    const shopper = await world.db
      .selectFrom('shoppers')
      .select(['id', 'email'])
      .where('store_id', '=', store.storeId)
      .execute()
    expect([row!.shopper_id, shopper[0]!.email]).toEqual([shopper[0]!.id, 'ann@shoppers.example'])
    expect(row!.service).toBe('updates.push.services.mozilla.com')
    expect(row!.encrypted.includes(Buffer.from('mozilla'))).toBe(false)
    expect(await ledger()).toEqual([
      {
        channel: 'push',
        status: 'granted',
        source: 'push prompt',
        wording: expect.stringContaining('Tea & Co sends you'),
      },
    ])
    await subscribeBrowser(world, store, browser, { email: 'ann@shoppers.example' })
    expect([(await rows()).length, (await ledger()).length]).toEqual([1, 1])
  })

  test("belongs to the person of the cart's token, even after someone else used the browser", async () => {
    const { storeKey, publicKey, prompt } = await setUpPush(world, store)
    const browser = createTestBrowser()
    await fillBrowserCart(world, store, browser, 'ann@shoppers.example')
    world.advance(60_000)
    await fillBrowserCart(world, store, { ...browser, cart: createTestBrowser().cart }, 'eve@shoppers.example')
    const { cart, device, subscription } = browser
    const subscribeBody = { storeKey, publicKey, wording: prompt.wording, cart, device, subscription }
    expect((await postFromPage(world, store, 'subscribe', subscribeBody)).status).toBe(200)
    const [owner] = await world.db
      .selectFrom('push_subscriptions as p')
      .innerJoin('shoppers as s', 's.id', 'p.shopper_id')
      .select('s.email')
      .where('p.store_id', '=', store.storeId)
      .execute()
    expect(owner).toEqual({ email: 'ann@shoppers.example' })
  })

  test('is rejected without a cart, with another text, key or service, or from another origin', async () => {
    const { storeKey, publicKey, prompt } = await setUpPush(world, store)
    const browser = createTestBrowser()
    const subscribeBody = {
      storeKey,
      publicKey,
      wording: prompt.wording,
      cart: browser.cart,
      subscription: browser.subscription,
    }
    const subscribe = (change: object, origin?: string) =>
      postFromPage(world, store, 'subscribe', { ...subscribeBody, ...change }, origin ? { origin } : {})
    expect((await subscribe({})).body.error).toBe(pushTexts.unknownDevice)
    await fillBrowserCart(world, store, browser)
    expect((await subscribe({ wording: 'x' })).body.error).toBe(pushTexts.unknownWording)
    expect((await subscribe({ publicKey: 'B'.repeat(87) })).body.error).toBe(pushTexts.otherKey)
    const places = ['https://push.evil.example/x', 'http://updates.push.services.mozilla.com/x', 'https://10.0.0.1/x']
    for (const endpoint of [...places, 'https://fcm.googleapis.com:8443/x', 'https://x@fcm.googleapis.com/x']) {
      const { status, body } = await subscribe({ subscription: { ...browser.subscription, endpoint } })
      expect([endpoint, status, body.error]).toEqual([endpoint, 422, pushTexts.unknownService])
    }
    expect((await subscribe({}, 'https://evil.example')).status).toBe(404)
    expect(await rows()).toEqual([])
    expect((await subscribe({})).status).toBe(200)
  })

  test('is limited to twenty an hour per client (X5)', async () => {
    for (let n = 0; n < 20; n += 1) expect((await subscribeBrowser(world, store, createTestBrowser())).status).toBe(200)
    const late = await subscribeBrowser(world, store, createTestBrowser())
    expect([late.status, Number(late.headers['retry-after']) > 0]).toEqual([429, true])
    expect((await subscribeBrowser(world, store, createTestBrowser(), { ip: '203.0.113.9' })).status).toBe(200)
  })

  test('is limited to twenty browsers per person; existing ones stay', async () => {
    const email = 'ann@shoppers.example'
    for (let n = 0; n < 20; n += 1) {
      const reply = await subscribeBrowser(world, store, createTestBrowser(), { email, ip: `203.0.113.${n}` })
      expect([reply.status, reply.body.error]).toEqual([200, undefined])
    }
    // Above the limit on new contacts, an address identifies no one (X5).
    world.advance(2 * 3_600_000)
    const late = await subscribeBrowser(world, store, createTestBrowser(), { email, ip: '203.0.113.99' })
    expect([late.status, late.body.error]).toEqual([422, pushTexts.tooManyBrowsers])
    expect(await rows()).toHaveLength(20)
  })

  test('ends by its token: the row is deleted, the ledger keeps the consent', async () => {
    const { body } = await subscribeBrowser(world, store, createTestBrowser())
    const [storeKey, other] = [store.captureKey, `${body.token.slice(0, -1)}${body.token.endsWith('A') ? 'B' : 'A'}`]
    expect((await postFromPage(world, store, 'unsubscribe', { storeKey, token: other })).status).toBe(404)
    world.advance(1_000)
    expect((await postFromPage(world, store, 'unsubscribe', { storeKey, token: body.token })).status).toBe(200)
    expect(await rows()).toEqual([])
    expect((await ledger()).map(({ status, source }) => [status, source])).toEqual([
      ['granted', 'push prompt'],
      ['withdrawn', 'push widget'],
    ])
    expect((await postFromPage(world, store, 'unsubscribe', { storeKey, token: body.token })).status).toBe(200)
    expect((await ledger()).length).toBe(2)
  })
})

describe('replacing keys', () => {
  test('moves returning browsers to the new pair, and ends others after 180 days (decision 74)', async () => {
    const [returning, lost] = [createTestBrowser(), createTestBrowser()]
    const { body } = await subscribeBrowser(world, store, returning)
    await subscribeBrowser(world, store, lost)
    const replaced = await ask('generate-vapid-keys', { replace: 'moving' })
    expect(replaced.body.subscriptions).toBe(2)
    const [storeKey, publicKey] = [store.captureKey, replaced.body.vapidKeys.publicKey]
    const moved = { storeKey, token: body.token, publicKey, subscription: createTestBrowser().subscription }
    expect((await postFromPage(world, store, 'resubscribe', moved)).body.token).toBe(body.token)
    const storeUrl = await readStoreUrl(world, store)
    const setup = () => world.request('GET', `/push-notifications/setup?storeUrl=${storeUrl}`, { token: store.token })
    expect((await setup()).body.keys).toMatchObject({ publicKey, subscriptions: 2, older: [{ subscriptions: 1 }] })
    world.advance(180 * 86_400_000)
    await endOldKeys(world.deps)
    expect((await rows()).length).toBe(1)
  })

  test('ends a leaked key at once, with all its subscriptions', async () => {
    const { body } = await subscribeBrowser(world, store, createTestBrowser())
    const replaced = await ask('generate-vapid-keys', { replace: 'leaked' })
    expect([replaced.body.subscriptions, (await rows()).length]).toEqual([1, 0])
    const stale = { storeKey: store.captureKey, token: body.token, publicKey: replaced.body.vapidKeys.publicKey }
    const moved = await postFromPage(world, store, 'resubscribe', {
      ...stale,
      subscription: createTestBrowser().subscription,
    })
    expect(moved.status).toBe(404)
  })

  test('returns the same pair on repeat, and needs an owner or admin to replace it', {
    tags: ['A7'],
  }, async () => {
    const first = await ask('generate-vapid-keys')
    expect((await ask('generate-vapid-keys')).body).toEqual(first.body)
    const { token } = await createColleague(world, store, 'member')
    const body = { storeUrl: await readStoreUrl(world, store), replace: 'leaked' }
    const refused = await world.request('POST', '/push-notifications/generate-vapid-keys', { token, body })
    expect([refused.status, refused.body.error]).toEqual([403, pushTexts.leadersOnly])
    const inUse = async () =>
      (await world.request('GET', '/api/push-notifications/vapid-key', { token })).body as unknown
    expect(await inUse()).toEqual({ success: true, publicKey: first.body.vapidKeys.publicKey })
    const { publicKey } = (await ask('generate-vapid-keys', { replace: 'moving' })).body.vapidKeys
    expect(publicKey).not.toBe(first.body.vapidKeys.publicKey)
    expect(await inUse()).toEqual({ success: true, publicKey })
  })

  test('keeps the private key encrypted and out of all answers', { tags: ['A3'] }, async () => {
    await setUpPush(world, store)
    const key = await world.db
      .selectFrom('push_keys')
      .selectAll()
      .where('store_id', '=', store.storeId)
      .executeTakeFirstOrThrow()
    const { privateKey } = (await signingKey(world.deps, { db: world.db, storeId: store.storeId }))!
    expect(privateKey).toMatch(/^[\w-]{43}$/)
    const encodings = [privateKey, Buffer.from(privateKey, 'base64url').toString('latin1')]
    expect(encodings.map((half) => key.encrypted.toString('latin1').includes(half))).toEqual([false, false])
    const storeUrl = await readStoreUrl(world, store)
    const read = (call: string) =>
      world.request('GET', `/api/push-notifications/${call}?storeUrl=${storeUrl}`, { token: store.token })
    const answers = [
      ...(await Promise.all(['setup', 'vapid-key', 'store-stats'].map(read))),
      await ask('generate-vapid-keys'),
      await postFromPage(world, store, 'auto-setup', { storeUrl }),
      await ask('generate-vapid-keys', { replace: 'moving' }),
    ]
    const after = (await signingKey(world.deps, { db: world.db, storeId: store.storeId }))!
    for (const { status, body } of answers) {
      expect([status, body.success ?? true]).toEqual([200, true])
      const text = JSON.stringify(body)
      expect([privateKey, after.privateKey].map((half) => text.includes(half))).toEqual([false, false])
      expect(text).not.toMatch(/private|encrypted/i)
    }
  })
})

describe('push settings', () => {
  const settings = {
    enabled: true,
    frequency: 'custom',
    delay: 90,
    maxNotifications: 2,
    title: 'Hi',
    body: 'Your cart waits',
  }

  test('need a store URL (A 5), and accept only the account’s store', {
    tags: ['A5'],
  }, async () => {
    for (const storeUrl of ['', '  ', undefined]) {
      const reply = await ask('generate-vapid-keys', { storeUrl })
      expect([reply.status, reply.body.error]).toEqual([400, 'Please enter your store URL first'])
    }
    expect((await ask('generate-vapid-keys', { storeUrl: 'https://other.example' })).status).toBe(404)
    expect((await ask('save-settings', { storeUrl: 'https://other.example', settings })).status).toBe(404)
  })

  test('have defaults and bounds: an invalid delay becomes 0, an invalid maximum 1 (A 5, A 9)', {
    tags: ['A3', 'A5', 'A7', 'A9'],
  }, async () => {
    const setup = async () =>
      (
        await world.request('GET', `/api/push-notifications/setup?storeUrl=${await readStoreUrl(world, store)}`, {
          token: store.token,
        })
      ).body
    expect((await setup()).settings).toEqual({
      enabled: false,
      frequency: 'immediate',
      delay: 0,
      maxNotifications: 3,
      title: "Don't forget your items!",
      body: 'You have items waiting in your cart. Complete your purchase now!',
    })
    expect((await ask('save-settings', { settings })).body).toEqual({ success: true, settings })
    expect((await setup()).settings).toEqual(settings)
    const cases = [
      [
        { delay: 10_080, maxNotifications: 10 },
        { delay: 10_080, maxNotifications: 10 },
      ],
      [
        { delay: 10_081, maxNotifications: 11 },
        { delay: 0, maxNotifications: 1 },
      ],
      [
        { delay: -1, maxNotifications: 0 },
        { delay: 0, maxNotifications: 1 },
      ],
      [
        { delay: 'soon', maxNotifications: null },
        { delay: 0, maxNotifications: 1 },
      ],
    ]
    for (const [input, expected] of cases) {
      const { body } = await ask('save-settings', { settings: { ...settings, ...input } })
      expect(body.settings).toMatchObject(expected!)
    }
  })

  test('reject text that cannot be rendered, and the bar has the owner’s text', async () => {
    const bad = await ask('save-settings', { settings: { ...settings, body: '{{ cart_items' } })
    expect(bad.status).toBe(422)
    const { prompt } = await setUpPush(world, store)
    const storeUrl = await readStoreUrl(world, store)
    const own = { ...prompt, wording: undefined, title: 'Cart at {store}?', delayMs: 0 }
    const saved = await world.request('PUT', '/push-notifications/prompt', {
      token: store.token,
      body: { storeUrl, prompt: own },
    })
    expect(saved.status).toBe(200)
    const reply = await postFromPage(world, store, 'auto-setup', { storeUrl })
    expect(reply.body.prompt).toMatchObject({ title: 'Cart at Tea & Co?', delayMs: 0 })
    expect(reply.body.prompt.wording).not.toBe(prompt.wording)
  })
})
