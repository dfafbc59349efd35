import { createHash, createHmac } from 'node:crypto'
import { isSameSecret } from '../../core/common/public.ts'
import {
  isRecord,
  parseGmt,
  parseId,
  parseWebAddress,
  type RawDelivery,
  type RowReading,
  readRows,
  type StoreEvent,
  StoreProblem,
  skip,
  toPlainText,
  type WebhookSubscription,
} from '../platform/public.ts'
import { getErrorCode, isSuccess, type WooHttp, type WooQuery } from './http.ts'
import { countHeader, readList } from './orders.ts'
import { readOrder } from './wire.ts'

// Webhooks only speed things up: WooCommerce sends a delivery once, a minute late, and never from a private network.

export const TOPICS = ['order.created', 'order.updated', 'order.deleted'] as const

const FIELDS: WooQuery = [['_fields', 'id,topic,status,delivery_url']]

export async function listWebhooks(http: WooHttp): Promise<WebhookSubscription[]> {
  const all: WebhookSubscription[] = []
  for (let page = 1; page <= 100; page += 1) {
    const query: WooQuery = [
      ...FIELDS,
      ['orderby', 'id'],
      ['order', 'asc'],
      ['per_page', '100'],
      ['page', String(page)],
    ]
    const answer = await http.send({ path: '/webhooks', query })
    const raw = readList(answer)
    all.push(...readRows(raw, readSubscription).rows)
    if (raw.length === 0 || page >= (countHeader(answer, 'x-wp-totalpages') ?? 1)) break
    await http.pause()
  }
  return all
}

/** Always sends the secret: WooCommerce never reveals one that it generates. */
export async function createWebhook(http: WooHttp, topic: string, deliveryUrl: string, secret: string) {
  const body = { name: `Recoup ${topic}`, topic, delivery_url: deliveryUrl, secret, status: 'active' }
  const answer = await http.send({ method: 'POST', path: '/webhooks', query: FIELDS, body })
  const reading = readSubscription(answer.body)
  if ('row' in reading) return reading.row
  throw new StoreProblem('bad_answer', `webhook: ${reading.skipped.reason}`)
}

/** `force`, because webhooks have no trash. An already deleted one is fine. */
export async function deleteWebhook(http: WooHttp, id: string): Promise<void> {
  const digits = parseId(id)
  if (!digits) return
  const answer = await http.ask({ method: 'DELETE', path: `/webhooks/${digits}`, query: [['force', 'true']] })
  if (isSuccess(answer) || (answer.status === 404 && getErrorCode(answer) !== 'rest_no_route')) return
  throw http.problem(answer)
}

export function readSubscription(raw: unknown): RowReading<WebhookSubscription> {
  const id = isRecord(raw) ? parseId(raw.id) : null
  if (!isRecord(raw) || !id) return skip(raw, 'no id')
  const topic = toPlainText(raw.topic, 200) ?? ''
  return {
    row: { id, topic, status: toPlainText(raw.status, 40) ?? '', deliveryUrl: parseWebAddress(raw.delivery_url) ?? '' },
  }
}

/**
 * Verifies a delivery over its raw bytes. null: missing or wrong signature, so reply 401 and store nothing. The ping of
 * a new webhook is unsigned and empty. WooCommerce's delivery id is shared by all deliveries of a webhook in the same
 * second, so the key consists of topic, record, modification time and body hash.
 */
export function readDelivery(raw: RawDelivery, secret: string): StoreEvent | null {
  const signature = header(raw, 'x-wc-webhook-signature')
  if (signature === null) return /^webhook_id=\d{1,19}$/.test(raw.rawBody.toString('latin1')) ? { kind: 'ping' } : null
  if (!isSignedBy(raw.rawBody, signature, secret)) return null
  const topic = toPlainText(header(raw, 'x-wc-webhook-topic'), 200) ?? ''
  return readEvent(topic, raw.rawBody)
}

function isSignedBy(body: Buffer, signature: string, secret: string): boolean {
  // With an empty secret every signature could be forged.
  if (secret === '') return false
  const expected = createHmac('sha256', secret).update(body).digest()
  return isSameSecret(Buffer.from(signature, 'base64'), expected)
}

function readEvent(topic: string, rawBody: Buffer): StoreEvent {
  const body = parseBody(rawBody)
  const id = isRecord(body) ? parseId(body.id) : null
  const modified = isRecord(body) ? (parseGmt(body.date_modified_gmt) ?? '') : ''
  const key = [topic, id ?? '', modified, createHash('sha256').update(rawBody).digest('hex')].join('|')
  if (!topic.startsWith('order.') || !isRecord(body)) return { kind: 'other', topic, key }
  // {"code":…,"message":…}: the record was deleted before the body was built; order.deleted is {"id":…} alone.
  const isDeleted = topic === 'order.deleted' || (typeof body.code === 'string' && id === null)
  if (isDeleted) return { kind: 'gone', topic, orderId: id, key }
  const reading = readOrder(body)
  return 'row' in reading ? { kind: 'order', topic, order: reading.row, key } : { kind: 'other', topic, key }
}

function parseBody(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'))
  } catch {
    return null
  }
}

function header(raw: RawDelivery, name: string): string | null {
  const value = raw.headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? null
}
