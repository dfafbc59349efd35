import { z } from 'zod'
import { job, onePerStore } from '../../core/jobs/jobs.ts'

const ofStore = z.object({ storeId: z.uuid() })

/** The first reading of a store: goes on where it was interrupted. Key: the store. */
export const importJob = job('stores.import', ofStore, 'one')
/** The periodic reading. Key: the store. */
export const syncJob = job('stores.sync', ofStore, 'one')
/** A checkout may have emptied a cart: reads what is new among the orders. Key: the store. */
export const newOrdersJob = job('stores.new-orders', ofStore, 'one')
/** Makes sure that the store tells us of its orders. Key: the store. */
export const webhooksJob = job('stores.webhooks', ofStore, 'one')
/** Forgets a store 30 days after it was disconnected. Key: the store. */
export const purgeJob = job('stores.purge', ofStore, 'one')
/** A webhook said that this order changed. Key: store and order. */
export const orderJob = onePerStore(
  job('stores.order', z.object({ storeId: z.uuid(), orderId: z.string().max(100) }), 'one'),
)

/** A webhook said that this checkout changed; it alone knows the cart it came from. Key: store and checkout. */
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
/** A webhook said that this customer changed. Key: store and customer. */
export const customerJob = onePerStore(
  job('stores.customer', z.object({ storeId: z.uuid(), customerId: z.string().max(100) }), 'one'),
)
/** A webhook said that products changed. Key: the store. */
export const productsJob = job('stores.products', ofStore, 'one')
/** What the keys may do has changed. Key: the store. */
export const profileJob = job('stores.profile', ofStore, 'one')
/** The shop has taken our access away; `tries`: how often it could not be asked. Key: the store. */
export const uninstalledJob = job('stores.uninstalled', ofStore.extend({ tries: z.number().int().optional() }), 'one')
/** A platform passes on what a person or a shop asks of their data (C8); `sealed`: who, encrypted. Key: store and delivery. */
export const privacyJob = job('stores.privacy', z.object({ storeId: z.uuid(), sealed: z.string().max(4_000) }), 'one')
