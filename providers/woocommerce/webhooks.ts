// Webhooks and their queue. One pending job per webhook and record merges intermediate states; the body is built when
// the job runs (deliver.ts). States: active, paused, disabled.
import { readSeconds, type Shop } from './shop.ts'
import { run, selectAll, selectOne, takeNextId } from './sqlite.ts'

export type Webhook = {
  id: number
  name: string
  status: 'active' | 'paused' | 'disabled'
  topic: string
  delivery_url: string
  secret: string
  failures: number
  created: number
  modified: number
}

const hooksByTopic: Record<string, string[]> = {
  'order.created': ['woocommerce_new_order'],
  'order.updated': ['woocommerce_update_order', 'woocommerce_order_refunded'],
  'order.deleted': ['wp_trash_post', 'woocommerce_trash_order'],
  'order.restored': ['untrashed_post', 'woocommerce_untrash_order'],
  'customer.created': ['user_register', 'woocommerce_created_customer', 'woocommerce_new_customer'],
  'customer.updated': ['profile_update', 'woocommerce_update_customer'],
  'customer.deleted': ['delete_user'],
  'coupon.created': ['woocommerce_process_shop_coupon_meta', 'woocommerce_new_coupon'],
  'coupon.updated': ['woocommerce_process_shop_coupon_meta', 'woocommerce_update_coupon'],
  'coupon.deleted': ['wp_trash_post'],
  'coupon.restored': ['untrashed_post'],
  'product.created': [
    'woocommerce_process_product_meta',
    'woocommerce_new_product',
    'woocommerce_new_product_variation',
  ],
  'product.updated': [
    'woocommerce_process_product_meta',
    'woocommerce_update_product',
    'woocommerce_update_product_variation',
  ],
  'product.deleted': ['wp_trash_post'],
  'product.restored': ['untrashed_post'],
}

export function isTopic(topic: unknown): topic is string {
  return typeof topic === 'string' && (topic in hooksByTopic || /^action\.(woocommerce|wc)_\w+$/.test(topic))
}

export function listHookNames(topic: string): string[] {
  return hooksByTopic[topic] ?? [topic.slice('action.'.length)]
}

/** Queues a delivery for every active webhook of the topic. The argument is a record id, or the hook's first argument. */
export function announce(shop: Shop, topic: string, argument: unknown) {
  const wanting = selectAll<Webhook>(shop.db, `select * from webhooks where topic = ? and status = 'active'`, topic)
  const sql = 'insert into webhook_jobs values (?, ?, ?) on conflict do nothing'
  for (const { id } of wanting) run(shop.db, sql, id, JSON.stringify(argument), shop.now() + shop.webhookDelayMs)
}

export function addWebhook(
  shop: Shop,
  fresh: Pick<Webhook, 'name' | 'status' | 'topic' | 'delivery_url' | 'secret'>,
): Webhook {
  const id = takeNextId(shop.db, 'webhook')
  const now = readSeconds(shop)
  const sql = `insert into webhooks (id, name, status, topic, delivery_url, secret, created, modified)
    values (?, ?, ?, ?, ?, ?, ?, ?)`
  run(shop.db, sql, id, fresh.name, fresh.status, fresh.topic, fresh.delivery_url, fresh.secret, now, now)
  return findWebhook(shop, id)!
}

export function saveWebhook(shop: Shop, hook: Webhook) {
  const sql = `update webhooks set name = ?, status = ?, topic = ?, delivery_url = ?, secret = ?, failures = ?, modified = ?
    where id = ?`
  const { name, status, topic, delivery_url, secret, failures, id } = hook
  run(shop.db, sql, name, status, topic, delivery_url, secret, failures, readSeconds(shop), id)
}

export function findWebhook(shop: Shop, id: number): Webhook | undefined {
  return selectOne<Webhook>(shop.db, 'select * from webhooks where id = ?', id)
}

export function listWebhooks(shop: Shop): Webhook[] {
  return selectAll<Webhook>(shop.db, 'select * from webhooks order by created desc, id desc')
}

export function removeWebhook(shop: Shop, id: number) {
  run(shop.db, 'delete from webhooks where id = ?', id)
  run(shop.db, 'delete from webhook_jobs where webhook_id = ?', id)
}
