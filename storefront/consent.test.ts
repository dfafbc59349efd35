import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closePages, openBrowser } from '../e2e/browser.ts'
import { type DemoStore, startDemoStore } from '../providers/woocommerce/store.ts'
import { buildStorefront } from '../scripts/build-storefront.ts'
import { openCaptureServer } from '../test/capture-server.ts'
import { mockPageTime, type PageTime } from '../test/page-time.ts'

// What the script stores and posts before a shopper consents, by the store's mode, and how it follows the shop's
// consent tool (C9).

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-consent-'))
const EMAIL = 'ada@shoppers.example.com'
let mode: string | undefined
let shop: DemoStore
let browser: Browser
let server: Awaited<ReturnType<typeof openCaptureServer>>

beforeAll(async () => {
  await buildStorefront(folder)
  const keys = { consumerKey: `ck_${'a'.repeat(40)}`, consumerSecret: `cs_${'b'.repeat(40)}` }
  shop = await startDemoStore({ port: 0, dataFile: ':memory:', ...keys })
  server = await openCaptureServer(() => {
    const setup = { key: 'KEY-1', origin: server.url, ...(mode && { mode }) }
    return `window.recoupSetup=${JSON.stringify(setup)};${fs.readFileSync(path.join(folder, 'capture.js'), 'utf8')}`
  })
  shop.setCapture({ scriptUrl: `${server.url}/capture/KEY-1.js`, storeKey: 'KEY-1' })
  browser = await openBrowser()
})

afterAll(async () => {
  if (browser) await closePages(browser)
  await shop?.stop()
  server?.close()
  fs.rmSync(folder, { recursive: true })
})

interface Visit {
  page: Page
  settled: PageTime['settle']
}

async function visit(of: string | undefined, work: (visit: Visit) => Promise<void>): Promise<void> {
  mode = of
  server.posts.length = 0
  const context = await browser.newContext()
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  const { settle } = await mockPageTime(page, () => server.posts.length)
  await work({ page, settled: settle })
  await context.close()
  expect(errors).toEqual([])
}

const bodies = (from = 0) => server.posts.slice(from).map(({ body }) => body)
const listStorageKeys = (page: Page) =>
  page.evaluate(() =>
    [localStorage, sessionStorage].map((storage) => Object.keys(storage).filter((key) => /recoup/.test(key))),
  )

/** Something in the cart, and an address typed at the checkout. */
async function shopAround({ page, settled }: Visit): Promise<void> {
  await page.goto(`${shop.url}/shop/`)
  await page.locator('[data-quick-add]').first().click()
  await settled()
  await page.goto(`${shop.url}/checkout/`)
  await settled()
  await page.fill('#email', EMAIL)
  await page.locator('#shipping-first_name').focus()
  await settled()
}

const tick = async ({ page, settled }: Visit, isTicked = true) => {
  await page.locator('#recoup_consent_email').setChecked(isTicked)
  await settled()
}

describe('mode "nothing before consent"', () => {
  test('sends no request and stores no key until a box is ticked; then it posts the cart with its contact', async () => {
    await visit('nothing', async (here) => {
      await shopAround(here)
      expect(bodies()).toEqual([])
      await expect.poll(() => listStorageKeys(here.page)).toEqual([[], []])
      await tick(here)
      await expect
        .poll(() => bodies())
        .toContainEqual(expect.objectContaining({ items: [expect.objectContaining({ quantity: 1 })] }))
      await expect
        .poll(() => bodies())
        .toContainEqual(
          expect.objectContaining({
            contact: expect.objectContaining({ email: EMAIL }),
            consent: { email: expect.objectContaining({ isGiven: true }) },
          }),
        )
      await expect.poll(() => new Set(bodies().map(({ cart }) => cart)).size).toBe(1)
      // Every post states its permission.
      await expect.poll(() => bodies().every((body) => body.ticked || body.consent?.email)).toBe(true)
      expect(bodies().some(({ agreed }) => agreed)).toBe(false)
    })
  })

  test('treats an unticked box as a refusal and removes everything stored', async () => {
    await visit('nothing', async (here) => {
      await shopAround(here)
      await tick(here)
      const before = server.posts.length
      await tick(here, false)
      await expect
        .poll(() => bodies(before))
        .toContainEqual(expect.objectContaining({ consent: { email: expect.objectContaining({ isGiven: false }) } }))
      expect(bodies(before).some(({ contact }) => contact?.email)).toBe(false)
      await expect.poll(() => listStorageKeys(here.page)).toEqual([[], []])
    })
  })

  test('removes entries of an older script from the browser', async () => {
    await visit('nothing', async ({ page, settled }) => {
      await page.goto(`${shop.url}/shop/`)
      await page.evaluate(() => localStorage.setItem('recoup_device_KEY-1', 'a-lasting-id-of-this-browser'))
      await page.reload()
      await settled()
      await expect.poll(() => listStorageKeys(page)).toEqual([[], []])
    })
  })
})

