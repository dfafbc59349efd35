import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { type CartView, cartMessages, getCart, listAbandonedCarts } from '../../shared/carts.ts'
import { useStore } from '../access/queries.ts'
import { call } from '../api.ts'
import { isSomethingOpen, type ListQuery } from './rules.ts'

const FIVE_MINUTES_MS = 300_000
const LIST_REFRESH_MS = 15_000
const OPEN_REFRESH_MS = 5_000
const QUIET_REFRESH_MS = 60_000

/** Cached for 5 minutes (B 7), and renewed behind while someone looks. */
export function useCarts(query: ListQuery) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['carts', storeId, query],
    queryFn: ({ signal }) => call(listAbandonedCarts, { query, signal }),
    staleTime: FIVE_MINUTES_MS,
    gcTime: FIVE_MINUTES_MS,
    refetchInterval: LIST_REFRESH_MS,
    refetchOnMount: 'always',
    placeholderData: keepPreviousData,
  })
}

const cartQuery = (id: string) =>
  queryOptions({
    queryKey: ['cart', id],
    queryFn: async ({ signal }) => {
      const { cart } = await call(getCart, { params: { id }, signal })
      return cart as CartView
    },
  })

export function useCart(id: string, isLive: boolean) {
  return useQuery({ ...cartQuery(id), refetchInterval: isLive ? OPEN_REFRESH_MS : QUIET_REFRESH_MS })
}

export function useCartMessages(id: string) {
  return useQuery({
    queryKey: ['cart', id, 'messages'],
    queryFn: ({ signal }) => call(cartMessages, { params: { id }, signal }),
    refetchInterval: ({ state }) => (isSomethingOpen(state.data?.messages ?? []) ? OPEN_REFRESH_MS : QUIET_REFRESH_MS),
  })
}
