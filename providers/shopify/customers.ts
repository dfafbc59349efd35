// Customers: identified by email or phone, created with their first contact. They give and withdraw consent.
import { announce, type Desk } from './events.ts'
import type { Address, Consent, Customer } from './model.ts'
import { buildCustomerBody, buildEmailConsentBody, buildSmsConsentBody, buildWhatsAppConsentBody } from './payloads.ts'
import { findByKey, listWhere, save, takeNextId } from './records.ts'
import type { Shop } from './shop.ts'

export const noConsent: Consent = { state: 'NOT_SUBSCRIBED', level: null, at: null }

export interface Contact {
  email?: string | null
  phone?: string | null
  firstName?: string | null
  lastName?: string | null
  address?: Address | null
  locale?: string
}

/** Finds by email, otherwise by phone. */
export function findCustomer({ db }: Shop, { email, phone }: Contact): Customer | undefined {
  if (email) return findByKey(db, 'customer', email)
  if (!phone) return undefined
  return listWhere<'customer'>(db, `kind = ? and json_extract(doc, '$.phone') = ? limit 1`, 'customer', phone)[0]
}

/** Creates or updates the customer; null without a contact. */
export function upsertCustomer(desk: Desk, contact: Contact, at = desk.shop.now()): Customer | null {
  const { shop } = desk
  if (!contact.email && !contact.phone) return null
  const existing = findCustomer(shop, contact)
  if (existing) {
    const changed = { ...existing, ...pickPresent(contact) }
    if (JSON.stringify(changed) === JSON.stringify(existing)) return existing
    const saved = save(shop.db, 'customer', { ...changed, updatedAt: at })
    announce(desk, 'CUSTOMERS_UPDATE', buildCustomerBody(shop, saved))
    return saved
  }
  const fresh = save(shop.db, 'customer', {
    id: takeNextId(shop.db, 'customer'),
    createdAt: at,
    updatedAt: at,
    firstName: null,
    lastName: null,
    email: null,
    phone: null,
    locale: 'en',
    address: null,
    ordersCount: 0,
    spentMinor: 0,
    lastOrderId: null,
    emailConsent: noConsent,
    smsConsent: noConsent,
    whatsAppConsent: noConsent,
    ...pickPresent(contact),
  })
  announce(desk, 'CUSTOMERS_CREATE', buildCustomerBody(shop, fresh))
  return fresh
}

const pickPresent = (contact: Contact): Partial<Customer> =>
  Object.fromEntries(
    Object.entries(contact).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  )

export type Channel = 'email' | 'sms' | 'whatsApp'

const topics = {
  email: 'CUSTOMERS_EMAIL_MARKETING_CONSENT_UPDATE',
  sms: 'CUSTOMERS_MARKETING_CONSENT_UPDATE',
  whatsApp: 'CUSTOMERS_WHATS_APP_MARKETING_CONSENT_UPDATE',
} as const
const bodies = { email: buildEmailConsentBody, sms: buildSmsConsentBody, whatsApp: buildWhatsAppConsentBody } as const

/** An unchanged consent keeps its time. */
export function setConsent(
  desk: Desk,
  customer: Customer,
  channel: Channel,
  consent: Omit<Consent, 'at'>,
  at = desk.shop.now(),
): Customer {
  const { shop } = desk
  const name = `${channel}Consent` as const
  if (customer[name].state === consent.state) return customer
  const saved = save(shop.db, 'customer', { ...customer, [name]: { ...consent, at }, updatedAt: at })
  announce(desk, topics[channel], bodies[channel](shop, saved))
  announce(desk, 'CUSTOMERS_UPDATE', buildCustomerBody(shop, saved))
  return saved
}
