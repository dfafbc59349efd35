import { beforeAll, describe, expect, test } from 'vitest'
import { TOPICS } from '../server/platforms/shopify/webhooks.ts'
import { createMalformedRequests } from './malformed-requests.ts'
import { isFullRun, pickSeededShare, testSeed } from './seed.ts'
import { CLIENT_SECRET, createShopifyStore, deliverWebhook } from './shopify-store.ts'
import { createWorld } from './world.ts'

// Malformed webhook bodies with a valid signature: they get a reply, are stored as without effect, and cause no server
// error.

const world = createWorld()
const PER_TOPIC = 8
const WIRE_TOPICS = [
  ...TOPICS.map((topic) => topic.toLowerCase().replace(/_([a-z]+)$/, '/$1')),
  'shop/redact',
  'no/topic',
  'x'.repeat(5_000),
  '',
]
const PERSONAL = ['facts', 'carts', 'shoppers', 'messages', 'suppressions', 'consents', 'person_erasures'] as const

let captureKey: string

beforeAll(async () => {
  captureKey = (await createShopifyStore(world)).captureKey
})

async function countRows(): Promise<Record<string, number>> {
  const rows = await Promise.all(
    PERSONAL.map((table) => world.pool.query<{ n: number }>(`select count(*)::int as n from ${table}`)),
  )
  return Object.fromEntries(PERSONAL.map((table, index) => [table, rows[index]!.rows[0]!.n]))
}

describe.each([
  ...pickSeededShare([7, 8, 9, 10], 4),
  ...(isFullRun ? [testSeed] : []),
])('malformed deliveries of seed %i', (seed) => {
  test('signed malformed bodies of each topic cause no server error and record nothing about anyone', async () => {
    const { payload } = createMalformedRequests(seed)
    const before = await countRows()
    for (const topic of WIRE_TOPICS) {
      for (let n = 0; n < PER_TOPIC; n++) {
        const raw = payload().body
        const signed = await deliverWebhook(world, captureKey, { topic, raw, secret: CLIENT_SECRET })
        const forged = await deliverWebhook(world, captureKey, { topic, raw, secret: 'another' })
        expect([topic, raw.slice(0, 60), signed, forged]).toEqual([topic, raw.slice(0, 60), 200, 401])
      }
    }
    expect(await countRows()).toEqual(before)
  }, 240_000)
})
