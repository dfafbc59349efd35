import crypto from 'node:crypto'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import {
  chooseLabelColour,
  contrastRatio,
  DEFAULT_BRAND,
  DEFAULT_BRAND_FIELDS,
} from '../../../shared/messages/brand.ts'
import { brandTexts } from '../../../shared/workspace/brand-calls.ts'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { routeLinkHost } from '../links/link-host-rules.ts'
import { loadBrand } from './brand.ts'

const world = createWorld()

test('a store without settings has the defaults', async () => {
  const store = await createStore(world)
  expect(await loadBrand({ storeId: store.storeId, db: world.db })).toEqual(DEFAULT_BRAND)
})

test('a part stored in another format gets its default, and the others stay', async () => {
  const { storeId } = await createStore(world)
  const look = { button: '#aa0000', radius: 'round', social: [{ kind: 'myspace', url: 'https://myspace.com/tea' }] }
  await world.pool.query('insert into brand_kits (store_id, look, updated_at) values ($1, $2, now())', [
    storeId,
    JSON.stringify(look),
  ])
  expect(await loadBrand({ storeId, db: world.db })).toEqual({ ...DEFAULT_BRAND, button: '#aa0000' })
})

test('the text of any button is readable', () => {
  for (let grey = 0; grey < 256; grey += 1) {
    const colour = `#${grey.toString(16).padStart(2, '0').repeat(3)}`
    expect([colour, contrastRatio(chooseLabelColour(colour), colour) >= 4.5]).toEqual([colour, true])
  }
})

const png = (width = 320, height = 120) =>
  sharp({ create: { width, height, channels: 4, background: '#336699' } })
    .png()
    .toBuffer()

const call = (store: TestStore, method: 'GET' | 'PUT' | 'POST' | 'DELETE', path = '', body?: object) =>
  world.request(method, `/api/stores/brand${path}`, { token: store.token, ...(body && { body }) })

const upload = async (store: TestStore, bytes: Buffer) =>
  call(store, 'PUT', '/logo', { content: bytes.toString('base64') })

const look = { ...DEFAULT_BRAND_FIELDS, button: '#aa0000', promise: 'Free shipping over $50 · 30 days to return' }

test('a look is saved once for each version it was edited from', async () => {
  const store = await createStore(world)
  expect((await call(store, 'GET')).body).toEqual({
    look: DEFAULT_BRAND_FIELDS,
    logo: null,
    version: 0,
    proposal: null,
    canUpload: true,
  })
  const save = (brand: object, version: number) => call(store, 'PUT', '', { ...brand, version })
  const error = 'Someone else has changed the brand since you opened it. Nothing was saved.'
  expect(await save(look, 1)).toMatchObject({ status: 409, body: { error } })
  expect((await save(look, 0)).body).toMatchObject({ look, version: 1 })
  for (const version of [0, 2]) {
    expect(await save(DEFAULT_BRAND_FIELDS, version)).toMatchObject({ status: 409, body: { error } })
    expect((await call(store, 'GET')).body).toMatchObject({ look, version: 1 })
  }
  expect((await save(look, 1)).body).toMatchObject({ look, version: 2 })
  expect(await loadBrand({ storeId: store.storeId, db: world.db })).toMatchObject({ button: '#aa0000', logo: null })
})

test.each([
  [
    'text',
    { text: '#999999' },
    'Text on this background cannot be read well: contrast 2.8:1, at least 4.5:1 is needed',
  ],
  [
    'accent',
    { accent: '#ffcc00' },
    'Links on this background cannot be read well: contrast 1.5:1, at least 4.5:1 is needed',
  ],
  ['button', { button: 'red;}' }, 'A color such as #1d4ed8'],
  ['radius', { radius: 25 }, 'A whole number from 0 to 24'],
  ['promise', { promise: 'Free\nshipping' }, 'One line only'],
  [
    'social.0.url',
    { social: [{ kind: 'instagram', url: 'https://instagram.com.evil.example/tea' }] },
    'An address that begins with https://www.instagram.com/, as this is Instagram',
  ],
  [
    'social.0.url',
    { social: [{ kind: 'x', url: 'javascript:alert(1)' }] },
    'An address that begins with https://www.x.com/',
  ],
  [
    'social.0.url',
    { social: [{ kind: 'x', url: 'https://x.com/' }] },
    'The address of your page is missing after the slash',
  ],
])('a look that mails could not show is refused: %s', async (field, change, sentence) => {
  const store = await createStore(world)
  const refused = await call(store, 'PUT', '', { ...DEFAULT_BRAND_FIELDS, ...change })
  expect(refused.status).toBe(400)
  expect(refused.body.fields).toEqual({ [field]: sentence })
  expect((await call(store, 'GET')).body.version).toBe(0)
})

