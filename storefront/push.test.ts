import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findViolations } from '../e2e/axe.ts'
import { closePages, openBrowser } from '../e2e/browser.ts'
import { type DemoStore, startDemoStore } from '../providers/woocommerce/store.ts'
import { buildStorefront } from '../scripts/build-storefront.ts'
import { DEFAULT_PROMPT } from '../shared/delivery/push.ts'
import { WORKER_VERSION } from '../shared/delivery/push-worker-version.ts'
import { stubPushInPage } from '../test/push-in-page.ts'
import { openPushServer } from '../test/push-page-server.ts'
import { createShopper } from '../test/push-shopper.ts'

// Widget and worker in Chromium on the demo store's own pages; a small test server replaces ours. Chromium has no push
// service here, so `test/push-in-page.ts` fakes the subscription, and the debugger delivers pushes.

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-push-'))
const built = (name: string) => () => fs.readFileSync(path.join(folder, name))
const KEYS = [createKey(), createKey()] as const

beforeAll(() => buildStorefront(folder))
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** A P-256 key pair, as browsers use. */
function createKey(): string {
  const ecdh = crypto.createECDH('prime256v1')
  return ecdh.generateKeys('base64url')
}

test('the widget is at most four kilobytes compressed, and matches the size in the docs', () => {
  const bytes = gzipSync(built('push.js')(), { level: 9 }).length
  expect(bytes).toBeLessThanOrEqual(4_096)
  const docs = fs.readFileSync(new URL('../docs/web-push.md', import.meta.url), 'utf8')
  expect(/It weighs (\S+) KB compressed/.exec(docs)?.[1]).toBe((bytes / 1_024).toFixed(1))
})

