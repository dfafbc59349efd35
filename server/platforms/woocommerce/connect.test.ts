import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { findResponse } from '../../../providers/contracts/recordings.ts'
import { type Served, serve } from '../../../providers/contracts/serve.ts'
import { readLocalhostTls } from '../../../providers/contracts/tls.ts'
import { openContractStore, type StoreOptions } from '../../../providers/contracts/woocommerce.ts'
import { KEYS, OWNER, READER, SHOPPER, WRITER } from '../../../providers/contracts/woocommerce-keys.ts'
import { buildWooAccess } from '../../../test/woo-access.ts'
import { type GuardedFetch, type GuardedFetchOptions, openGuardedHttp } from '../../core/net/guarded-fetch.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { createWooCommerceClient } from './platform.ts'

// Provokes each connection failure on a real server.

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

interface Keys {
  consumerKey: string
  consumerSecret: string
}

function clientFor(
  storeUrl: string,
  keys: Keys = OWNER,
  options: Partial<GuardedFetchOptions> = {},
  now = () => new Date(),
) {
  const http = openGuardedHttp({ allowPrivate: true, ...options })
  open.push(http)
  return createWooCommerceClient(buildWooAccess(storeUrl, keys), { fetch: http.fetch, now, pauseMs: 0 })
}

async function store(options: Partial<StoreOptions> = {}) {
  const one = await openContractStore({ keys: KEYS, ...options })
  open.push(one)
  return one
}

async function site(...input: Parameters<typeof serve>): Promise<Served & { url: string }> {
  const served = await serve(...input)
  open.push(served)
  return { ...served, url: `${input[1] ? 'https' : 'http'}://localhost:${served.port}` }
}

async function readProblem(answer: Promise<unknown>): Promise<StoreProblem> {
  const error = await answer.then(
    () => 'no problem',
    (reason: unknown) => reason,
  )
  if (!(error instanceof StoreProblem)) throw new Error(`expected a StoreProblem, got ${inspect(error)}`)
  return error
}

async function readCode(answer: Promise<unknown>): Promise<string> {
  return (await readProblem(answer)).code
}

