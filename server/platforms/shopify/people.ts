import { z } from 'zod'
import { findFirstEmail, normalizePhone } from '../../../shared/core/contact.ts'
import { parseLocale } from '../../../shared/core/locale.ts'
import {
  field,
  type PlatformConsent,
  type PlatformCustomer,
  parseCountryCode,
  type RowReading,
  skip,
  wirePart,
  wireText,
} from '../platform/public.ts'
import { parseAmount, wireGid, wireInstant } from './fields.ts'

// Customers and their consents. Withheld fields are missing.

export const Address = z.object({
  firstName: wireText(120),
  lastName: wireText(120),
  company: wireText(200),
  phone: z.unknown().optional(),
  countryCodeV2: field(parseCountryCode),
  provinceCode: field(parseCountryCode),
})

export const wireAddress = wirePart.pipe(Address)

const Consent = z.object({ state: wireText(40), optInLevel: wireText(40), updatedAt: wireInstant })

export const Person = z.object({
  id: wireGid,
  firstName: wireText(120),
  lastName: wireText(120),
  locale: field(parseLocale),
  defaultEmailAddress: wirePart.pipe(
    z.object({
      emailAddress: field(findFirstEmail),
      marketingState: wireText(40),
      marketingOptInLevel: wireText(40),
      marketingUpdatedAt: wireInstant,
    }),
  ),
  defaultPhoneNumber: wirePart.pipe(
    z.object({
      phoneNumber: z.unknown().optional(),
      smsMarketingConsent: wirePart.pipe(Consent),
      whatsAppMarketingConsent: wirePart.pipe(Consent),
    }),
  ),
})

export const wirePerson = wirePart.pipe(Person)

export type WirePerson = z.infer<typeof Person>

export const readPhone = ({ defaultPhoneNumber }: WirePerson, country: string | null): string | null =>
  normalizePhone(defaultPhoneNumber.phoneNumber, country)

/** One consent per channel with data. */
export function readConsents({ defaultEmailAddress: email, defaultPhoneNumber: phone }: WirePerson): PlatformConsent[] {
  const { smsMarketingConsent: sms, whatsAppMarketingConsent: whatsapp } = phone
  return [
    readConsent('email', {
      state: email.marketingState,
      optInLevel: email.marketingOptInLevel,
      updatedAt: email.marketingUpdatedAt,
    }),
    readConsent('sms', sms),
    readConsent('whatsapp', whatsapp),
  ].filter((consent) => consent !== null)
}

const LEVELS: Readonly<Record<string, PlatformConsent['level']>> = {
  SINGLE_OPT_IN: 'single',
  CONFIRMED_OPT_IN: 'double',
}

/** PENDING, INVALID and unknown states are not consent. Shopify keeps no wording. */
function readConsent(channel: PlatformConsent['channel'], { state, optInLevel, updatedAt }: z.infer<typeof Consent>) {
  if (state === null) return null
  const isWithdrawn = state === 'UNSUBSCRIBED' || state === 'REDACTED'
  const status = state === 'SUBSCRIBED' ? 'granted' : isWithdrawn ? 'withdrawn' : 'none'
  const level = Object.hasOwn(LEVELS, optInLevel ?? '') ? LEVELS[optInLevel!]! : 'unknown'
  return { channel, state: status, level, at: updatedAt, wording: null } satisfies PlatformConsent
}

const Customer = Person.extend({
  createdAt: wireInstant,
  updatedAt: wireInstant,
  numberOfOrders: field(parseCount),
  amountSpent: field(parseAmount),
  defaultAddress: wireAddress,
})

/** A whole number, sent as text. */
function parseCount(input: unknown): number | null {
  const count = typeof input === 'string' && /^\d{1,9}$/.test(input) ? Number(input) : input
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null
}

export function readCustomer(raw: unknown): RowReading<PlatformCustomer> {
  const parsed = Customer.safeParse(raw)
  if (!parsed.success) return skip(raw, 'not a customer')
  const wire = parsed.data
  if (!wire.id) return skip(raw, 'no id')
  const country = wire.defaultAddress.countryCodeV2
  return {
    row: {
      customerId: wire.id,
      email: wire.defaultEmailAddress.emailAddress,
      phone: readPhone(wire, country),
      firstName: wire.firstName,
      lastName: wire.lastName,
      company: wire.defaultAddress.company,
      country,
      createdAt: wire.createdAt,
      modifiedAt: wire.updatedAt,
      lastLoginAt: null,
      consents: readConsents(wire),
      ...(wire.numberOfOrders === null ? {} : { ordersCount: wire.numberOfOrders }),
      ...(wire.amountSpent === null ? {} : { spentMinor: Math.max(wire.amountSpent.amountMinor, 0) }),
    },
  }
}
