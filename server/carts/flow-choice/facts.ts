import type { ConditionFact, FlowConditions } from '../../../shared/carts/flow-conditions.ts'
import { findShopperLocale, getLanguagePart } from '../../../shared/core/locale.ts'
import { chooseZone, type Secrets } from '../../core/common/public.ts'
import { type StoreDb, sql } from '../../core/db/public.ts'
import { findPhoneCountry } from '../../messages/channels/public.ts'
import { selectEvidence } from '../../shoppers/consent/public.ts'
import { hasPaidByStore } from '../../shoppers/shoppers/public.ts'
import type { ConditionValues } from './conditions.ts'

// Reads the values that conditions use, for many carts at once.

export interface ConditionContext {
  secrets: Pick<Secrets, 'addressHash'>
  now: Date
}

const CHANNELS = ['email', 'sms', 'whatsapp'] as const
const CONSENT_EVIDENCE = ['express_yes', 'confirmed']

/** Values for these conditions, by cart id. Unknown carts are missing. */
export async function readConditionValues(
  store: StoreDb,
  { secrets, now }: ConditionContext,
  cartIds: readonly string[],
  conditions: readonly (FlowConditions | null)[],
): Promise<Map<string, ConditionValues>> {
  const rows = cartIds.length > 0 ? await selectConditionRows(store, [...new Set(cartIds)]) : []
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
      return [row.cart_id, { ...buildConditionValues(row, now), consents }]
    }),
  )
}

function hashAddresses(rows: readonly ConditionRow[], secrets: ConditionContext['secrets']): Map<string, Buffer> {
  const addresses = rows.flatMap(({ email, phone }) => [email ?? [], phone ?? []].flat())
  return new Map(addresses.map((address) => [address, secrets.addressHash(address)]))
}

function buildConditionValues(row: ConditionRow, now: Date): Omit<ConditionValues, 'consents'> {
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
    language: readLanguage(row),
    timeZone,
    ...readClock(now, timeZone),
  }
}

/** Two letters; null: unknown. */
function readLanguage(known: Pick<ConditionRow, 'language' | 'locale' | 'country'>): string | null {
  const locale = findShopperLocale(known)
  return locale === null ? null : getLanguagePart(locale)
}

/** The same values at another time. Pure. */
export const shiftConditionValues = (facts: ConditionValues, at: Date): ConditionValues => ({
  ...facts,
  ...readClock(at, facts.timeZone),
})

function readClock(at: Date, timeZone: string): Pick<ConditionValues, 'day' | 'hour'> {
  const { dayOfWeek: day, hour } = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)
  return { day, hour }
}

// SQL that reads the values for conditions.

interface ConditionRow {
  cart_id: string
  value_minor: number
  currency: string
  store_currency: string
  items: { productId: string; quantity: number }[]
  /** Categories of the cart's products. */
  category_ids: string[]
  has_coupon: boolean
  email: string | null
  phone: string | null
  country: string | null
  us_state: string | null
  /** Chosen on the preference page. */
  language: string | null
  /** Of the shop's pages. */
  locale: string | null
  orders: number
  has_bought_before: boolean
  time_zone: string
}

async function selectConditionRows({ db, storeId }: StoreDb, cartIds: readonly string[]): Promise<ConditionRow[]> {
  const { rows } = await sql<ConditionRow>`
    select c.id as cart_id, c.value_minor, c.currency, r.currency as store_currency, c.items, coalesce(g.ids, '{}') as category_ids,
      jsonb_array_length(c.coupons) > 0 as has_coupon, c.email, c.phone, s.country, c.fold -> 'contact' ->> 'state' as us_state,
      s.language, coalesce(c.locale, s.locale) as locale, o.orders, o.orders > 0 or ${hasPaidByStore({ storeId: sql`c.store_id`, shopperId: sql`c.shopper_id` })} as has_bought_before,
      r.time_zone
    from carts c
    join stores r on r.id = c.store_id
    join shoppers s on s.store_id = c.store_id and s.id = c.shopper_id
    cross join lateral (select count(*)::int as orders from orders o
      where o.store_id = c.store_id and o.shopper_id = c.shopper_id and o.purchased_at < c.started_at and not o.is_unproven) o
    left join lateral (select array_agg(distinct k.id) as ids
      from (select distinct i.item ->> 'productId' as id from jsonb_array_elements(c.items) as i(item)) i
      join products p on p.store_id = c.store_id and p.product_id = i.id
      cross join lateral unnest(p.category_ids) as k(id)) g on true
    where c.store_id = ${storeId} and c.id = any(${[...cartIds]}::uuid[])`.execute(db)
  return rows
}

/** Whether any of the conditions uses this fact. */
const usesFact = (conditions: readonly (FlowConditions | null)[], fact: ConditionFact): boolean =>
  conditions.some((each) => each?.groups.some((group) => group.conditions.some((one) => one.fact === fact)) ?? false)
