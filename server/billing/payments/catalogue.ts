import type Stripe from 'stripe'
import { AppError } from '../../core/common/errors.ts'
import type { Deps } from '../../deps.ts'
import { type Choice, extraStoreKeyOf, planKeyOf, priceFault, sold } from './catalogue-rules.ts'
import { askStripe } from './stripe.ts'

// The prices and the portal's configuration at Stripe, as `npm run billing:setup` made them (decision 82).

export interface Catalogue {
  /** The id of each price, by its lookup key. */
  prices: ReadonlyMap<string, string>
  portal: string
}

const NOT_SET_UP =
  'Plans cannot be bought here yet: the administrator of this server has to run npm run billing:setup first.'

const KEPT_MS = 600_000
const kept = new WeakMap<Stripe, { catalogue: Catalogue; at: number }>()

/** Kept for ten minutes, once it is complete. A price that does not cost what Pricing shows is never used. */
export async function catalogueOf(deps: Pick<Deps, 'stripe' | 'log' | 'now' | 'config'>): Promise<Catalogue> {
  const known = deps.stripe && kept.get(deps.stripe)
  const at = deps.now().getTime()
  if (known && at - known.at < KEPT_MS && at >= known.at) return known.catalogue
  const [prices, portal] = await askStripe(deps, (stripe) =>
    Promise.all([listPrices(stripe), findPortal(stripe, deps.config.publicUrl)]),
  )
  const wrong = sold.filter((one) => faultIn(prices, one) !== null).map(({ lookupKey }) => lookupKey)
  if (wrong.length > 0 || !portal) {
    deps.log.error({ prices: wrong, hasPortal: portal !== null }, 'billing.not-set-up')
    throw new AppError('unavailable', NOT_SET_UP)
  }
  const catalogue = { prices: new Map(prices.map((price) => [price.lookup_key!, price.id])), portal: portal.id }
  kept.set(deps.stripe!, { catalogue, at })
  return catalogue
}

/** The lines of a choice, as checkout and subscriptions take them. */
export function linesOf({ prices }: Catalogue, { plan, cycle, extraStores }: Choice) {
  const line = (lookupKey: string, quantity: number) => ({ price: prices.get(lookupKey)!, quantity })
  return [line(planKeyOf(plan, cycle), 1), ...(extraStores > 0 ? [line(extraStoreKeyOf(cycle), extraStores)] : [])]
}

export async function listPrices(stripe: Stripe): Promise<Stripe.Price[]> {
  const found = await stripe.prices.list({ lookup_keys: sold.map(({ lookupKey }) => lookupKey), limit: 100 })
  return found.data
}

/** The configuration of this installation: several may share one account of Stripe. */
export async function findPortal(
  stripe: Stripe,
  publicUrl: string,
): Promise<Stripe.BillingPortal.Configuration | null> {
  const found = await stripe.billingPortal.configurations.list({ active: true, limit: 100 })
  return found.data.find(({ metadata }) => metadata?.recoup === publicUrl) ?? null
}

function faultIn(prices: readonly Stripe.Price[], wanted: (typeof sold)[number]): string | null {
  const price = prices.find(({ lookup_key }) => lookup_key === wanted.lookupKey)
  return price ? priceFault(price, wanted) : 'is missing'
}
