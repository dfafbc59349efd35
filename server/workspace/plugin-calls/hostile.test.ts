import crypto from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import {
  buildBeat,
  buildCartEntry,
  type CallChange,
  createPluginShop,
  type PluginShop,
  postPluginCall,
} from '../../../test/plugin-shop.ts'
import { isFullRun } from '../../../test/seed.ts'
import { createWorld } from '../../../test/world.ts'

// Forged, replayed, malformed and oversized calls get 4xx, store nothing, and reveal nothing about carts.

const world = createWorld()
let shop: PluginShop
let other: PluginShop

beforeAll(async () => {
  shop = await createPluginShop(world)
  other = await createPluginShop(world)
})

const seconds = () => Math.floor(world.now.getTime() / 1_000)
const stored = async () => {
  const tables = ['facts', 'carts', 'shoppers', 'orders', 'consents', 'plugin_carts'] as const
  return Promise.all(tables.map((table) => world.db.selectFrom(table).selectAll().execute()))
}

const forged: [string, () => CallChange][] = [
  ['another store’s id', () => ({ store: other.storeId })],
  ['an unknown store', () => ({ store: crypto.randomUUID() })],
  ['an id that is none', () => ({ store: 'x'.repeat(36) })],
  ['another store’s secret', () => ({ key: other.secret })],
  ['an empty secret', () => ({ key: '' })],
  ['the name of another call', () => ({ signedName: 'beat' })],
  ['another body than was signed', () => ({ payload: '{"v":1}' })],
  ['no signature', () => ({ headers: { 'x-recoup-signature': undefined } })],
  ['a short signature', () => ({ headers: { 'x-recoup-signature': 'ab' } })],
  ['a signature in capitals', () => ({ headers: { 'x-recoup-signature': 'A'.repeat(64) } })],
  ['no nonce', () => ({ headers: { 'x-recoup-nonce': undefined } })],
  ['another nonce than was signed', () => ({ headers: { 'x-recoup-nonce': '0'.repeat(32) } })],
  ['another time than was signed', () => ({ headers: { 'x-recoup-time': String(seconds() + 1) } })],
  ['a time that is none', () => ({ headers: { 'x-recoup-time': 'now' } })],
]

test.each(forged)('%s is rejected without detail and stores nothing', async (_what, change) => {
  const before = await stored()
  const reply = await shop.batch([{ seq: 1, ...buildCartEntry() }], change())
  expect(reply).toMatchObject({
    status: 401,
    isSigned: false,
    body: { code: 'unauthenticated', error: 'Not accepted.' },
  })
  expect(await stored()).toEqual(before)
})

test('a call counts once, within five minutes of its time', async () => {
  const before = await stored()
  for (const ahead of [-301, 301]) {
    const late = await shop.batch([{ seq: 1, ...buildCartEntry() }], { time: seconds() + ahead })
    expect(late).toMatchObject({ status: 401, isSigned: true, body: { code: 'clock', now: seconds() } })
  }
  const nonce = crypto.randomBytes(16).toString('hex')
  expect((await shop.batch([{ seq: 1, type: 'test', test: 'a'.repeat(32) }], { nonce })).status).toBe(200)
  expect(await shop.batch([{ seq: 2, ...buildCartEntry() }], { nonce })).toMatchObject({
    status: 409,
    body: { code: 'replayed' },
  })
  expect(await stored()).toEqual(before)
})

const malformed: [string, unknown][] = [
  ['no JSON', 'nonsense'],
  ['nothing', ''],
  ['a list', []],
  ['null', null],
  ['another version', { v: 2, plugin: '1', install: 'a'.repeat(32), entries: [{ seq: 1, age: 0 }] }],
  ['no entries', { v: 1, plugin: '1', install: 'a'.repeat(32), entries: [] }],
  ['too many entries', { v: 1, plugin: '1', install: 'a'.repeat(32), entries: Array(51).fill({ seq: 1, age: 0 }) }],
  ['an install that is none', { v: 1, plugin: '1', install: 'a', entries: [{ seq: 1, age: 0 }] }],
  ['an entry without a number', { v: 1, plugin: '1', install: 'a'.repeat(32), entries: [buildCartEntry()] }],
  ['an entry that is none', { v: 1, plugin: '1', install: 'a'.repeat(32), entries: ['x'] }],
]

test.each(malformed)('a batch of %s is rejected as a whole', async (_what, body) => {
  const before = await stored()
  expect(await shop.call('batch', body)).toMatchObject({ status: 400, isSigned: true, body: { code: 'invalid' } })
  expect(await stored()).toEqual(before)
})

const refusedEntries: [string, Record<string, unknown>][] = [
  ['a type that is unknown', { type: 'money' }],
  ['a cart token of another form', buildCartEntry({ cart: 'short' })],
  ['a quantity of nothing', buildCartEntry({ lines: [{ product: '16', quantity: 0 }] })],
  ['a quantity beyond reason', buildCartEntry({ lines: [{ product: '16', quantity: 1e9 }] })],
  ['a product that is not a number', buildCartEntry({ lines: [{ product: 'DROP', quantity: 1 }] })],
  ['more than 500 lines', buildCartEntry({ lines: Array(501).fill({ product: '16', quantity: 1 }) })],
  ['a token of a way back of another form', buildCartEntry({ back: '../../etc' })],
  ['a contact that is a list', buildCartEntry({ contact: [] })],
  ['an email beyond its bound', buildCartEntry({ contact: { email: `${'a'.repeat(300)}@example.com` } })],
  ['a channel that is unknown', buildCartEntry({ consent: { fax: { isGiven: true } } })],
  ['an order that is a text', { type: 'order', order: 'x' }],
  ['an order without a status', { type: 'order', order: { id: 5, currency: 'USD' } }],
  ['a test of another form', { type: 'test', test: 'x' }],
]

