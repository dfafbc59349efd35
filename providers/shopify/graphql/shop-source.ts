import { buildGid, currency, myshopifyDomain, plans, readSetup, shopId, storeName, storeTagline } from '../shop.ts'
import { type Context, formatTime, type Source } from './context.ts'

export function buildShopSource({ shop }: Context): Source {
  const { plan, password } = readSetup(shop)
  const { name, isPlus } = plans[plan]
  const offset = Temporal.Instant.fromEpochMilliseconds(shop.now()).toZonedDateTimeISO(shop.timeZone)
  return {
    __typename: 'Shop',
    id: buildGid('Shop', shopId),
    name: storeName,
    description: storeTagline,
    email: 'owner@fernandfinch.example.com',
    contactEmail: 'hello@fernandfinch.example.com',
    shopOwnerName: 'Robin Alder',
    myshopifyDomain,
    url: shop.home,
    currencyCode: currency,
    ianaTimezone: shop.timeZone,
    timezoneOffset: offset.offset,
    timezoneOffsetMinutes: offset.offsetNanoseconds / 6e10,
    timezoneAbbreviation: 'PST',
    taxesIncluded: false,
    taxShipping: false,
    setupRequired: false,
    weightUnit: 'POUNDS',
    unitSystem: 'IMPERIAL_SYSTEM',
    enabledPresentmentCurrencies: [currency],
    shipsToCountries: ['US'],
    checkoutApiSupported: true,
    marketingSmsConsentEnabledAtCheckout: true,
    createdAt: formatTime(Date.UTC(2024, 2, 1)),
    primaryDomain: {
      id: buildGid('Domain', 1),
      host: new URL(shop.home).host,
      url: shop.home,
      sslEnabled: shop.home.startsWith('https:'),
    },
    plan: { displayName: name, publicDisplayName: name, partnerDevelopment: false, shopifyPlus: isPlus },
    shopAddress: {
      id: buildGid('ShopAddress', 1),
      address1: '2210 SE Clinton St',
      address2: null,
      city: 'Portland',
      zip: '97202',
      company: 'Fern & Finch',
      phone: null,
      country: 'United States',
      countryCodeV2: 'US',
      countryCode: 'US',
      provinceCode: 'OR',
      province: 'Oregon',
      coordinatesValidated: true,
    },
    billingAddress: {
      id: buildGid('ShopAddress', 1),
      countryCodeV2: 'US',
      country: 'United States',
      provinceCode: 'OR',
      city: 'Portland',
    },
    features: { storefront: password === null, reports: true, liveView: true, giftCards: true },
    resourceLimits: { maxProductOptions: 3, maxProductVariants: 2048, locationLimit: 10, redirectLimitReached: false },
  }
}
