import fs from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closePages, openBrowser } from '../e2e/browser.ts'

// How the plugin's scripts report the consent boxes of both checkouts to the shop.

const asset = (name: string) =>
  fs.readFileSync(new URL(`../plugin/recoup-for-woocommerce/assets/${name}.js`, import.meta.url), 'utf8')
let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => closePages(browser))

/** A page of a shop that answers every request with this page. */
async function openPage(html: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: html }))
  await page.goto('http://shop.example.com/checkout/')
  return page
}

async function openBlockCheckout(html: string) {
  const page = await openPage(html)
  await page.evaluate(() => {
    const middlewares: unknown[] = []
    const select = () => ({ isExpressPaymentMethodActive: () => document.body.dataset.express === 'yes' })
    const wp = { apiFetch: { use: (each: unknown) => middlewares.push(each) }, data: { select } }
    Object.assign(window, { wp, middlewares, recoupBlocks: { boxes: { email: 'w1', sms: 'w2' } } })
  })
  await page.addScriptTag({ content: asset('blocks') })
  const readHeaders = (path: string) =>
    page.evaluate((path) => {
      type Middleware = (options: object, next: (options: { headers: object }) => object) => object
      const [middleware] = (window as unknown as { middlewares: Middleware[] }).middlewares
      return middleware!({ path, headers: { Nonce: 'n' } }, ({ headers }) => headers)
    }, path)
  return { page, headersOf: readHeaders }
}

const renderBox = (id: string, style = '') =>
  `<label id="row" style="${style}"><input type="checkbox" id="${id}">Mail me</label>`

test('reports the texts of the block checkout’s boxes, and “none” for an express payment', async () => {
  const { page, headersOf: readHeaders } = await openBlockCheckout(renderBox('contact-recoup-consent-email'))
  expect(await readHeaders('/wc/store/v1/checkout')).toEqual({ Nonce: 'n', 'Recoup-Boxes': 'email=w1' })
  expect(await readHeaders('/wp/v2/posts')).toEqual({ Nonce: 'n' })
  await page.evaluate(() => {
    document.body.dataset.express = 'yes'
  })
  expect(await readHeaders('/wc/store/v1/batch')).toEqual({ Nonce: 'n', 'Recoup-Boxes': 'none' })
  // A multi-step checkout hides the boxes later, but they were shown.
  await page.evaluate(() => {
    document.body.dataset.express = ''
    document.getElementById('row')!.style.display = 'none'
  })
  expect(await readHeaders('/wc/store/v1/batch')).toEqual({ Nonce: 'n', 'Recoup-Boxes': 'email=w1' })
})

test.each([
  ['without boxes', '', 'unknown'],
  ['that hides them', renderBox('contact-recoup-consent-email', 'display: none'), 'hidden'],
  ['of WooCommerce 8.9', renderBox('contact-recoup/consent-email'), 'email=w1'],
])('a block checkout %s reports it', async (_, html, boxes) => {
  const { headersOf: readHeaders } = await openBlockCheckout(html)
  expect(await readHeaders('/wc/store/v1/batch')).toEqual({ Nonce: 'n', 'Recoup-Boxes': boxes })
})

test('reports the boxes that the classic checkout shows', async () => {
  const box = (channel: string, style = '') =>
    `<label style="${style}"><input type="checkbox" id="recoup_consent_${channel}" data-recoup-wording="w-${channel}"></label>`
  const page = await openPage(`<input id="billing_email">${box('email')}${box('sms', 'display: none')}`)
  const posts: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(request.postData() ?? '')
  })
  await page.evaluate(() => Object.assign(window, { recoupCheckout: { url: '/?wc-ajax=recoup_contact', nonce: 'n' } }))
  await page.addScriptTag({ content: asset('checkout') })
  await page.fill('#billing_email', 'ada@shoppers.example.com')
  await page.locator('#billing_email').blur()
  await expect.poll(() => posts.map((body) => /name="boxes"\s+(\S+)/.exec(body)?.[1])).toEqual(['email=w-email'])
})
