import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import { exportCustomers, listCustomers, readCustomer } from '../../../shared/marketing/customers.ts'
import { useIsStoreKnown, useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { useDownload } from '../../core/ui/Download.tsx'
import { type ListFilter, type ListQuery, toFilterParams } from './rules.ts'

type PagesOf = Exclude<z.output<typeof listCustomers.reply>, unknown[]>['pagination']

const FIVE_MINUTES_MS = 300_000

/** Cached for five minutes; store changes arrive live (`web/features/live`). */
export function useCustomers(query: ListQuery) {
  const storeId = useStore()?.id
  const isStoreKnown = useIsStoreKnown()
  return useQuery({
    queryKey: ['customers', storeId, query],
    enabled: isStoreKnown,
    queryFn: async ({ signal }) => {
      const { page, limit, sort, order } = query
      const params = { ...toFilterParams(query), page, limit, sort, order }
      const answer = await call(listCustomers, { query: params, signal })
      // With `page` the server paginates; the plain list of B 7 is complete.
      if (!Array.isArray(answer)) return answer
      const pagination: PagesOf = {
        page: 1,
        limit: answer.length,
        total: answer.length,
        pages: Math.min(answer.length, 1),
      }
      return { customers: answer, pagination }
    },
    staleTime: FIVE_MINUTES_MS,
    refetchInterval: FIVE_MINUTES_MS,
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
  })
}

export const useExportCustomers = () =>
  useDownload((filter: ListFilter) => call(exportCustomers, { query: toFilterParams(filter) }))

export function useCustomer(id: string) {
  return useQuery({
    queryKey: ['customer', id],
    queryFn: async ({ signal }) => (await call(readCustomer, { params: { id }, signal })).customer,
    refetchOnWindowFocus: false,
  })
}
