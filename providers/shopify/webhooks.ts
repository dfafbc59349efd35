// Webhook subscriptions and the delivery queue. A body is a snapshot from the time of the event.
import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import type { UserError } from './discounts.ts'
import type { Context } from './graphql/context.ts'
import { hasScope } from './graphql/rights.ts'
import type { Webhook } from './model.ts'
import { find, listWhere, remove, run, save, takeNextId } from './records.ts'
import { loadAdminSchema } from './schema/schema.ts'
import type { Shop } from './shop.ts'

export interface WebhookInput {
  uri?: string | null
  callbackUrl?: string | null
  format?: 'JSON' | 'XML' | null
  filter?: string | null
}

type WebhookResult = { webhook: Webhook } | { errors: UserError[] }

const CALLBACK_FIELD = ['webhookSubscription', 'callbackUrl']

export function createWebhook(context: Context, topic: string, input: WebhookInput): WebhookResult {
  const { shop, rights } = context
  const scopes = loadAdminSchema().topicScopes(topic)
  if (scopes.length && !scopes.some((scope) => hasScope(rights.scopes, scope)))
    return {
      errors: [{ field: ['topic'], message: 'You cannot create a webhook subscription with the specified topic' }],
    }
  const errors = findInputErrors(shop, topic, input)
  if (errors.length) return { errors }
  const at = shop.now()
  const id = takeNextId(shop.db, 'webhook')
  const uri = (input.uri ?? input.callbackUrl)!
  return { webhook: save(shop.db, 'webhook', { id, createdAt: at, updatedAt: at, topic, uri, failures: 0 }) }
}

export function updateWebhook({ shop }: Context, id: number, input: WebhookInput): WebhookResult {
  const existing = find(shop.db, 'webhook', id)
  if (!existing) return { errors: [{ field: ['id'], message: 'Webhook subscription does not exist' }] }
  const errors = findInputErrors(shop, existing.topic, input, id)
  if (errors.length) return { errors }
  const uri = (input.uri ?? input.callbackUrl)!
  return { webhook: save(shop.db, 'webhook', { ...existing, uri, updatedAt: shop.now() }) }
}

export function deleteWebhook(shop: Shop, id: number): boolean {
  run(shop.db, 'delete from deliveries where webhook_id = ?', id)
  return remove(shop.db, 'webhook', id)
}

function findInputErrors(shop: Shop, topic: string, input: WebhookInput, own?: number): UserError[] {
  const uri = input.uri ?? input.callbackUrl
  if (!uri) return [{ field: CALLBACK_FIELD, message: "Address can't be blank" }]
  if (input.format === 'XML' || input.filter)
    return [{ field: ['webhookSubscription'], message: 'This server models JSON without filters' }]
  const problem = findAddressProblem(shop, uri)
  if (problem) return [{ field: CALLBACK_FIELD, message: problem }]
  const isRegistered = listWebhooks(shop, topic).some((hook) => hook.uri === uri && hook.id !== own)
  return isRegistered ? [{ field: CALLBACK_FIELD, message: 'Address for this topic has already been taken' }] : []
}

/** Shopify sends to public https addresses only. Locally the allowed hosts are accepted, too. */
function findAddressProblem({ allowedWebhookHosts }: Shop, uri: string): string | null {
  if (!URL.canParse(uri)) return 'Address is invalid'
  const url = new URL(uri)
  if (allowedWebhookHosts.includes(url.host) || allowedWebhookHosts.includes(url.hostname)) return null
  if (url.protocol !== 'https:') return `Address protocol ${url.protocol}// is not supported`
  const bare = url.hostname.replace(/^\[|\]$/g, '')
  const isInternal = bare === 'localhost' || isIP(bare) !== 0 || !bare.includes('.') || bare.endsWith('.myshopify.com')
  return isInternal ? 'Address cannot be a Shopify or an internal domain' : null
}

export const listWebhooks = (shop: Shop, topic: string) =>
  listWhere<'webhook'>(shop.db, 'kind = ? and key = ? order by id', 'webhook', topic)

export interface Announcement {
  topic: string
  body: unknown
}

/** Queues a delivery for each subscription of the topic. `copies` > 1 duplicates the event. */
export function queueDeliveries(shop: Shop, { topic, body }: Announcement, copies: number) {
  const at = shop.now()
  const event = randomUUID()
  const sql = `insert into deliveries (webhook_id, event_id, topic, triggered, due, attempt, body) values (?, ?, ?, ?, ?, 0, ?)`
  for (const { id } of listWebhooks(shop, topic)) {
    for (let copy = 0; copy < copies; copy++) run(shop.db, sql, id, event, topic, at, at, JSON.stringify(body))
  }
}
