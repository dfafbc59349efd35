import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readDeliveries } from '../../../providers/contracts/recordings.ts'
import type { RawDelivery } from '../platform/platform.ts'
import { readDelivery } from './webhooks.ts'

const deliveries = readDeliveries().map((one) => ({ ...one, raw: getRaw(one) }))

function getRaw(one: { headers: [string, string][]; body: string }): RawDelivery {
  return {
    rawBody: Buffer.from(one.body),
    headers: Object.fromEntries(one.headers.map(([name, value]) => [name.toLowerCase(), value])),
  }
}

function signedBy(secret: string, topic: string, body: string): RawDelivery {
  const signature = createHmac('sha256', secret).update(body).digest('base64')
  return { rawBody: Buffer.from(body), headers: { 'x-wc-webhook-topic': topic, 'x-wc-webhook-signature': signature } }
}

describe('recorded deliveries', () => {
  test('there are 22, one of them the unsigned ping', () => {
    expect(deliveries.length).toBe(22)
    expect(deliveries.filter((one) => one.signature_valid === null).length).toBe(1)
  })

  test.each(deliveries)('$note', ({ raw, secret, signature_valid }) => {
    const event = readDelivery(raw, secret)
    expect(event).not.toBeNull()
    if (signature_valid === null) return expect(event).toEqual({ kind: 'ping' })
    expect(readDelivery(raw, `${secret}x`)).toBeNull()
    expect(readDelivery(raw, '')).toBeNull()
    expect(readDelivery({ ...raw, rawBody: Buffer.concat([raw.rawBody, Buffer.from(' ')]) }, secret)).toBeNull()
  })

  test('reads a draft, an order, a deletion, a record deleted before delivery, and unknown topics', () => {
    const events = deliveries.map(({ raw, secret }) => readDelivery(raw, secret))
    const kinds = Map.groupBy(events, (event) => event?.kind)
    expect(kinds.get('order')?.map((event) => event?.kind === 'order' && event.order.kind)).toContain('draft')
    expect(kinds.get('order')?.length).toBe(12)
    const deletions = kinds.get('gone')?.map((event) => event?.kind === 'gone' && [event.topic, event.orderId])
    expect(deletions).toEqual([
      ['order.deleted', '100'],
      ['order.created', null],
    ])
    expect(kinds.get('other')?.length).toBe(7)
  })

  test('each delivery has its own key, although WooCommerce gives one id to several', () => {
    const keys = deliveries
      .map(({ raw, secret }) => readDelivery(raw, secret))
      .flatMap((event) => (event && 'key' in event ? [event.key] : []))
    expect(new Set(keys).size).toBe(keys.length)
    const again = readDelivery(deliveries[1]!.raw, deliveries[1]!.secret)
    expect(again && 'key' in again && again.key).toBe(keys[0])
  })
})

test('an unsigned delivery is refused, regardless of its content', () => {
  expect(readDelivery({ rawBody: Buffer.from('webhook_id=7'), headers: {} }, 'secret')).toEqual({ kind: 'ping' })
  expect(readDelivery({ rawBody: Buffer.from('webhook_id=7&x=1'), headers: {} }, 'secret')).toBeNull()
  expect(
    readDelivery({ rawBody: Buffer.from('{"id":1}'), headers: { 'x-wc-webhook-topic': 'order.updated' } }, 'secret'),
  ).toBeNull()
  const headers = { 'x-wc-webhook-topic': 'order.updated', 'x-wc-webhook-signature': 'AAAA' }
  expect(readDelivery({ rawBody: Buffer.from('{}'), headers }, 'secret')).toBeNull()
})

test('signed garbage is read as `other` and never throws', () => {
  for (const body of ['', 'null', '[]', '{"id":1}', '{"id":{}}', 'not json', '{"line_items":7,"id":"x"}']) {
    expect(readDelivery(signedBy('secret', 'order.updated', body), 'secret')).toMatchObject({ kind: 'other' })
  }
})
