import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { listResting, restStores } from '../../../shared/billing/billing.ts'
import {
  cancelSubscription,
  changePlan,
  checkSession,
  createPortalSession,
  paymentHistory,
  previewChange,
  reactivateSubscription,
  readSubscription,
} from '../../../shared/billing/payments.ts'
import type { Endpoint } from '../../../shared/core/endpoint.ts'
import { connectionQuery, subscriptionQuery } from '../../core/access/queries.ts'
import { ApiError, call } from '../../core/api/api.ts'
import { useOnce } from '../../core/ui/useOnce.ts'
import type { Choice } from './change-copy.ts'

/** Loads the full plan and then refetches what other screens know, because this request may have updated it. */
const detailQuery = queryOptions({
  queryKey: ['billing', 'detail'],
  queryFn: async ({ signal, client }) => {
    const { subscription } = await call(readSubscription, { signal })
    await client.refetchQueries({ queryKey: subscriptionQuery.queryKey })
    return subscription
  },
  staleTime: 0,
})

export const useDetail = () => useQuery(detailQuery)

export const useRestingStores = () =>
  useQuery({
    queryKey: ['billing', 'stores'],
    queryFn: ({ signal }) => call(listResting, { signal }),
    staleTime: 0,
  })

/** Also refetches what other screens show about their store. */
export function useChooseRestingStores() {
  const queries = useQueryClient()
  return useOnce({
    mutationFn: async (storeIds: string[]) => {
      await call(restStores, { body: { storeIds } })
      await Promise.all([refetchBilling(queries), queries.refetchQueries({ queryKey: connectionQuery.queryKey })])
    },
  })
}

const PAGE = 10

export const useHistory = (page: number) =>
  useQuery({
    queryKey: ['billing', 'history', page],
    queryFn: ({ signal }) => call(paymentHistory, { query: { page, limit: PAGE }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** Asks once per checkout session, then refetches everything the purchase changes. */
export function useCheckedSession(id: string | null) {
  const queries = useQueryClient()
  return useQuery({
    queryKey: ['checkout', id],
    queryFn: async ({ signal }) => {
      const answer = await call(checkSession, { query: { session_id: id ?? '' }, signal })
      await refetchBilling(queries)
      return answer
    },
    enabled: id !== null,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: false,
  })
}

/** Page at the provider with card and invoices; an answer without an address is an error. */
export const useOpenPortal = () =>
  useOnce({
    mutationFn: async () => {
      const { url } = await call(createPortalSession)
      if (!url) throw new ApiError(502, { error: '', code: 'internal' })
      location.assign(url)
    },
  })

export const useCancel = () => useSubscriptionAction(cancelSubscription)
export const useReactivate = () => useSubscriptionAction(reactivateSubscription)

function useSubscriptionAction<E extends Endpoint>(endpoint: E) {
  const queries = useQueryClient()
  return useOnce({
    mutationFn: async () => {
      const answer = await call(endpoint)
      await refetchBilling(queries)
      return answer
    },
  })
}

/** A preview: safe to repeat because it changes nothing. */
export const usePreview = () =>
  useMutation({
    mutationFn: ({ plan, cycle, extraStores }: Choice) =>
      call(previewChange, { body: { planKey: plan, cycle, addOns: { extraStores } } }),
  })

export function useChange() {
  const queries = useQueryClient()
  return useOnce({
    mutationFn: async (body: { token: string; restingStoreIds: string[] }) => {
      const answer = await call(changePlan, { body })
      await refetchBilling(queries)
      return answer
    },
  })
}

/** Every query that shows plan or payments. */
const refetchBilling = (queries: QueryClient) => queries.invalidateQueries({ queryKey: ['billing'] })
