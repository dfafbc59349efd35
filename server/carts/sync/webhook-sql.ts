import type { StoreDb, StoreTx } from '../../core/db/public.ts'

// SQL for a store's webhooks.

/** Status of a subscription created with keys that have since been replaced. */
export const TO_RENEW = 'renew'

export function listWebhooks({ db, storeId }: StoreDb) {
  return db.selectFrom('store_webhooks').selectAll().where('store_id', '=', storeId).execute()
}

export interface WebhookInput {
  topic: string
  webhookId: string
  encryptedSecret: Buffer
  status: string
  now: Date
}

export function saveWebhook({ db, storeId }: StoreDb, hook: WebhookInput) {
  const columns = {
    webhook_id: hook.webhookId,
    encrypted_secret: hook.encryptedSecret,
    status: hook.status,
    checked_at: hook.now,
    last_delivery_at: null,
  }
  return db
    .insertInto('store_webhooks')
    .values({ store_id: storeId, topic: hook.topic, ...columns })
    .onConflict((conflict) => conflict.columns(['store_id', 'topic']).doUpdateSet(columns))
    .execute()
}

/** Keeps the status of a subscription that must be renewed. */
export function markChecked({ db, storeId }: StoreDb, topic: string, status: string, now: Date) {
  return db
    .updateTable('store_webhooks')
    .set({ status, checked_at: now })
    .where('store_id', '=', storeId)
    .where('topic', '=', topic)
    .where('status', '<>', TO_RENEW)
    .execute()
}

/** Deliveries are still accepted until the renewal. */
export function markForRenewal({ db, storeId }: StoreTx) {
  return db.updateTable('store_webhooks').set({ status: TO_RENEW }).where('store_id', '=', storeId).execute()
}

export function markDelivery({ db, storeId }: StoreDb, topic: string, now: Date) {
  return db
    .updateTable('store_webhooks')
    .set({ last_delivery_at: now })
    .where('store_id', '=', storeId)
    .where('topic', '=', topic)
    .execute()
}

/** Whether the store has delivered anything since then. */
export async function hasDelivered({ db, storeId }: StoreDb, since: Date): Promise<boolean> {
  const row = await db
    .selectFrom('store_webhooks')
    .select('topic')
    .where('store_id', '=', storeId)
    .where('last_delivery_at', '>=', since)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export function deleteWebhooks({ db, storeId }: StoreTx) {
  return db.deleteFrom('store_webhooks').where('store_id', '=', storeId).returning('webhook_id').execute()
}

/** Returns undefined if this delivery is already stored. */
export function insertEvent({ db, storeId }: StoreTx, event: { key: string; topic: string; now: Date }) {
  return db
    .insertInto('webhook_events')
    .values({ store_id: storeId, event_key: event.key, topic: event.topic, received_at: event.now })
    .onConflict((conflict) => conflict.columns(['store_id', 'event_key']).doNothing())
    .returning('event_key')
    .executeTakeFirst()
}

export function deleteOldEvents({ db, storeId }: StoreDb, receivedBefore: Date) {
  return db
    .deleteFrom('webhook_events')
    .where('store_id', '=', storeId)
    .where('received_at', '<', receivedBefore)
    .execute()
}
