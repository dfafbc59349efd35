import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closePages, openBrowser } from '../e2e/browser.ts'
import { buildStorefront } from '../scripts/build-storefront.ts'
import { openCaptureServer } from '../test/capture-server.ts'
import { mockPageTime } from '../test/page-time.ts'

// The script as built for Shopify's themes: requests to the shop, and the theme's own forms.

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-theme-'))
const script = () => fs.readFileSync(path.join(folder, 'capture-theme.js'))
const TOKEN = 'hWN2cartOfTheTests01'

beforeAll(() => buildStorefront(folder))
afterAll(() => fs.rmSync(folder, { recursive: true }))

test('is as small as the other build, and contains no WooCommerce code', () => {
  expect(gzipSync(script(), { level: 9 }).length).toBeLessThanOrEqual(4_096)
  expect(script().toString()).not.toMatch(/wc\/store|wp-json/)
  expect(fs.readFileSync(path.join(folder, 'capture.js'), 'utf8')).not.toContain('/cart.js')
})

/** A theme's page whose "Add" fills the cart by a request without an event. */
async function openTheme(scriptUrl: string) {
  let quantity = 0
  const page = `<!doctype html><form><input id="NewsletterForm" type="email" name="contact[email]"></form>
    <button onclick="fetch('/cart/add.js', { method: 'POST' })">Add</button><input id="email" name="other">
    <script src="${scriptUrl}" defer></script>`
  const server = http.createServer((request, response) => {
    if (request.url === '/cart/add.js') quantity += 1
    const cart = { token: `${TOKEN}?key=k`, items: quantity ? [{ variant_id: 161, product_id: 16, quantity }] : [] }
    if (request.url?.startsWith('/cart'))
      response.setHeader('content-type', 'application/json').end(JSON.stringify(cart))
    else response.setHeader('content-type', 'text/html').end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

describe('in a browser', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => closePages(browser))

  test('posts the cart under the shop’s own id, and an email of the newsletter form', async () => {
    const server = await openCaptureServer(() => {
      const setup = JSON.stringify({ key: 'KEY-1', origin: server.url })
      return Buffer.concat([Buffer.from(`window.recoupSetup=${setup};`), script()])
    })
    const theme = await openTheme(`${server.url}/capture/KEY-1.theme.js`)
    const page = await (await browser.newContext()).newPage()
    const time = await mockPageTime(page, () => server.posts.length)
    await page.goto(theme.url)
    await time.settle()
    expect(server.posts).toEqual([])
    await page.getByText('Add').click()
    // The browser reports requests at a time of its choice.
    await expect.poll(() => time.settle().then(() => server.posts.length)).toBe(1)
    await expect
      .poll(() => server.posts.at(-1)!.body)
      .toMatchObject({
        cart: TOKEN,
        items: [{ id: '16', variation: '161', quantity: 1 }],
        coupons: [],
      })
    await page.fill('#email', 'nobody@shoppers.example.com')
    await page.fill('#NewsletterForm', 'ada@shoppers.example.com')
    await page.locator('#email').focus()
    await time.settle()
    await expect
      .poll(() => server.posts.at(-1)!.body)
      .toMatchObject({ cart: TOKEN, contact: { email: 'ada@shoppers.example.com' } })
    theme.close()
    server.close()
  })

  test('stores and posts nothing before Shopify’s customer privacy agrees, and removes all after a refusal (C9)', async () => {
    const server = await openCaptureServer(() => {
      const setup = JSON.stringify({ key: 'KEY-1', origin: server.url, mode: 'nothing' })
      return Buffer.concat([Buffer.from(`window.recoupSetup=${setup};`), script()])
    })
    const theme = await openTheme(`${server.url}/capture/KEY-1.theme.js`)
    const page = await (await browser.newContext()).newPage()
    const time = await mockPageTime(page, () => server.posts.length)
    const answer = async (marketing: string) => {
      await page.evaluate((marketing) => {
        Object.assign(window, { Shopify: { customerPrivacy: { currentVisitorConsent: () => ({ marketing }) } } })
        document.dispatchEvent(new CustomEvent('visitorConsentCollected'))
      }, marketing)
      await time.settle()
    }
    const keys = () => page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)])
    await page.goto(theme.url)
    await answer('')
    await page.getByText('Add').click()
    await page.fill('#NewsletterForm', 'ada@shoppers.example.com')
    await page.locator('#email').focus()
    await time.settle()
    await expect.poll(async () => [server.posts, await keys()]).toEqual([[], []])
    await answer('yes')
    await expect
      .poll(() => server.posts.map(({ body }) => body))
      .toContainEqual(expect.objectContaining({ items: [expect.anything()], agreed: true }))
    await expect
      .poll(() => server.posts.map(({ body }) => body))
      .toContainEqual(expect.objectContaining({ cart: TOKEN, contact: { email: 'ada@shoppers.example.com' } }))
    const postCount = server.posts.length
    await answer('no')
    await page.getByText('Add').click()
    await time.settle()
    await expect.poll(async () => [server.posts.length, await keys()]).toEqual([postCount, []])
    theme.close()
    server.close()
  })
})
