import crypto from 'node:crypto'
import { type Browser, type CDPSession, chromium, type Page, type Worker } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_PROMPT, type PushPayload } from '../shared/delivery/push.ts'
import { readNotificationCount, startCountingNotifications } from '../test/push-counter.ts'
import { stubPushInPage } from '../test/push-in-page.ts'
import { windowedChromium } from '../test/windowed-chromium.ts'
import { openPushDemo, type PushDemo } from './push-demo.ts'

// Web push in Chromium with the product as users start it and a strict push service. Headless Chromium has no push
// service: the widget subscribes with the strict one, and decrypted messages reach the worker through the browser's
// debugger.

let demo: PushDemo
let browser: Browser
let page: Page
let devtools: CDPSession
let worker: Worker
let registrationId = ''

const whyNot = windowedChromium
  ? ''
  : ' (left out: there is no Chromium with windows; Debian: apt-get install chromium)'

describe.skipIf(!windowedChromium)(`in Chromium${whyNot}`, () => {
  beforeAll(async () => {
    demo = await openPushDemo()
    await switchOn()
    browser = await chromium.launch({ executablePath: windowedChromium!, args: ['--no-sandbox'] })
    const origin = demo.instance.storeUrl
    const context = await browser.newContext()
    await context.grantPermissions(['notifications'], { origin })
    await context.exposeFunction('subscribeThere', (key: string) => {
      const keys = crypto.createECDH('prime256v1')
      keys.generateKeys()
      const auth = crypto.randomBytes(16)
      const { endpoint } = demo.service.register({ keys, auth }, key)
      const [p256dh, text] = [keys.getPublicKey('base64url'), auth.toString('base64url')]
      return { endpoint, expirationTime: null, keys: { p256dh, auth: text } }
    })
    await context.addInitScript(stubPushInPage, 'default')
    page = await context.newPage()
    devtools = await context.newCDPSession(page)
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      registrationId =
        registrations.find(({ scopeURL }) => scopeURL.endsWith('/recoup-push/'))?.registrationId ?? registrationId
    })
    await devtools.send('ServiceWorker.enable')
    const started = context.waitForEvent('serviceworker', { timeout: 120_000 })
    await page.goto(`${origin}/shop/`)
    await page.locator('[data-quick-add]').first().click()
    const yes = page.getByRole('button', { name: DEFAULT_PROMPT.accept })
    await yes.waitFor({ timeout: 60_000 })
    await yes.click()
    worker = await started
    await startCountingNotifications(worker)
  }, 400_000)

  afterAll(async () => {
    await browser?.close()
    await demo?.stop()
  })

  async function switchOn(): Promise<void> {
    const { storeUrl, settings } = await setup()
    await demo.api('POST', '/api/push-notifications/save-settings', {
      storeUrl,
      settings: { ...settings, enabled: true },
    })
  }

  const TIMES = { timeout: 60_000, interval: 300 }

  interface Setup {
    storeUrl: string
    settings: object
    subscribers: number
  }
  const setup = () => demo.api<Setup>('GET', '/api/push-notifications/setup')

  test('the widget subscribes, and only its subscription gets the notification of an abandoned cart', async () => {
    await expect.poll(async () => (await setup()).subscribers, TIMES).toBe(1)
    await demo.minutePasses()
    await expect.poll(() => demo.service.seen.map(({ status }) => status), TIMES).toEqual([201])
    expect(readLastPayload()).toMatchObject({
      title: "Don't forget your items!",
      cartId: expect.any(String),
      origin: demo.instance.url,
      actions: [{ action: 'open' }, { action: 'stop' }],
    })
  }, 180_000)

  const readLastPayload = () => demo.service.seen.at(-1)!.payload as PushPayload

  /** Resolves when the notification is on the screen. */
  async function waitForArrival(): Promise<void> {
    const origin = `${demo.instance.storeUrl}/`
    await expect.poll(() => registrationId).not.toBe('')
    const before = await readNotificationCount(worker)
    await devtools.send('ServiceWorker.deliverPushMessage', {
      origin,
      registrationId,
      data: JSON.stringify(readLastPayload()),
    })
    await expect.poll(() => readNotificationCount(worker), TIMES).toBe(before + 1)
  }

  test('the worker shows the notification, and a click opens the link that restores the cart', async () => {
    await waitForArrival()
    const listShown = () =>
      worker.evaluate(async () => {
        const all = await (self as unknown as WorkerScope).registration.getNotifications()
        return all.map(({ title, tag }) => ({ title, tag }))
      })
    await expect.poll(listShown).toEqual([{ title: readLastPayload().title, tag: readLastPayload().tag }])
    // A worker may open a window only after a real click, so the URL is recorded.
    const opened = await worker.evaluate(async () => {
      const scope = self as unknown as WorkerScope
      const [notification] = await scope.registration.getNotifications()
      return new Promise<string>((resolve) => {
        scope.clients.openWindow = async (url) => resolve(url)
        scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }))
      })
    })
    expect(opened).toBe(readLastPayload().url)
    // The shop's page stays open, because the worker runs in its process.
    const restoring = await page.context().newPage()
    await restoring.goto(opened)
    await restoring.getByRole('button', { name: 'Restore Cart' }).waitFor()
    await expect.poll(async () => (await stats()).clickRate, TIMES).toBe(100)
  }, 120_000)

  const stats = async () => {
    const { stats } = await demo.api<{ stats: { clickRate: number } }>('GET', '/api/push-notifications/store-stats')
    return stats
  }

  test('“Stop” in the notification ends the subscription', async () => {
    await waitForArrival()
    await worker.evaluate(async () => {
      const scope = self as unknown as WorkerScope
      const [notification] = await scope.registration.getNotifications()
      scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification, action: 'stop' }))
    })
    await expect.poll(async () => (await setup()).subscribers, TIMES).toBe(0)
  }, 120_000)
})

interface WorkerScope extends EventTarget {
  registration: ServiceWorkerRegistration
  clients: { openWindow(url: string): Promise<unknown> }
  NotificationEvent: new (type: string, init: object) => Event
}
