import { useQuery } from '@tanstack/react-query'
import { listAbandonedCarts } from '../../../shared/carts/carts.ts'
import {
  type ChartMeasure,
  type ChartPeriod,
  readDashboardChart,
  readDashboardPath,
  readDashboardStats,
} from '../../../shared/insights/dashboard.ts'
import { useStore } from '../../core/access/queries.ts'
import { useScope } from '../../core/access/scope.ts'
import { call } from '../../core/api/api.ts'
import { toCartList } from '../../kits/carts/rules.ts'
import { pickDatasets } from '../../kits/charts/datasets.ts'

const REFRESH_MS = 30_000
/** Polls often during the first steps, to show the first cart quickly. */
const BEGINNING_REFRESH_MS = 5_000
const RECENT = 4

// Requests are aborted when the screen is left or another period is chosen.

export function useStats() {
  const { key, query } = useScope()
  return useQuery({
    queryKey: ['dashboard', key, 'stats'],
    queryFn: ({ signal }) => call(readDashboardStats, { query, signal }),
    refetchInterval: ({ state }) => (state.data?.abandonedCarts === 0 ? BEGINNING_REFRESH_MS : REFRESH_MS),
  })
}

/** The previous period's chart keeps its label until the next one loads. Carts are never drawn as money. */
export function useChart(period: ChartPeriod, measure: ChartMeasure) {
  const { key, query: scope } = useScope()
  return useQuery({
    queryKey: ['dashboard', key, 'chart', measure, period],
    queryFn: async ({ signal }) => ({
      ...(await call(readDashboardChart, { query: { ...scope, period, measure }, signal })),
      period,
    }),
    refetchInterval: REFRESH_MS,
    placeholderData: (last, query) => (query?.queryKey[3] === measure ? last : undefined),
  })
}

export function useRecentCarts() {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['carts', storeId, 'recent'],
    queryFn: async ({ signal }) => {
      const list = toCartList(await call(listAbandonedCarts, { query: { limit: RECENT }, signal }))
      return { ...list, carts: list.carts.slice(0, RECENT) }
    },
    refetchInterval: ({ state }) => (state.data?.carts.length === 0 ? BEGINNING_REFRESH_MS : REFRESH_MS),
  })
}

/** The hero's daily line: revenue of the last 30 days. */
export function useRecoveredByDay() {
  const { key, query: scope } = useScope()
  return useQuery({
    queryKey: ['dashboard', key, 'chart', 'revenue', 'month'],
    queryFn: async ({ signal }) => ({
      ...(await call(readDashboardChart, { query: { ...scope, period: 'month', measure: 'revenue' }, signal })),
      period: 'month' as const,
    }),
    refetchInterval: REFRESH_MS,
    select: (chart) => {
      const data = pickDatasets(chart)
      return data && { labels: data.labels, amounts: data.datasets[0]!.data.map(Number), currency: chart.currency }
    },
  })
}

const PATH_REFRESH_MS = 60_000

/** It reads carts, so it is refreshed less often than the figures. */
export function usePath() {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['dashboard', storeId, 'path'],
    queryFn: ({ signal }) => call(readDashboardPath, { query: {}, signal }),
    refetchInterval: PATH_REFRESH_MS,
    staleTime: PATH_REFRESH_MS,
  })
}
