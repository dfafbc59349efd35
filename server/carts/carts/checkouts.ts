import crypto from 'node:crypto'
import { recordStoreConsents } from '../../shoppers/consent/store-consents.ts'
import { transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import type { PlatformCart, PlatformCheckout } from '../../platforms/platform/platform.ts'
import type { CheckoutRef, Contact, FactPayload } from '../../core/schema/facts.ts'
import { browserMarks, contactKeys, isSharedAddress, type ShopperKey, tokenKeys } from '../../shoppers/shoppers/rules.ts'
import { keyOwners } from '../../shoppers/shoppers/shoppers.ts'
import { isOnStoreHost } from '../../access/stores/rules.ts'
import { readStore } from '../../access/stores/store.ts'
import { allowedCheckouts, keepsUnknownCarts } from './before-consent.ts'
import * as sql from './checkouts-sql.ts'
import { type NewFact, type Recorded, recordFacts } from './record.ts'

// Checkouts and carts that a platform keeps itself. Their tokens join them with the cart that the capture script saw and with the order
// that comes of them, so that there is no second cart (S6, S7).

/** From a pull or a webhook. What is known in just this state is passed over before any lock is taken. */
export async function recordCheckouts(
  deps: Deps,
  storeId: string,
  told: readonly PlatformCheckout[],
  source: 'sync' | 'webhook',
): Promise<Recorded> {
  const handle = { storeId, db: deps.db }
  const store = await readStore(handle)
  if (!store) return { stored: 0, shopperIds: [] }
  const checkouts = await allowedCheckouts(deps, store, told)
  const facts = checkouts.map((checkout) => checkoutFact(checkout, store, source))
  const known = await sql.knownFacts(
    handle,
    facts.map(({ uniqueKey }) => uniqueKey),
  )
  const isNews = (_: unknown, place: number) => !known.has(facts[place]!.uniqueKey)
  // Before the facts: what waits for consent is looked at again when they arrive.
  await recordStoreConsents(deps, storeId, checkouts.filter(isNews))
  return recordFacts(deps, storeId, facts.filter(isNews))
}

/** A cart before its checkout: nobody's until it is somebody's. An empty one says something of a cart that is known, and nothing else. */
export async function recordCart(deps: Deps, storeId: string, cart: PlatformCart): Promise<void> {
  const handle = { storeId, db: deps.db }
  const store = await readStore(handle)
  if (!store) return
  const keys = tokenKeys({ checkoutToken: null, cartToken: cart.cartToken })
  if (cart.items.length === 0 || !keepsUnknownCarts(store)) {
    const owners = await transact(handle, (tx) => keyOwners(tx, keys))
    if (owners.length === 0) return
  }
  const told: FactPayload = { type: 'snapshot', items: cart.items, coupons: [] }
  const uniqueKey = `cart:${cart.cartToken}:${cart.modifiedAt}:${hashOf(told)}`
  const payload = { ...told, browsers: marksOf(keys) }
  await recordFacts(deps, storeId, [{ keys, source: 'webhook', at: new Date(cart.modifiedAt), uniqueKey, payload }])
}

interface Home {
  url: string
  home_url: string
}

function checkoutFact(checkout: PlatformCheckout, store: Home, source: 'sync' | 'webhook'): NewFact {
  const storeHost = new URL(store.home_url).hostname
  const contact = contactOf(checkout, storeHost)
  const told: FactPayload = {
    type: 'snapshot',
    items: checkout.items,
    coupons: checkout.coupons,
    contact,
    currency: checkout.currency,
    checkout: refOf(checkout, store),
    ...(checkout.completedAt && { isCompleted: true as const }),
  }
  const tokens = tokenKeys(checkout)
  const payload = tokens.length > 0 ? { ...told, browsers: marksOf(tokens) } : told
  return {
    keys: [...tokens, ...contactKeys(contact, storeHost)],
    source,
    at: new Date(checkout.completedAt ?? checkout.modifiedAt),
    uniqueKey: `checkout:${checkout.checkoutId}:${checkout.modifiedAt}:${hashOf(told)}`,
    payload,
  }
}

/** Only an address on a host of the store is kept: a shopper is sent there. */
const refOf = ({ checkoutId, restoreUrl, createdAt }: PlatformCheckout, store: Home): CheckoutRef => ({
  id: checkoutId,
  url: isOnStoreHost(restoreUrl, store) ? restoreUrl : null,
  createdAt,
})

function contactOf(checkout: PlatformCheckout, storeHost: string): Contact {
  const { email, phone, firstName, lastName, customerId, country, state } = checkout
  return {
    ...(email && !isSharedAddress(email, storeHost) && { email }),
    ...(phone && { phone }),
    ...(firstName && { firstName }),
    ...(lastName && { lastName }),
    ...(customerId && { customerId }),
    ...(country && { country, countrySource: 'address' as const }),
    ...(state && { state }),
  }
}

const marksOf = (tokens: readonly ShopperKey[]): string[] =>
  tokens.flatMap(({ value }) => browserMarks({ cart: value }))

const hashOf = (payload: FactPayload): string => crypto.hash('sha256', JSON.stringify(payload), 'base64url')
