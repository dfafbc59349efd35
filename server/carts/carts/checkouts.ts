import crypto from 'node:crypto'
import { isOnStoreHost, readStore } from '../../access/stores/public.ts'
import { type Db, type StoreDb, sql, transact } from '../../core/db/public.ts'
import type { CheckoutRef, Contact, FactPayload } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import type { PlatformCart, PlatformCheckout } from '../../platforms/platform/public.ts'
import { recordStoreConsents } from '../../shoppers/consent/public.ts'
import {
  buildContactKeys,
  hashBrowserTokens,
  isSharedAddress,
  listTokenKeys,
  type ShopperKey,
  selectKeyOwners,
} from '../../shoppers/shoppers/public.ts'
import { filterCheckouts, keepsUnknownCarts } from './before-consent.ts'
import { type NewFact, type RecordResult, recordFacts } from './record.ts'

// Records checkouts and carts that the platform keeps itself. Their tokens link them to the captured cart and to the
// later order, so that no second cart appears (S6, S7).

/** Records checkouts from a sync or a webhook. Those that have not changed are skipped before any lock. */
export async function recordCheckouts(
  deps: Pick<Deps, 'jobs' | 'now' | 'secrets'>,
  handle: StoreDb<Db>,
  received: readonly PlatformCheckout[],
  source: 'sync' | 'webhook',
): Promise<RecordResult> {
  const store = await readStore(handle)
  if (!store) return { stored: 0, shopperIds: [] }
  const checkouts = await filterCheckouts(deps, { handle, store }, received)
  const facts = checkouts.map((checkout) => buildCheckoutFact(checkout, store, source))
  const known = await selectKnownFacts(
    handle,
    facts.map(({ uniqueKey }) => uniqueKey),
  )
  const isNews = (_: unknown, place: number) => !known.has(facts[place]!.uniqueKey)
  // Consents come before facts, because new facts trigger another check of messages that wait for consent.
  await recordStoreConsents(deps, handle, checkouts.filter(isNews))
  return recordFacts(deps, handle, facts.filter(isNews))
}

/** Records a cart before its checkout. It has no shopper yet. An empty one matters only if we know the cart. */
export async function recordCart(
  deps: Pick<Deps, 'jobs' | 'now' | 'secrets'>,
  handle: StoreDb<Db>,
  cart: PlatformCart,
): Promise<void> {
  const store = await readStore(handle)
  if (!store) return
  const keys = listTokenKeys({ checkoutToken: null, cartToken: cart.cartToken })
  if (cart.items.length === 0 || !keepsUnknownCarts(store)) {
    const owners = await transact(handle, (tx) => selectKeyOwners(tx, keys))
    if (owners.length === 0) return
  }
  const snapshot: FactPayload = { type: 'snapshot', items: cart.items, coupons: [] }
  const uniqueKey = `cart:${cart.cartToken}:${cart.modifiedAt}:${hashPayload(snapshot)}`
  const payload = { ...snapshot, browsers: buildMarks(keys) }
  await recordFacts(deps, handle, [{ keys, source: 'webhook', at: new Date(cart.modifiedAt), uniqueKey, payload }])
}

interface StoreLocation {
  url: string
  home_url: string
}

function buildCheckoutFact(checkout: PlatformCheckout, store: StoreLocation, source: 'sync' | 'webhook'): NewFact {
  const storeHost = new URL(store.home_url).hostname
  const contact = buildContact(checkout, storeHost)
  const snapshot: FactPayload = {
    type: 'snapshot',
    items: checkout.items,
    coupons: checkout.coupons,
    contact,
    currency: checkout.currency,
    checkout: buildCheckoutRef(checkout, store),
    ...(checkout.completedAt && { isCompleted: true as const }),
  }
  const tokens = listTokenKeys(checkout)
  const payload: FactPayload = {
    ...snapshot,
    ...(tokens.length > 0 && { browsers: buildMarks(tokens) }),
    ...(checkout.locale && { locale: { tag: checkout.locale, source: 'shop' } }),
  }
  return {
    keys: [...tokens, ...buildContactKeys(contact, storeHost)],
    source,
    at: new Date(checkout.completedAt ?? checkout.modifiedAt),
    uniqueKey: `checkout:${checkout.checkoutId}:${checkout.modifiedAt}:${hashPayload(snapshot)}`,
    payload,
  }
}

/** Keeps the restore URL only if its host is the store's: shoppers are redirected there. */
const buildCheckoutRef = (
  { checkoutId, restoreUrl, createdAt }: PlatformCheckout,
  store: StoreLocation,
): CheckoutRef => ({
  id: checkoutId,
  url: isOnStoreHost(restoreUrl, store) ? restoreUrl : null,
  createdAt,
})

function buildContact(checkout: PlatformCheckout, storeHost: string): Contact {
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

const buildMarks = (tokens: readonly ShopperKey[]): string[] =>
  tokens.flatMap(({ value }) => hashBrowserTokens({ cart: value }))

const hashPayload = (payload: FactPayload): string => crypto.hash('sha256', JSON.stringify(payload), 'base64url')

// SQL for checkouts.

/** Returns those keys whose fact is stored. */
async function selectKnownFacts({ db, storeId }: StoreDb, uniqueKeys: readonly string[]): Promise<Set<string>> {
  if (uniqueKeys.length === 0) return new Set()
  const rows = await db
    .selectFrom('facts')
    .select('unique_key')
    .where('store_id', '=', storeId)
    .where('unique_key', '=', sql<string>`any(${[...uniqueKeys]}::text[])`)
    .execute()
  return new Set(rows.map((row) => row.unique_key))
}
