import fs from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { buildStorefront } from '../../../scripts/build-storefront.ts'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'

// The widget that shops' pages load, and the sw.js that shops copy.

const world = createWorld()
let store: TestStore

beforeAll(async () => {
  store = await createStore(world)
  if (!fs.existsSync('dist/storefront/sw.js')) await buildStorefront()
})

const load = (url: string, headers: Record<string, string> = {}) => world.app.inject({ url, headers })
const built = (name: string) => fs.readFileSync(`dist/storefront/${name}`, 'utf8')

test("the widget contains Recoup's address, is cached for an hour, and loads on other sites", {
  tags: ['A7'],
}, async () => {
  const reply = await load(`/push/${store.captureKey}.js`)
  const setup = { key: store.captureKey, origin: world.deps.config.publicUrl }
  expect(reply.body).toBe(`window.recoupSetup=${JSON.stringify(setup)};${built('push.js')}`)
  expect(reply.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=3600, stale-while-revalidate=86400',
    'cross-origin-resource-policy': 'cross-origin',
  })
})

test('sw.js is the same for every store and readable by any page', async () => {
  const reply = await load('/push/sw.js')
  expect(reply.body).toBe(built('sw.js'))
  expect(reply.headers['access-control-allow-origin']).toBe('*')
  const small = await load('/push/sw.js', { 'accept-encoding': 'br' })
  expect(small.headers['content-encoding']).toBe('br')
  expect(brotliDecompressSync(small.rawPayload).toString()).toBe(built('sw.js'))
})

test('an unchanged script is not sent again, and other names are not found', async () => {
  const { etag } = (await load('/push/sw.js')).headers
  expect((await load('/push/sw.js', { 'if-none-match': String(etag) })).statusCode).toBe(304)
  expect((await load('/push/..%2Fx.js')).statusCode).toBe(404)
  expect((await load('/push/notes.txt')).statusCode).toBe(404)
})
