import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { followCart, listActiveCarts } from '../../../shared/carts/active-carts.ts'
import { consentTable } from '../../../shared/shoppers/consent.ts'
import { useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import type { Following } from './following.ts'

/** Fallback polling for browsers without a live connection (`web/features/live`). */
const REFRESH_MS = 15_000
const MAX_CARTS = 3

export function useActiveCarts() {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['carts', storeId, 'active'],
    queryFn: async ({ signal }) => addClockOffset(await call(listActiveCarts, { query: { limit: MAX_CARTS }, signal })),
    refetchInterval: REFRESH_MS,
  })
}

/** `null`: nothing is followed. */
export function useFollowed(following: Following | null) {
  const storeId = useStore()?.id
  const { since, email, id } = following ?? {}
  return useQuery({
    queryKey: ['carts', storeId, 'followed', since, email, id],
    queryFn: async ({ signal }) =>
      addClockOffset(
        await call(followCart, {
          query: { ...(since && { since }), ...(email && { email }), ...(id && { id }) },
          signal,
        }),
      ),
    enabled: following !== null,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    retry: false,
  })
}

/** `aheadMs`: server clock minus browser clock, needed for countdowns. */
function addClockOffset<Answer extends { now: string }>(answer: Answer): Answer & { aheadMs: number } {
  return { ...answer, aheadMs: Date.parse(answer.now) - Date.now() }
}

/** Consent rules by country. */
export function useConsentRules(isEnabled: boolean) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['consent', storeId, 'guide'],
    queryFn: ({ signal }) => call(consentTable, { signal }),
    enabled: isEnabled,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
