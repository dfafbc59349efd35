import type { StoreProfile } from '../platforms/platform.ts'

// The profile of a store as columns. Pure.

/** What is read again every day. */
export function profileColumns(profile: StoreProfile) {
  return {
    name: profile.name,
    currency: profile.currency,
    time_zone: profile.timeZone,
    version: profile.version,
    base_country: profile.baseCountry,
    selling_countries: profile.sellingCountries,
    has_checkout_link: profile.hasCheckoutLink,
    prices_include_tax: profile.pricing.pricesIncludeTax,
    shows_tax: profile.pricing.showsTax,
    price_decimals: profile.pricing.decimals,
    is_discount_sequential: profile.pricing.isSequential,
    can_write: profile.canWrite,
  }
}
