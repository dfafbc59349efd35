import { z } from 'zod'
import { job } from '../core/jobs.ts'

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
export const orderJob = job('stores.order', z.object({ storeId: z.uuid(), orderId: z.string().max(100) }), 'one')
