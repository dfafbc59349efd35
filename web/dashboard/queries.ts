import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { listAbandonedCarts } from '../../shared/carts.ts'
import { type ChartPeriod, readDashboardChart, readDashboardStats } from '../../shared/dashboard.ts'
import { useStore } from '../access/queries.ts'
import { call } from '../api.ts'

const REFRESH_MS = 30_000
/** Whoever follows the first steps does not wait long for the first cart. */
const BEGINNING_REFRESH_MS = 5_000
const RECENT = 4

// Every request ends when nobody looks any more: leaving the screen, or asking for another period, aborts it.

export function useStats() {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['dashboard', storeId, 'stats'],
    queryFn: ({ signal }) => call(readDashboardStats, { signal }),
    refetchInterval: ({ state }) => (state.data?.abandonedCarts === 0 ? BEGINNING_REFRESH_MS : REFRESH_MS),
  })
}

/** The last period's chart stays until the next one's is there. */
export function useChart(period: ChartPeriod) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['dashboard', storeId, 'chart', period],
    queryFn: ({ signal }) => call(readDashboardChart, { query: { period }, signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  })
}

export function useRecentCarts() {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['carts', storeId, 'recent'],
    queryFn: ({ signal }) => call(listAbandonedCarts, { query: { limit: RECENT }, signal }),
    refetchInterval: ({ state }) => (state.data?.carts.length === 0 ? BEGINNING_REFRESH_MS : REFRESH_MS),
  })
}
