import type { ItemChoice } from '../../../shared/carts/carts.ts'
import { hashToken } from '../../core/common/public.ts'
import { type Db, findLinkToken, type Limit, type StoreDb, sql, tryTakePoint } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { readRestorableCart } from './restore-sql.ts'

// The cart behind a back-link token, for the shop's plugin, which fills the cart itself (decision 107). Reading does not
// change the cart. The mail's recipient is returned once per token, so that a forwarded link reveals no address
// (decision 4).

/**
 * The recipient is returned only this soon after the press; a forwarded link would fill in another person's checkout.
 */
const ADDRESS_WITHIN_MS = 60_000
const ASKS_PER_TOKEN: Limit = { name: 'plugin-restore', points: 10, windowS: 600 }

export interface BackLinkCart {
  lines: { product: string; variation: string | null; quantity: number; choices: ItemChoice[]; name: string }[]
  coupon: string | null
  email: string | null
  isOrdered: boolean
}

/** null: the token is unknown, expired or belongs to another shop. `waitS`: rate-limited, in seconds. */
export async function readBackLink(
  deps: Pick<Deps, 'db' | 'now' | 'pool' | 'secrets'>,
  store: StoreDb<Db>,
  token: string,
): Promise<BackLinkCart | { waitS: number } | null> {
  const hash = hashToken(token)
  const link = await findLinkToken(deps.db, hash, 'back', deps.now())
  if (!link || link.store_id !== store.storeId || link.cart_id === null) return null
  const waitS = await tryTakePoint(deps, ASKS_PER_TOKEN, hash.toString('hex'))
  if (waitS > 0) return { waitS }
  const cart = await readRestorableCart(store, link.cart_id, link.message_id)
  if (!cart) return null
  if (cart.status === 'recovered' || cart.status === 'purchased') {
    return { lines: [], coupon: null, email: null, isOrdered: true }
  }
  const isFirst = await markTokenUsed(store, hash, deps.now())
  const isPressed = deps.now().getTime() - link.created_at.getTime() <= ADDRESS_WITHIN_MS
  const mayReturnAddress = isFirst && isPressed && !link.is_test && link.message_id !== null
  return {
    lines: cart.items.map(({ productId, variationId, quantity, choices = [], name }) => ({
      product: productId,
      variation: variationId,
      quantity,
      choices,
      name,
    })),
    coupon: cart.coupon_code ?? cart.coupons[0] ?? null,
    email: mayReturnAddress ? await findMailAddress(store, link.message_id!) : null,
    isOrdered: false,
  }
}

/** Marks a back-link token as used. Returns whether it was the first use. */
async function markTokenUsed({ db, storeId }: StoreDb, hash: Buffer, now: Date): Promise<boolean> {
  const { rows } = await sql`update link_tokens set asked_at = ${now}
    where store_id = ${storeId} and token_hash = ${hash} and purpose = 'back' and asked_at is null returning 1`.execute(
    db,
  )
  return rows.length > 0
}

/** The recipient of an email; null: the message was not an email. */
async function findMailAddress({ db, storeId }: StoreDb, messageId: string): Promise<string | null> {
  const row = await db
    .selectFrom('messages')
    .select('to_address')
    .where('store_id', '=', storeId)
    .where('id', '=', messageId)
    .where('channel', '=', 'email')
    .executeTakeFirst()
  return row?.to_address ?? null
}
