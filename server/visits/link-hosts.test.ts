import type { LookupFunction } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openNameServer } from '../../test/contract-servers/dns.ts'
import { aShop, HOUR, type Shop, tea } from '../../test/shop.ts'
import { aWorld } from '../../test/world.ts'
import { checkLinkHosts, onLinkHost } from './link-hosts.ts'

// Links in a shop's mails are on a host of its own while that leads here, and nothing but links is there.

const names = await openNameServer()
const PORT = 39_471
const world = aWorld({
  PUBLIC_URL: `http://recoup.example:${PORT}`,
  ALLOW_PRIVATE_STORES: 'on',
  DNS_SERVERS: names.address,
})
const MINUTE = 60_000
const reachable = new Set<string>()
const lookup = ((host, options, done) =>
  reachable.has(host)
    ? done(null, ...((options.all ? [[{ address: '127.0.0.1', family: 4 }]] : ['127.0.0.1', 4]) as [never, never]))
    : done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), '', 4)) as LookupFunction

beforeAll(async () => {
  await world.app.listen({ port: PORT, host: '127.0.0.1' })
})
afterAll(() => names.close())

const PATH = '/api/stores/sending/link-host'
let n = 0
const aHost = () => `links.shop${++n}.example.com`
const view = async (shop: Shop) => (await shop.get(PATH)).body
const name = (shop: Shop, host: string) => world.request('PUT', PATH, { token: shop.token, body: { host } })
const look = async () => {
  world.advance(6 * MINUTE)
  await checkLinkHosts(world.deps, lookup)
}

async function linkInNextMail(shop: Shop) {
  await shop.fill(`b${++n}`, [tea()])
  await shop.type(`b${n}`, { email: `ada${n}@shoppers.example.com` })
  world.sent.length = 0
  await shop.pass(HOUR)
  return /https?:\/\/[^/]+(?=\/c\/)/.exec(world.sent[0]!.html)![0]
}

test('a host is used once it leads here, and no longer at once when it does not', async () => {
  const shop = await aShop(world)
  const host = aHost()
  names.zone[host] = { CNAME: ['elsewhere.example'] }
  const { body } = await name(shop, host)
  expect(body).toMatchObject({ host, isUsed: false, target: 'recoup.example' })
  expect(body.problem).toBe(`${host} leads to elsewhere.example, not to recoup.example.`)
  expect(await linkInNextMail(shop)).toBe(`http://recoup.example:${PORT}`)
  reachable.add(host)
  await look()
  expect(await view(shop)).toMatchObject({ isUsed: true, problem: null })
  expect(await linkInNextMail(shop)).toBe(`http://${host}:${PORT}`)
  reachable.delete(host)
  delete names.zone[host]
  await look()
  expect(await view(shop)).toMatchObject({ isUsed: false, problem: expect.stringContaining('no record') })
  expect(await linkInNextMail(shop)).toBe(`http://recoup.example:${PORT}`)
})

test('only what links need is there: no app, no sign-in, no API', async () => {
  const shop = await aShop(world)
  const host = aHost()
  await name(shop, host)
  reachable.add(host)
  await look()
  const ask = (url: string, method: 'GET' | 'POST' = 'GET') => world.app.inject({ method, url, headers: { host } })
  for (const url of ['/', '/login', '/carts', '/api/carts/abandoned', '/api/auth/login', '/healthz', '/c', '/docs']) {
    expect([url, (await ask(url)).statusCode]).toEqual([url, 404])
  }
  expect((await ask('/api/auth/login', 'POST')).statusCode).toBe(404)
  const page = await ask('/cart/recover?cart_id=rt_x')
  expect([page.statusCode, page.headers.location]).toEqual([
    302,
    `http://recoup.example:${PORT}/cart/recover?cart_id=rt_x`,
  ])
  expect((await ask('/c/unknown')).headers.location).toContain(`http://recoup.example:${PORT}/cart/recover`)
  await linkInNextMail(shop)
  const wayOut = new URL(/<(.*)>/.exec(world.sent[0]!.headers['List-Unsubscribe']!)![1]!)
  expect(wayOut.hostname).toBe(host)
  expect((await ask(wayOut.pathname)).headers.location).toContain('/unsubscribe?token=')
  expect((await ask(wayOut.pathname, 'POST')).statusCode).toBe(200)
})

test('a host is one store’s, and never the server’s own', async () => {
  const [one, other] = [await aShop(world), await aShop(world)]
  const host = aHost()
  expect((await name(one, host)).status).toBe(200)
  expect((await name(other, host)).status).toBe(409)
  const ask = (domain: string) => world.request('GET', `/.well-known/recoup-links/ask?domain=${domain}`)
  expect([(await ask(host)).status, (await ask('nobody.example.com')).status]).toEqual([200, 404])
  expect((await name(one, 'http://x.example.com')).status).toBe(400)
  expect((await world.request('DELETE', PATH, { token: one.token })).body.host).toBeNull()
  expect((await name(other, host)).status).toBe(200)
})

test.each([
  ['/c/token', 'served'],
  ['/u/token', 'served'],
  ['/o/token', 'served'],
  ['/.well-known/recoup-links', 'served'],
  ['/preferences', 'elsewhere'],
  ['/unsubscribe', 'elsewhere'],
  ['/c/token/more', 'not_there'],
  ['/api/unsubscribe/token', 'not_there'],
  ['//c/token', 'not_there'],
])('%s on a shop’s host: %s', (path, verdict) => {
  expect(onLinkHost(path)).toBe(verdict)
})