test.each(refusedEntries)('an entry with %s is rejected alone, and the others are stored', async (_what, entry) => {
  const good = { type: 'test', test: 'b'.repeat(32) }
  const before = await stored()
  const reply = await shop.batch([
    { seq: 7, ...entry },
    { seq: 8, ...good },
  ])
  expect(reply).toMatchObject({ status: 200, body: { done: [8], refused: [{ seq: 7, code: 'invalid' }] } })
  expect(await stored()).toEqual(before)
})

test('an oversized body is rejected, with a signed answer if the signature could be read', async () => {
  const large = { v: 1, plugin: '1', install: 'a'.repeat(32), entries: [], pad: 'x'.repeat(600_000) }
  expect(await shop.call('batch', large)).toMatchObject({ status: 413, isSigned: true, body: { code: 'too_large' } })
  expect(await shop.call('restore', { token: 'x'.repeat(2_000) })).toMatchObject({ status: 413, isSigned: true })
  expect((await shop.call('batch', { ...large, pad: 'x'.repeat(1_100_000) })).status).toBe(413)
})

test('text that the database rejects, and markup, are stored as plain text or not at all', async () => {
  const lines = [{ product: '16', quantity: 1, name: 'Tea\u0000\ud800 <script>', price: '1e9', image: 'javascript:1' }]
  const entry = buildCartEntry({ lines, contact: { firstName: 'A\u0000da', email: 'nul@shoppers.example.com' } })
  expect((await shop.batch([{ seq: 20, ...entry }])).body).toMatchObject({ done: [20], refused: [] })
  const cart = await world.db
    .selectFrom('carts')
    .selectAll()
    .where('email', '=', 'nul@shoppers.example.com')
    .executeTakeFirstOrThrow()
  expect(cart.customer_name).toBe('A da')
})

/** Attacks without the secret, each invalid in its own way. */
const tries: ((n: number) => CallChange)[] = [
  () => ({ store: other.storeId }),
  () => ({ store: crypto.randomUUID() }),
  () => ({ key: crypto.randomBytes(32).toString('hex') }),
  (n) => ({ payload: `{"v":1,"n":${n}}` }),
  (n) => ({ payload: 'x'.repeat(n) }),
  () => ({ headers: { 'x-recoup-signature': crypto.randomBytes(32).toString('hex') } }),
  () => ({ headers: { 'x-recoup-nonce': crypto.randomBytes(16).toString('hex') } }),
  (n) => ({ headers: { 'x-recoup-time': String(seconds() - n) } }),
  () => ({ headers: { 'x-recoup-store': '../../etc/passwd' } }),
  (n) => ({ time: seconds() - 301 - n }),
  (n) => ({ signedName: n % 2 ? 'disconnect' : 'restore' }),
]

/** Each attack with each call, several times. */
const FORGED = isFullRun ? 2_000 : 10 * 4 * tries.length

test('forged calls are rejected, store nothing, and reveal nothing about carts', async () => {
  await shop.batch([{ seq: 900, ...buildCartEntry({ contact: { email: 'kept@shoppers.example.com' } }) }])
  const before = await stored()
  const names = ['batch', 'beat', 'restore', 'disconnect'] as const
  for (let n = 1; n <= FORGED; n++) {
    const name = names[n % 4]!
    const change = tries[n % tries.length]!(n)
    // Signed for the very call that it is sent to, it would be no forgery.
    if (change.signedName === name) continue
    const body = { v: 1, token: 't'.repeat(43), entries: [{ seq: n, age: 0, ...buildCartEntry() }] }
    const ip = `198.51.${n >> 8}.${n & 255}`
    const reply = await shop.call(name, body, { ...change, ip })
    expect([n, reply.status >= 400 && reply.status < 500]).toEqual([n, true])
    expect(JSON.stringify(reply.body)).not.toContain('shoppers.example.com')
    expect(Object.keys(reply.body)).not.toContain('lines')
  }
  expect(await stored()).toEqual(before)
  const store = await world.db
    .selectFrom('stores')
    .select('is_active')
    .where('id', '=', shop.storeId)
    .executeTakeFirst()
  expect(store).toEqual({ is_active: true })
})

test('a token cannot read carts of another store', async () => {
  const token = 't'.repeat(43)
  expect(await shop.call('restore', { token })).toMatchObject({
    status: 404,
    isSigned: true,
    body: { code: 'not_found' },
  })
})

test('too many wrong signatures from a place are ignored, and too many calls of a store are limited', async () => {
  const wrong = () => postPluginCall(world, { name: 'beat', store: other.storeId, key: 'wrong', body: {} })
  for (let n = 0; n < 100; n++) await wrong()
  expect(await wrong()).toMatchObject({ status: 429, isSigned: false })
  const third = await createPluginShop(world)
  const rateLimitError = {
    status: 429,
    isSigned: true,
    body: { code: 'rate_limited', retryAfterS: expect.any(Number) },
  }
  for (let n = 0; n < 600; n++) await third.call('restore', { token: 'x'.repeat(43) })
  expect(await third.call('restore', { token: 'x'.repeat(43) })).toMatchObject(rateLimitError)
  expect((await third.call('beat', buildBeat(third))).status).toBe(200)
  for (let n = 0; n < 599; n++) await third.call('batch', {})
  expect(await third.call('beat', buildBeat(third))).toMatchObject(rateLimitError)
})
