import type { ItemChoice } from '../../../shared/carts.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import { type Limit, tryTake } from '../../core/db/rate-limits.ts'
import { tokenHash } from '../../core/common/secrets.ts'
import { linkToken } from '../../core/db/system.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './restore-sql.ts'

// What a way back stands for, for the shop's plugin, which fills the cart itself (decision 107). Asking changes nothing about the cart. The
// one person told is the address the mail went to, once a token: whoever forwards the link later gives nothing away (decision 4).

/** Whoever presses Continue is in the shop at once. Later the link may have been given to somebody else, whose checkout it would fill in. */
const TOLD_WITHIN_MS = 60_000
const ASKS_PER_TOKEN: Limit = { name: 'plugin-restore', points: 10, windowS: 600 }

export interface WayBackCart {
  lines: { product: string; variation: string | null; quantity: number; choices: ItemChoice[]; name: string }[]
  coupon: string | null
  email: string | null
  isOrdered: boolean
}

/** null: unknown, ended, or of another shop. */
export async function readWayBack(
  deps: Deps,
  store: StoreDb<Db>,
  token: string,
): Promise<WayBackCart | { waitS: number } | null> {
  const hash = tokenHash(token)
  const link = await linkToken(deps.db, hash, 'back', deps.now())
  if (!link || link.store_id !== store.storeId || link.cart_id === null) return null
  const waitS = await tryTake(deps, ASKS_PER_TOKEN, hash.toString('hex'))
  if (waitS > 0) return { waitS }
  const cart = await sql.restorableCart(store, link.cart_id, link.message_id)
  if (!cart) return null
  if (cart.status === 'recovered' || cart.status === 'purchased') {
    return { lines: [], coupon: null, email: null, isOrdered: true }
  }
  const isFirst = await sql.noteAsked(store, hash, deps.now())
  const isPressed = deps.now().getTime() - link.created_at.getTime() <= TOLD_WITHIN_MS
  const mayTell = isFirst && isPressed && !link.is_test && link.message_id !== null
  return {
    lines: cart.items.map(({ productId, variationId, quantity, choices = [], name }) => ({
      product: productId,
      variation: variationId,
      quantity,
      choices,
      name,
    })),
    coupon: cart.coupon_code ?? cart.coupons[0] ?? null,
    email: mayTell ? await sql.mailedTo(store, link.message_id!) : null,
    isOrdered: false,
  }
}
