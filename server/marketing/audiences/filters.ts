import { getCurrencyExponent } from '../../../shared/core/money.ts'
import { type AudienceFilters, DEFAULT_FILTERS } from '../../../shared/marketing/audience.ts'
import type { StoredFilters } from '../../core/schema/public.ts'

// Converts filter sets between the API and their stored form. Pure.

export function toStoredFilters(filters: AudienceFilters, currency: string): StoredFilters {
  const minor = (amount: number) => Math.round(amount * 10 ** getCurrencyExponent(currency))
  const { minCartValue, maxCartValue, minAbandonTime, maxAbandonTime, badge, country, productId, mailedBefore } =
    filters
  return {
    ...(minCartValue == null ? {} : { minMinor: minor(minCartValue) }),
    ...(maxCartValue == null ? {} : { maxMinor: minor(maxCartValue) }),
    ...(minAbandonTime == null ? {} : { minHours: minAbandonTime }),
    ...(maxAbandonTime == null ? {} : { maxHours: maxAbandonTime }),
    ...(badge == null ? {} : { badge }),
    ...(country == null ? {} : { country }),
    ...(productId == null ? {} : { productId }),
    ...(mailedBefore == null ? {} : { mailedBefore }),
  }
}

export function presentFilters(filters: StoredFilters, currency: string): AudienceFilters {
  const { minMinor, maxMinor, minHours, maxHours, badge, ...rest } = filters
  const amount = (minor: number) => minor / 10 ** getCurrencyExponent(currency)
  return {
    ...(minMinor === undefined ? {} : { minCartValue: amount(minMinor) }),
    ...(maxMinor === undefined ? {} : { maxCartValue: amount(maxMinor) }),
    ...(minHours === undefined ? {} : { minAbandonTime: minHours }),
    ...(maxHours === undefined ? {} : { maxAbandonTime: maxHours }),
    ...(badge === undefined ? {} : { badge: badge as NonNullable<AudienceFilters['badge']> }),
    ...rest,
  }
}

const defaults: StoredFilters = { minHours: DEFAULT_FILTERS.minAbandonTime, maxHours: DEFAULT_FILTERS.maxAbandonTime }

/** The default filters of a campaign, and no filters at all, need no plan (decision 124). */
export const isFiltered = (filters: StoredFilters): boolean =>
  Object.entries(filters).some(([name, value]) => value !== defaults[name as keyof StoredFilters])
