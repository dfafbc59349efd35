import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closePages, openBrowser } from '../e2e/browser.ts'
import { findOrder } from '../providers/woocommerce/orders.ts'
import { storeName } from '../providers/woocommerce/shop.ts'
import { type DemoStore, startDemoStore } from '../providers/woocommerce/store.ts'
import { buildStorefront } from '../scripts/build-storefront.ts'
import { computeWordingId, getDefaultBoxText } from '../shared/shoppers/consent-box.ts'
import { openCaptureServer } from '../test/capture-server.ts'
import { mockPageTime, type PageTime } from '../test/page-time.ts'

// The script as browsers run it, on the demo store's own pages. A small test server replaces ours and records the
// posts.

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-capture-'))
const script = () => fs.readFileSync(path.join(folder, 'capture.js'))

beforeAll(() => buildStorefront(folder))
afterAll(() => fs.rmSync(folder, { recursive: true }))

test('is at most four kilobytes compressed, and matches the size in the docs', () => {
  const wire = fs.readFileSync(path.join(folder, 'capture.js.br')).length
  expect(wire).toBeLessThanOrEqual(4_096)
  expect(gzipSync(script(), { level: 9 }).length).toBeLessThanOrEqual(4_096)
  const docs = fs.readFileSync(new URL('../docs/connecting-woocommerce.md', import.meta.url), 'utf8')
  expect(/It weighs (\S+) KB compressed/.exec(docs)?.[1]).toBe((wire / 1_024).toFixed(1))
})

