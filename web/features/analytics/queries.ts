import { keepPreviousData, useQuery } from '@tanstack/react-query'
import {
  type AnalyticsRange,
  listAnalyticsProducts,
  prepareAnalyticsExport,
  readAnalytics,
  readAnalyticsDetails,
  readRecoveryRateTrend,
  readRevenueTrend,
  readRoi,
} from '../../../shared/insights/analytics.ts'
import { useScope } from '../../core/access/scope.ts'
import { call } from '../../core/api/api.ts'
import { useDownload } from '../../core/ui/Download.tsx'

const REFRESH_MS = 60_000
/** Polls while days or customers are being counted. */
const COUNTING_MS = 5_000
const RETRIES = false

interface CountingState {
  isBeingCounted: boolean
  customers?: { isBeingCounted: boolean } | null
}

const refreshMs = ({ state: { data } }: { state: { data: CountingState | undefined } }) =>
  data?.isBeingCounted || data?.customers?.isBeingCounted ? COUNTING_MS : REFRESH_MS

// The previous range's figures stay, marked as outdated, until the next ones arrive. Requests are cancelled on unmount.

export function useAnalytics(range: AnalyticsRange) {
  const { key, query: scope } = useScope()
  return useQuery({
    queryKey: ['analytics', key, 'figures', range],
    queryFn: async ({ signal }) => ({ ...(await call(readAnalytics, { query: { ...scope, range }, signal })), range }),
    refetchInterval: refreshMs,
    retry: RETRIES,
    placeholderData: keepPreviousData,
  })
}

export function useDetails(range: AnalyticsRange, isEnabled: boolean) {
  const { key, query: scope } = useScope()
  return useQuery({
    queryKey: ['analytics', key, 'details', range],
    queryFn: ({ signal }) => call(readAnalyticsDetails, { query: { ...scope, range }, signal }),
    enabled: isEnabled,
    refetchInterval: refreshMs,
    retry: RETRIES,
    placeholderData: keepPreviousData,
  })
}

export function useRoi(range: AnalyticsRange, isEnabled: boolean) {
  const { key, query: scope } = useScope()
  return useQuery({
    queryKey: ['analytics', key, 'roi', range],
    queryFn: ({ signal }) => call(readRoi, { query: { ...scope, range }, signal }),
    enabled: isEnabled,
    refetchInterval: refreshMs,
    retry: RETRIES,
    placeholderData: keepPreviousData,
  })
}

export const trends = { rate: readRecoveryRateTrend, revenue: readRevenueTrend } as const
export type TrendName = keyof typeof trends

export function useTrend(name: TrendName, period: AnalyticsRange) {
  const { key, query: scope } = useScope()
  return useQuery({
    queryKey: ['analytics', key, 'trend', name, period],
    queryFn: async ({ signal }) => ({
      ...(await call(trends[name], { query: { ...scope, period, buckets: 'auto' }, signal })),
      period,
    }),
    refetchInterval: refreshMs,
    retry: RETRIES,
    placeholderData: keepPreviousData,
  })
}

export interface ProductQuery {
  search: string
  page: number
}

export function useProducts(range: AnalyticsRange, { search, page }: ProductQuery, isEnabled: boolean) {
  const { key, query: scope } = useScope()
  return useQuery({
    queryKey: ['analytics', key, 'products', range, search, page],
    queryFn: ({ signal }) =>
      call(listAnalyticsProducts, { query: { ...scope, range, page, ...(search && { search }) }, signal }),
    enabled: isEnabled,
    refetchInterval: refreshMs,
    retry: RETRIES,
    placeholderData: keepPreviousData,
  })
}

export function useExportAnalytics() {
  const { query: scope } = useScope()
  return useDownload((range: AnalyticsRange) => call(prepareAnalyticsExport, { query: { ...scope, range } }))
}