describe('a working store', () => {
  const profile = {
    name: 'Northwind Supply Co.',
    currency: 'USD',
    timeZone: 'America/Los_Angeles',
    version: '10.4.4',
    baseCountry: 'US',
    sellingCountries: null,
    hasCheckoutLink: true,
    hasEarlyDrafts: true,
    canWrite: true,
  }

  test('gets signed requests over http and returns its profile', async () => {
    const { url, seen: requests } = await store()
    expect(await clientFor(url).readProfile()).toMatchObject({ ...profile, storeUrl: url, homeUrl: url })
    expect(requests.every((one) => one.authorization === undefined)).toBe(true)
    expect(requests.some((one) => one.line.includes('secret') || one.line.includes(OWNER.consumerSecret))).toBe(false)
  })

  test('gets signatures for its home address, even when reached by another name', async () => {
    const { url } = await store()
    const numeric = url.replace('localhost', '127.0.0.1')
    expect(await clientFor(numeric).readProfile()).toMatchObject({ storeUrl: numeric, homeUrl: url })
  })

  test('gets Basic authentication over https, and no key in any URL', async () => {
    const { url, seen: requests } = await store({ tls: readLocalhostTls() })
    expect(await clientFor(url, OWNER, { ca: readLocalhostTls().cert }).readProfile()).toMatchObject(profile)
    expect(requests.filter((one) => one.authorization?.startsWith('Basic ')).length).toBeGreaterThan(3)
    expect(requests.some((one) => /ck_|cs_|oauth/.test(one.line))).toBe(false)
    // The public index is read before any key is sent.
    expect(requests[0]).toEqual({ line: 'GET /wp-json/', authorization: undefined })
  })

  test('is not changed by the check', async () => {
    const one = await store()
    await clientFor(one.url).readProfile()
    expect(one.webhooks).toEqual([])
  })

  test('connects with a read-only key and reports it', async () => {
    const { url } = await store()
    expect(await clientFor(url, READER).readProfile()).toMatchObject({ ...profile, canWrite: false })
  })

  test('moved from http to https is adopted under the same name', async () => {
    const secure = await store({ tls: readLocalhostTls() })
    const plain = await site((request, reply) =>
      reply.writeHead(301, { location: `${secure.url}${request.url}` }).end(),
    )
    // Two ports of one machine represent two names: only the default ports mean the same shop.
    expect(await readProblem(clientFor(plain.url, OWNER, { ca: readLocalhostTls().cert }).readProfile())).toMatchObject(
      {
        code: 'moved',
        detail: secure.url,
      },
    )
    expect(secure.seen.length).toBe(1)
  })

  test('that upgrades to https or adds www is adopted; keys go to the final address, never to another name', async () => {
    const one = await store()
    const http = openGuardedHttp({ allowPrivate: true })
    open.push(http)
    const reachedBy = async (storeUrl: string, indexUrl: string) => {
      const urls: string[] = []
      const fetch: GuardedFetch = async (url, request) => {
        urls.push(url)
        const answer = await http.fetch(url.replace(/^https?:\/\/[^/]+/, one.url), { ...request, headers: {} })
        return url === `${storeUrl}/wp-json/` ? { ...answer, url: indexUrl, isRedirected: true } : answer
      }
      const access = buildWooAccess(storeUrl, OWNER)
      await createWooCommerceClient(access, { fetch, now: () => new Date(), pauseMs: 0 })
        .readProfile()
        .catch(() => undefined)
      return urls[1]?.split('/wp-json')[0]
    }
    expect(await reachedBy('http://shop.example', 'https://shop.example/wp-json/')).toBe('https://shop.example')
    expect(await reachedBy('http://shop.example', 'https://www.shop.example/wp-json/')).toBe('https://www.shop.example')
    expect(await reachedBy('https://www.shop.example', 'https://shop.example/blog/wp-json/')).toBe(
      'https://shop.example/blog',
    )
    expect(await reachedBy('http://shop.example', 'https://thief.example/wp-json/')).toBeUndefined()
    expect(await reachedBy('https://shop.example', 'http://shop.example/wp-json/')).toBeUndefined()
  })

  test('reports the difference of its clock', async () => {
    const { url } = await store({ now: () => new Date(Date.now() + 5 * 60_000) })
    const { clockSkewMs } = await clientFor(url).readProfile()
    expect(Math.abs(clockSkewMs - 5 * 60_000)).toBeLessThan(5_000)
  })

  test('connects without a status report, with the oldest features assumed', async () => {
    const { url } = await store({
      intercept: (request) =>
        request.url?.includes('system_status') ? { status: 500, body: 'Fatal error' } : undefined,
    })
    expect(await clientFor(url).readProfile()).toMatchObject({
      version: '',
      hasCheckoutLink: false,
      hasEarlyDrafts: false,
    })
  })

  test('may have a zone with only an offset, and selected countries', async () => {
    const settings = findResponse('system.json', 'general settings').body as { id: string; value: unknown }[]
    const changed = settings.map((row) => {
      if (row.id === 'woocommerce_allowed_countries') return { ...row, value: 'specific' }
      return row.id === 'woocommerce_specific_allowed_countries' ? { ...row, value: ['DE', 'AT', 'nonsense'] } : row
    })
    const index = findResponse('system.json', 'site index').body as object
    const { url } = await store({
      intercept: (request) => {
        if (request.url === '/wp-json/')
          return { body: { ...index, home: `http://${request.headers.host}`, timezone_string: '', gmt_offset: 5.5 } }
        return request.url?.startsWith('/wp-json/wc/v3/settings/general?') ? { body: changed } : undefined
      },
    })
    expect(await clientFor(url).readProfile()).toMatchObject({ timeZone: '+05:30', sellingCountries: ['DE', 'AT'] })
  })

  test('reports how it computes discounts; missing settings are unknown (decision 37)', async () => {
    const general = findResponse('system.json', 'general settings').body as { id: string; value: unknown }[]
    const readTaxes = async (taxes: Record<string, unknown>, more: Record<string, unknown> = {}) => {
      const changed = general.map((row) => ({ ...row, value: more[row.id] ?? row.value }))
      const { url } = await store({
        intercept: ({ url: requestPath = '' }) => {
          if (requestPath.startsWith('/wp-json/wc/v3/settings/general?')) return { body: changed }
          const body = Object.entries(taxes).map(([id, value]) => ({ id, value }))
          return requestPath.startsWith('/wp-json/wc/v3/settings/tax?') && body.length > 0 ? { body } : undefined
        },
      })
      return (await clientFor(url).readProfile()).pricing
    }
    expect(await readTaxes({})).toEqual({ pricesIncludeTax: null, showsTax: null, decimals: 2, isSequential: false })
    const taxes = { woocommerce_prices_include_tax: 'yes', woocommerce_tax_display_cart: 'incl' }
    const sequential = { woocommerce_calc_discounts_sequentially: 'yes', woocommerce_price_num_decimals: '0' }
    expect(await readTaxes(taxes, sequential)).toEqual({
      pricesIncludeTax: true,
      showsTax: true,
      decimals: 0,
      isSequential: true,
    })
    expect(await readTaxes(taxes, { woocommerce_calc_taxes: 'no' })).toMatchObject({
      pricesIncludeTax: false,
      showsTax: false,
    })
    const nonsense = { woocommerce_price_num_decimals: 'many', woocommerce_calc_discounts_sequentially: 7 }
    expect(
      await readTaxes({ woocommerce_prices_include_tax: null, woocommerce_tax_display_cart: {} }, nonsense),
    ).toEqual({
      pricesIncludeTax: null,
      showsTax: null,
      decimals: null,
      isSequential: null,
    })
  })
})

