import { capabilities, type PlatformName } from '../../../shared/platforms/platforms.ts'
import type { StoreProfile } from '../../platforms/platform/public.ts'

// Columns for a store's profile. Pure.

/** Columns that are read again every day. */
export function toProfileColumns(profile: StoreProfile) {
  return {
    name: profile.name,
    currency: profile.currency,
    time_zone: profile.timeZone,
    locale: profile.locale,
    version: profile.version,
    base_country: profile.baseCountry,
    selling_countries: profile.sellingCountries,
    has_checkout_link: profile.hasCheckoutLink,
    prices_include_tax: profile.pricing.pricesIncludeTax,
    shows_tax: profile.pricing.showsTax,
    price_decimals: profile.pricing.decimals,
    is_discount_sequential: profile.pricing.isSequential,
    can_write: profile.canWrite,
    rights: profile.rights,
  }
}

/** Public address of the store, where it may change for the same store. */
export const homeColumns = (platform: PlatformName, { homeUrl }: StoreProfile): { home_url?: string } =>
  capabilities[platform].identity === 'address' ? { home_url: homeUrl } : {}

/** Whether the profile belongs to this store. */
export const isSameStore = (
  row: { platform: PlatformName; url: string; home_url: string },
  { storeUrl, homeUrl }: StoreProfile,
): boolean => (capabilities[row.platform].identity === 'address' ? row.url === storeUrl : row.home_url === homeUrl)
