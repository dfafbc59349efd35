import { z } from 'zod'
import { currencyExponent, parseCurrency } from '../../../shared/money.ts'
import type { StoreAccess, StoreNet } from '../platform/access.ts'
import type { StoreProfile, StoreRights } from '../platform/platform.ts'
import { field, wirePart, wireText } from '../platform/row.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { parseCountryCode, plainText, webAddress } from '../platform/text.ts'
import { at, wireFlag } from './fields.ts'
import type { Graph } from './graph.ts'
import { API_VERSION, PERSONAL_PROBE, SHOP } from './queries.ts'

// The connection check: whether the store responds, its profile, and its app's permissions. Missing permissions that we
// can do without are listed in the rights; reading orders is required.

export const REQUIRED_SCOPES = ['read_orders', 'read_customers', 'read_products', 'write_discounts'] as const

const Shop = z.object({
  name: wireText(200),
  currencyCode: field(parseCurrency),
  ianaTimezone: field((input) => (isTimeZone(input) ? input : 'UTC')),
  taxesIncluded: wireFlag,
  primaryDomain: wirePart.pipe(z.object({ url: field(webAddress) })),
  shopAddress: wirePart.pipe(z.object({ countryCodeV2: field(parseCountryCode) })),
  shipsToCountries: field((input) =>
    (Array.isArray(input) ? input.slice(0, 400) : []).map(parseCountryCode).filter((code) => code !== null),
  ),
  plan: wirePart.pipe(z.object({ publicDisplayName: wireText(80) })),
})

export async function readProfile(
  access: StoreAccess,
  net: StoreNet,
  { graph, signal }: { graph: Graph; signal?: AbortSignal | undefined },
): Promise<StoreProfile> {
  graph.hopeAgain()
  const answer = await graph.read(SHOP, {}, signal)
  const shop = Shop.safeParse(answer.data.shop)
  if (!shop.success) throw new StoreProblem('shopify_bad_answer', 'the answer is not about a shop')
  const { currencyCode: currency, taxesIncluded, shipsToCountries } = shop.data
  if (!currency) throw new StoreProblem('shopify_bad_answer', 'the store names no currency')
  const homeUrl = (shop.data.primaryDomain.url ?? access.storeUrl).replace(/(?<!\/)\/+$/, '')
  const scopes = readScopes(answer.data.currentAppInstallation)
  const rights: StoreRights = {
    scopes,
    missingScopes: REQUIRED_SCOPES.filter((scope) => !isGranted(scopes, scope)),
    protectedData: await probeProtectedData(graph, signal),
    hasAllOrders: isGranted(scopes, 'read_all_orders'),
    planName: shop.data.plan.publicDisplayName ?? 'unknown',
    isPasswordProtected: await isPasswordProtected(homeUrl, net, signal),
  }
  return {
    storeUrl: access.storeUrl,
    homeUrl,
    name: shop.data.name ?? new URL(homeUrl).host,
    currency,
    timeZone: shop.data.ianaTimezone,
    version: API_VERSION,
    baseCountry: shop.data.shopAddress.countryCodeV2,
    sellingCountries: shipsToCountries.length > 0 ? shipsToCountries : null,
    clockSkewMs: answer.clockSkewMs ?? 0,
    hasCheckoutLink: true,
    hasEarlyDrafts: false,
    pricing: {
      pricesIncludeTax: taxesIncluded,
      showsTax: taxesIncluded,
      decimals: currencyExponent(currency),
      isSequential: null,
    },
    canWrite: isGranted(scopes, 'write_discounts'),
    rights,
  }
}

function readScopes(installation: unknown): string[] {
  const list = at(installation, 'accessScopes')
  const names = (Array.isArray(list) ? list.slice(0, 300) : []).map((one) => plainText(at(one, 'handle'), 80))
  return names.filter((name) => name !== null)
}

/** Write access includes read access. */
const isGranted = (scopes: readonly string[], scope: string): boolean =>
  scopes.includes(scope) || (scope.startsWith('read_') && scopes.includes(scope.replace('read_', 'write_')))

/** none: shoppers cannot be contacted. Without names they can. Throws when orders cannot be read. */
async function probeProtectedData(
  graph: Graph,
  signal: AbortSignal | undefined,
): Promise<StoreRights['protectedData']> {
  await graph.read(PERSONAL_PROBE, {}, signal)
  return graph.flags.emails || graph.flags.phones ? 'full' : 'none'
}

const PASSWORD_LIMIT_MS = 10_000

/** Requests a public page without a key. A storefront that does not respond counts as open. */
async function isPasswordProtected(homeUrl: string, net: StoreNet, signal: AbortSignal | undefined): Promise<boolean> {
  const request = { timeoutMs: PASSWORD_LIMIT_MS, isRedirectReturned: true, ...(signal ? { signal } : {}) }
  const answer = await net.fetch(`${homeUrl}/`, request).catch(() => null)
  const location = answer?.headers.location
  if (!location || !URL.canParse(location, homeUrl)) return false
  return new URL(location, homeUrl).pathname.endsWith('/password')
}

function isTimeZone(name: unknown): name is string {
  if (typeof name !== 'string' || !/^[A-Za-z][A-Za-z0-9_+/-]{1,60}$/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
