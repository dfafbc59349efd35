import { z } from 'zod'
import { normalizePhone } from '../../../shared/contact.ts'
import type { PlatformCheckout } from '../platform/platform.ts'
import { field, type RowReading, skip } from '../platform/row.ts'
import { webAddress } from '../platform/text.ts'
import { toMinor, wireConnection, wireGid, wireInstant, wireMoney, wireWords } from './fields.ts'
import { choosePlace, parseCodes, parseToken, readItems } from './order-wire.ts'
import { readConsents, readPhone, wireAddress, wirePerson } from './people.ts'

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
  const place = choosePlace(shippingAddress, billingAddress)
  const numbers = [shippingAddress.phone, billingAddress.phone].map((number) => normalizePhone(number, place.country))
  return {
    row: {
      checkoutId: wire.id,
      checkoutToken: parseUrlToken(wire.abandonedCheckoutUrl),
      // No checkout field has it: only its webhooks and its order do.
      cartToken: null,
      createdAt: wire.createdAt ?? wire.updatedAt,
      modifiedAt: wire.updatedAt,
      completedAt: wire.completedAt,
      currency,
      totalMinor,
      subtotalMinor: toMinor(wire.subtotalPriceSet, currency) ?? totalMinor,
      discountMinor: Math.abs(toMinor(wire.totalDiscountSet, currency) ?? 0),
      customerId: customer.id,
      email: customer.defaultEmailAddress.emailAddress,
      phone: readPhone(customer, place.country) ?? numbers.find((number) => number !== null) ?? null,
      firstName: customer.firstName ?? shippingAddress.firstName ?? billingAddress.firstName,
      lastName: customer.lastName ?? shippingAddress.lastName ?? billingAddress.lastName,
      ...place,
      language: customer.locale,
      items: readItems(wire.lineItems.nodes, currency),
      coupons: parseCodes(wire.discountCodes),
      restoreUrl: wire.abandonedCheckoutUrl,
      consents: readConsents(customer),
    },
  }
}

/** `…/checkouts/ac/<token>/recover?…`, without the `ac` in older URLs. */
function parseUrlToken(url: string | null): string | null {
  if (!url) return null
  const parts = new URL(url).pathname.split('/')
  const place = parts.indexOf('checkouts')
  return place < 0 ? null : (parseToken(parts[place + 1]) ?? parseToken(parts[place + 2]))
}