describe('mode "only the cart before consent"', () => {
  test('posts the products without contact or lasting id; a ticked box adds the contact', async () => {
    await visit('cart_only', async (here) => {
      await shopAround(here)
      await expect.poll(() => bodies()).toHaveLength(2)
      await expect.poll(() => bodies()[0]).toMatchObject({ items: [{ quantity: 1 }] })
      for (const name of ['contact', 'device', 'agreed']) expect(bodies()[0]).not.toHaveProperty(name)
      // Once: which boxes were shown and the page's language, without typed input.
      const { cart: name, page, seq, ...fields } = bodies()[1]!
      expect([name, page, seq, fields]).toEqual([
        bodies()[0]!.cart,
        expect.any(String),
        0,
        { boxes: expect.any(Object), lang: 'en' },
      ])
      await expect.poll(() => bodies()[1]!.boxes).toHaveProperty('email')
      const [lasting, ofVisit] = await listStorageKeys(here.page)
      expect([lasting, ofVisit!.length > 0]).toEqual([[], true])
      await tick(here)
      await expect.poll(() => bodies().at(-1)).toMatchObject({ cart: bodies()[0]!.cart, contact: { email: EMAIL } })
    })
  })

  test('removes everything stored after a refusal', async () => {
    await visit('cart_only', async (here) => {
      await shopAround(here)
      await expect.poll(() => bodies()).toHaveLength(2)
      await here.page.evaluate(() =>
        (window as unknown as { recoup(...said: unknown[]): void }).recoup('consent', false),
      )
      await expect.poll(() => listStorageKeys(here.page)).toEqual([[], []])
    })
  })

  test('posts no phone number for an email box', async () => {
    await visit('cart_only', async (here) => {
      await shopAround(here)
      await here.page.locator('#shipping-phone').fill('212 555 0177')
      await tick(here)
      await expect.poll(() => bodies().at(-1)!.contact).toMatchObject({ email: EMAIL })
      expect(bodies().some(({ contact }) => contact?.phone)).toBe(false)
    })
  })
})

type Say = (answer: 'yes' | 'no') => void | Promise<void>

const tools: readonly [name: string, say: Say][] = [
  [
    'the shop’s own call',
    (answer) =>
      (window as unknown as { recoup: (name: string, is: boolean) => void }).recoup('consent', answer === 'yes'),
  ],
  [
    'WP Consent API',
    (answer) => {
      // biome-ignore lint/suspicious/noDocumentCookie: as the tool keeps it.
      document.cookie = `wp_consent_marketing=${answer === 'yes' ? 'allow' : 'deny'}; path=/`
      document.dispatchEvent(new CustomEvent('wp_listen_for_consent_change'))
    },
  ],
  [
    'Cookiebot',
    (answer) => {
      Object.assign(window, { Cookiebot: { hasResponse: true, consent: { marketing: answer === 'yes' } } })
      window.dispatchEvent(new Event(answer === 'yes' ? 'CookiebotOnAccept' : 'CookiebotOnDecline'))
    },
  ],
  [
    'Google’s consent mode',
    (answer) => {
      const word = answer === 'yes' ? 'granted' : 'denied'
      const layer = (window as unknown as { dataLayer: unknown[] }).dataLayer
      layer.push(['consent', 'update', { ad_storage: word, ad_user_data: word }])
    },
  ],
]

