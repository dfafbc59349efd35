import type Stripe from 'stripe'
import { AppError } from '../../core/common/public.ts'
import type { Deps } from '../../deps.ts'
import {
  buildExtraStoreKey,
  buildPlanKey,
  catalogueEntries,
  findPriceFault,
  type PlanChoice,
} from './catalogue-rules.ts'
import { askStripe } from './stripe.ts'

// Prices and portal configuration at Stripe, as created by `npm run billing:setup` (decision 82).

export interface Catalogue {
  /** Price ids by lookup key. */
  prices: ReadonlyMap<string, string>
  portal: string
}

const NOT_SET_UP =
  'Plans cannot be bought here yet: the administrator of this server has to run npm run billing:setup first.'

const CACHE_MS = 600_000
const cache = new WeakMap<Stripe, { catalogue: Catalogue; at: number }>()

/** Cached for ten minutes once complete. A price that differs from the Pricing page is never used. */
export async function loadCatalogue(deps: Pick<Deps, 'stripe' | 'log' | 'now' | 'config'>): Promise<Catalogue> {
  const known = deps.stripe && cache.get(deps.stripe)
  const at = deps.now().getTime()
  if (known && at - known.at < CACHE_MS && at >= known.at) return known.catalogue
  const [prices, portal] = await askStripe(deps, (stripe) =>
    Promise.all([listPrices(stripe), findPortal(stripe, deps.config.publicUrl)]),
  )
  const wrong = catalogueEntries.filter((one) => findFault(prices, one) !== null).map(({ lookupKey }) => lookupKey)
  if (wrong.length > 0 || !portal) {
    deps.log.error({ prices: wrong, hasPortal: portal !== null }, 'billing.not-set-up')
    throw new AppError('unavailable', NOT_SET_UP)
  }
  const catalogue = { prices: new Map(prices.map((price) => [price.lookup_key!, price.id])), portal: portal.id }
  cache.set(deps.stripe!, { catalogue, at })
  return catalogue
}

/** Lines of a choice, for checkout and subscriptions. */
export function buildLines({ prices }: Catalogue, { plan, cycle, extraStores }: PlanChoice) {
  const line = (lookupKey: string, quantity: number) => ({ price: prices.get(lookupKey)!, quantity })
  return [
    line(buildPlanKey(plan, cycle), 1),
    ...(extraStores > 0 ? [line(buildExtraStoreKey(cycle), extraStores)] : []),
  ]
}

export async function listPrices(stripe: Stripe): Promise<Stripe.Price[]> {
  const found = await stripe.prices.list({
    lookup_keys: catalogueEntries.map(({ lookupKey }) => lookupKey),
    limit: 100,
  })
  return found.data
}

/** The configuration of this installation: several installations may share a Stripe account. */
export async function findPortal(
  stripe: Stripe,
  publicUrl: string,
): Promise<Stripe.BillingPortal.Configuration | null> {
  const found = await stripe.billingPortal.configurations.list({ active: true, limit: 100 })
  return found.data.find(({ metadata }) => metadata?.recoup === publicUrl) ?? null
}

function findFault(prices: readonly Stripe.Price[], expected: (typeof catalogueEntries)[number]): string | null {
  const price = prices.find(({ lookup_key }) => lookup_key === expected.lookupKey)
  return price ? findPriceFault(price, expected) : 'is missing'
}