describe('an unreachable store', () => {
  test('is classified when nothing listens or the name does not exist', async () => {
    const closed = await site(() => undefined)
    await closed.close()
    expect(await readCode(clientFor(closed.url).readProfile())).toBe('unreachable')
    expect(await readCode(clientFor('http://no-such-shop.invalid').readProfile())).toBe('unreachable')
  })

  test('is classified when it hangs', async () => {
    const { url } = await site(() => undefined)
    expect(await readCode(clientFor(url, OWNER, { totalTimeoutMs: 100 }).readProfile())).toBe('timeout')
  })

  test('is classified when it redirects in circles', async () => {
    const { url } = await site((request, reply) => reply.writeHead(302, { location: `${request.url}` }).end())
    expect(await readCode(clientFor(url).readProfile())).toBe('redirect_loop')
  })

  test('is classified when its certificate is self-signed', async () => {
    const { url } = await store({ tls: readLocalhostTls() })
    expect(await readProblem(clientFor(url).readProfile())).toMatchObject({
      code: 'certificate',
      detail: 'self-signed certificate',
    })
  })

  test('is classified when its address is private', async () => {
    const { url } = await store()
    expect(await readCode(clientFor(url, OWNER, { allowPrivate: false }).readProfile())).toBe('private_address')
  })
})

describe('an address without a usable store', () => {
  const index = (namespaces: string[]) => JSON.stringify({ name: 'A site', namespaces })

  test('is classified for a site without WordPress', async () => {
    const html = await site((_, reply) => reply.end('<html>Hello</html>'))
    const json = await site((_, reply) => reply.end('{"hello":"world"}'))
    expect(await readCode(clientFor(html.url).readProfile())).toBe('no_wordpress')
    expect(await readCode(clientFor(json.url).readProfile())).toBe('no_wordpress')
  })

  test('is classified for WordPress without WooCommerce', async () => {
    const { url } = await site((_, reply) => reply.end(index(['wp/v2'])))
    expect(await readCode(clientFor(url).readProfile())).toBe('shop_inactive')
  })

  test('is classified for WordPress with plain permalinks', async () => {
    const { url } = await site((request, reply) => {
      if (request.url === '/?rest_route=/') reply.end(index(['wp/v2', 'wc/v3']))
      else reply.writeHead(404).end('<html>Not found</html>')
    })
    expect(await readCode(clientFor(url).readProfile())).toBe('plain_permalinks')
  })

  test('is classified for a firewall in front of the API', async () => {
    const { url } = await site((_, reply) => reply.writeHead(403).end('<html>Forbidden</html>'))
    expect(await readCode(clientFor(url).readProfile())).toBe('api_blocked')
  })

  test('is classified for a broken store, a page instead of JSON, and a rate limit', async () => {
    const onOrders = (answer: object) =>
      store({ intercept: (request) => (request.url?.includes('/orders') ? answer : undefined) })
    const broken = await onOrders({
      status: 500,
      body: '<html>There has been a critical error on this website.</html>',
    })
    const page = await onOrders({ status: 200, body: '<html>Coming soon</html>' })
    const busy = await onOrders({ status: 429, headers: { 'retry-after': '7' }, body: {} })
    const closed = await onOrders({ status: 503, headers: { 'retry-after': '120' }, body: 'Briefly unavailable' })
    expect(await readCode(clientFor(broken.url).readProfile())).toBe('store_error')
    expect(await readCode(clientFor(page.url).readProfile())).toBe('bad_answer')
    expect(await readProblem(clientFor(busy.url).readProfile())).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 7_000,
    })
    // Maintenance is no rate limit.
    expect(await readProblem(clientFor(closed.url).readProfile())).toMatchObject({
      code: 'maintenance',
      retryAfterMs: 120_000,
    })
    const noTime = await onOrders({ status: 503, body: { code: 'wp_die', message: 'Briefly unavailable' } })
    expect(await readCode(clientFor(noTime.url).readProfile())).toBe('maintenance')
  })
})

