import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createFreeSubscription, manualUpdate } from '../../shared/billing.ts'
import { subscriptionQuery } from '../access/queries.ts'
import { call } from '../api.ts'

export function useCreateFree() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call(createFreeSubscription),
    onSettled: () => queries.refetchQueries({ queryKey: subscriptionQuery.queryKey }),
  })
}

export function useManualUpdate() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (planKey: string) => call(manualUpdate, { body: { planKey } }),
    onSuccess: () => queries.refetchQueries({ queryKey: subscriptionQuery.queryKey }),
  })
}
