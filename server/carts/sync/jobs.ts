import { z } from 'zod'
import { job, onePerStore } from '../../core/jobs/jobs.ts'

const storePayload = z.object({ storeId: z.uuid() })

/** First read of a store. Resumes after an interruption. Key: store id. */
export const importJob = job('stores.import', storePayload, 'one')
/** Periodic read. Key: store id. */
export const syncJob = job('stores.sync', storePayload, 'one')
/** Reads new orders after a checkout may have emptied a cart. Key: store id. */
export const newOrdersJob = job('stores.new-orders', storePayload, 'one')
/** Ensures that the store's webhooks exist. Key: store id. */
export const webhooksJob = job('stores.webhooks', storePayload, 'one')
/** Deletes a store 30 days after it was disconnected. Key: store id. */
export const purgeJob = job('stores.purge', storePayload, 'one')
/** Reads an order that a webhook reported. Key: store and order id. */
export const orderJob = onePerStore(
  job('stores.order', z.object({ storeId: z.uuid(), orderId: z.string().max(100) }), 'one'),
)

/** Reads a checkout that a webhook reported; only the webhook knows its cart. Key: store and checkout id. */
export const checkoutJob = onePerStore(
  job(
    'stores.checkout',
    z.object({
      storeId: z.uuid(),
      checkoutId: z.string().max(100),
      checkoutToken: z.string().max(200).nullable(),
      cartToken: z.string().max(200).nullable(),
    }),
    'one',
  ),
)
/** Reads a customer that a webhook reported. Key: store and customer id. */
export const customerJob = onePerStore(
  job('stores.customer', z.object({ storeId: z.uuid(), customerId: z.string().max(100) }), 'one'),
)
/** Reads products after a webhook. Key: store id. */
export const productsJob = job('stores.products', storePayload, 'one')
/** Reads the profile after the permissions of the keys changed. Key: store id. */
export const profileJob = job('stores.profile', storePayload, 'one')
/** Ends a store whose shop revoked our access; `tries`: failed attempts to verify that. Key: store id. */
export const uninstalledJob = job(
  'stores.uninstalled',
  storePayload.extend({ tries: z.number().int().optional() }),
  'one',
)
/** Handles a platform's privacy request (C8); `sealed`: the person, encrypted. Key: store and delivery. */
export const privacyJob = job('stores.privacy', z.object({ storeId: z.uuid(), sealed: z.string().max(4_000) }), 'one')
