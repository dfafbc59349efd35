import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { CAPTURE_MAX_BYTES } from '../../../shared/carts/capture.ts'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'

// Hostile posts cost a 4xx and nothing else.

const world = createWorld()
const url = 'https://hostile.example.com'
let store: TestStore

beforeAll(async () => {
  store = await createStore(world, { url })
})

const good = { cart: 'c'.repeat(20), page: 'p'.repeat(12), seq: 0, items: [{ id: '16', quantity: 1 }] }

const BODIES: unknown[] = [
  '',
  '{',
  'null',
  '[]',
  '"text"',
  '12',
  '{}',
  JSON.stringify({ ...good, cart: 'short' }),
  JSON.stringify({ ...good, cart: "x' or 1=1 --".padEnd(20, 'x') }),
  JSON.stringify({ ...good, page: 7 }),
  JSON.stringify({ ...good, seq: -1 }),
  JSON.stringify({ ...good, seq: 1e9 }),
  JSON.stringify({ ...good, seq: 0.5 }),
  JSON.stringify({ ...good, items: 'many' }),
  JSON.stringify({ ...good, items: [{ id: '../1', quantity: 1 }] }),
  JSON.stringify({ ...good, items: [{ id: '1', quantity: 0 }] }),
  JSON.stringify({ ...good, items: [{ id: '1', quantity: 1e99 }] }),
  JSON.stringify({ ...good, items: Array.from({ length: 201 }, () => ({ id: '1', quantity: 1 })) }),
  JSON.stringify({ ...good, coupons: [1] }),
  JSON.stringify({ ...good, contact: { email: 'x'.repeat(255) } }),
  JSON.stringify({ ...good, contact: { country: 'USA' } }),
  JSON.stringify({ ...good, consent: { email: 'yes', wording: 'w' } }),
  JSON.stringify({ ...good, items: undefined }),
  JSON.stringify({ ...good, contact: { firstName: 'y'.repeat(CAPTURE_MAX_BYTES) } }),
]

const readStored = async () =>
  (
    await world.pool.query(
      'select (select count(*) from facts) + (select count(*) from shoppers) + (select count(*) from consents) as n',
    )
  ).rows[0].n

const post = (payload: string | Buffer, headers: Record<string, string> = {}, key = store.captureKey) =>
  world.app.inject({
    method: 'POST',
    url: `/api/capture/${key}`,
    headers: { origin: url, 'content-type': 'text/plain', ...headers },
    payload,
    remoteAddress: '192.0.2.55',
  })

test('two hundred malformed requests get a 4xx each and store nothing', async () => {
  const statuses: number[] = []
  const recordStatus = async (reply: Promise<{ statusCode: number }>) => statuses.push((await reply).statusCode)
  for (const body of BODIES) {
    await recordStatus(post(body as string))
    await recordStatus(post(body as string, { 'content-type': 'application/json' }))
  }
  const noise = fc.sample(fc.oneof(fc.string(), fc.json(), fc.uint8Array().map(String)), { numRuns: 130, seed: 7 })
  for (const body of noise) await recordStatus(post(body))
  const valid = JSON.stringify(good)
  for (const type of ['multipart/form-data; boundary=x', 'image/png', 'application/x-www-form-urlencoded', 'x', '']) {
    await recordStatus(post(valid, { 'content-type': type }))
  }
  for (const key of ['%00', '..%2f..', 'a'.repeat(290), '%F0%9F%92%A9', "'--"]) await recordStatus(post(valid, {}, key))
  for (const origin of [
    '',
    'null',
    'https://hostile.example.com.evil.example',
    'http://hostile.example.com',
    url.toUpperCase(),
  ]) {
    await recordStatus(post(valid, { origin }))
  }
  for (const method of ['PUT', 'DELETE', 'PATCH', 'GET'] as const) {
    await recordStatus(world.app.inject({ method, url: `/api/capture/${store.captureKey}`, headers: { origin: url } }))
  }
  await recordStatus(post(Buffer.from([0xff, 0xfe, 0x00, 0x7b])))
  expect(statuses.length).toBeGreaterThanOrEqual(190)
  expect(statuses.filter((status) => status < 400 || status > 499)).toEqual([])
  expect(await readStored()).toBe(0)
})

test('odd characters in valid posts never break the database', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 })
  const posts = fc.sample(
    fc.record({ firstName: text, lastName: text, email: text, phone: text.map((t) => t.slice(0, 40)) }),
    {
      numRuns: 60,
      seed: 11,
    },
  )
  for (const [seq, contact] of posts.entries()) {
    const reply = await post(
      JSON.stringify({
        ...good,
        seq,
        contact,
        coupons: [contact.firstName],
        consent: { email: { isGiven: true, wording: contact.lastName, id: contact.firstName.slice(0, 40) } },
        boxes: { email: contact.firstName.slice(0, 40) },
      }),
    )
    expect(reply.statusCode).toBeLessThan(500)
  }
})
