import { z } from 'zod'
import { normalizePhone } from '../../../shared/contact.ts'
import type { PlatformCheckout } from '../platform/platform.ts'
import { field, type RowReading, skip } from '../platform/row.ts'
import { webAddress } from '../platform/text.ts'
import { minorIn, wireConnection, wireGid, wireInstant, wireMoney, wireWords } from './fields.ts'
import { codesOf, itemsOf, placeOf, tokenOf } from './order-wire.ts'
import { consentsOf, phoneOf, wireAddress, wirePerson } from './people.ts'

// Reads a started checkout. It has no contact of its own: the contact is its customer's.

const Checkout = z.object({
  id: wireGid,
  abandonedCheckoutUrl: field(webAddress),
  createdAt: wireInstant,
  updatedAt: wireInstant,
  completedAt: wireInstant,
  discountCodes: wireWords,
  totalPriceSet: wireMoney,
  subtotalPriceSet: wireMoney,
  totalDiscountSet: wireMoney,
  customer: wirePerson,
  shippingAddress: wireAddress,
  billingAddress: wireAddress,
  lineItems: wireConnection,
})

export function readCheckout(raw: unknown): RowReading<PlatformCheckout> {
  const parsed = Checkout.safeParse(raw)
  if (!parsed.success) return skip(raw, 'not a checkout')
  const wire = parsed.data
  if (!wire.id) return skip(raw, 'no id')
  const without = (what: string) => ({ skipped: { id: wire.id, reason: `no ${what}` } })
  if (!wire.updatedAt) return without('time of modification')
  if (!wire.totalPriceSet) return without('total')
  const { amountMinor: totalMinor, currency } = wire.totalPriceSet
  const { customer, shippingAddress, billingAddress } = wire
  const place = placeOf(shippingAddress, billingAddress)
  const numbers = [shippingAddress.phone, billingAddress.phone].map((number) => normalizePhone(number, place.country))
  return {
    row: {
      checkoutId: wire.id,
      checkoutToken: tokenOfUrl(wire.abandonedCheckoutUrl),
      // No checkout field has it: only its webhooks and its order do.
      cartToken: null,
      createdAt: wire.createdAt ?? wire.updatedAt,
      modifiedAt: wire.updatedAt,
      completedAt: wire.completedAt,
      currency,
      totalMinor,
      subtotalMinor: minorIn(wire.subtotalPriceSet, currency) ?? totalMinor,
      discountMinor: Math.abs(minorIn(wire.totalDiscountSet, currency) ?? 0),
      customerId: customer.id,
      email: customer.defaultEmailAddress.emailAddress,
      phone: phoneOf(customer, place.country) ?? numbers.find((number) => number !== null) ?? null,
      firstName: customer.firstName ?? shippingAddress.firstName ?? billingAddress.firstName,
      lastName: customer.lastName ?? shippingAddress.lastName ?? billingAddress.lastName,
      ...place,
      language: customer.locale,
      items: itemsOf(wire.lineItems.nodes, currency),
      coupons: codesOf(wire.discountCodes),
      restoreUrl: wire.abandonedCheckoutUrl,
      consents: consentsOf(customer),
    },
  }
}

/** `…/checkouts/ac/<token>/recover?…`, without the `ac` in older URLs. */
function tokenOfUrl(url: string | null): string | null {
  if (!url) return null
  const parts = new URL(url).pathname.split('/')
  const place = parts.indexOf('checkouts')
  return place < 0 ? null : (tokenOf(parts[place + 1]) ?? tokenOf(parts[place + 2]))
}
