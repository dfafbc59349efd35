import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { serve } from '../../../providers/contracts/serve.ts'
import { type GuardedFetchOptions, openGuardedHttp } from '../../core/net/guarded-fetch.ts'
import { readLogos } from './platform.ts'

// A shop's logo from a real server: /wp-json/ and /wp-json/wp/v2/media are recorded in WordPress’s form.

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

type Answers = Record<string, (request: IncomingMessage, reply: ServerResponse) => void>

const anywhere = (): GuardedFetchOptions => ({ allowPrivate: true })

async function shop(answers: (url: string) => Answers, guard: (url: string) => GuardedFetchOptions = anywhere) {
  const requests: { path: string; authorization: string | undefined }[] = []
  const served = await serve((request, reply) => {
    requests.push({ path: request.url!, authorization: request.headers.authorization })
    const answer = answers(`http://localhost:${served.port}`)[request.url!]
    if (answer) answer(request, reply)
    else reply.writeHead(404).end('{}')
  })
  const storeUrl = `http://localhost:${served.port}`
  const http = openGuardedHttp(guard(storeUrl))
  open.push(served, http)
  const access = { storeUrl, homeUrl: storeUrl, consumerKey: 'ck_1', consumerSecret: 'cs_1' }
  const found: string[] = []
  for await (const { source, content } of readLogos(access, { fetch: http.fetch, now: () => new Date() })) {
    found.push(`${source} ${content.toString('latin1').slice(0, 20)}`)
  }
  return { found, requests }
}

const json = (body: unknown) => (_: IncomingMessage, reply: ServerResponse) =>
  void reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const file = (content: string | Buffer) => (_: IncomingMessage, reply: ServerResponse) => void reply.end(content)

const MEDIA = '/wp-json/wp/v2/media/42'

test('returns the logo in its uncropped sizes, then the icon, and sends no key', async () => {
  const { found, requests } = await shop((url) => ({
    '/wp-json/': json({ site_logo: 42, site_icon: 43, site_icon_url: `${url}/icon.png` }),
    [MEDIA]: json({
      source_url: `${url}/full.png`,
      media_details: {
        sizes: { thumbnail: { source_url: `${url}/square.png` }, medium: { source_url: `${url}/medium.png` } },
      },
    }),
    '/full.png': file('full'),
    '/medium.png': file('medium'),
    '/icon.png': file('icon'),
  }))
  expect(found).toEqual(['site_logo full', 'site_logo medium', 'site_icon icon'])
  expect(requests.every(({ authorization }) => authorization === undefined)).toBe(true)
  expect(requests.some(({ path }) => path.includes('ck_1') || path === '/square.png')).toBe(false)
})

test('returns the icon of a shop without a logo, and nothing without either', async () => {
  const icon = await shop((url) => ({
    '/wp-json/': json({ site_logo: 0, site_icon_url: `${url}/icon.png` }),
    '/icon.png': file('icon'),
  }))
  expect(icon.found).toEqual(['site_icon icon'])
  expect((await shop(() => ({ '/wp-json/': json({ site_logo: 0, site_icon: 0, site_icon_url: '' }) }))).found).toEqual(
    [],
  )
  expect((await shop(() => ({ '/wp-json/': file('<html>') }))).found).toEqual([])
})

test('continues after a private media list, a broken picture or one too large', async () => {
  const { found } = await shop((url) => ({
    '/wp-json/': json({ site_logo: 42, site_icon_url: `${url}/icon.png` }),
    [MEDIA]: json({
      source_url: `${url}/missing.png`,
      media_details: {
        sizes: {
          large: { source_url: `${url}/large.png` },
          medium_large: { source_url: `${url}/bomb.png` },
          medium: 7,
        },
      },
    }),
    '/large.png': file(Buffer.alloc(3_000_000)),
    '/bomb.png': (_, reply) =>
      void reply.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(3_000_000))),
    '/icon.png': file('icon'),
  }))
  expect(found).toEqual(['site_icon icon'])
  const closed = await shop((url) => ({
    '/wp-json/': json({ site_logo: 42, site_icon_url: `${url}/icon.png` }),
    [MEDIA]: (_, reply) => void reply.writeHead(401).end('{}'),
    '/icon.png': file('icon'),
  }))
  expect(closed.found).toEqual(['site_icon icon'])
})

test('does not fetch a picture from our own network', async () => {
  let requestCount = 0
  const inside = await serve((_, reply) => {
    requestCount += 1
    reply.end('inside')
  })
  open.push(inside)
  // Only the shop itself may have a private address.
  const walls = (url: string) => ({ allowPrivate: false, allowedOrigins: [url] })
  for (const address of [
    `http://127.0.0.1:${inside.port}/x.png`,
    'http://169.254.169.254/x.png',
    'file:///etc/passwd',
  ]) {
    const answers = () => ({ '/wp-json/': json({ site_logo: 0, site_icon_url: address }) })
    expect((await shop(answers, walls)).found).toEqual([])
  }
  const own = (url: string) => ({
    '/wp-json/': json({ site_icon_url: `${url}/icon.png` }),
    '/icon.png': (_: IncomingMessage, reply: ServerResponse) =>
      void reply.writeHead(302, { location: `http://127.0.0.1:${inside.port}/x.png` }).end(),
  })
  expect((await shop(own, walls)).found).toEqual([])
  expect(requestCount).toBe(0)
})
