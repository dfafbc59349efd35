// Customers, their consents and addresses.
import type { Address, Consent, ConsentState, Customer } from '../model.ts'
import { find } from '../records.ts'
import { buildGid } from '../shop.ts'
import { buildMoneySource, type Context, formatTime, type Source } from './context.ts'
import { buildOrdersSource, orderSource } from './orders.ts'
import type { PageArgs } from './pages.ts'
import { hasScope } from './rights.ts'

const REGION_NAMES = new Intl.DisplayNames(['en'], { type: 'region' })

export function buildCustomerSource(context: Context, customer: Customer): Source {
  const { shop } = context
  const name = [customer.firstName, customer.lastName].filter(Boolean).join(' ')
  return {
    __typename: 'Customer',
    id: buildGid('Customer', customer.id),
    legacyResourceId: String(customer.id),
    firstName: customer.firstName,
    lastName: customer.lastName,
    locale: customer.locale,
    displayName: name || customer.email || customer.phone || '',
    email: customer.email,
    phone: customer.phone,
    note: null,
    tags: [],
    taxExempt: false,
    verifiedEmail: true,
    state: 'DISABLED',
    dataSaleOptOut: false,
    createdAt: formatTime(customer.createdAt),
    updatedAt: formatTime(customer.updatedAt),
    numberOfOrders: String(customer.ordersCount),
    amountSpent: buildMoneySource(customer.spentMinor),
    defaultEmailAddress: () =>
      customer.email === null
        ? null
        : {
            emailAddress: customer.email,
            marketingState: customer.emailConsent.state,
            marketingOptInLevel: customer.emailConsent.level,
            marketingUpdatedAt: formatTime(customer.emailConsent.at),
            validFormat: true,
          },
    defaultPhoneNumber: () =>
      customer.phone === null
        ? null
        : {
            phoneNumber: customer.phone,
            marketingState: customer.smsConsent.state,
            marketingOptInLevel: customer.smsConsent.level,
            marketingUpdatedAt: formatTime(customer.smsConsent.at),
            smsMarketingConsent: buildConsentSource(customer.smsConsent),
            whatsAppMarketingConsent: buildConsentSource(customer.whatsAppConsent),
          },
    emailMarketingConsent: () =>
      customer.email === null
        ? null
        : {
            marketingState: customer.emailConsent.state,
            marketingOptInLevel: customer.emailConsent.level,
            consentUpdatedAt: formatTime(customer.emailConsent.at),
          },
    smsMarketingConsent: () =>
      customer.phone === null
        ? null
        : {
            marketingState: customer.smsConsent.state,
            marketingOptInLevel: customer.smsConsent.level ?? 'UNKNOWN',
            consentUpdatedAt: formatTime(customer.smsConsent.at),
            consentCollectedFrom: 'SHOPIFY',
          },
    defaultAddress: customer.address && buildAddressSource(customer.address, customer.id),
    lastOrder: () => {
      const order = customer.lastOrderId === null ? undefined : find(shop.db, 'order', customer.lastOrderId)
      return order && isReadable(context, order.createdAt) ? orderSource(context, order) : null
    },
    orders: (args: PageArgs & { query?: string | null; sortKey?: string | null }) =>
      buildOrdersSource(context, args, customer.id),
  }
}

/** Without `read_all_orders` only orders of the last 60 days are readable. */
export const isReadable = (context: Context, createdAt: number) => createdAt >= computeOldestReadableTime(context)

export function computeOldestReadableTime({ shop, rights }: Context): number {
  return hasScope(rights.scopes, 'read_all_orders') ? 0 : shop.now() - 60 * 86_400_000
}

const buildConsentSource = ({ state, level, at }: Consent): Source => ({
  state: toConsentState(state),
  optInLevel: level,
  updatedAt: formatTime(at),
  collectedFrom: at === null ? null : 'SHOPIFY',
})

const toConsentState = (state: ConsentState) => (state === 'NOT_SUBSCRIBED' ? 'NEVER_SUBSCRIBED' : state)

export function buildAddressSource(address: Address, id: number): Source {
  const name = `${address.firstName} ${address.lastName}`.trim()
  return {
    __typename: 'MailingAddress',
    id: `${buildGid('MailingAddress', id)}?model_name=Address`,
    firstName: address.firstName || null,
    lastName: address.lastName || null,
    name: name || null,
    address1: address.address1 || null,
    address2: address.address2 || null,
    company: null,
    city: address.city || null,
    zip: address.zip || null,
    phone: address.phone || null,
    country: getCountryName(address.countryCode),
    countryCodeV2: address.countryCode,
    provinceCode: address.provinceCode || null,
    province: address.provinceCode || null,
    formatted: () => [name, address.address1, `${address.city} ${address.provinceCode} ${address.zip}`].filter(Boolean),
  }
}

export const getCountryName = (code: string) => REGION_NAMES.of(code) ?? code
