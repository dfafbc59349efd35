import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { type BillingCycle, createFreeSubscription, manualUpdate, readUsage } from '../../../shared/billing/billing.ts'
import { subscriptionQuery } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { useOnce } from '../../core/ui/useOnce.ts'

const usageQuery = queryOptions({
  queryKey: ['billing', 'usage'],
  queryFn: ({ signal }) => call(readUsage, { signal }),
  staleTime: 0,
})
export const useUsage = () => useQuery(usageQuery)
export type Usage = z.output<typeof readUsage.reply>

/** Current status and usage. */
const overviewQuery = queryOptions({
  queryKey: ['billing', 'overview'],
  queryFn: async ({ client }) => {
    const [subscription, usage] = await Promise.all([
      client.fetchQuery({ ...subscriptionQuery, staleTime: 0 }),
      client.fetchQuery(usageQuery),
    ])
    return { subscription, usage }
  },
  staleTime: 0,
  // Both queries have been refetched by then.
  retry: false,
})

export const useOverview = () => useQuery(overviewQuery)
export type Overview = NonNullable<ReturnType<typeof useOverview>['data']>

export function useCreateFree() {
  const queries = useQueryClient()
  return useOnce({
    mutationFn: () => call(createFreeSubscription),
    onSettled: () => queries.refetchQueries({ queryKey: subscriptionQuery.queryKey }),
  })
}

export function useManualUpdate() {
  const queries = useQueryClient()
  return useOnce({
    mutationFn: (body: { planKey: string; cycle: BillingCycle }) => call(manualUpdate, { body }),
    onSuccess: async () => {
      await queries.refetchQueries({ queryKey: subscriptionQuery.queryKey })
      await queries.invalidateQueries({ queryKey: ['billing'] })
    },
  })
}
