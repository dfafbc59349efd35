// Webhook subscriptions and the queue of what is to be told. A body is what stood when the event happened.
import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import type { UserError } from './discounts.ts'
import type { Context } from './graphql/context.ts'
import { hasScope } from './graphql/rights.ts'
import type { Webhook } from './model.ts'
import { find, listed, nextId, remove, run, save } from './records.ts'
import { adminSchema } from './schema/schema.ts'
import type { Shop } from './shop.ts'

export interface WebhookInput {
  uri?: string | null
  callbackUrl?: string | null
  format?: 'JSON' | 'XML' | null
  filter?: string | null
}

type Subscribed = { webhook: Webhook } | { errors: UserError[] }

const field = ['webhookSubscription', 'callbackUrl']

export function createWebhook(context: Context, topic: string, input: WebhookInput): Subscribed {
  const { shop, rights } = context
  const scopes = adminSchema().topicScopes(topic)
  if (scopes.length && !scopes.some((scope) => hasScope(rights.scopes, scope)))
    return {
      errors: [{ field: ['topic'], message: 'You cannot create a webhook subscription with the specified topic' }],
    }
  const errors = inputErrors(shop, topic, input)
  if (errors.length) return { errors }
  const at = shop.now()
  const id = nextId(shop.db, 'webhook')
  const uri = (input.uri ?? input.callbackUrl)!
  return { webhook: save(shop.db, 'webhook', { id, createdAt: at, updatedAt: at, topic, uri, failures: 0 }) }
}

export function updateWebhook({ shop }: Context, id: number, input: WebhookInput): Subscribed {
  const known = find(shop.db, 'webhook', id)
  if (!known) return { errors: [{ field: ['id'], message: 'Webhook subscription does not exist' }] }
  const errors = inputErrors(shop, known.topic, input, id)
  if (errors.length) return { errors }
  const uri = (input.uri ?? input.callbackUrl)!
  return { webhook: save(shop.db, 'webhook', { ...known, uri, updatedAt: shop.now() }) }
}

export function deleteWebhook(shop: Shop, id: number): boolean {
  run(shop.db, 'delete from deliveries where webhook_id = ?', id)
  return remove(shop.db, 'webhook', id)
}

function inputErrors(shop: Shop, topic: string, input: WebhookInput, own?: number): UserError[] {
  const uri = input.uri ?? input.callbackUrl
  if (!uri) return [{ field, message: "Address can't be blank" }]
  if (input.format === 'XML' || input.filter)
    return [{ field: ['webhookSubscription'], message: 'This server models JSON without filters' }]
  const problem = addressProblem(shop, uri)
  if (problem) return [{ field, message: problem }]
  const isTaken = hooksOf(shop, topic).some((hook) => hook.uri === uri && hook.id !== own)
  return isTaken ? [{ field, message: 'Address for this topic has already been taken' }] : []
}

/** Shopify sends to public https only. On this machine the hosts that were named are fine. */
function addressProblem({ allowedWebhookHosts }: Shop, uri: string): string | null {
  if (!URL.canParse(uri)) return 'Address is invalid'
  const url = new URL(uri)
  if (allowedWebhookHosts.includes(url.host) || allowedWebhookHosts.includes(url.hostname)) return null
  if (url.protocol !== 'https:') return `Address protocol ${url.protocol}// is not supported`
  const bare = url.hostname.replace(/^\[|\]$/g, '')
  const isInternal = bare === 'localhost' || isIP(bare) !== 0 || !bare.includes('.') || bare.endsWith('.myshopify.com')
  return isInternal ? 'Address cannot be a Shopify or an internal domain' : null
}

export const hooksOf = (shop: Shop, topic: string) =>
  listed<'webhook'>(shop.db, 'kind = ? and key = ? order by id', 'webhook', topic)

export interface Announcement {
  topic: string
  body: unknown
}

/** Queues a delivery for every subscription of the topic. `copies`: more than one is the same event twice. */
export function queue(shop: Shop, { topic, body }: Announcement, copies: number) {
  const at = shop.now()
  const event = randomUUID()
  const sql = `insert into deliveries (webhook_id, event_id, topic, triggered, due, attempt, body) values (?, ?, ?, ?, ?, 0, ?)`
  for (const { id } of hooksOf(shop, topic)) {
    for (let copy = 0; copy < copies; copy++) run(shop.db, sql, id, event, topic, at, at, JSON.stringify(body))
  }
}