describe('in a browser', () => {
  let shop: DemoStore
  let browser: Browser
  let server: Awaited<ReturnType<typeof openCaptureServer>>
  let posts: (typeof server)['posts']

  beforeAll(async () => {
    const keys = { consumerKey: `ck_${'a'.repeat(40)}`, consumerSecret: `cs_${'b'.repeat(40)}` }
    shop = await startDemoStore({ port: 0, dataFile: ':memory:', ...keys })
    server = await openCaptureServer(script)
    posts = server.posts
    shop.setCapture({ scriptUrl: `${server.url}/capture/KEY-1.js`, storeKey: 'KEY-1' })
    browser = await openBrowser()
  })

  afterAll(async () => {
    if (browser) await closePages(browser)
    await shop?.stop()
    server?.close()
  })

  async function visit(work: (page: Page) => Promise<void>, prepare?: (page: Page) => Promise<unknown>): Promise<void> {
    posts.length = 0
    const context = await browser.newContext()
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    times.set(page, await mockPageTime(page, () => posts.length))
    await prepare?.(page)
    await work(page)
    await context.close()
    expect(errors).toEqual([])
  }

  const times = new WeakMap<Page, PageTime>()
  const settled = (page: Page) => times.get(page)!.settle()
  const readLastPost = () => posts.at(-1)!.body

  async function addTea(page: Page): Promise<void> {
    await page.goto(`${shop.url}/shop/`)
    await page.locator('[data-quick-add]').first().click()
    await settled(page)
  }

  test('posts nothing when nothing happens', async () => {
    await visit(async (page) => {
      await page.goto(`${shop.url}/shop/`)
      await settled(page)
    })
    expect(posts).toEqual([])
  })

  test('posts items and a typed address once each, by ids and as text, under one cart', async () => {
    await visit(async (page) => {
      await addTea(page)
      await expect.poll(() => posts).toHaveLength(1)
      await expect.poll(() => posts[0]).toMatchObject({ origin: shop.url, type: expect.stringMatching(/^text\/plain/) })
      await expect
        .poll(() => readLastPost())
        .toMatchObject({ seq: 0, items: [{ id: '20', quantity: 1 }], coupons: [], lang: 'en' })
      await page.goto(`${shop.url}/checkout/`)
      await settled(page)
      await expect.poll(() => posts).toHaveLength(1)
      await page.fill('#email', 'ada@shoppers.example.com')
      await page.locator('#shipping-first_name').focus()
      await settled(page)
      await expect
        .poll(() => readLastPost())
        .toMatchObject({ seq: 0, contact: { email: 'ada@shoppers.example.com', country: 'US' } })
      await page.locator('#shipping-city').focus()
      await settled(page)
      await expect.poll(() => posts).toHaveLength(2)
      await expect.poll(() => new Set(posts.map(({ body }) => body.cart)).size).toBe(1)
      const stored = await page.evaluate(() => JSON.stringify(localStorage))
      expect(stored).not.toContain('ada@')
    })
  })

  test('posts typed input while the page unloads', async () => {
    await visit(async (page) => {
      await addTea(page)
      await page.goto(`${shop.url}/checkout/`)
      await page.fill('#email', 'leaving@shoppers.example.com')
      await page.goto(`${shop.url}/shop/`)
      const isPosted = () => posts.some(({ body }) => body.contact?.email === 'leaving@shoppers.example.com')
      await expect.poll(isPosted).toBe(true)
    })
  })

  test('does not post an incomplete address', async () => {
    await visit(async (page) => {
      await addTea(page)
      await page.goto(`${shop.url}/checkout/`)
      await page.fill('#email', 'ada@sho')
      await page.locator('#shipping-first_name').focus()
      await settled(page)
      expect(posts.filter(({ body }) => body.contact)).toEqual([])
    })
  })

  test('removes the token of our restore page from the address and posts it until an order', async () => {
    const back = 'b'.repeat(43)
    await visit(async (page) => {
      await addTea(page)
      const { cart } = readLastPost()
      await page.goto(`${shop.url}/checkout/?utm_source=mail&recoup_cart=${back}#top`)
      await settled(page)
      await expect.poll(() => page.url()).toBe(`${shop.url}/checkout/?utm_source=mail#top`)
      await expect.poll(() => readLastPost()).toMatchObject({ cart, back, items: [{ id: '20', quantity: 1 }] })
      await page.fill('#email', 'back@shoppers.example.com')
      await page.locator('#shipping-first_name').focus()
      await settled(page)
      await expect
        .poll(() => readLastPost())
        .toMatchObject({ back, items: [{ id: '20' }], contact: { email: 'back@shoppers.example.com' } })
      await page.context().clearCookies()
      await page.goto(`${shop.url}/checkout/order-received/78/?key=wc_order_x`)
      await settled(page)
      await addTea(page)
      expect(readLastPost().back).toBeUndefined()
    })
  })

  test('keeps a restore token only with the required consent, and removes it from the address in any case', async () => {
    const refused = (page: Page) => page.addInitScript('window.recoupConsent = false')
    const back = 'c'.repeat(43)
    await visit(async (page) => {
      await page.goto(`${shop.url}/shop/?recoup_cart=${back}`)
      await page.locator('[data-quick-add]').first().click()
      await settled(page)
      await expect.poll(() => page.url()).toBe(`${shop.url}/shop/`)
      expect(posts).toEqual([])
      await expect.poll(() => page.evaluate(() => localStorage.length)).toBe(0)
      await page.evaluate('window.recoup("consent", true)')
      await settled(page)
      await expect.poll(() => readLastPost()).toMatchObject({ back })
    }, refused)
  })

  test('counts a shopper who leaves the restore page immediately as restored', async () => {
    const back = 'd'.repeat(43)
    await visit(async (page) => {
      await page.goto(`${shop.url}/shop/?recoup_cart=${back}`, { waitUntil: 'domcontentloaded' })
      await addTea(page)
      await expect.poll(() => readLastPost()).toMatchObject({ back })
    })
  })

  test('posts the chosen options of a variation', async () => {
    await visit(async (page) => {
      await page.goto(`${shop.url}/product/stacking-cups/`)
      await page.getByRole('button', { name: 'Add to cart' }).click()
      await settled(page)
      await expect
        .poll(() => readLastPost().items)
        .toMatchObject([{ choices: [{ name: 'Glaze', value: expect.any(String) }] }])
    })
  })

  test('posts an emptied cart, and starts another cart after an order', async () => {
    await visit(async (page) => {
      await addTea(page)
      const first = readLastPost().cart
      await page.context().clearCookies()
      await page.goto(`${shop.url}/checkout/order-received/77/?key=wc_order_x`)
      await settled(page)
      await expect.poll(() => readLastPost()).toMatchObject({ cart: first, items: [] })
      await addTea(page)
      expect(readLastPost().cart).not.toBe(first)
      await expect.poll(() => readLastPost().items).toHaveLength(1)
    })
  })

  test('posts and stores nothing without the required consent, and everything with it', async () => {
    const refused = (page: Page) => page.addInitScript('window.recoupConsent = false')
    await visit(async (page) => {
      await addTea(page)
      expect(posts).toEqual([])
      await expect.poll(() => page.evaluate(() => localStorage.length)).toBe(0)
      await page.evaluate('window.recoup("consent", true)')
      await settled(page)
      await expect.poll(() => readLastPost().items).toHaveLength(1)
      await page.evaluate('window.recoup("consent", false)')
      await expect.poll(() => page.evaluate(() => localStorage.length)).toBe(0)
    }, refused)
  })

  test('omits only the device id under "do not track"', async () => {
    const dnt = (page: Page) =>
      page.addInitScript(() => Object.defineProperty(navigator, 'doNotTrack', { value: '1', configurable: true }))
    await visit(addTea, dnt)
    expect(readLastPost().device).toBeUndefined()
    await expect.poll(() => readLastPost().items).toHaveLength(1)
    await visit(addTea)
    await expect.poll(() => readLastPost().device).toMatch(/^[\w-]{16,64}$/)
  })

  test('posts a consent box with its text, and never passwords or cards', async () => {
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
      await expect
        .poll(() => readLastPost())
        .toMatchObject({ consent: { email: { isGiven: true, wording: 'Send me offers' } } })
      expect(JSON.stringify(posts)).not.toMatch(/5550100|Card Holder/)
    })
  })

  test('posts each channel’s box and text, and nothing for an untouched box', async () => {
    await visit(async (page) => {
      await addTea(page)
      await page.goto(`${shop.url}/checkout/`)
      await page.fill('#email', 'three@shoppers.example.com')
      await page.fill('#shipping-phone', '+1 212 555 0142')
      for (const channel of ['email', 'sms', 'whatsapp']) await page.focus(`#recoup_consent_${channel}`)
      await page.locator('#order-note').focus()
      await settled(page)
      await expect.poll(() => readLastPost().contact).toMatchObject({ phone: '+1 212 555 0142' })
      expect(posts.filter(({ body }) => body.consent)).toEqual([])
      await page.check('#recoup_consent_sms')
      await page.check('#recoup_consent_whatsapp')
      await settled(page)
      const { consent } = readLastPost()
      expect(consent).toEqual({
        sms: {
          isGiven: true,
          id: computeWordingId(getDefaultBoxText('sms', storeName)),
          wording: expect.stringMatching(/automated marketing.*not a condition.*rates may apply.*STOP/),
        },
        whatsapp: { isGiven: true, wording: expect.stringContaining('WhatsApp'), id: expect.stringMatching(/^w/) },
      })
      await page.uncheck('#recoup_consent_sms')
      await settled(page)
      await expect
        .poll(() => readLastPost().consent)
        .toMatchObject({ sms: { isGiven: false }, whatsapp: { isGiven: true } })
    })
  })

  test('ignores a box the shop pre-ticked until the shopper touches it; unticking is a refusal', async () => {
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
      await expect.poll(() => readLastPost()).toMatchObject({ contact: { email: 'preset@shoppers.example.com' } })
      expect(readLastPost().consent).toBeUndefined()
      await page.uncheck('#recoup_consent_email')
      await settled(page)
      await expect.poll(() => readLastPost().consent).toEqual({ email: { isGiven: false, wording: 'Mail me', id: '' } })
      await page.check('#recoup_consent_email')
      await settled(page)
      await expect.poll(() => readLastPost().consent).toEqual({ email: { isGiven: true, wording: 'Mail me', id: '' } })
    })
  })

  test('repeats a refusal given before the address, once the cart has its contact', async () => {
    await visit(async (page) => {
      await addTea(page)
      await page.goto(`${shop.url}/checkout/`)
      await page.evaluate(() => {
        document.querySelector('#recoup_consent_email')!.closest('label')!.outerHTML =
          '<label><input type="checkbox" id="recoup_consent_email" checked> Mail me</label>'
      })
      await page.uncheck('#recoup_consent_email')
      await page.fill('#email', 'late@shoppers.example.com')
      await page.locator('#order-note').focus()
      await expect.poll(() => posts.filter(({ body }) => body.consent?.email?.isGiven === false).length).toBe(2)
    })
  })

  test('posts which boxes and texts a checkout shows, and none for other pages', async () => {
    await visit(async (page) => {
      await addTea(page)
      expect(readLastPost().boxes).toBeUndefined()
      await page.goto(`${shop.url}/checkout/`)
      await page.evaluate(() => document.querySelector('#recoup_consent_whatsapp')!.closest('label')!.remove())
      await page.fill('#email', 'boxes@shoppers.example.com')
      await page.locator('#order-note').focus()
      await settled(page)
      const named = (channel: 'email' | 'sms') => computeWordingId(getDefaultBoxText(channel, storeName))
      await expect.poll(() => readLastPost().boxes).toEqual({ email: named('email'), sms: named('sms') })
    })
  })

  test('posts a coupon entered or removed at the classic checkout', async () => {
    // WooCommerce's checkout.js announces it through jQuery only.
    const jQuery = (page: Page) =>
      page.addInitScript(() => {
        const listeners: Record<string, (() => void)[]> = {}
        const on = (names: string, listener: () => void) => {
          for (const name of names.split(' ')) listeners[name] = [...(listeners[name] ?? []), listener]
        }
        Object.assign(window, {
          jQuery: () => ({ on }),
          fire: (name: string) => listeners[name]?.forEach((listener) => void listener()),
        })
      })
    await visit(async (page) => {
      await addTea(page)
      await page.goto(`${shop.url}/checkout/`)
      await settled(page)
      for (const coupons of [['welcome10'], []]) {
        await page.route('**/wc/store/v1/cart', async (route) => {
          const answer = await route.fetch()
          const json = { ...(await answer.json()), coupons: coupons.map((code) => ({ code })) }
          await route.fulfill({ response: answer, json })
        })
        const event = coupons.length > 0 ? 'applied_coupon_in_checkout' : 'removed_coupon_in_checkout'
        await page.evaluate(`window.fire('${event}')`)
        await expect.poll(() => readLastPost().coupons).toEqual(coupons)
      }
    }, jQuery)
  })

  test('adds the consent with its text to the order', async () => {
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
    expect(meta.get('_recoup_consent_email_wording')).toMatch(/^Email me reminders about my cart/)
    expect(meta.has('_recoup_consent_sms')).toBe(false)
  })

  test('survives a browser without storage and malformed answers of the shop', async () => {
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
