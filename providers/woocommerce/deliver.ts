// Sends due webhook jobs without retries. The seventh consecutive failure disables a webhook. Targets are checked like
// wp_http_validate_url does: no private hosts, only ports 80, 443 and 8080. The product's own dialler decides which
// addresses are private, including link-local and carrier-grade ranges, and checks the address that it dials.
import { createHmac } from 'node:crypto'
import { isIP } from 'node:net'
import { checkedLookup, isAllowed } from '../../server/core/net/guarded-fetch.ts'
import { post } from '../post.ts'
import { findProduct, presentProduct } from './catalog.ts'
import { findCoupon, presentCoupon } from './coupons.ts'
import { findCustomer, presentCustomer } from './customers.ts'
import { presentOrder } from './order-shape.ts'
import { findOrder } from './orders.ts'
import { encodePhpJson } from './php.ts'
import { createInvalidIdError } from './rest-error.ts'
import { readSeconds, type Shop, wordpressVersion } from './shop.ts'
import { run, selectAll } from './sqlite.ts'
import { findWebhook, saveWebhook, type Webhook } from './webhooks.ts'

type Job = { webhook_id: number; argument: string; due_ms: number }

const buildUserAgent = ({ version }: Shop) => `WooCommerce/${version} Hookshot (WordPress/${wordpressVersion})`
const ALLOWED_PORTS = [80, 443, 8080]
const TIMEOUT_MS = 15_000
const MAX_FAILURES = 6

/** Sends due deliveries, oldest first; returns how many were attempted. */
export async function deliverDue(shop: Shop): Promise<number> {
  const due = selectAll<Job>(
    shop.db,
    'select * from webhook_jobs where due_ms <= ? order by due_ms, webhook_id',
    shop.now(),
  )
  for (const job of due) {
    // Removed before sending: a concurrent change queues its own delivery, and nothing is sent twice.
    const sql = 'delete from webhook_jobs where webhook_id = ? and argument = ? and due_ms = ?'
    if (run(shop.db, sql, job.webhook_id, job.argument, job.due_ms) === 0) continue
    const hook = findWebhook(shop, job.webhook_id)
    if (hook?.status === 'active') await deliver(shop, hook, JSON.parse(job.argument))
  }
  return due.length
}

/** Sends an unsigned form once when an active webhook is created. The response is ignored. */
export async function ping(shop: Shop, hook: Webhook): Promise<void> {
  if (!isAllowedTarget(shop, hook.delivery_url)) return
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
  await send(shop, hook.delivery_url, { headers: type, body: `webhook_id=${hook.id}` })
}

async function deliver(shop: Shop, hook: Webhook, argument: unknown): Promise<void> {
  const body = encodePhpJson(buildPayload(shop, hook.topic, argument))
  const isOpen = isAllowedTarget(shop, hook.delivery_url)
  const status = isOpen ? await send(shop, hook.delivery_url, { headers: buildHeaders(shop, hook, body), body }) : 0
  const isDelivered = status >= 200 && status <= 302
  const now = findWebhook(shop, hook.id)
  if (!now || (isDelivered && now.failures === 0)) return
  if (isDelivered) saveWebhook(shop, { ...now, failures: 0 })
  else if (now.failures >= MAX_FAILURES) saveWebhook(shop, { ...now, status: 'disabled' })
  else saveWebhook(shop, { ...now, failures: now.failures + 1 })
}

function buildHeaders(shop: Shop, hook: Webhook, body: string): Record<string, string> {
  const [resource = '', ...event] = hook.topic.split('.')
  return {
    'Content-Type': 'application/json',
    'X-WC-Webhook-Source': `${shop.home}/`,
    'X-WC-Webhook-Topic': hook.topic,
    'X-WC-Webhook-Resource': resource,
    'X-WC-Webhook-Event': event.join('.'),
    'X-WC-Webhook-Signature': createHmac('sha256', hook.secret).update(body).digest('base64'),
    'X-WC-Webhook-ID': String(hook.id),
    'X-WC-Webhook-Delivery-ID': buildDeliveryId(shop, hook.id),
  }
}

// A hash of webhook and second, as in WooCommerce: two deliveries in one second share it.
function buildDeliveryId(shop: Shop, id: number): string {
  return createHmac('md5', shop.secret)
    .update(`${id}${readSeconds(shop)}`)
    .digest('hex')
}

function buildPayload(shop: Shop, topic: string, argument: unknown): unknown {
  const [resource, event] = topic.split('.')
  if (resource === 'action') return { action: topic.slice('action.'.length), arg: argument }
  const id = Number(argument)
  if (event === 'deleted') return { id }
  if (resource === 'order') {
    const order = findOrder(shop, id)
    return order ? presentOrder(shop, order) : createInvalidIdError('order').body()
  }
  if (resource === 'customer') {
    const customer = findCustomer(shop, id)
    return customer ? presentCustomer(shop, customer) : createInvalidIdError('customer').body()
  }
  if (resource === 'coupon') {
    const coupon = findCoupon(shop, id)
    return coupon ? presentCoupon(shop, coupon) : createInvalidIdError('coupon').body()
  }
  const product = findProduct(shop, id)
  return product ? presentProduct(shop, product) : createInvalidIdError('product').body()
}

function isAllowedTarget(shop: Shop, target: string): boolean {
  const url = new URL(target)
  if (url.username || url.password) return false
  const bare = url.hostname.replace(/^\[|\]$/g, '')
  // WordPress does not accept IPv6 addresses as targets.
  if (bare.includes(':') && !mayCallPrivateAddress(shop, url)) return false
  if (isIP(bare) && !isAllowed(bare, mayCallPrivateAddress(shop, url))) return false
  if (isAllowlisted(shop, url)) return true
  const home = new URL(shop.home)
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  return ALLOWED_PORTS.includes(port) || (home.hostname === url.hostname && home.port === url.port)
}

const isAllowlisted = (shop: Shop, { host, hostname }: URL) =>
  shop.allowedWebhookHosts.includes(host) || shop.allowedWebhookHosts.includes(hostname)

const mayCallPrivateAddress = (shop: Shop, url: URL) =>
  isAllowlisted(shop, url) || new URL(shop.home).hostname === url.hostname

interface DeliveryBody {
  headers: Record<string, string>
  body: string
}

function send(shop: Shop, target: string, { headers, body }: DeliveryBody): Promise<number> {
  const url = new URL(target)
  const common = {
    'User-Agent': buildUserAgent(shop),
    Accept: '*/*',
    'Accept-Encoding': 'deflate, gzip, br, zstd',
    ...headers,
  }
  return post(url, {
    headers: common,
    body,
    timeoutMs: TIMEOUT_MS,
    lookup: checkedLookup(shop.lookup, mayCallPrivateAddress(shop, url)),
  })
}
