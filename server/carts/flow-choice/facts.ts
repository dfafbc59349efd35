import type { FlowConditions } from '../../../shared/flow-conditions.ts'
import { phoneCountry } from '../../messages/channels/phone.ts'
import { ledgerText } from '../../shoppers/consent/evidence.ts'
import type { StoreDb } from '../../core/db/db.ts'
import type { Secrets } from '../../core/common/secrets.ts'
import { zoneAt } from '../../core/common/zones.ts'
import { asksFor, type ConditionFacts } from './conditions.ts'
import * as sql from './facts-sql.ts'

// What conditions ask of carts, read for many at once.

export interface Asking {
  secrets: Pick<Secrets, 'addressHash'>
  now: Date
}

const CHANNELS = ['email', 'sms', 'whatsapp'] as const
const SAID_YES = ['express_yes', 'confirmed']

/** Facts for these conditions, by cart; of a cart that is not there none. */
export async function readFacts(
  store: StoreDb,
  { secrets, now }: Asking,
  cartIds: readonly string[],
  conditions: readonly (FlowConditions | null)[],
): Promise<Map<string, ConditionFacts>> {
  const rows = cartIds.length > 0 ? await sql.factsOf(store, [...new Set(cartIds)]) : []
  const hashes = asksFor(conditions, 'consent') ? hashesOf(rows, secrets) : new Map<string, Buffer>()
  const ledger = await ledgerText(store, [...hashes.values()], CHANNELS)
  const hasSaidYes = (channel: string, address: string | null) => {
    const hash = address === null ? undefined : hashes.get(address)
    return hash !== undefined && SAID_YES.includes(ledger.get(`${channel}:${hash.toString('hex')}`)?.evidence ?? '')
  }
  return new Map(
    rows.map((row) => {
      const consents = CHANNELS.filter((each) => hasSaidYes(each, each === 'email' ? row.email : row.phone))
      return [row.cart_id, { ...presentFacts(row, now), consents }]
    }),
  )
}

function hashesOf(rows: readonly sql.FactsRow[], secrets: Asking['secrets']): Map<string, Buffer> {
  const addresses = rows.flatMap(({ email, phone }) => [email ?? [], phone ?? []].flat())
  return new Map(addresses.map((address) => [address, secrets.addressHash(address)]))
}

function presentFacts(row: sql.FactsRow, now: Date): Omit<ConditionFacts, 'consents'> {
  const country = row.country ?? (row.phone === null ? null : phoneCountry(row.phone))
  const timeZone = zoneAt({ country, state: row.us_state, phone: row.phone }, row.time_zone)
  return {
    valueMinor: row.value_minor,
    currency: row.currency,
    storeCurrency: row.store_currency,
    items: row.items.reduce((sum, { quantity }) => sum + quantity, 0),
    productIds: [...new Set(row.items.map(({ productId }) => productId))],
    categoryIds: row.category_ids,
    country,
    orders: row.orders,
    hasBoughtBefore: row.has_bought_before,
    hasCoupon: row.has_coupon,
    hasPhone: row.phone !== null,
    language: row.language,
    timeZone,
    ...clockAt(now, timeZone),
  }
}

/** The same at another moment. Pure. */
export const factsAt = (facts: ConditionFacts, at: Date): ConditionFacts => ({
  ...facts,
  ...clockAt(at, facts.timeZone),
})

function clockAt(at: Date, timeZone: string): Pick<ConditionFacts, 'day' | 'hour'> {
  const { dayOfWeek: day, hour } = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)
  return { day, hour }
}
