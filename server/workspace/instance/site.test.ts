import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createWorld } from '../../../test/world.ts'
import { readConfig } from '../../core/config/config.ts'
import { chooseEncoding, landingGate, landingPage } from './site.ts'

const world = createWorld({ PUBLIC_URL: 'https://recoup.test', HOST: '0.0.0.0' })

const config = readConfig({ PUBLIC_URL: 'https://recoup.test', COMPANY_NAME: 'Tea <& Co>', DEMO: 'off' })

test("the landing page has the instance's data and allows only its own style sheet", async () => {
  const style = 'a{color:red}'
  const page = await landingPage(
    `<style>${style}</style><a href="{{ origin }}/">{{ company }}</a>{% if hasDemo %}demo{% endif %}`,
    config,
  )
  expect(page.bodies.identity.toString()).toBe(
    `<style>${style}</style><a href="https://recoup.test/">Tea &lt;&amp; Co&gt;</a>`,
  )
  expect(page.policy).toContain(`style-src 'self' '${hashOf(style)}';`)
})

test.each([
  ['nothing is sold', {}, 'none'],
  [
    'Stripe sells, texts go by providers of the accounts',
    { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' },
    'sold',
  ],
  [
    'Stripe sells, texts go by the operator',
    {
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
      OPERATOR_TWILIO_AUTH_TOKEN: 'op-token',
      OPERATOR_TWILIO_ACCOUNT_SID: `AC${'a'.repeat(32)}`,
      OPERATOR_TWILIO_SENDERS: '+15005550006',
    },
    'sold, credits',
  ],
])('the landing page offers credits where Pricing does: %s', async (_, settings, text) => {
  const template = '{% if isSold %}sold{% else %}none{% endif %}{% if hasCredits %}, credits{% endif %}'
  const config = readConfig({ PUBLIC_URL: 'https://recoup.test', DEMO: 'off', ...settings })
  expect((await landingPage(template, config)).bodies.identity.toString()).toBe(text)
})

test('the gate runs its own inline script, and its policy allows the styles of the landing page', async () => {
  const gate = await landingGate('<style>p{}</style><script>go()</script>', '<style>a{}</style>', config)
  expect(gate.policy).toContain(
    `script-src 'self' '${hashOf('go()')}'; style-src 'self' '${hashOf('p{}')}' '${hashOf('a{}')}';`,
  )
})

const hashOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`

test('robots see the public pages and are kept off personal links', async () => {
  const robots = await world.request('GET', '/robots.txt')
  expect(robots.body).toContain('Sitemap: https://recoup.test/sitemap.xml')
  expect(robots.body).toContain('Disallow: /cart/recover\n')
  const sitemap = await world.request('GET', '/sitemap.xml')
  expect(sitemap.headers['content-type']).toMatch(/xml/)
  expect(sitemap.body.match(/<loc>[^<]+/g)).toEqual([
    '<loc>https://recoup.test/landing.html',
    '<loc>https://recoup.test/how-we-test',
    '<loc>https://recoup.test/terms',
    '<loc>https://recoup.test/privacy',
  ])
})

test('an unchanged page is not sent again', async () => {
  const first = await world.request('GET', '/robots.txt', { headers: { 'accept-encoding': 'gzip' } })
  expect(first.headers).toMatchObject({
    'content-encoding': 'gzip',
    vary: 'accept-encoding',
    'cache-control': 'no-cache',
  })
  const again = await world.request('GET', '/robots.txt', {
    headers: { 'accept-encoding': 'gzip', 'if-none-match': String(first.headers.etag) },
  })
  expect(again.status).toBe(304)
  const plain = await world.request('GET', '/robots.txt', { headers: { 'if-none-match': String(first.headers.etag) } })
  expect(plain.status).toBe(200)
})

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=0.8, br;q=0', 'gzip'],
  ['GZIP', 'gzip'],
  ['identity', 'identity'],
  [undefined, 'identity'],
])('accept-encoding %s gets %s', (accepted, encoding) => {
  expect(chooseEncoding(accepted)).toBe(encoding)
})

test.each([
  ['/nowhere.html', undefined, 404, /^text\/html/],
  ['/nowhere/x.php', 'text/html,application/json;q=0.9', 404, /^text\/html/],
  ['/c/broken/link', 'text/html', 404, /^text\/html/],
  ['/nowhere', '*/*', 404, /^text\/html/],
  ['/customers/x', 'text/html', 404, /^text\/html/],
  ['/settings/nothing', 'text/html', 404, /^text\/html/],
  ['/customers', 'text/html', 200, /^text\/html/],
  ['/Carts/42/', 'text/html', 200, /^text\/html/],
  ['/nowhere.json', 'application/json', 404, /^application\/json/],
  ['/nowhere', 'application/json', 404, /^application\/json/],
  ['/api/nowhere', 'text/html', 404, /^application\/json/],
])(
  'what is not there is said by the 404 page unless JSON is asked for: %s for %s',
  { tags: ['A2.1'] },
  async (path, accept, status, type) => {
    const reply = await world.request('GET', path, accept ? { headers: { accept } } : {})
    expect([reply.status, reply.headers['content-type']]).toEqual([status, expect.stringMatching(type)])
    const etag = reply.headers.etag as string | undefined
    const again = await world.request('GET', path, {
      headers: { ...(accept && { accept }), 'if-none-match': etag ?? '*' },
    })
    if (status === 404) expect(again.status).toBe(404)
    if (/html/.test(type.source)) expect(reply.body).toContain('id="root"')
  },
)

test('HEAD answers like GET, without a body', async () => {
  const inject = (method: 'GET' | 'HEAD', url: string) => world.app.inject({ method, url })
  for (const url of ['/', '/login', '/carts/1', '/landing', '/landing.html', '/terms']) {
    const [full, head] = [await inject('GET', url), await inject('HEAD', url)]
    expect([url, head.statusCode, head.headers['content-type']]).toEqual([url, 200, 'text/html; charset=utf-8'])
    expect([full.statusCode, head.body]).toEqual([200, ''])
  }
  for (const url of ['/api/nothing', '/nothing.png', '/nowhere', '/customers/x']) {
    expect([url, (await inject('HEAD', url)).statusCode]).toEqual([url, 404])
  }
})

test('pages are compressed and revalidated; assets are compressed, cached, and equal in all encodings', async () => {
  const get = (url: string, encoding: string) =>
    world.app.inject({ method: 'GET', url, headers: { 'accept-encoding': encoding } })
  for (const url of ['/login', '/landing', '/landing.html']) {
    const { headers } = await get(url, 'br')
    expect([url, headers['content-encoding'], headers['cache-control']]).toEqual([url, 'br', 'no-cache'])
    if (url !== '/login') expect(headers['content-security-policy']).not.toContain('unsafe-inline')
  }
  const [, script] = /<link rel="modulepreload"[^>]* href="([^"]*first[^"]*)"/.exec(
    (await get('/login', 'identity')).body,
  )!
  const replies = [await get(script!, 'br'), await get(script!, 'gzip'), await get(script!, 'identity')]
  expect(replies.map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip', undefined])
  for (const { headers } of replies) expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  const [br, gzip, identity] = replies.map(({ rawPayload }) => rawPayload)
  for (const text of [brotliDecompressSync(br!), gunzipSync(gzip!)]) expect(text.equals(identity!)).toBe(true)
  expect((await get(`${script}.br`, 'identity')).statusCode).toBe(404)
})

test('the server accepts a request with a JSON content type and no body (B 7)', { tags: ['B7'] }, async () => {
  const send = (method: 'POST' | 'DELETE', url: string, payload = '') =>
    world.app.inject({ method, url, payload, headers: { 'content-type': 'application/json' } })
  expect((await send('DELETE', '/api/stores/disconnect')).statusCode).toBe(401)
  expect((await send('POST', '/api/subscribe/create-free-subscription')).statusCode).toBe(401)
  expect((await send('POST', '/api/auth/login')).json()).toMatchObject({ code: 'invalid' })
  expect((await send('POST', '/api/auth/login', '{')).statusCode).toBe(400)
})
