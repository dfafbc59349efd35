import type { LookupFunction } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openNameServer } from '../../../providers/contracts/dns.ts'
import { buildTea, createShop, HOUR, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { isReserved, routeLinkHost } from './link-host-rules.ts'
import { checkLinkHosts } from './link-hosts.ts'

// Links in a shop's mails use its own host while that leads here, and the host serves nothing but links.

const names = await openNameServer()
const PORT = 39_471
const world = createWorld({
  SMTP_URL: 'smtp://127.0.0.1:2525',
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
const newHost = () => `links.shop${++n}.example.com`
const view = async (shop: Shop) => (await shop.get(PATH)).body
const name = (shop: Shop, host: string) => world.request('PUT', PATH, { token: shop.token, body: { host } })
const runCheck = async () => {
  world.advance(6 * MINUTE)
  await checkLinkHosts(world.deps, lookup)
}

/** Creates the TXT record that the owner is told to create. */
async function prove(shop: Shop) {
  const { proof } = await view(shop)
  const known = names.zone[proof.name]?.TXT ?? []
  names.zone[proof.name] = { TXT: [...known, proof.value] }
}
const nameAndProve = async (shop: Shop, host: string) => {
  await name(shop, host)
  await prove(shop)
  await runCheck()
}

async function linkInNextMail(shop: Shop) {
  await shop.fill(`b${++n}`, [buildTea()])
  await shop.type(`b${n}`, { email: `ada${n}@shoppers.example.com` })
  world.sent.length = 0
  await shop.passTime(HOUR)
  return /https?:\/\/[^/]+(?=\/c\/)/.exec(world.sent[0]!.html)![0]
}

test('a host is used once it leads here, and no longer after the first failed check', async () => {
  const shop = await createShop(world)
  const host = newHost()
  names.zone[host] = { CNAME: ['elsewhere.example'] }
  await name(shop, host)
  await prove(shop)
  const { body } = await name(shop, host)
  expect(body).toMatchObject({ host, isUsed: false, target: 'recoup.example' })
  expect(body.problem).toBe(`${host} points to elsewhere.example, not to recoup.example.`)
  expect(await linkInNextMail(shop)).toBe(`http://recoup.example:${PORT}`)
  reachable.add(host)
  await runCheck()
  expect(await view(shop)).toMatchObject({ isUsed: true, problem: null })
  expect(await linkInNextMail(shop)).toBe(`http://${host}:${PORT}`)
  reachable.delete(host)
  delete names.zone[host]
  await runCheck()
  expect(await view(shop)).toMatchObject({ isUsed: false, problem: expect.stringContaining('no record') })
  expect(await linkInNextMail(shop)).toBe(`http://recoup.example:${PORT}`)
})

test('a link host serves only what links need: no app, no sign-in, no API', async () => {
  const shop = await createShop(world)
  const host = newHost()
  reachable.add(host)
  await nameAndProve(shop, host)
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
  const unsubscribeLink = new URL(/<(.*)>/.exec(world.sent[0]!.headers['List-Unsubscribe']!)![1]!)
  expect(unsubscribeLink.hostname).toBe(host)
  expect((await ask(unsubscribeLink.pathname)).headers.location).toContain('/unsubscribe?token=')
  expect((await ask(unsubscribeLink.pathname, 'POST')).statusCode).toBe(200)
})

const readStatus = async (host: string, url = '/healthz') =>
  (await world.app.inject({ url, headers: { host } })).statusCode !== 404

test('an unproven claim changes nothing: the app stays, links stay on the server’s host, no certificate is fetched', async () => {
  const shop = await createShop(world)
  const host = newHost()
  reachable.add(host)
  expect((await name(shop, host)).body).toMatchObject({ isProven: false, isUsed: false, problem: expect.any(String) })
  await runCheck()
  const ask = () => world.request('GET', `/.well-known/recoup-links/ask?domain=${host}`)
  expect([await readStatus(host), (await ask()).status]).toEqual([true, 404])
  expect(await linkInNextMail(shop)).toBe(`http://recoup.example:${PORT}`)
  await prove(shop)
  await runCheck()
  expect(await view(shop)).toMatchObject({ isProven: true, isUsed: true, problem: null })
  expect([await readStatus(host), (await ask()).status]).toEqual([false, 200])
})

test('the first store to prove a host gets it, whichever claimed it first', async () => {
  const [squatter, owner] = [await createShop(world), await createShop(world)]
  const host = newHost()
  reachable.add(host)
  await name(squatter, host)
  expect((await name(owner, host)).status).toBe(200)
  await prove(owner)
  await runCheck()
  expect(await view(owner)).toMatchObject({ isProven: true, isUsed: true })
  expect(await view(squatter)).toMatchObject({ isProven: false, isUsed: false })
})

test('a host moves to another store with a proof only after the first store’s record is gone', async () => {
  const [before, after] = [await createShop(world), await createShop(world)]
  const host = newHost()
  reachable.add(host)
  await nameAndProve(before, host)
  await nameAndProve(after, host)
  expect([(await view(before)).isUsed, (await view(after)).isUsed]).toEqual([true, false])
  expect((await view(after)).problem).toContain('Another store uses this domain')
  names.zone[`_recoup.${host}`] = { TXT: [(await view(after)).proof.value] }
  await runCheck()
  expect([(await view(before)).isUsed, (await view(after)).isUsed]).toEqual([false, true])
  await runCheck()
  expect([(await view(before)).isProven, (await view(after)).isUsed]).toEqual([false, true])
})

test('an unproven claim expires after a week, a host that does not lead here after a month', async () => {
  const [idle, deleted, active] = [await createShop(world), await createShop(world), await createShop(world)]
  const [idleHost, deletedHost, activeHost] = [newHost(), newHost(), newHost()]
  reachable.add(activeHost)
  await name(idle, idleHost)
  await nameAndProve(deleted, deletedHost)
  await nameAndProve(active, activeHost)
  const readHosts = async (...shops: Shop[]) => {
    const rows = await world.pool.query('select store_id, host from link_hosts')
    return shops.map((shop) => rows.rows.find((row) => row.store_id === shop.storeId)?.host ?? null)
  }
  world.advance(7 * 24 * HOUR)
  await runCheck()
  expect(await readHosts(idle, deleted, active)).toEqual([null, deletedHost, activeHost])
  world.advance(24 * 24 * HOUR)
  await runCheck()
  expect(await readHosts(idle, deleted, active)).toEqual([null, null, activeHost])
})

test('the server’s own and non-public names cannot be claimed', async () => {
  const shop = await createShop(world)
  for (const host of ['www.recoup.example', 'app.recoup.example', 'links.shop.local', 'a.b.localhost']) {
    expect([host, (await name(shop, host)).status]).toEqual([host, 400])
  }
  expect((await name(shop, 'http://x.example.com')).status).toBe(400)
  expect((await name(shop, 'links.notrecoup.example')).status).toBe(200)
  expect((await world.request('DELETE', PATH, { token: shop.token })).body.host).toBeNull()
})

test.each([
  ['recoup.example.com', true],
  ['www.recoup.example.com', true],
  ['RECOUP.example.com.', true],
  ['links.recoup.example.com', true],
  ['127.0.0.1', true],
  ['[::1]', true],
  ['localhost', true],
  ['links.shop.example', false],
  ['notrecoup.example.com', false],
])('%s is the server’s own host: %s', (host, isOwn) => {
  expect(isReserved(host, 'https://www.recoup.example.com')).toBe(isOwn)
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
  expect(routeLinkHost(path)).toBe(verdict)
})
