// Sends due webhooks: signed with the app's secret and retried for four hours. A subscription that fails eight times in
// a row is deleted (shopify.dev/docs/apps/build/webhooks/troubleshooting-webhooks).
import { createHmac, randomUUID } from 'node:crypto'
import { checkedLookup } from '../../server/core/net/guarded-fetch.ts'
import { post } from '../post.ts'
import type { Faults } from './faults.ts'
import { find, run, save, selectAll } from './records.ts'
import { apiVersion } from './schema/schema.ts'
import { myshopifyDomain, readSetup, type Shop } from './shop.ts'
import { deleteWebhook } from './webhooks.ts'

interface Delivery {
  id: number
  webhook_id: number
  event_id: string
  topic: string
  triggered: number
  attempt: number
  body: string
}

const TIMEOUT_MS = 5_000
const MAX_FAILURES = 8
const MINUTE_MS = 60_000
/** Delay before each retry: eight in a little less than four hours. */
const RETRY_DELAYS_MS = [
  10_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  45 * MINUTE_MS,
  60 * MINUTE_MS,
  75 * MINUTE_MS,
]

/** Sends due deliveries, oldest first; returns how many were attempted. */
export async function deliverDue(shop: Shop, faults: Faults): Promise<number> {
  const direction = faults.webhooks === 'reverse' ? 'desc' : 'asc'
  const due = selectAll<Delivery>(
    shop.db,
    `select * from deliveries where due <= ? order by due ${direction}, id ${direction}`,
    shop.now(),
  )
  let tried = 0
  for (const delivery of due) {
    // Removed before sending: a failed delivery is queued again with a later time.
    if (run(shop.db, 'delete from deliveries where id = ? and attempt = ?', delivery.id, delivery.attempt) === 0)
      continue
    const webhook = find(shop.db, 'webhook', delivery.webhook_id)
    if (!webhook) continue
    tried += 1
    const status = await send(shop, webhook.uri, buildHeaders(shop, delivery), delivery.body)
    recordResult(shop, delivery, status >= 200 && status < 300)
  }
  return tried
}

function recordResult(shop: Shop, delivery: Delivery, isDelivered: boolean) {
  const now = find(shop.db, 'webhook', delivery.webhook_id)
  if (!now) return
  if (isDelivered) {
    if (now.failures > 0) save(shop.db, 'webhook', { ...now, failures: 0 })
    return
  }
  const failures = now.failures + 1
  if (failures >= MAX_FAILURES) {
    deleteWebhook(shop, now.id)
    return
  }
  save(shop.db, 'webhook', { ...now, failures })
  const wait = RETRY_DELAYS_MS[delivery.attempt]
  if (wait === undefined) return
  const sql = `insert into deliveries (id, webhook_id, event_id, topic, triggered, due, attempt, body) values (?, ?, ?, ?, ?, ?, ?, ?)`
  const { id, webhook_id, event_id, topic, triggered, attempt, body } = delivery
  run(shop.db, sql, id, webhook_id, event_id, topic, triggered, shop.now() + wait, attempt + 1, body)
}

function buildHeaders(shop: Shop, { topic, event_id, triggered, body }: Delivery): Record<string, string> {
  return {
    'X-Shopify-Topic': toHeaderTopic(topic),
    'X-Shopify-Event-Id': event_id,
    'X-Shopify-Triggered-At': new Date(triggered).toISOString(),
    ...signBody(shop, body),
  }
}

/** After a rotation Shopify signs with the old secret for up to an hour. */
function signBody(shop: Shop, body: string): Record<string, string> {
  const { secret, oldSecret } = readSetup(shop).app
  const key = oldSecret && oldSecret.until > shop.now() ? oldSecret.secret : secret
  return {
    'Content-Type': 'application/json',
    'X-Shopify-Hmac-Sha256': createHmac('sha256', key).update(body).digest('base64'),
    'X-Shopify-Shop-Domain': myshopifyDomain,
    'X-Shopify-API-Version': apiVersion,
    'X-Shopify-Webhook-Id': randomUUID(),
  }
}

const VERB_TOPICS = /_(CREATE|UPDATE|UPDATED|DELETE|PAID|CANCELLED|UNINSTALLED|FULFILLED)$/

/** `CHECKOUTS_UPDATE` is `checkouts/update`. */
export const toHeaderTopic = (topic: string) =>
  topic === 'APP_SCOPES_UPDATE'
    ? 'app/scopes_update'
    : topic.replace(VERB_TOPICS, (_match, event: string) => `/${event}`).toLowerCase()

/**
 * Sends a privacy request to the address in the app's configuration, without a subscription. Returns the HTTP status.
 */
export function sendPrivacyRequest(shop: Shop, target: string, topic: string, body: unknown): Promise<number> {
  const text = JSON.stringify(body)
  const event = { 'X-Shopify-Topic': topic, 'X-Shopify-Event-Id': randomUUID() }
  const times = { 'X-Shopify-Triggered-At': new Date(shop.now()).toISOString() }
  return send(shop, target, { ...event, ...times, ...signBody(shop, text) }, text)
}

function send(shop: Shop, target: string, headers: Record<string, string>, body: string): Promise<number> {
  const url = new URL(target)
  const mayBePrivate = shop.allowedWebhookHosts.some((host) => host === url.host || host === url.hostname)
  const lookup = checkedLookup(shop.lookup, mayBePrivate)
  return post(url, { headers: { ...headers, Accept: '*/*' }, body, timeoutMs: TIMEOUT_MS, lookup })
}
