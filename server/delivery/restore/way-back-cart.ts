import type { ItemChoice } from '../../../shared/carts.ts'
import { tokenHash } from '../../core/common/secrets.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import { type Limit, tryTakePoint } from '../../core/db/rate-limits.ts'
import { findLinkToken } from '../../core/db/system.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './restore-sql.ts'

// The cart behind a way-back token, for the shop's plugin, which fills the cart itself (decision 107). Reading does not
// change the cart. The mail's recipient is returned once per token, so that a forwarded link reveals no address
// (decision 4).

/**
 * The recipient is returned only this soon after the press; a forwarded link would fill in another person's checkout.
 */
const ADDRESS_WITHIN_MS = 60_000
const ASKS_PER_TOKEN: Limit = { name: 'plugin-restore', points: 10, windowS: 600 }

export interface WayBackCart {
  lines: { product: string; variation: string | null; quantity: number; choices: ItemChoice[]; name: string }[]
  coupon: string | null
  email: string | null
  isOrdered: boolean
}

/** null: the token is unknown, expired or belongs to another shop. `waitS`: rate-limited, in seconds. */
export async function readWayBack(
  deps: Deps,
  store: StoreDb<Db>,
  token: string,
): Promise<WayBackCart | { waitS: number } | null> {
  const hash = tokenHash(token)
  const link = await findLinkToken(deps.db, hash, 'back', deps.now())
  if (!link || link.store_id !== store.storeId || link.cart_id === null) return null
  const waitS = await tryTakePoint(deps, ASKS_PER_TOKEN, hash.toString('hex'))
  if (waitS > 0) return { waitS }
  const cart = await sql.restorableCart(store, link.cart_id, link.message_id)
  if (!cart) return null
  if (cart.status === 'recovered' || cart.status === 'purchased') {
    return { lines: [], coupon: null, email: null, isOrdered: true }
  }
  const isFirst = await sql.markTokenUsed(store, hash, deps.now())
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
    email: mayReturnAddress ? await sql.findMailAddress(store, link.message_id!) : null,
    isOrdered: false,
  }
}
