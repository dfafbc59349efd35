// Takes due webhook jobs and sends them. No retries: a failing delivery is counted, the seventh in a row disables the webhook.
// Targets are checked as a stock WordPress does (wp_http_validate_url): no private hosts, only ports 80, 443 and 8080. What is private
// is said by the product's own dialler: with link-local and carrier-grade addresses, and of the very address that is then dialled.
import { createHmac } from 'node:crypto'
import { isIP } from 'node:net'
import { checkedLookup, isAllowed } from '../../server/core/net/guarded-fetch.ts'
import { post } from '../post.ts'
import { findProduct, presentProduct } from './catalog.ts'
import { findCoupon, presentCoupon } from './coupons.ts'
import { findCustomer, presentCustomer } from './customers.ts'
import { presentOrder } from './order-shape.ts'
import { findOrder } from './orders.ts'
import { phpJson } from './php.ts'
import { invalidId } from './rest-error.ts'
import { nowSeconds, type Shop, wordpressVersion } from './shop.ts'
import { all, run } from './sqlite.ts'
import { findWebhook, saveWebhook, type Webhook } from './webhooks.ts'

type Job = { webhook_id: number; argument: string; due_ms: number }

const userAgent = ({ version }: Shop) => `WooCommerce/${version} Hookshot (WordPress/${wordpressVersion})`
const openPorts = [80, 443, 8080]
const timeoutMs = 15_000
const failuresAllowed = 6

/** Sends everything that is due, oldest first; returns how many deliveries were tried. */
export async function deliverDue(shop: Shop): Promise<number> {
  const due = all<Job>(shop.db, 'select * from webhook_jobs where due_ms <= ? order by due_ms, webhook_id', shop.now())
  for (const job of due) {
    // Taken before sending: a state that changes meanwhile queues a delivery of its own, and nothing is sent twice.
    const sql = 'delete from webhook_jobs where webhook_id = ? and argument = ? and due_ms = ?'
    if (run(shop.db, sql, job.webhook_id, job.argument, job.due_ms) === 0) continue
    const hook = findWebhook(shop, job.webhook_id)
    if (hook?.status === 'active') await deliver(shop, hook, JSON.parse(job.argument))
  }
  return due.length
}

/** Sent once when an active webhook is made: a form, without a signature. Its answer changes nothing. */
export async function ping(shop: Shop, hook: Webhook): Promise<void> {
  if (!mayBeSentTo(shop, hook.delivery_url)) return
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
  await send(shop, hook.delivery_url, { headers: type, body: `webhook_id=${hook.id}` })
}

async function deliver(shop: Shop, hook: Webhook, argument: unknown): Promise<void> {
  const body = phpJson(payloadOf(shop, hook.topic, argument))
  const isOpen = mayBeSentTo(shop, hook.delivery_url)
  const status = isOpen ? await send(shop, hook.delivery_url, { headers: headersFor(shop, hook, body), body }) : 0
  const isDelivered = status >= 200 && status <= 302
  const now = findWebhook(shop, hook.id)
  if (!now || (isDelivered && now.failures === 0)) return
  if (isDelivered) saveWebhook(shop, { ...now, failures: 0 })
  else if (now.failures >= failuresAllowed) saveWebhook(shop, { ...now, status: 'disabled' })
  else saveWebhook(shop, { ...now, failures: now.failures + 1 })
}

function headersFor(shop: Shop, hook: Webhook, body: string): Record<string, string> {
  const [resource = '', ...event] = hook.topic.split('.')
  return {
    'Content-Type': 'application/json',
    'X-WC-Webhook-Source': `${shop.home}/`,
    'X-WC-Webhook-Topic': hook.topic,
    'X-WC-Webhook-Resource': resource,
    'X-WC-Webhook-Event': event.join('.'),
    'X-WC-Webhook-Signature': createHmac('sha256', hook.secret).update(body).digest('base64'),
    'X-WC-Webhook-ID': String(hook.id),
    'X-WC-Webhook-Delivery-ID': deliveryId(shop, hook.id),
  }
}

// A hash of webhook and second, so two deliveries in one second share it: that is how the real store numbers them.
function deliveryId(shop: Shop, id: number): string {
  return createHmac('md5', shop.secret)
    .update(`${id}${nowSeconds(shop)}`)
    .digest('hex')
}

function payloadOf(shop: Shop, topic: string, argument: unknown): unknown {
  const [resource, event] = topic.split('.')
  if (resource === 'action') return { action: topic.slice('action.'.length), arg: argument }
  const id = Number(argument)
  if (event === 'deleted') return { id }
  if (resource === 'order') {
    const order = findOrder(shop, id)
    return order ? presentOrder(shop, order) : invalidId('order').body()
  }
  if (resource === 'customer') {
    const customer = findCustomer(shop, id)
    return customer ? presentCustomer(shop, customer) : invalidId('customer').body()
  }
  if (resource === 'coupon') {
    const coupon = findCoupon(shop, id)
    return coupon ? presentCoupon(shop, coupon) : invalidId('coupon').body()
  }
  const product = findProduct(shop, id)
  return product ? presentProduct(shop, product) : invalidId('product').body()
}

function mayBeSentTo(shop: Shop, target: string): boolean {
  const url = new URL(target)
  if (url.username || url.password) return false
  const bare = url.hostname.replace(/^\[|\]$/g, '')
  // WordPress knows no IPv6 addresses as targets.
  if (bare.includes(':') && !mayBePrivate(shop, url)) return false
  if (isIP(bare) && !isAllowed(bare, mayBePrivate(shop, url))) return false
  if (isNamed(shop, url)) return true
  const home = new URL(shop.home)
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  return openPorts.includes(port) || (home.hostname === url.hostname && home.port === url.port)
}

const isNamed = (shop: Shop, { host, hostname }: URL) =>
  shop.allowedWebhookHosts.includes(host) || shop.allowedWebhookHosts.includes(hostname)

const mayBePrivate = (shop: Shop, url: URL) => isNamed(shop, url) || new URL(shop.home).hostname === url.hostname

interface Sent {
  headers: Record<string, string>
  body: string
}

function send(shop: Shop, target: string, { headers, body }: Sent): Promise<number> {
  const url = new URL(target)
  const common = {
    'User-Agent': userAgent(shop),
    Accept: '*/*',
    'Accept-Encoding': 'deflate, gzip, br, zstd',
    ...headers,
  }
  return post(url, { headers: common, body, timeoutMs, lookup: checkedLookup(shop.lookup, mayBePrivate(shop, url)) })
}