test('a logo is public and cacheable forever under its content hash', async () => {
  const store = await createStore(world)
  const { body } = await upload(store, await png())
  expect(body.logo).toMatchObject({ width: 320, height: 120 })
  const reply = await world.app.inject({ url: body.logo.path })
  expect(reply.headers).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  })
  expect(body.logo.path).toBe(`/brand/${store.storeId}/${crypto.hash('sha256', reply.rawPayload, 'hex')}.png`)
  expect(await loadBrand({ storeId: store.storeId, db: world.db })).toMatchObject({ logo: { ...body.logo, alt: '' } })
  const removed = await call(store, 'DELETE', '/logo')
  expect(removed.body.logo).toBeNull()
  expect((await world.app.inject({ url: body.logo.path })).statusCode).toBe(200)
})

test('a logo is not served under another URL', async () => {
  const [store, other] = [await createStore(world), await createStore(world)]
  const { path } = (await upload(store, await png())).body.logo
  const elsewhere = [
    path.replace(store.storeId, other.storeId),
    path.replace('.png', '.jpg'),
    path.replace(/\w{64}/, 'f'.repeat(64)),
    '/brand/nobody/nothing.png',
    `/brand/${store.storeId}/%00.png`,
  ]
  for (const url of elsewhere) expect([url, (await world.app.inject({ url })).statusCode]).toEqual([url, 404])
})

test('a logo is served on the shop’s link host too', () => {
  expect(routeLinkHost(`/brand/${'0'.repeat(36)}/${'f'.repeat(64)}.png`)).toBe('served')
  expect(routeLinkHost('/brand')).toBe('not_there')
})

test('a file that is not a picture, or larger than 300 KB, does not become a logo', async () => {
  const store = await createStore(world)
  expect(await upload(store, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toMatchObject({ status: 422 })
  const picture = await png()
  const buildPicture = (count: number) => Buffer.concat([picture, Buffer.alloc(count - picture.length)])
  const large = await upload(store, buildPicture(300 * 1024 + 1))
  const content = 'This file is larger than 300 KB. Choose a smaller one.'
  expect(large).toMatchObject({ status: 400, body: { fields: { content } } })
  expect((await call(store, 'PUT', '/logo', { content: '<svg>' })).status).toBe(400)
  expect((await call(store, 'GET')).body.logo).toBeNull()
  expect((await upload(store, buildPicture(300 * 1024))).status).toBe(200)
  expect((await call(store, 'GET')).body.logo).not.toBeNull()
})

test('the newest logos and the one in use are kept', async () => {
  const store = await createStore(world)
  const paths: string[] = []
  for (let width = 20; width < 42; width += 1) {
    world.advance(1_000)
    paths.push((await upload(store, await png(width, 20))).body.logo.path)
  }
  const status = async (path: string) => (await world.app.inject({ url: path })).statusCode
  expect(await Promise.all([paths[0]!, paths[1]!, paths[2]!, paths.at(-1)!].map(status))).toEqual([404, 404, 200, 200])
})

test('the demo account cannot upload', async () => {
  const store = await createStore(world)
  await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', store.accountId).execute()
  expect((await call(store, 'GET')).body.canUpload).toBe(false)
  expect(await upload(store, await png())).toMatchObject({ status: 403, body: { error: brandTexts.demoLogo } })
})
