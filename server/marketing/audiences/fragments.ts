import { hasBadge } from '../../carts/carts/public.ts'
import { type RawBuilder, sql } from '../../core/db/public.ts'
import type { StoredFilters } from '../../core/schema/public.ts'
import { hasReportedCart } from '../../delivery/push/public.ts'
import { type ChannelName, channelTraits } from '../../messages/channels/public.ts'

// Conditions on carts `c` that implement a filter set (decision 42), for runs, counts and lists of people.

/** The table alias of the cart. */
type Cart = 'c' | 'n'

export interface AudienceFilter {
  channel: ChannelName
  filters: StoredFilters
  /** Reference time of the hour filters. */
  now: Date
}

/**
 * True for the cart that a run writes about: abandoned, matching, with a contact for the channel, and the newest such
 * cart of its shopper.
 */
export const isNewestMatching = ({ storeId, ...filter }: AudienceFilter & { storeId: string }): RawBuilder<boolean> =>
  sql`(${isCandidate(storeId, filter, 'c')}
    and not exists (select 1 from carts n where n.store_id = c.store_id and n.shopper_id = c.shopper_id
      and (n.started_at, n.id) > (c.started_at, c.id) and ${isCandidate(storeId, filter, 'n')} offset 0))`

export const isCandidate = (storeId: string, filter: AudienceFilter, cart: Cart): RawBuilder<boolean> =>
  joinConditions([
    matchesWithoutProduct(storeId, filter, cart),
    ...(filter.filters.productId === undefined ? [] : [hasProduct(filter.filters.productId, cart)]),
  ])

const col = (cart: Cart, name: string) => sql.ref(`${cart}.${name}`)

const joinConditions = (conditions: readonly RawBuilder<unknown>[]) => sql<boolean>`${sql.join(conditions, sql` and `)}`

/** All filters but the product. Carts without a contact are never in an audience, because nothing could be sent. */
export const matchesWithoutProduct = (
  storeId: string,
  { channel, filters, now }: AudienceFilter,
  cart: Cart,
): RawBuilder<boolean> =>
  joinConditions([
    sql`${col(cart, 'status')} = 'abandoned'`,
    selectContact(channel, cart),
    ...buildTimeConditions(filters, now, cart),
    ...listPersonConditions(filters, cart),
    ...(filters.badge === undefined ? [] : [hasBadge(filters.badge, cart)]),
    ...buildValueConditions(storeId, filters, cart),
  ])

function selectContact(channel: ChannelName, cart: Cart): RawBuilder<unknown> {
  const { contact } = channelTraits[channel]
  if (contact !== 'subscription') return col(cart, contact === 'email' ? 'has_email' : 'has_phone')
  return sql`exists (select 1 from push_subscriptions p where p.store_id = ${col(cart, 'store_id')}
    and p.shopper_id = ${col(cart, 'shopper_id')} and ${hasReportedCart(col(cart, 'fold'))})`
}

function buildTimeConditions({ minHours, maxHours }: StoredFilters, now: Date, cart: Cart): RawBuilder<unknown>[] {
  const before = (hours: number) => new Date(now.getTime() - hours * HOUR_MS)
  const lastActivity = col(cart, 'last_activity_at')
  return [
    ...(minHours === undefined ? [] : [sql`${lastActivity} <= ${before(minHours)}`]),
    ...(maxHours === undefined ? [] : [sql`${lastActivity} >= ${before(maxHours)}`]),
  ]
}

/** Equal for all carts of a shopper. */
const listPersonConditions = ({ country, mailedBefore }: StoredFilters, cart: Cart): RawBuilder<unknown>[] => [
  ...(country === undefined ? [] : [sql`${col(cart, 'country')} = ${country}`]),
  ...(mailedBefore === undefined ? [] : [mailedBefore === 'yes' ? wasMailed(cart) : sql`not ${wasMailed(cart)}`]),
]

/** A message has been sent to its shopper. */
const wasMailed = (cart: Cart) => sql`exists (select 1 from mailed_shoppers w
    where w.store_id = ${col(cart, 'store_id')} and w.shopper_id = ${col(cart, 'shopper_id')} offset 0)`

/** Amounts are in the store's currency; carts in another currency never match an amount filter. */
function buildValueConditions(
  storeId: string,
  { minMinor, maxMinor }: StoredFilters,
  cart: Cart,
): RawBuilder<unknown>[] {
  if (minMinor === undefined && maxMinor === undefined) return []
  return [
    ...(minMinor === undefined ? [] : [sql`${col(cart, 'value_minor')} >= ${minMinor}::bigint`]),
    ...(maxMinor === undefined ? [] : [sql`${col(cart, 'value_minor')} <= ${maxMinor}::bigint`]),
    sql`${col(cart, 'currency')} = (select r.currency from stores r where r.id = ${storeId})`,
  ]
}

const hasProduct = (productId: string, cart: Cart): RawBuilder<boolean> =>
  sql`case when ${col(cart, 'product_keys')} is null then ${isAmongItems(productId, cart)} else ${isAmongKeys(productId, cart)} end`

export const isAmongKeys = (productId: string, cart: Cart) =>
  sql`hashtextextended(${productId}::text, 0) = any(${col(cart, 'product_keys')})`

export const isAmongItems = (productId: string, cart: Cart) =>
  sql`${col(cart, 'items')} @> ${JSON.stringify([{ productId }])}::jsonb`

const HOUR_MS = 3_600_000
