import { type CountryCode, getExampleNumber, isSupportedCountry } from 'libphonenumber-js'
import examples from 'libphonenumber-js/mobile/examples'
import type { CartItem } from '../../../shared/carts.ts'
import { currencyExponent } from '../../../shared/money.ts'
import { newId } from '../../core/common/ids.ts'
import type { StoreTx } from '../../core/db/db.ts'
import type { ClaimedRow } from '../decide/situation.ts'
import * as sql from './sample-sql.ts'

// The sample cart for previews, for stores that have no cart yet. It exists in memory only; no row and no link of it is
// stored.

const HOUR_MS = 3_600_000

/** A message about the sample cart; null: the store is gone. */
export async function sampleRow(
  tx: StoreTx,
  template: sql.SampleTemplate,
  { now, publicUrl }: { now: Date; publicUrl: string },
): Promise<ClaimedRow | null> {
  const store = await sql.readBasis(tx)
  if (!store) return null
  const products = await sql.sampleProducts(tx, store.currency)
  const items = products.length > 0 ? products.map(itemOf) : neutralItems(store.currency, publicUrl)
  return {
    ...nobody(now),
    ...template,
    items,
    value_minor: items.reduce((sum, item) => sum + item.quantity * item.unitPriceMinor, 0),
    currency: store.currency,
    country: store.base_country,
    phone: phoneIn(store.base_country),
  }
}

const itemOf = (product: sql.SampleProduct): CartItem => ({
  productId: product.product_id,
  variationId: null,
  name: product.name,
  sku: product.sku,
  quantity: 1,
  unitPriceMinor: product.price_minor,
  imageUrl: product.image_url,
})

/** Items for a store without known products. The images are part of the app. */
export function neutralItems(currency: string, publicUrl: string): CartItem[] {
  const item = (name: string, picture: string, cents: number): CartItem => ({
    ...{ productId: picture, variationId: null, sku: null, quantity: 1 },
    name,
    unitPriceMinor: Math.max(cents, Math.round((cents / 100) * 10 ** currencyExponent(currency))),
    imageUrl: `${publicUrl}/sample/${picture}.jpg`,
  })
  return [item('Stoneware mug', 'mug', 2_800), item('Storage jar', 'jar', 3_400)]
}

/** A fictional number of the country, to compute the price. */
function phoneIn(country: string | null): string | null {
  const known: CountryCode = country && isSupportedCountry(country) ? country : 'US'
  return getExampleNumber(known, examples)?.number ?? null
}

function nobody(now: Date) {
  return {
    ...{ id: newId(), cart_id: newId(), shopper_id: newId(), reason: null, attempts: 0, manual: null, campaign: null },
    ...{ due_at: now, expires_at: new Date(now.getTime() + HOUR_MS) },
    ...{ flow_is_on: null, is_step_removed: false, is_superseded: false },
    ...{ step_id: null, conditions: null, is_split: false, variant_id: null },
    ...{ cart_version: 0, cart_status: 'abandoned' as const, abandon_at: null, pending_until: null },
    ...{ last_activity_at: now, email: 'sample@example.com' },
    ...{ arm: null, is_under_way: false, is_member: false, first_name: 'Alex', us_state: null },
    ...{ unconfirmed_email: null, unconfirmed_phone: null, matching_order: null, has_bought_before: false },
    ...{
      coupon: null,
      entered_codes: [],
      cap_used: 0,
      cap_oldest: null,
      texts_sent: 0,
      text_last: null,
      subscription: null,
    },
  }
}
