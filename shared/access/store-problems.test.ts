import { expect, test } from 'vitest'
import {
  findRightsProblems,
  normalizeShopUrl,
  normalizeStoreUrl,
  STORE_PROBLEM_CODES,
  STORE_PROBLEM_TEXT,
  STORE_URL_INVALID,
  storeProblemMessage,
} from './store-problems.ts'

test.each([
  ['woocommerce', ' shop.example ', 'http://shop.example'],
  ['woocommerce', 'https://shop.example/', 'https://shop.example'],
  ['woocommerce', 'HTTPS://Shop.Example/Store//', 'https://shop.example/Store'],
  ['woocommerce', 'https://localhost:8080/', 'http://localhost:8080'],
  ['woocommerce', ' HTTPS://LOCALHOST/shop/ ', 'http://localhost/shop'],
  ['woocommerce', 'https://shop.localhost', 'http://shop.localhost'],
  ['woocommerce', 'https://localhost.:8080', 'http://localhost.:8080'],
  ['woocommerce', 'https://localhost:443', 'http://localhost'],
  ['woocommerce', 'https://localhost.example.com', 'https://localhost.example.com'],
  ['woocommerce', 'https://shop.example/localhost', 'https://shop.example/localhost'],
  ['woocommerce', 'https://localhostel.com/', 'https://localhostel.com'],
  ['woocommerce', 'https://my-localhost.example', 'https://my-localhost.example'],
  ['woocommerce', 'localhost:8080', 'http://localhost:8080'],
  ['woocommerce', 'shop.localhost', 'http://shop.localhost'],
  ['woocommerce', 'http://shop.example/?utm_source=x#top', 'http://shop.example'],
  ['shopify', 'demo.myshopify.com', 'https://demo.myshopify.com'],
  ['shopify', 'http://demo.myshopify.com/', 'https://demo.myshopify.com'],
  ['shopify', ' Demo-Shop ', 'https://demo-shop.myshopify.com'],
  ['shopify', 'demo.myshopify.com/admin/orders?a=b', 'https://demo.myshopify.com'],
  ['shopify', 'https://admin.shopify.com/store/demo/settings/domains', 'https://demo.myshopify.com'],
  ['shopify', 'http://shop.example/collections/all', 'https://shop.example'],
  ['shopify', 'http://localhost:5400/', 'http://localhost:5400'],
  ['shopify', 'http://127.0.0.1:5400', 'http://127.0.0.1:5400'],
  ['shopify', 'http://localhostel.com', 'https://localhostel.com'],
] as const)('%s: %j is read as %s', { tags: ['A5'] }, (platform, input, storeUrl) => {
  expect(normalizeStoreUrl(platform, input)).toEqual({ ok: true, storeUrl })
})

test('the server keeps the scheme reported by a shop on localhost', () => {
  const storeUrl = 'https://localhost:8443'
  expect(normalizeShopUrl('woocommerce', `${storeUrl}/`)).toEqual({ ok: true, storeUrl })
})

test.each(['', '   ', null, undefined, 5])('rejects %j: Store URL is required', { tags: ['A5'] }, (input) => {
  expect(normalizeStoreUrl('woocommerce', input)).toEqual({ ok: false, message: 'Store URL is required' })
})

test.each([
  'ftp://shop.example',
  'http://',
  'https://user:pass@shop.example',
  'my shop',
  `http://${'a'.repeat(600)}.example`,
])('rejects %j as a web address', (input) => {
  expect(normalizeStoreUrl('woocommerce', input)).toEqual({ ok: false, message: STORE_URL_INVALID })
})

test('every problem has a sentence and a next step, all different', () => {
  const sentences = STORE_PROBLEM_CODES.map((code) => STORE_PROBLEM_TEXT[code].sentence)
  expect(new Set(sentences).size).toBe(STORE_PROBLEM_CODES.length)
  for (const code of STORE_PROBLEM_CODES) {
    const { sentence, nextStep } = STORE_PROBLEM_TEXT[code]
    expect([sentence, nextStep].map((text) => /^[A-Z].*\.$/.test(text))).toEqual([true, true])
  }
})

test('only a certificate problem suggests http:// for local development', {
  tags: ['A8'],
}, () => {
  const hint = ' For local development use http:// instead of https://.'
  expect(storeProblemMessage('certificate', 'self-signed certificate')).toMatch(new RegExp(`certificate\\)${hint}$`))
  expect(storeProblemMessage('store_error', 'certificate has expired')).toMatch(new RegExp(`expired\\)${hint}$`))
  expect(storeProblemMessage('timeout')).not.toContain('http://')
})

test('the text lists missing rights with the required clicks, and is empty for a store with all rights', () => {
  const all = { scopes: [], planName: 'Grow', hasAllOrders: true, isPasswordProtected: false }
  expect(findRightsProblems(null)).toEqual([])
  expect(findRightsProblems({ ...all, missingScopes: [], protectedData: 'full' })).toEqual([])
  const lacking = findRightsProblems({
    ...all,
    missingScopes: ['write_discounts', 'read_customers'],
    protectedData: 'none',
    hasAllOrders: false,
    isPasswordProtected: true,
  })
  expect(lacking.map(({ code }) => code)).toEqual(['scopes', 'data', 'password', 'orders'])
  expect(lacking[0]!.sentence).toContain('Missing: write_discounts, read_customers.')
  expect(lacking.every(({ nextStep }) => nextStep.length > 20)).toBe(true)
})