describe.each(tools)('the consent tool %s', (_, say) => {
  test('sends cart and contact after consent, and stops and removes everything after a withdrawal', async () => {
    await visit('nothing', async (here) => {
      await shopAround(here)
      expect(bodies()).toEqual([])
      await here.page.evaluate<void, 'yes' | 'no'>(say, 'yes')
      await here.settled()
      await expect
        .poll(() => bodies())
        .toContainEqual(expect.objectContaining({ agreed: true, items: [expect.anything()] }))
      await expect
        .poll(() => bodies())
        .toContainEqual(expect.objectContaining({ agreed: true, contact: expect.objectContaining({ email: EMAIL }) }))
      const before = server.posts.length
      await here.page.evaluate<void, 'yes' | 'no'>(say, 'no')
      await here.page.fill('#email', 'grace@shoppers.example.com')
      await here.page.locator('#shipping-first_name').focus()
      await here.settled()
      expect(bodies(before)).toEqual([])
      await expect.poll(() => listStorageKeys(here.page)).toEqual([[], []])
    })
  })

  test('follows a refusal even where cart and contact are stored without asking', async () => {
    await visit(undefined, async (here) => {
      await here.page.goto(`${shop.url}/shop/`)
      await here.page.evaluate<void, 'yes' | 'no'>(say, 'no')
      await here.page.locator('[data-quick-add]').first().click()
      await here.settled()
      expect(bodies()).toEqual([])
      await expect.poll(() => listStorageKeys(here.page)).toEqual([[], []])
    })
  })
})

test('posts an unticked box even after a refusal in the banner', async () => {
  await visit(undefined, async (here) => {
    await shopAround(here)
    await tick(here)
    const { cart } = bodies().at(-1)!
    await here.page.evaluate<void, 'yes' | 'no'>(tools[1]![1], 'no')
    await here.settled()
    const before = server.posts.length
    await tick(here, false)
    await expect.poll(() => bodies(before)).toEqual([expect.objectContaining({ cart })])
    await expect.poll(() => bodies(before)[0]).toMatchObject({ consent: { email: { isGiven: false } } })
    expect(bodies(before)[0]).not.toHaveProperty('contact')
    await expect.poll(() => listStorageKeys(here.page)).toEqual([[], []])
  })
})

test('sends no request for other entries of the shop’s data layer', async () => {
  await visit(undefined, async (here) => {
    await shopAround(here)
    let requestCount = 0
    here.page.on('request', (request) => {
      if (request.url().includes('/wc/store/')) requestCount += 1
    })
    await here.page.evaluate(() => {
      const layer = (window as unknown as { dataLayer: unknown[] }).dataLayer
      for (let each = 0; each < 5; each++) layer.push({ event: 'scroll' })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    await here.settled()
    expect(requestCount).toBe(0)
  })
})

test('treats a tool’s default as no answer', async () => {
  await visit('cart_only', async (here) => {
    await here.page.addInitScript(() => {
      Object.assign(window, { dataLayer: [['consent', 'default', { ad_storage: 'granted' }]] })
    })
    await shopAround(here)
    await expect.poll(() => bodies()).toHaveLength(2)
    expect(bodies().filter(({ contact, agreed, device }) => contact || agreed || device)).toEqual([])
  })
})

test('reports no box before the shopper fills in the form, and no invisible box', async () => {
  await visit(undefined, async ({ page, settled }) => {
    await page.goto(`${shop.url}/shop/`)
    await page.locator('[data-quick-add]').first().click()
    await settled()
    await page.goto(`${shop.url}/checkout/`)
    const show = (isVisible: boolean) =>
      page.evaluate(
        (display) => {
          for (const box of document.querySelectorAll('[id^=recoup_consent]'))
            box.closest('label')!.style.display = display
        },
        isVisible ? '' : 'none',
      )
    // Filled in as by an express payment.
    await page.evaluate(() => {
      document.querySelector<HTMLInputElement>('#email')!.value = 'wallet@shoppers.example.com'
    })
    const blur = async (id: string) => {
      await page.locator(id).focus()
      await page.locator('#order-note').focus()
      await settled()
    }
    await blur('#email')
    await expect.poll(() => bodies().at(-1)!.contact).toMatchObject({ email: 'wallet@shoppers.example.com' })
    expect(bodies().at(-1)!).not.toHaveProperty('boxes')
    await show(false)
    await page.fill('#email', 'ada@shoppers.example.com')
    await blur('#email')
    await expect
      .poll(() => bodies().at(-1)!)
      .toMatchObject({ contact: { email: 'ada@shoppers.example.com' }, boxes: {} })
    expect(bodies().at(-1)!.boxes).toEqual({})
    await show(true)
    await page.fill('#email', 'grace@shoppers.example.com')
    await blur('#email')
    await expect.poll(() => bodies().at(-1)!.boxes).toHaveProperty('email')
  })
})
