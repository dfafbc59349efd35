import { CartBadge } from '../../../shared/carts/carts.ts'
import { type Reach, readReachFilter, readStage, type StageFilter } from '../../../shared/carts/reach.ts'
import { AppError } from '../../core/common/public.ts'

// Parses the filters of the cart list from a request. Pure.

export interface ListFilter {
  badge: CartBadge | null
  search: string
  reach: Reach | null
  /** Abandoned within this many calendar days of the store. */
  days: number | null
  /** The shopper's country; `none`: unknown. */
  country: string | null
  /** The store's id of a product in the cart. */
  product: string | null
  /** Stage of the conversion funnel. */
  stage: StageFilter | null
}

interface FilterQuery {
  status?: string | undefined
  search?: string | undefined
  reach?: string | undefined
  days?: number | undefined
  country?: string | undefined
  product?: string | undefined
  stage?: string | undefined
}

export function parseFilter({ status, search, reach, days, country, product, stage }: FilterQuery): ListFilter {
  return {
    badge: parseBadge(status),
    search: search?.trim() ?? '',
    reach: reach === undefined ? null : readReachFilter(reach),
    days: days ?? null,
    country: country ?? null,
    product: product ?? null,
    stage: stage === undefined ? null : readStage(stage),
  }
}

/** `status=` filters by the lower-case badge (decision 11); `all` and nothing mean all. */
function parseBadge(status: string | undefined): CartBadge | null {
  const normalized = status?.trim().toLowerCase()
  if (!normalized || normalized === 'all') return null
  const badge = CartBadge.options.find((option) => option.toLowerCase() === normalized)
  if (!badge) throw new AppError('invalid', `There is no status "${normalized.slice(0, 40)}".`)
  return badge
}
