import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findOrder } from '../demo/store/orders.ts'
import { type DemoStore, startDemoStore } from '../demo/store/store.ts'
import { buildStorefront } from '../scripts/build-storefront.ts'
import { CapturePost } from '../shared/capture.ts'

// The script as browsers run it, on the demo store's own pages; a small server stands in for ours and keeps what is posted.

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-capture-'))
const browserPath = [process.env.CHROMIUM_PATH, '/usr/bin/chromium'].find((file) => file && fs.existsSync(file))
const script = () => fs.readFileSync(path.join(folder, 'capture.js'))

beforeAll(() => buildStorefront(folder))
afterAll(() => fs.rmSync(folder, { recursive: true }))

test('is at most four kilobytes on the wire', () => {
  expect(gzipSync(script(), { level: 9 }).length).toBeLessThanOrEqual(4_096)
})

describe.skipIf(!browserPath)('in a browser', () => {
  let shop: DemoStore
  let browser: Browser
  let server: http.Server
  let origin: string
  let posts: { origin: string | undefined; type: string | undefined; body: CapturePost }[] = []

  beforeAll(async () => {
    const keys = { consumerKey: `ck_${'a'.repeat(40)}`, consumerSecret: `cs_${'b'.repeat(40)}` }
    shop = await startDemoStore({ port: 0, dataFile: ':memory:', ...keys })
    server = http.createServer((request, response) => {
      if (request.method !== 'POST') return void response.setHeader('content-type', 'text/javascript').end(script())
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        const { origin: from, 'content-type': type } = request.headers
        posts.push({ origin: from, type, body: CapturePost.parse(JSON.parse(text)) })
        response.writeHead(204).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://localhost:${(server.address() as AddressInfo).port}`
    shop.setCapture({ scriptUrl: `${origin}/capture/KEY-1.js`, storeKey: 'KEY-1' })
    browser = await chromium.launch({ executablePath: browserPath!, args: ['--no-sandbox'] })
  })

  afterAll(async () => {
    await browser?.close()
    await shop?.stop()
    server?.close()
  })

  async function visit(work: (page: Page) => Promise<void>, prepare?: (page: Page) => Promise<unknown>): Promise<void> {
    posts = []
    const context = await browser.newContext()
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    await prepare?.(page)
    await work(page)
    await context.close()
    expect(errors).toEqual([])
  }

  const settled = (page: Page) => page.waitForTimeout(700)
  const last = () => posts.at(-1)!.body

  async function addTea(page: Page): Promise<void> {
    await page.goto(`${shop.url}/shop/`)
    await page.locator('[data-quick-add]').first().click()
    await settled(page)
  }

  test('nothing happens, nothing is said', async () => {
    await visit(async (page) => {
      await page.goto(`${shop.url}/shop/`)
      await settled(page)
    })
    expect(posts).toEqual([])
  })

  test('goods and a typed address are posted once each, by ids and as text, under one cart', async () => {
    await visit(async (page) => {
      await addTea(page)
      expect(posts).toHaveLength(1)
      expect(posts[0]).toMatchObject({ origin: shop.url, type: expect.stringMatching(/^text\/plain/) })
      expect(last()).toMatchObject({ seq: 0, items: [{ id: '20', quantity: 1 }], coupons: [] })
      await page.goto(`${shop.url}/checkout/`)
      await settled(page)
      expect(posts).toHaveLength(1)
      await page.fill('#email', 'ada@shoppers.example.com')
      await page.locator('#shipping-first_name').focus()
      await settled(page)
      expect(last()).toMatchObject({ seq: 0, contact: { email: 'ada@shoppers.example.com', country: 'US' } })
      await page.locator('#shipping-city').focus()
      await settled(page)
      expect(posts).toHaveLength(2)
      expect(new Set(posts.map(({ body }) => body.cart)).size).toBe(1)
      const kept = await page.evaluate(() => JSON.stringify(localStorage))
      expect(kept).not.toContain('ada@')
    })
  })

  test('what was typed when the page is left goes out as it is left', async () => {
    await visit(async (page) => {
      await addTea(page)
      await page.goto(`${shop.url}/checkout/`)
      await page.fill('#email', 'leaving@shoppers.example.com')
      await page.goto(`${shop.url}/shop/`)
      await settled(page)
      expect(posts.some(({ body }) => body.contact?.email === 'leaving@shoppers.example.com')).toBe(true)
    })
  })

  test('half an address is not posted', async () => {
    await visit(async (page) => {
      await addTea(page)
      await page.goto(`${shop.url}/checkout/`)
      await page.fill('#email', 'ada@sho')
      await page.locator('#shipping-first_name').focus()
      await settled(page)
      expect(posts.filter(({ body }) => body.contact)).toEqual([])
    })
  })

  test('an emptied cart is told, and an order begins another cart', async () => {
    await visit(async (page) => {
      await addTea(page)
      const first = last().cart
      await page.context().clearCookies()
      await page.goto(`${shop.url}/checkout/order-received/77/?key=wc_order_x`)
      await settled(page)
      expect(last()).toMatchObject({ cart: first, items: [] })
      await addTea(page)
      expect(last().cart).not.toBe(first)
      expect(last().items).toHaveLength(1)
    })
  })

  test('without the consent that was asked for nothing is posted or kept; with it everything is', async () => {
    const refused = (page: Page) => page.addInitScript('window.recoupConsent = false')
    await visit(async (page) => {
      await addTea(page)
      expect(posts).toEqual([])
      expect(await page.evaluate(() => localStorage.length)).toBe(0)
      await page.evaluate('window.recoup("consent", true)')
      await settled(page)
      expect(last().items).toHaveLength(1)
      await page.evaluate('window.recoup("consent", false)')
      expect(await page.evaluate(() => localStorage.length)).toBe(0)
    }, refused)
  })

  test('"do not track" leaves out the device only', async () => {
    const dnt = (page: Page) =>
      page.addInitScript(() => Object.defineProperty(navigator, 'doNotTrack', { value: '1', configurable: true }))
    await visit(addTea, dnt)
    expect(last().device).toBeUndefined()
    expect(last().items).toHaveLength(1)
    await visit(addTea)
    expect(last().device).toMatch(/^[\w-]{16,64}$/)
  })

  test('a consent box is told with its words; passwords and cards never are', async () => {
    await visit(async (page) => {
      await addTea(page)
      await page.goto(`${shop.url}/checkout/`)
      await page.evaluate(() => {
        document.querySelector('form.checkout')!.insertAdjacentHTML(
          'beforeend',
          `<label><input type="checkbox" id="recoup_consent"> Send me offers</label>
           <input id="billing_phone" type="password" value="+18025550100">
           <input id="billing_first_name" autocomplete="cc-name" value="Card Holder">`,
        )
      })
      await page.fill('#email', 'box@shoppers.example.com')
      await page.check('#recoup_consent')
      await settled(page)
      expect(last()).toMatchObject({ consent: { email: true, wording: 'Send me offers' } })
      expect(JSON.stringify(posts)).not.toMatch(/5550100|Card Holder/)
    })
  })

  test('each channel has its box and its words; left empty or passed by with Tab it says nothing', async () => {
    await visit(async (page) => {
      await addTea(page)
      await page.goto(`${shop.url}/checkout/`)
      await page.fill('#email', 'three@shoppers.example.com')
      await page.fill('#shipping-phone', '+1 212 555 0142')
      for (const channel of ['email', 'sms', 'whatsapp']) await page.focus(`#recoup_consent_${channel}`)
      await page.locator('#order-note').focus()
      await settled(page)
      expect(last().contact).toMatchObject({ phone: '+1 212 555 0142' })
      expect(posts.filter(({ body }) => body.consent)).toEqual([])
      await page.check('#recoup_consent_sms')
      await page.check('#recoup_consent_whatsapp')
      await settled(page)
      const { consent } = last()
      expect(consent).toEqual({
        sms: {
          isGiven: true,
          wording: expect.stringMatching(/automated marketing.*not a condition.*rates may apply.*STOP/),
        },
        whatsapp: { isGiven: true, wording: expect.stringContaining('WhatsApp') },
      })
      await page.uncheck('#recoup_consent_sms')
      await settled(page)
      expect(last().consent).toMatchObject({ sms: { isGiven: false }, whatsapp: { isGiven: true } })
    })
  })

  test('a box the shop ticked itself says nothing until the shopper touches it; unticked, it is a no', async () => {
    await visit(async (page) => {
      await addTea(page)
      await page.goto(`${shop.url}/checkout/`)
      await page.evaluate(() => {
        document.querySelector('#recoup_consent_email')!.closest('label')!.outerHTML =
          '<label><input type="checkbox" id="recoup_consent_email" checked> Mail me</label>'
      })
      await page.fill('#email', 'preset@shoppers.example.com')
      await page.locator('#order-note').focus()
      await settled(page)
      expect(last()).toMatchObject({ contact: { email: 'preset@shoppers.example.com' } })
      expect(last().consent).toBeUndefined()
      await page.uncheck('#recoup_consent_email')
      await settled(page)
      expect(last().consent).toEqual({ email: false, wording: 'Mail me' })
      await page.check('#recoup_consent_email')
      await settled(page)
      expect(last().consent).toEqual({ email: true, wording: 'Mail me' })
    })
  })

  test('what was agreed to goes into the order with its words', async () => {
    let placed = ''
    await visit(async (page) => {
      await addTea(page)
      await page.goto(`${shop.url}/checkout/`)
      const fields = { email: 'order@shoppers.example.com', 'shipping-first_name': 'Ada', 'shipping-last_name': 'Lee' }
      const place = { 'shipping-address_1': '1 Main St', 'shipping-city': 'Springfield', 'shipping-postcode': '62701' }
      for (const [id, value] of Object.entries({ ...fields, ...place })) await page.fill(`#${id}`, value)
      await page.selectOption('#shipping-state', 'IL')
      await page.check('#recoup_consent_email')
      await page.click('[data-place]')
      await page.waitForURL('**/order-received/**')
      placed = page.url()
    })
    const order = findOrder(shop.shop, Number(/order-received\/(\d+)/.exec(placed)![1]))!
    const meta = new Map(order.meta.map(({ key, value }) => [key, value]))
    expect(meta.get('_recoup_consent_email')).toBe('yes')
    expect(meta.get('_recoup_consent_email_wording')).toMatch(/^Email me about the cart I leave/)
    expect(meta.has('_recoup_consent_sms')).toBe(false)
  })

  test('a browser that keeps nothing and a shop that answers nonsense stay unharmed', async () => {
    const broken = async (page: Page) => {
      await page.addInitScript(() => {
        Object.defineProperty(window, 'localStorage', {
          get() {
            throw new Error('forbidden')
          },
        })
      })
      await page.route('**/wc/store/v1/cart', (route) => route.fulfill({ body: '<html>maintenance</html>' }))
    }
    await visit(async (page) => {
      await page.context().addCookies([{ name: 'woocommerce_items_in_cart', value: '1', url: shop.url }])
      await page.goto(`${shop.url}/shop/`)
      await page.evaluate(() => document.body.dispatchEvent(new Event('added_to_cart')))
      await settled(page)
    }, broken)
    expect(posts).toEqual([])
  })
})