describe.each([
  ['English', (message: string) => message],
  ['another language', (message: string) => `§ ${[...message].reverse().join('')}`],
])('a wrong key, in %s', (_, translate) => {
  const unknown = { consumerKey: 'ck_never', consumerSecret: OWNER.consumerSecret }
  const wrong = { consumerKey: OWNER.consumerKey, consumerSecret: 'cs_mistyped' }

  test('is classified over http', async () => {
    const { url } = await store({ translate })
    expect(await readCode(clientFor(url, unknown).readProfile())).toBe('wrong_key')
    expect(await readCode(clientFor(url, wrong).readProfile())).toBe('wrong_secret')
    expect(await readCode(clientFor(url, WRITER).readProfile())).toBe('no_rights')
    expect(await readCode(clientFor(url, SHOPPER).readProfile())).toBe('no_rights')
    expect(await clientFor(url, READER).readProfile()).toMatchObject({ canWrite: false })
  })

  test('is classified over https', async () => {
    const { url } = await store({ translate, tls: readLocalhostTls() })
    const ca = { ca: readLocalhostTls().cert }
    expect(await readCode(clientFor(url, unknown, ca).readProfile())).toBe('wrong_key')
    expect(await readCode(clientFor(url, wrong, ca).readProfile())).toBe('wrong_secret')
    expect(await readCode(clientFor(url, WRITER, ca).readProfile())).toBe('no_rights')
    expect(await readCode(clientFor(url, SHOPPER, ca).readProfile())).toBe('no_rights')
  })

  test('is distinguished from a clock more than 15 minutes off', async () => {
    const { url } = await store({ translate, now: () => new Date(Date.now() - 20 * 60_000) })
    expect(await readCode(clientFor(url).readProfile())).toBe('clock_skew')
  })

  test('is distinguished from https unknown to WordPress, where no key is checked', async () => {
    const { url, seen: requests } = await store({ translate, tls: readLocalhostTls(), isBehindProxy: true })
    const ca = { ca: readLocalhostTls().cert }
    expect(await readCode(clientFor(url, OWNER, ca).readProfile())).toBe('needs_signing')
    expect(await readCode(clientFor(url, unknown, ca).readProfile())).toBe('wrong_key')
    expect(requests.some((one) => /ck_|oauth/.test(one.line))).toBe(false)
  })
})

test('a web server that removes the Authorization header is detected', async () => {
  const { url } = await store({
    tls: readLocalhostTls(),
    intercept: (request) => {
      delete request.headers.authorization
      return undefined
    },
  })
  expect(await readCode(clientFor(url, OWNER, { ca: readLocalhostTls().cert }).readProfile())).toBe('sign_in_lost')
})

test('no problem contains a key, secret or signature, even when the store repeats them', async () => {
  const keys = { consumerKey: 'ck_0123456789abcdef', consumerSecret: 'cs_fedcba9876543210' }
  const echo = await store({
    intercept: (request) =>
      request.url?.includes('/orders')
        ? {
            status: 400,
            body: {
              code: 'x',
              message: `Bad request: ${request.url} by ${keys.consumerSecret} and ${keys.consumerKey}`,
            },
          }
        : undefined,
  })
  const closed = await site((request) => request.socket.destroy())
  const elsewhere = await store({
    intercept: (request) =>
      request.url?.includes('/orders')
        ? { status: 302, headers: { location: `http://thief.example${request.url}` }, body: '' }
        : undefined,
  })
  for (const url of [echo.url, closed.url, elsewhere.url]) {
    const problem = await readProblem(clientFor(url, keys).readProfile())
    const text = `${inspect(problem, { depth: 9, showHidden: true })} ${problem.stack} ${JSON.stringify(problem)}`
    expect(text).not.toMatch(/0123456789abcdef|fedcba9876543210|oauth_signature=(?!…)/)
  }
  expect(await readProblem(clientFor(elsewhere.url, keys).readProfile())).toMatchObject({
    code: 'moved',
    detail: 'http://thief.example',
  })
})
