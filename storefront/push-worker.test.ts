import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Browser, type CDPSession, chromium, type Page, type Worker } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type DemoStore, startDemoStore } from '../providers/woocommerce/store.ts'
import { buildStorefront } from '../scripts/build-storefront.ts'
import type { PushPayload } from '../shared/delivery/push.ts'
import { WORKER_VERSION } from '../shared/delivery/push-worker-version.ts'
import { readNotificationCount, startCountingNotifications } from '../test/push-counter.ts'
import { createPushToken, openPushServer } from '../test/push-page-server.ts'
import { windowedChromium } from '../test/windowed-chromium.ts'

// Runs sw.js in Chromium from the demo store's own address. The browser's debugger delivers pushes. Windows, which need
// a real press, are recorded instead of opened.

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-worker-'))
const SCOPE = '/recoup-push/'
/** 65 bytes of 250. */
const MOVED = Buffer.alloc(65, 250).toString('base64url')

const source = (name: string) => fs.readFileSync(new URL(name, import.meta.url), 'utf8')

test('requires a decision about WORKER_VERSION, and this hash, with every change of the worker', () => {
  const hash = crypto.hash('sha256', source('push-worker.ts') + source('push-box.ts'), 'base64url').slice(0, 12)
  expect([WORKER_VERSION, hash]).toEqual([1, 'CO7-iBK3KHST'])
})

