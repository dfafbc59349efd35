import { CartBadge } from '../../../shared/carts.ts'
import { type Reach, readReachFilter, readStage, type StageFilter } from '../../../shared/reach.ts'
import { AppError } from '../../core/common/errors.ts'

// What a list of carts is filtered by, read from a request. Pure.

export interface ListFilter {
  badge: CartBadge | null
  search: string
  reach: Reach | null
  /** Abandoned in so many days of the store's calendar. */
  days: number | null
  /** Of the shopper; `none`: not known. */
  country: string | null
  /** The store's id of one that they hold. */
  product: string | null
  /** Of the conversion funnel. */
  stage: StageFilter | null
}

interface Asked {
  status?: string | undefined
  search?: string | undefined
  reach?: string | undefined
  days?: number | undefined
  country?: string | undefined
  product?: string | undefined
  stage?: string | undefined
}

export function filterOf({ status, search, reach, days, country, product, stage }: Asked): ListFilter {
  return {
    badge: badgeOf(status),
    search: search?.trim() ?? '',
    reach: reach === undefined ? null : readReachFilter(reach),
    days: days ?? null,
    country: country ?? null,
    product: product ?? null,
    stage: stage === undefined ? null : readStage(stage),
  }
}

/** `status=` filters by the lower-case badge (decision 11); `all` and nothing mean all. */
function badgeOf(status: string | undefined): CartBadge | null {
  const wanted = status?.trim().toLowerCase()
  if (!wanted || wanted === 'all') return null
  const badge = CartBadge.options.find((option) => option.toLowerCase() === wanted)
  if (!badge) throw new AppError('invalid', `There is no status "${wanted.slice(0, 40)}".`)
  return badge
}
