import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type CartView, getCart, type RestorableCart } from '../../../shared/carts/carts.ts'
import {
  confirmUnsubscribe,
  readUnsubscribe,
  restoreCart,
  TEST_TOKEN,
  undoUnsubscribe,
} from '../../../shared/delivery/restore.ts'
import { call } from '../../core/api/api.ts'

export const useRestorable = (cartId: string) =>
  useQuery({
    queryKey: ['restore', cartId],
    queryFn: async ({ signal }) => {
      const { cart } = await call(getCart, { params: { id: cartId }, signal })
      return cart as RestorableCart | CartView
    },
    enabled: cartId !== '',
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** A link's token identifies the cart; a cart id means a member's preview. */
export const useRestore = (cartId: string) =>
  useMutation({
    mutationFn: () => call(restoreCart, { params: { id: cartId }, isAnonymous: cartId.startsWith('rt_') }),
  })

export type RestoredReply = NonNullable<ReturnType<typeof useRestore>['data']>

const unsubscribeKey = (token: string) => ['unsubscribe', token]

export const useUnsubscribeInfo = (token: string) =>
  useQuery({
    queryKey: unsubscribeKey(token),
    queryFn: ({ signal }) => call(readUnsubscribe, { params: { token }, signal, isAnonymous: true }),
    enabled: token !== '' && token !== TEST_TOKEN,
    refetchOnWindowFocus: false,
  })

/** Unsubscribes, or undoes it. */
export function useUnsubscribe(token: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (isUnsubscribing: boolean) => {
      const endpoint = isUnsubscribing ? confirmUnsubscribe : undoUnsubscribe
      const { isUnsubscribed } = await call<typeof confirmUnsubscribe | typeof undoUnsubscribe>(endpoint, {
        params: { token },
        isAnonymous: true,
      })
      return isUnsubscribed
    },
    onSuccess: (isUnsubscribed) =>
      queries.setQueryData(unsubscribeKey(token), (old: object | undefined) => old && { ...old, isUnsubscribed }),
  })
}
