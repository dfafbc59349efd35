import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildStorefront } from '../../../scripts/build-storefront.ts'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { openCaptureScript } from './capture-script.ts'

// The script as shops' pages load it: small, cached, and the same text in every encoding.

const world = createWorld()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-script-'))
const file = path.join(folder, 'capture.js')
let store: TestStore

beforeAll(async () => {
  store = await createStore(world)
  await buildStorefront(folder)
  if (!fs.existsSync('dist/storefront/capture-theme.js')) await buildStorefront()
})

afterAll(() => fs.rmSync(folder, { recursive: true }))

const load = (headers: Record<string, string> = {}) =>
  world.app.inject({ url: `/capture/${store.captureKey}.js`, headers })

test('starts with its store’s key and has a separate tag for each text and encoding', async () => {
  const read = openCaptureScript(file)
  const bare = await read(null)
  const setup = { key: 'k1', origin: 'https://recoup.example.com' }
  const baked = await read(setup)
  expect(baked.body.toString()).toBe(`window.recoupSetup=${JSON.stringify(setup)};${bare.body}`)
  const all = [
    bare,
    baked,
    await read(setup, 'br'),
    await read(setup, 'gzip'),
    await read({ ...setup, key: 'k2' }, 'br'),
  ]
  expect(new Set(all.map(({ etag }) => etag)).size).toBe(all.length)
  await expect(openCaptureScript(path.join(folder, 'absent.js'))(null)).rejects.toMatchObject({ code: 'unavailable' })
})

test('serves the compressed file of the build if there is no key', async () => {
  const { body } = await openCaptureScript(file)(null, 'br')
  expect(body).toEqual(fs.readFileSync(`${file}.br`))
  expect(brotliDecompressSync(body)).toEqual(fs.readFileSync(file))
})

test('is a script that is cached for an hour, usable on other sites, and sent again only after a change', async () => {
  const reply = await load()
  expect(reply.statusCode).toBe(200)
  expect(reply.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=3600, stale-while-revalidate=86400',
    'cross-origin-resource-policy': 'cross-origin',
    vary: expect.stringMatching(/accept-encoding/i),
  })
  const etag = String(reply.headers.etag)
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const again = await load({ 'if-none-match': known })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  }
  expect((await load({ 'if-none-match': '"other"' })).statusCode).toBe(200)
  expect((await world.app.inject({ url: '/capture/..%2fpackage.json' })).statusCode).toBe(404)
})

test('is sent in the browser’s preferred encoding with the same text in each', async () => {
  const plain = await load()
  const br = await load({ 'accept-encoding': 'gzip, deflate, br' })
  const gzip = await load({ 'accept-encoding': 'gzip, br;q=0' })
  expect([plain, br, gzip].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'br', 'gzip'])
  expect(brotliDecompressSync(br.rawPayload).toString()).toBe(plain.body)
  expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.body)
  expect(br.rawPayload.length).toBeLessThan(4_096)
})

test('a Shopify theme loads its own build with its store’s key', async () => {
  const theme = await world.app.inject({ url: `/capture/${store.captureKey}.theme.js` })
  expect(theme.statusCode).toBe(200)
  expect(theme.body).toContain(store.captureKey)
  expect(theme.body).toContain('/cart.js')
  expect((await load()).body).not.toContain('/cart.js')
})
