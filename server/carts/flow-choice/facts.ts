import type { FlowConditions } from '../../../shared/flow-conditions.ts'
import type { Secrets } from '../../core/common/secrets.ts'
import { chooseZone } from '../../core/common/zones.ts'
import type { StoreDb } from '../../core/db/db.ts'
import { findPhoneCountry } from '../../messages/channels/phone.ts'
import { selectEvidence } from '../../shoppers/consent/evidence.ts'
import { type ConditionFacts, usesFact } from './conditions.ts'
import * as sql from './facts-sql.ts'

// Reads the values that conditions use, for many carts at once.

export interface FactsContext {
  secrets: Pick<Secrets, 'addressHash'>
  now: Date
}

const CHANNELS = ['email', 'sms', 'whatsapp'] as const
const CONSENT_EVIDENCE = ['express_yes', 'confirmed']

/** Values for these conditions, by cart id. Unknown carts are missing. */
export async function readFacts(
  store: StoreDb,
  { secrets, now }: FactsContext,
  cartIds: readonly string[],
  conditions: readonly (FlowConditions | null)[],
): Promise<Map<string, ConditionFacts>> {
  const rows = cartIds.length > 0 ? await sql.selectFacts(store, [...new Set(cartIds)]) : []
  const hashes = usesFact(conditions, 'consent') ? hashAddresses(rows, secrets) : new Map<string, Buffer>()
  const ledger = await selectEvidence(store, [...hashes.values()], CHANNELS)
  const hasConsent = (channel: string, address: string | null) => {
    const hash = address === null ? undefined : hashes.get(address)
    return (
      hash !== undefined && CONSENT_EVIDENCE.includes(ledger.get(`${channel}:${hash.toString('hex')}`)?.evidence ?? '')
    )
  }
  return new Map(
    rows.map((row) => {
      const consents = CHANNELS.filter((each) => hasConsent(each, each === 'email' ? row.email : row.phone))
      return [row.cart_id, { ...buildFacts(row, now), consents }]
    }),
  )
}

function hashAddresses(rows: readonly sql.FactsRow[], secrets: FactsContext['secrets']): Map<string, Buffer> {
  const addresses = rows.flatMap(({ email, phone }) => [email ?? [], phone ?? []].flat())
  return new Map(addresses.map((address) => [address, secrets.addressHash(address)]))
}

function buildFacts(row: sql.FactsRow, now: Date): Omit<ConditionFacts, 'consents'> {
  const country = row.country ?? (row.phone === null ? null : findPhoneCountry(row.phone))
  const timeZone = chooseZone({ country, state: row.us_state, phone: row.phone }, row.time_zone)
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
    ...readClock(now, timeZone),
  }
}

/** The same values at another time. Pure. */
export const shiftFacts = (facts: ConditionFacts, at: Date): ConditionFacts => ({
  ...facts,
  ...readClock(at, facts.timeZone),
})

function readClock(at: Date, timeZone: string): Pick<ConditionFacts, 'day' | 'hour'> {
  const { dayOfWeek: day, hour } = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)
  return { day, hour }
}