describe.skipIf(!windowedChromium)('sw.js', () => {
  let shop: DemoStore
  let browser: Browser
  let server: Awaited<ReturnType<typeof openPushServer>>
  let page: Page
  let devtools: CDPSession
  let registrationId = ''
  let worker: Worker

  beforeAll(async () => {
    await buildStorefront(folder)
    shop = await startDemoStore({ port: 0, dataFile: ':memory:' })
    server = await openPushServer({ '/push/sw.js': () => fs.readFileSync(path.join(folder, 'sw.js')) })
    const url = `${server.url}/push/sw.js`
    shop.setPush({ head: '', workerPath: '/?recoup-sw=1', worker: { url } })
    browser = await chromium.launch({ executablePath: windowedChromium!, args: ['--no-sandbox'] })
    await openShop()
  })

  afterAll(async () => {
    await browser?.close()
    await shop?.stop()
    server?.close()
    fs.rmSync(folder, { recursive: true })
  })

  beforeEach(async () => {
    server.received.length = 0
    server.state.refused = {}
    await worker.evaluate(async () => {
      const scope = self as unknown as WorkerScope
      scope.opened = []
      for (const each of await scope.registration.getNotifications()) each.close()
    })
    await expect.poll(listNotifications).toEqual([])
  })

  async function openShop(): Promise<void> {
    const context = await browser.newContext()
    await context.grantPermissions(['notifications'], { origin: shop.url })
    page = await context.newPage()
    devtools = await context.newCDPSession(page)
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      registrationId = registrations.find(({ scopeURL }) => scopeURL.endsWith(SCOPE))?.registrationId ?? registrationId
    })
    await devtools.send('ServiceWorker.enable')
    await page.goto(shop.url)
    const started = context.waitForEvent('serviceworker')
    await page.evaluate((scope) => navigator.serviceWorker.register('/?recoup-sw=1', { scope }), SCOPE)
    worker = await started
    const readWorkerState = () =>
      page.evaluate(async (scope) => (await navigator.serviceWorker.getRegistration(scope))?.active?.state, SCOPE)
    await vi.waitUntil(async () => (await readWorkerState()) === 'activated', { timeout: 30_000 })
    await startCountingNotifications(worker)
    await worker.evaluate(() => {
      const { clients } = self as unknown as WorkerScope
      clients.openWindow = async (url) => {
        ;(self as unknown as WorkerScope).opened.push(url)
      }
    })
  }

  const payload = (more: Partial<PushPayload> = {}): PushPayload => ({
    ...{ title: 'Don’t forget your tea', body: '2 items · $24.90', url: 'https://recoup.example/r/abc', cartId: 'c1' },
    icon: `${shop.url}/assets/icon.svg`,
    image: `${shop.url}/wp-content/uploads/2026/11/teapot.jpg`,
    tag: 'cart-c1',
    actions: [
      { action: 'open', title: 'Back to your cart' },
      { action: 'stop', title: 'Stop' },
    ],
    token: 'signed',
    origin: server.url,
    ...more,
  })

  /** Resolves when it is displayed. */
  const push = async (data: string) => {
    await expect.poll(() => registrationId).not.toBe('')
    const before = await readNotificationCount(worker)
    await devtools.send('ServiceWorker.deliverPushMessage', { origin: `${shop.url}/`, registrationId, data })
    await expect.poll(() => readNotificationCount(worker)).toBe(before + 1)
  }

  interface NotificationFields {
    title: string
    body: string
    tag: string
    icon: string
    actions?: { action: string; title: string }[]
  }

  const listNotifications = () =>
    worker.evaluate(async () => {
      const all = await (self as unknown as WorkerScope).registration.getNotifications()
      return all.map((each) => {
        const { title, body, tag, icon, actions } = each as unknown as NotificationFields
        return { title, body, tag, icon, actions: actions?.map(({ action, title }) => ({ action, title })) }
      }) as NotificationFields[]
    })

  /** The event as the system sends it to the worker. */
  const happens = (kind: 'click' | 'close', action = '') =>
    worker.evaluate(
      async ([kind, action]) => {
        const scope = self as unknown as WorkerScope
        const [notification] = await scope.registration.getNotifications()
        scope.dispatchEvent(new scope.NotificationEvent(`notification${kind}`, { notification, action }))
      },
      [kind, action],
    )

  const events = () => server.received.filter(({ call }) => call === 'events').map(({ body }) => body)
  const opened = () => worker.evaluate(() => (self as unknown as WorkerScope).opened)

  async function showOne(more: Partial<PushPayload> = {}): Promise<void> {
    await push(JSON.stringify(payload(more)))
    await expect.poll(async () => (await listNotifications()).length).toBe(1)
  }

  test('shows title, body, picture and actions of a push, one notification per cart', { tags: ['A3'] }, async () => {
    await showOne()
    await expect
      .poll(() => listNotifications())
      .toEqual([
        {
          title: 'Don’t forget your tea',
          body: '2 items · $24.90',
          tag: 'cart-c1',
          icon: `${shop.url}/assets/icon.svg`,
          actions: payload().actions,
        },
      ])
    await push(JSON.stringify(payload({ title: 'Still there' })))
    await expect.poll(async () => (await listNotifications()).map(({ title }) => title)).toEqual(['Still there'])
    await push(JSON.stringify(payload({ tag: 'cart-c2' })))
    await expect.poll(async () => (await listNotifications()).length).toBe(2)
    await expect.poll(events).toEqual(Array(3).fill({ token: 'signed', kind: 'shown' }))
  })

  test('reports its version', async () => {
    const answer = page.evaluate(async (scope) => {
      const { active } = (await navigator.serviceWorker.getRegistration(scope))!
      const { port1, port2 } = new MessageChannel()
      return new Promise((resolve) => {
        port1.onmessage = ({ data }) => resolve(data)
        active!.postMessage('version', [port2])
      })
    }, SCOPE)
    expect(await answer).toBe(WORKER_VERSION)
  })

  test('shows the shop’s name for an unreadable push, because browsers require a notification', async () => {
    await push('no JSON')
    await expect.poll(async () => (await listNotifications()).map(({ title }) => title)).toEqual(['localhost'])
  })

  test.each([
    '',
    'open',
  ])('opens the cart’s link on a press (action “%s”) and reports the click with the signed token', async (action) => {
    await showOne()
    await happens('click', action)
    await expect.poll(opened).toEqual(['https://recoup.example/r/abc'])
    await expect.poll(events).toContainEqual({ token: 'signed', kind: 'click' })
    await expect.poll(listNotifications).toEqual([])
  })

  test('focuses a window that already shows the link', async () => {
    await page.goto(`${shop.url}/cart/`)
    await worker.evaluate(() => {
      const scope = self as unknown as WorkerScope
      const all = scope.clients.matchAll.bind(scope.clients)
      scope.clients.matchAll = async (options) =>
        (await all(options)).map(({ url }) => ({ url, focus: async () => void scope.opened.push(`front: ${url}`) }))
    })
    await showOne({ url: `${shop.url}/cart/` })
    await happens('click')
    await expect.poll(opened).toEqual([`front: ${shop.url}/cart/`])
    // Otherwise it would be reported during the next test.
    await expect.poll(events).toContainEqual({ token: 'signed', kind: 'click' })
  })

  test('reports “Stop”, ends the browser’s subscription and opens nothing', async () => {
    await page.evaluate(async () => {
      const box = await caches.open('recoup-push')
      await box.put('/recoup-push/kept', new Response('{}'))
    })
    await showOne()
    await happens('click', 'stop')
    await expect.poll(events).toContainEqual({ token: 'signed', kind: 'stop' })
    expect(events()).not.toContainEqual({ token: 'signed', kind: 'click' })
    await expect.poll(() => page.evaluate(() => caches.has('recoup-push'))).toBe(false)
    await expect.poll(() => opened()).toEqual([])
  })

  test('reports a dismissed notification as closed', async () => {
    await showOne()
    await happens('close')
    await expect.poll(events).toContainEqual({ token: 'signed', kind: 'close' })
  })

  test('reports nothing for a test without a token', async () => {
    const { token: _, ...untold } = payload()
    await push(JSON.stringify(untold))
    await expect.poll(async () => (await listNotifications()).length).toBe(1)
    await happens('click')
    await expect.poll(opened).toHaveLength(1)
    expect(server.received).toEqual([])
  })

  test('replaces the old subscription by its token when the browser changed it', async () => {
    const stored = { origin: server.url, storeKey: 'KEY-1', publicKey: 'B'.repeat(87), token: createPushToken() }
    const expectStored = (value: object) =>
      page.evaluate(async (value) => {
        const box = await caches.open('recoup-push')
        await box.put('/recoup-push/kept', new Response(JSON.stringify(value)))
      }, value)
    await expectStored(stored)
    await worker.evaluate(() => {
      const json = {
        endpoint: 'https://fcm.googleapis.com/fcm/send/new',
        keys: { p256dh: 'p'.repeat(87), auth: 'a'.repeat(22) },
      }
      const options = { applicationServerKey: new Uint8Array(65).fill(250).buffer }
      const event = Object.assign(new Event('pushsubscriptionchange'), {
        newSubscription: { options, toJSON: () => json },
        waitUntil: () => {},
      })
      ;(self as unknown as WorkerScope).dispatchEvent(event)
    })
    const received = () => server.received.filter(({ call }) => call === 'resubscribe').map(({ body }) => body)
    await expect.poll(() => received().length).toBe(1)
    await expect
      .poll(() => received()[0])
      .toMatchObject({
        storeKey: 'KEY-1',
        token: stored.token,
        publicKey: MOVED,
        subscription: { endpoint: 'https://fcm.googleapis.com/fcm/send/new' },
      })
    const readStored = () =>
      page.evaluate(async () => (await (await caches.open('recoup-push')).match('/recoup-push/kept'))!.json())
    await expect
      .poll(readStored)
      .toEqual({ ...stored, publicKey: MOVED, token: expect.not.stringContaining(stored.token) })
  })
})

interface WorkerScope extends EventTarget {
  opened: string[]
  registration: ServiceWorkerRegistration
  clients: {
    openWindow(url: string): Promise<unknown>
    matchAll(options?: object): Promise<{ url: string; focus(): Promise<unknown> }[]>
  }
  NotificationEvent: new (type: string, init: object) => Event
}