describe('in a browser', () => {
  let shop: DemoStore
  let browser: Browser
  let server: Awaited<ReturnType<typeof openPushServer>>

  beforeAll(async () => {
    shop = await startDemoStore({ port: 0, dataFile: ':memory:' })
    server = await openPushServer({
      '/capture/': built('capture.js'),
      '/push/sw.js': built('sw.js'),
      '/push/': built('push.js'),
    })
    shop.setCapture({ scriptUrl: `${server.url}/capture/KEY-1.js`, storeKey: 'KEY-1' })
    browser = await openBrowser()
  })

  beforeEach(() => {
    host('plugin')
    const workerVersion = WORKER_VERSION
    Object.assign(server.state, { publicKey: KEYS[0], refused: {}, workerUrl: '/?recoup-sw=1', workerVersion })
  })

  afterAll(async () => {
    if (browser) await closePages(browser)
    await shop?.stop()
    server?.close()
  })

  const host = (method: string, body = '') =>
    shop.setPush({
      head: `<script src="${server.url}/push/KEY-1.js" data-method="${method}" defer></script>`,
      body,
      workerPath: '/?recoup-sw=1',
      worker: { url: `${server.url}/push/sw.js` },
    })

  async function visit(work: (page: Page) => Promise<void>, permission = 'default'): Promise<void> {
    server.received.length = 0
    const context = await browser.newContext({ reducedMotion: 'reduce' })
    await context.grantPermissions(['notifications'], { origin: shop.url })
    await context.addInitScript(stubPushInPage, permission)
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    await page.clock.install()
    await work(page)
    await context.close()
    expect(errors).toEqual([])
  }

  const { received, bar, yes, addTea, waitForBar, subscribed, readStoredToken, nextPage } = createShopper(
    () => shop.url,
    () => server,
  )

  test('shows no bar without a cart, shows it after five seconds with one, and prompts only on the press', {
    tags: ['A7', 'A9'],
  }, async () => {
    await visit(async (page) => {
      await page.goto(`${shop.url}/shop/`)
      await expect.poll(() => received('auto-setup').length).toBe(1)
      await page.clock.runFor(20_000)
      await expect.poll(() => bar(page).count()).toBe(0)
      await addTea(page)
      await page.goto(`${shop.url}/cart/`)
      await page.clock.runFor(4_000)
      await expect.poll(() => bar(page).count()).toBe(0)
      await waitForBar(page)
      await expect.poll(() => page.evaluate(() => window.permissionRequests)).toBe(0)
      await yes(page).click()
      await expect.poll(() => page.evaluate(() => window.permissionRequests)).toBe(1)
      await bar(page).waitFor({ state: 'detached' })
    })
    expect(server.received[0]).toMatchObject({ origin: shop.url, type: expect.stringMatching(/^text\/plain/) })
    expect(server.received[0]!.body).toMatchObject({
      storeUrl: shop.url,
      userAgent: expect.stringContaining('Chrome'),
      method: 'plugin',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })

  test('links the subscription to the cart by the capture script’s tokens, with the text shown', async () => {
    await visit(async (page) => {
      await subscribed(page)
      const { cart, device } = server.captured.at(-1)!
      await expect
        .poll(() => received('subscribe')[0])
        .toMatchObject({
          storeKey: 'KEY-1',
          cart,
          device,
          publicKey: KEYS[0],
          wording: 'w-1',
          method: 'plugin',
          subscription: { endpoint: expect.stringMatching(/^https:/), keys: { p256dh: expect.any(String) } },
        })
      expect(JSON.stringify(server.received)).not.toContain('@')
    })
  })

  test('reports an active worker as soon as a page has one', async () => {
    await visit(async (page) => {
      await addTea(page)
      await waitForBar(page)
      await expect.poll(() => received('auto-setup').map(({ hasWorker }) => hasWorker)).toEqual([false, true])
    })
  })

  test('shows no bar in a shop whose worker cannot be loaded', async () => {
    server.state.workerUrl = '/nothing-here.js'
    await visit(async (page) => {
      await addTea(page)
      await page.clock.runFor(20_000)
      await expect.poll(() => bar(page).count()).toBe(0)
      await expect.poll(() => received('auto-setup')).toHaveLength(1)
    })
  })

  test('does not ask again within thirty days', async () => {
    await visit(async (page) => {
      await addTea(page)
      await waitForBar(page)
      await bar(page).getByRole('button', { name: DEFAULT_PROMPT.decline }).click()
      await expect.poll(() => bar(page).count()).toBe(0)
      await nextPage(page)
      await page.clock.runFor(20_000)
      await expect.poll(() => bar(page).count()).toBe(0)
      await nextPage(page, () => page.clock.setSystemTime(Date.now() + 31 * 86_400_000))
      await waitForBar(page)
      await expect.poll(() => page.evaluate(() => window.permissionRequests)).toBe(0)
    })
  })

  test.each(['denied', 'granted'])('shows no bar if the permission is already %s', async (permission) => {
    await visit(async (page) => {
      await addTea(page)
      await page.clock.runFor(20_000)
      await expect.poll(() => bar(page).count()).toBe(0)
      expect(received('subscribe')).toEqual([])
    }, permission)
  })

  test('shows and reports nothing in a browser without push, such as iOS outside the home screen', async () => {
    await visit(async (page) => {
      await page.addInitScript(() => Reflect.deleteProperty(window, 'PushManager'))
      await addTea(page)
      await page.clock.runFor(20_000)
      await expect.poll(() => bar(page).count()).toBe(0)
      expect(server.received).toEqual([])
    })
  })

  test('shows and reports nothing without the required consent', async () => {
    await visit(async (page) => {
      await page.addInitScript('window.recoupConsent = false')
      await page.goto(`${shop.url}/shop/`)
      await page.locator('[data-quick-add]').first().click()
      await page.clock.runFor(20_000)
      await expect.poll(() => bar(page).count()).toBe(0)
      expect(server.received).toEqual([])
    })
  })

  test('omits only the device id under "do not track"', async () => {
    await visit(async (page) => {
      await page.addInitScript(() => Object.defineProperty(navigator, 'doNotTrack', { value: '1', configurable: true }))
      await subscribed(page)
      await expect.poll(() => received('subscribe')[0]).toMatchObject({ cart: expect.any(String) })
      expect(received('subscribe')[0]).not.toHaveProperty('device')
    })
  })

  test('reads the cart from the plugin’s cookie and reports the device to the plugin', async () => {
    const cart = 'p'.repeat(32)
    await visit(async (page) => {
      await page.route('**/capture/**', (route) => route.abort())
      await page.goto(`${shop.url}/shop/`)
      await page.clock.runFor(20_000)
      await expect.poll(() => bar(page).count()).toBe(0)
      await page.context().addCookies([{ name: 'recoup_cart', value: cart, url: shop.url }])
      await waitForBar(page)
      await yes(page).click()
      await expect.poll(() => received('subscribe').length).toBe(1)
      const [{ device }] = received('subscribe') as [{ device: string }]
      await expect
        .poll(() => received('subscribe')[0])
        .toMatchObject({ cart, device: expect.stringMatching(/^[\w-]{16,64}$/) })
      await expect.poll(() => page.evaluate(() => document.cookie)).toContain(`recoup_device=${device}`)
    })
  })

  test('hides errors of auto-setup, and does nothing in a shop without web push', {
    tags: ['A8'],
  }, async () => {
    server.state.refused = { 'auto-setup': 404 }
    await visit(async (page) => {
      const dialogs: string[] = []
      page.on('dialog', (dialog) => dialogs.push(dialog.message()))
      await addTea(page)
      await page.clock.runFor(20_000)
      await expect.poll(() => bar(page).count()).toBe(0)
      expect(dialogs).toEqual([])
    })
  })

  // A press faster than the cart's first post is refused.
  test.each([
    'next page',
    'same page',
  ])('reports a subscription on the %s if the first report failed', async (where) => {
    server.state.refused = { subscribe: 422 }
    await visit(async (page) => {
      await addTea(page)
      await waitForBar(page)
      await yes(page).click()
      await expect.poll(() => received('subscribe').length).toBe(1)
      await expect.poll(() => readStoredToken(page)).toBe('')
      server.state.refused = {}
      if (where === 'same page') await page.clock.runFor(2_000)
      else await nextPage(page)
      await expect.poll(() => readStoredToken(page)).not.toBe('')
      await page.clock.runFor(20_000)
      await expect.poll(() => received('subscribe')).toEqual([received('subscribe')[0], received('subscribe')[0]])
    })
  })

  test('moves to a new key by itself and keeps its identity by its token', async () => {
    await visit(async (page) => {
      await subscribed(page)
      const before = await readStoredToken(page)
      await nextPage(page, async () => {
        server.state.publicKey = KEYS[1]
      })
      await expect.poll(() => received('resubscribe').length).toBe(1)
      const moved = received('resubscribe')[0]!
      expect(moved).toMatchObject({ storeKey: 'KEY-1', token: before, publicKey: KEYS[1] })
      expect(moved.subscription).not.toEqual(received('subscribe')[0]!.subscription)
      await expect.poll(() => readStoredToken(page)).not.toBe(before)
      await nextPage(page)
      await expect.poll(() => received('auto-setup').length).toBeGreaterThan(2)
      await expect.poll(() => received('resubscribe')).toHaveLength(1)
    })
  })

  test('reports a replaced subscription once on the next page if the first report failed', async () => {
    await visit(async (page) => {
      await subscribed(page)
      const token = await readStoredToken(page)
      await page.evaluate(() => {
        const subscription = JSON.parse(localStorage.getItem('test_subscription')!)
        subscription.json.endpoint += '-anew'
        localStorage.setItem('test_subscription', JSON.stringify(subscription))
      })
      await nextPage(page)
      await expect.poll(() => received('resubscribe').length).toBe(1)
      await expect
        .poll(() => received('resubscribe')[0])
        .toMatchObject({
          token,
          subscription: { endpoint: expect.stringMatching(/-anew$/) },
        })
      await nextPage(page)
      await expect.poll(() => received('auto-setup').length).toBeGreaterThan(3)
      await expect.poll(() => received('resubscribe')).toHaveLength(1)
    })
  })

  test('reports the cart after an order without a new page, with the subscription’s token, once', async () => {
    await visit(async (page) => {
      await subscribed(page)
      const token = await readStoredToken(page)
      const cart = 'c'.repeat(24)
      await page.evaluate((cart) => localStorage.setItem('recoup_cart_KEY-1', cart), cart)
      await page.clock.runFor(4_000)
      await expect.poll(() => received('resubscribe').length).toBe(1)
      const { device, subscription } = received('subscribe')[0]!
      await expect
        .poll(() => received('resubscribe')[0])
        .toEqual({
          storeKey: 'KEY-1',
          token,
          publicKey: KEYS[0],
          cart,
          device,
          subscription,
        })
      await expect.poll(() => readStoredToken(page)).not.toBe(token)
      await page.clock.runFor(4_000)
      const before = received('auto-setup').length
      await nextPage(page)
      await expect.poll(() => received('auto-setup').length).toBeGreaterThan(before)
      await expect.poll(() => received('resubscribe')).toHaveLength(1)
    })
  })

  test('fetches a newer worker from the shop and reports its version (decision 78)', async () => {
    await visit(async (page) => {
      await subscribed(page)
      await expect
        .poll(() => received('auto-setup').at(-1))
        .toMatchObject({ workerVersion: WORKER_VERSION, isFresh: true })
      server.received.length = 0
      await nextPage(page, async () => {
        server.state.workerVersion = WORKER_VERSION + 1
      })
      await expect.poll(() => received('auto-setup').length).toBe(2)
      const [known, fresh] = received('auto-setup')
      expect(known).toMatchObject({ hasWorker: true, workerVersion: WORKER_VERSION })
      expect(known).not.toHaveProperty('isFresh')
      expect(fresh).toMatchObject({ hasWorker: true, workerVersion: WORKER_VERSION, isFresh: true })
    })
  })

  test('ends a subscription the server has ended, and does not ask again', async () => {
    await visit(async (page) => {
      await subscribed(page)
      server.state.refused = { resubscribe: 404 }
      await nextPage(page, async () => {
        server.state.publicKey = KEYS[1]
      })
      await expect.poll(() => readStoredToken(page)).toBe('')
      await expect.poll(() => page.evaluate(() => localStorage.getItem('test_subscription'))).toBeNull()
      await page.clock.runFor(20_000)
      await expect.poll(() => bar(page).count()).toBe(0)
    })
  })

  test('reports a revoked permission once', async () => {
    await visit(async (page) => {
      await subscribed(page)
      const token = await readStoredToken(page)
      await page.evaluate(() => localStorage.setItem('test_permission', 'denied'))
      await nextPage(page)
      await expect.poll(() => received('unsubscribe')).toEqual([{ storeKey: 'KEY-1', token }])
      await expect.poll(() => readStoredToken(page)).toBe('')
      await nextPage(page)
      await expect.poll(() => received('auto-setup').length).toBeGreaterThan(3)
      await expect.poll(() => received('unsubscribe')).toHaveLength(1)
    })
  })

  test('shows the shop’s own button only where it works, and asks in the same bar', async () => {
    host('button', '<button type="button" data-recoup-push hidden>Remind me</button>')
    await visit(async (page) => {
      const button = page.getByRole('button', { name: 'Remind me', exact: true })
      await page.goto(`${shop.url}/shop/`)
      await expect.poll(() => received('auto-setup').length).toBe(2)
      await expect.poll(() => button.count()).toBe(0)
      await addTea(page)
      await page.clock.runFor(2_000)
      await button.click()
      await yes(page).click()
      await expect.poll(() => received('subscribe').length).toBe(1)
      await expect.poll(() => button.count()).toBe(0)
    })
  })

  test('the bar works by keyboard, takes no focus, fits a phone, and has no axe violations', async () => {
    await visit(async (page) => {
      await page.setViewportSize({ width: 360, height: 740 })
      await addTea(page)
      await page.locator('a.brand').focus()
      await waitForBar(page)
      await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe('brand')
      const box = (await bar(page).boundingBox())!
      expect([box.x >= 0, box.x + box.width <= 360]).toEqual([true, true])
      expect(await findViolations(page, { within: 'body > div:last-child' })).toEqual([])
      await yes(page).focus()
      await page.keyboard.press('Escape')
      await expect.poll(() => bar(page).count()).toBe(0)
    })
  })
})
