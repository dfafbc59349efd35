import type { ChannelName } from '../channels/channel.ts'
import { channelTraits } from '../channels/traits.ts'
import { type RawBuilder, type StoreDb, sql } from '../core/db.ts'
import type { StoredFilters } from '../schema/campaigns.ts'

// Whom a set of filters means (area decision 42): parts of statements over carts `c`. Runs and counts both use them.

/** How the statement calls the cart. */
type Cart = 'c' | 'n'

/** Whether cart `c` is one of those the filters mean. Times count back from `now`. */
export const matching = (filters: StoredFilters, now: Date): RawBuilder<boolean> =>
  sql`(${all([...ofPerson(filters), ...ofCart(filters, now, 'c')])})`

/**
 * Whether cart `c` is the one a run writes about: abandoned, matching, with a contact for the channel, and the newest such cart
 * of the person.
 */
export const isNewestMatching = (channel: ChannelName, filters: StoredFilters, now: Date): RawBuilder<boolean> => {
  const isCandidate = (cart: Cart) =>
    all([sql`${col(cart, 'status')} = 'abandoned'`, hasContact(channel, cart), ...ofCart(filters, now, cart)])
  return sql`(${all([isCandidate('c'), ...ofPerson(filters)])}
    and not exists (select 1 from carts n where n.store_id = c.store_id and n.shopper_id = c.shopper_id
      and (n.started_at, n.id) > (c.started_at, c.id) and ${isCandidate('n')} offset 0))`
}

/** A cart without one is no part of an audience: nothing could be sent. */
export const hasContact = (channel: ChannelName, cart: Cart = 'c'): RawBuilder<boolean> =>
  sql`${col(cart, channelTraits[channel].contact)} is not null`

/** Distinct people. They themselves are read only where a filter is about them. */
export async function countMatching(
  { db, storeId }: StoreDb,
  { channel, filters, now }: { channel: ChannelName; filters: StoredFilters; now: Date },
): Promise<number> {
  const people =
    ofPerson(filters).length === 0 ? sql`` : sql`join shoppers s on s.store_id = c.store_id and s.id = c.shopper_id`
  const { rows } = await sql<{ total: number }>`
    select count(distinct c.shopper_id)::int as total from carts c ${people}
    where c.store_id = ${storeId} and c.status = 'abandoned' and ${hasContact(channel)} and ${matching(filters, now)}`.execute(
    db,
  )
  return rows[0]!.total
}

const col = (cart: Cart, name: string) => sql.ref(`${cart}.${name}`)

const all = (conditions: readonly RawBuilder<unknown>[]) =>
  conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`

/** An amount is one of the store's currency: a cart in another one is neither above nor below it. */
function ofCart(
  { minMinor, maxMinor, minHours, maxHours, badge, productId }: StoredFilters,
  now: Date,
  cart: Cart,
): RawBuilder<unknown>[] {
  const of = (name: string) => col(cart, name)
  const before = (hours: number) => new Date(now.getTime() - hours * HOUR_MS)
  const isOfCurrency = sql`${of('currency')} = (select r.currency from stores r where r.id = ${of('store_id')})`
  return [
    ...(minMinor === undefined && maxMinor === undefined ? [] : [isOfCurrency]),
    ...(minMinor === undefined ? [] : [sql`${of('value_minor')} >= ${minMinor}::bigint`]),
    ...(maxMinor === undefined ? [] : [sql`${of('value_minor')} <= ${maxMinor}::bigint`]),
    ...(minHours === undefined ? [] : [sql`${of('last_activity_at')} <= ${before(minHours)}`]),
    ...(maxHours === undefined ? [] : [sql`${of('last_activity_at')} >= ${before(maxHours)}`]),
    ...(badge === undefined ? [] : [sql`${of('badge')} = ${badge}`]),
    ...(productId === undefined ? [] : [sql`${of('items')} @> ${JSON.stringify([{ productId }])}::jsonb`]),
  ]
}

/** Each person is looked up by themselves, whatever statistics say of a young store. */
function ofPerson({ country, mailedBefore }: StoredFilters): RawBuilder<unknown>[] {
  const lives = sql`(select p.country from shoppers p where p.store_id = c.store_id and p.id = c.shopper_id offset 0)`
  const wasMailed = sql`exists (select 1 from messages h where h.store_id = c.store_id and h.shopper_id = c.shopper_id
    and h.handed_over_at is not null offset 0)`
  return [
    ...(country === undefined ? [] : [sql`${lives} = ${country}`]),
    ...(mailedBefore === undefined ? [] : [mailedBefore === 'yes' ? wasMailed : sql`not ${wasMailed}`]),
  ]
}

const HOUR_MS = 3_600_000
