import net from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStore } from '../test/factories.ts'
import { createWorld } from '../test/world.ts'
import { servedBy } from './access/http/http.ts'
import { MAX_CONNECTIONS } from './core/net/clients.ts'

// Checks before any route, on a public installation.

const TOKEN = 'a-token-of-the-monitoring'
const world = createWorld({
  HOST: '0.0.0.0',
  PUBLIC_URL: 'https://recoup.example.com',
  TRUSTED_PROXIES: '10.1.0.0/16, 192.0.2.7',
  METRICS_TOKEN: TOKEN,
})
const host = 'recoup.example.com'
const watching = { authorization: `Bearer ${TOKEN}` }

interface From {
  peer?: string
  headers?: Record<string, string>
}
const get = (url: string, { peer = '203.0.113.9', headers = {} }: From = {}) =>
  world.app.inject({ url, remoteAddress: peer, headers: { host, ...headers } })

describe('the client behind a proxy', () => {
  /** Tries links to confirm an address until the limit of one client rejects them. */
  async function isLimited(peer: string, forwarded: (n: number) => string): Promise<boolean> {
    for (let n = 0; n < 25; n++) {
      const { statusCode } = await world.app.inject({
        method: 'POST',
        url: '/api/auth/confirm-email',
        remoteAddress: peer,
        headers: { 'x-forwarded-for': forwarded(n) },
        payload: { token: 'a'.repeat(43) },
      })
      if (statusCode === 429) return true
    }
    return false
  }

  test('is taken from a trusted proxy only', async () => {
    const anybody = (n: number) => `198.51.100.${n}`
    expect(await isLimited('10.2.0.1', anybody)).toBe(true)
    expect(await isLimited('192.168.1.1', anybody)).toBe(true)
    expect(await isLimited('10.1.0.1', anybody)).toBe(false)
    expect(await isLimited('192.0.2.7', () => '198.51.100.200')).toBe(true)
  })
})

test('the host is taken from a trusted proxy only, and is the last one it names', async () => {
  const isOwnHost = async (peer: string, headers: Record<string, string>) =>
    (await get('/landing.html', { peer, headers })).headers['strict-transport-security'] !== undefined
  const elsewhere = { 'x-forwarded-host': 'links.shop.example' }
  expect(await isOwnHost('203.0.113.9', elsewhere)).toBe(true)
  expect(await isOwnHost('10.1.0.1', elsewhere)).toBe(false)
  expect(await isOwnHost('10.1.0.1', { 'x-forwarded-host': `links.shop.example, ${host}` })).toBe(true)
})

describe('process information', () => {
  test('requires the token for metrics from every client address', async () => {
    for (const peer of ['127.0.0.1', '::1', '10.1.0.1', '203.0.113.9']) {
      const forged = { 'x-forwarded-for': '127.0.0.1' }
      expect([peer, (await get('/metrics', { peer })).statusCode]).toEqual([peer, 404])
      expect([peer, (await get('/metrics', { peer, headers: forged })).statusCode]).toEqual([peer, 404])
    }
    expect((await get('/metrics', { headers: { authorization: `Bearer ${TOKEN}x` } })).statusCode).toBe(404)
    expect((await get('/metrics', { headers: watching })).body).toContain('recoup_process_cpu')
  })

  test('shows readiness to everyone, but checks and alarms only with the token', async () => {
    expect((await get('/readyz', { peer: '127.0.0.1' })).json()).toEqual({ status: expect.any(String) })
    const { checks, alarms } = (await get('/readyz', { headers: watching })).json()
    expect([checks.database, alarms]).toEqual(['ok', expect.any(Array)])
  })
})

describe('replies', () => {
  test('of the API are not cached', async () => {
    const { token } = await createStore(world)
    const headers = { authorization: `Bearer ${token}` }
    for (const url of ['/api/auth/me', '/api/carts/abandoned', '/api/instance', '/api/no-such-thing']) {
      expect([url, (await get(url, { headers })).headers['cache-control']]).toEqual([url, 'no-store'])
    }
  })

  test('set HSTS when the public URL is https', async () => {
    expect((await get('/login')).headers['strict-transport-security']).toBe('max-age=31536000')
    const elsewhere = await get('/login', { headers: { host: 'links.shop.example.com' } })
    expect(elsewhere.headers['strict-transport-security']).toBeUndefined()
  })

  test('serve the API description from memory, and 304 to clients that have it', async () => {
    const first = await get('/docs/openapi.json')
    expect(first.json()).toMatchObject({ openapi: '3.1.0', paths: { '/api/instance': expect.any(Object) } })
    const again = await get('/docs/openapi.json', { headers: { 'if-none-match': String(first.headers.etag) } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    const served = servedBy.get(world.app)!
    servedBy.set(world.app, [])
    expect((await get('/docs/openapi.json')).body).toBe(first.body)
    servedBy.set(world.app, served)
  })
})

describe('connections', () => {
  let port: number
  const sockets: net.Socket[] = []
  beforeAll(async () => {
    await world.app.listen({ port: 0, host: '127.0.0.1' })
    port = (world.app.server.address() as net.AddressInfo).port
  })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
  })

  function open(): Promise<net.Socket> {
    return new Promise((resolve, reject) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(socket))
      socket.on('error', reject)
      sockets.push(socket)
    })
  }

  const answerTo = (socket: net.Socket, request: string): Promise<string> =>
    new Promise((resolve) => {
      let text = ''
      socket.on('data', (chunk) => (text += chunk))
      socket.on('close', () => resolve(text))
      socket.write(request)
    })

  test('with two Host headers are refused', async () => {
    const twice = 'Host: recoup.example.com\r\nHost: evil.example\r\nConnection: close\r\n\r\n'
    const once = 'Host: recoup.example.com\r\nConnection: close\r\n\r\n'
    expect(await answerTo(await open(), `GET /healthz HTTP/1.1\r\n${twice}`)).toMatch(/^HTTP\/1.1 400 /)
    expect(await answerTo(await open(), `GET /healthz HTTP/1.1\r\n${once}`)).toMatch(/^HTTP\/1.1 200 /)
  })

  test('that send their request too slowly are closed', () => {
    const { headersTimeout, requestTimeout } = world.app.server
    expect([headersTimeout, requestTimeout]).toEqual([20_000, 120_000])
  })

  test('of one client are limited', async () => {
    const held = await Promise.all(Array.from({ length: MAX_CONNECTIONS }, open))
    const beyond = await open()
    await new Promise((resolve) => beyond.once('close', resolve))
    held[0]!.destroy()
    await new Promise((resolve) => held[0]!.once('close', resolve))
    const once = 'GET /healthz HTTP/1.1\r\nHost: recoup.example.com\r\nConnection: close\r\n\r\n'
    // The server hears of the closed one a moment later.
    await expect.poll(async () => answerTo(await open(), once).catch(() => '')).toMatch(/^HTTP\/1.1 200 /)
  })
})
