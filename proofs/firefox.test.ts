import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import webPush from 'web-push'
import { type Autopush, openAutopush } from '../providers/contracts/autopush.ts'
import { type DemoStore, startDemoStore } from '../providers/woocommerce/store.ts'
import { buildStorefront } from '../scripts/build-storefront.ts'
import { DEFAULT_PROMPT, type PushPayload } from '../shared/delivery/push.ts'
import { openPushServer } from '../test/push-page-server.ts'
import { type Firefox, missingFirefox, openFirefox } from './firefox.ts'

// Widget and worker in a real Firefox: its prompt, subscription, keys, decryption and notifications. The push service
// is a local implementation of its protocol; a small server replaces ours.

let folder: string
const serveBuilt = (name: string) => () => fs.readFileSync(path.join(folder, name))
const keys = [webPush.generateVAPIDKeys(), webPush.generateVAPIDKeys()] as const
const registered: (string | null)[] = []
const ended: string[] = []
let shop: DemoStore
let server: Awaited<ReturnType<typeof openPushServer>>
let pushes: Autopush
let firefox: Firefox

describe.skipIf(missingFirefox)(`widget and worker in Firefox${missingFirefox}`, () => {
  beforeAll(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-firefox-'))
    await buildStorefront(folder)
    shop = await startDemoStore({ port: 0, dataFile: ':memory:' })
    server = await openPushServer({
      '/capture/': serveBuilt('capture.js'),
      '/push/sw.js': serveBuilt('sw.js'),
      '/push/': serveBuilt('push.js'),
    })
    server.state.publicKey = keys[0].publicKey
    shop.setCapture({ scriptUrl: `${server.url}/capture/KEY-1.js`, storeKey: 'KEY-1' })
    shop.setPush({
      head: `<script src="${server.url}/push/KEY-1.js" data-method="plugin" defer></script>`,
      workerPath: '/?recoup-sw=1',
      worker: { url: `${server.url}/push/sw.js` },
    })
    pushes = await openAutopush({
      register(key) {
        registered.push(key)
        return `http://127.0.0.1:9/wpush/v2/${crypto.randomUUID()}`
      },
      end: (endpoint) => void ended.push(endpoint),
    })
    firefox = await openFirefox(pushes.port)
  })

  afterAll(async () => {
    await firefox?.close()
    await pushes?.close()
    await shop?.stop()
    server?.close()
    fs.rmSync(folder, { recursive: true })
  })

  const listReceived = (call: string) => server.received.filter((each) => each.call === call).map(({ body }) => body)

  interface Subscription {
    endpoint: string
    keys: { p256dh: string; auth: string }
  }

  const readSubscription = (body: Record<string, unknown> | undefined) => body!.subscription as Subscription

  function push(subscription: Subscription, more: Partial<PushPayload> = {}): void {
    const payload: PushPayload = {
      title: 'Your tea waits',
      body: 'Sencha and 1 more · $24.90',
      url: `${shop.url}/cart/?from=push`,
      cartId: 'c1',
      tag: 'cart-c1',
      actions: [],
      token: 'signed',
      origin: server.url,
      ...more,
    }
    const { p256dh, auth } = subscription.keys
    const { cipherText } = webPush.encrypt(p256dh, auth, JSON.stringify(payload), 'aes128gcm')
    pushes.deliver(subscription.endpoint, { body: cipherText, ttl: 60 })
  }

  /** A later visit: the widget forgets its session. */
  async function visit(): Promise<void> {
    await firefox.run('sessionStorage.clear()')
    await firefox.goto(`${shop.url}/shop/`)
  }

  test('accepting the bar and Firefox’s prompt subscribes with the store’s key', async () => {
    await firefox.goto(`${shop.url}/shop/`)
    await firefox.press('[data-quick-add]')
    const isAsked = () =>
      firefox.run<boolean>('return [...document.querySelectorAll("body > div")].some((each) => each.shadowRoot)')
    await expect.poll(isAsked, { timeout: 20_000 }).toBe(true)
    expect(await firefox.run('return Notification.permission')).toBe('default')
    await firefox.pressInBar(DEFAULT_PROMPT.accept)
    await firefox.allowInPrompt()
    await expect.poll(() => listReceived('subscribe').length).toBe(1)
    expect(registered).toEqual([keys[0].publicKey])
    expect(pushes.live()).toEqual([readSubscription(listReceived('subscribe')[0]).endpoint])
  })

  test('a push is decrypted and shown, and a click opens the link and is reported with the signed token', async () => {
    push(readSubscription(listReceived('subscribe')[0]))
    await expect
      .poll(() => firefox.shown(), { timeout: 20_000 })
      .toEqual([{ title: 'Your tea waits', text: 'Sencha and 1 more · $24.90' }])
    await expect.poll(() => pushes.acks).toEqual(['delivered'])
    await expect.poll(() => listReceived('events')).toEqual([{ token: 'signed', kind: 'shown' }])
    await firefox.pressShown()
    await expect.poll(() => firefox.windows()).toBe(2)
    await expect.poll(() => listReceived('events')).toContainEqual({ token: 'signed', kind: 'click' })
    await firefox.newestWindow()
    await expect.poll(() => firefox.url()).toBe(`${shop.url}/cart/?from=push`)
  })

  test('after new keys, a returning browser moves to the new key by itself', async () => {
    server.state.publicKey = keys[1].publicKey
    await visit()
    await expect.poll(() => listReceived('resubscribe').length).toBe(1)
    const moved = readSubscription(listReceived('resubscribe')[0])
    expect(registered).toEqual([keys[0].publicKey, keys[1].publicKey])
    await expect.poll(() => pushes.live()).toEqual([moved.endpoint])
    push(moved, { title: 'Still there' })
    await expect
      .poll(async () => (await firefox.shown()).map(({ title }) => title), { timeout: 20_000 })
      .toEqual(['Still there'])
  })

  test('a revoked permission ends the subscription, and is reported on the next visit', async () => {
    const { endpoint } = readSubscription(listReceived('resubscribe')[0])
    await firefox.revoke(shop.url)
    await expect.poll(() => ended).toContain(endpoint)
    await visit()
    await expect.poll(() => listReceived('unsubscribe').length).toBe(1)
    expect(await firefox.run('return Notification.permission')).toBe('default')
  })
})
