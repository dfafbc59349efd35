import { recordOrders } from '../server/carts/carts/record.ts'
import { createId } from '../server/core/common/ids.ts'
import type { Db } from '../server/core/db/db.ts'
import { buildOrder, type TestStore } from './factories.ts'
import type { World } from './world.ts'

interface MessageOptions {
  state: 'scheduled' | 'sent'
  channel: 'sms' | 'whatsapp'
  providerId?: string
  /** Booked cost in millionths of a US dollar. */
  costMicros?: number
}

/** Inserts a message of the store to a phone, scheduled or sent; returns its id. */
export async function insertMessageTo(
  phone: string,
  { world, store }: { world: World; store: TestStore },
  { state, channel, providerId, costMicros }: MessageOptions,
): Promise<string> {
  await recordOrders(world.deps, store.storeId, [buildOrder(world, { phone, country: 'DE' })], 'sync')
  const cart = await world.db
    .selectFrom('carts')
    .selectAll()
    .where('store_id', '=', store.storeId)
    .where('phone', '=', phone)
    .executeTakeFirstOrThrow()
  const [id, at] = [createId(), world.now]
  const dates = { due_at: at, expires_at: at, wake_at: at, created_at: at, updated_at: at }
  await world.db
    .insertInto('messages')
    .values({
      store_id: store.storeId,
      id,
      cart_id: cart.id,
      shopper_id: cart.shopper_id,
      origin_kind: 'manual' as const,
      origin_id: createId(),
      step: 1,
      channel,
      state,
      provider_id: providerId ?? null,
      to_address: phone,
      ...dates,
      ...(state === 'sent' && { sending_at: at }),
      ...(costMicros !== undefined && { cost_micros: costMicros, cost_currency: 'USD' }),
    })
    .execute()
  return id
}

/** Reads a message's state and reason. */
export const readMessageState = (db: Db, id: string) =>
  db.selectFrom('messages').select(['state', 'reason']).where('id', '=', id).executeTakeFirstOrThrow()
