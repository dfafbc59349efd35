import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { createCoupon, deleteCoupon, listCoupons, updateCoupon } from '../../../shared/carts/coupons.ts'
import { useIsStoreKnown, useStore } from '../../core/access/queries.ts'
import { type CallInput, call } from '../../core/api/api.ts'
import { buildStoreFields } from '../../core/session/session.ts'
import type { CouponFilter } from './rules.ts'

const LIST = 'coupons'
const FIVE_MINUTES_MS = 300_000

export type CouponQuery = CouponFilter & { page: number; limit: number }
export type CouponBody = NonNullable<CallInput<typeof createCoupon>['body']>

export function useCoupons({ search = '', page, limit }: CouponQuery) {
  const storeId = useStore()?.id
  const isStoreKnown = useIsStoreKnown()
  return useQuery({
    queryKey: [LIST, storeId, { search, page, limit }],
    enabled: isStoreKnown && storeId !== undefined,
    queryFn: ({ signal }) => call(listCoupons, { query: { search, page, limit }, signal }),
    staleTime: 30_000,
    refetchInterval: FIVE_MINUTES_MS,
    placeholderData: keepPreviousData,
  })
}

export type CouponList = NonNullable<ReturnType<typeof useCoupons>['data']>

const CHOICES = 100
const MINUTE_MS = 60_000

/** For coupon pickers: the newest usable coupons, or those whose code starts with `search`. */
export function useCouponsToChoose(search: string) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: [LIST, storeId, 'to-choose', search],
    queryFn: ({ signal }) => call(listCoupons, { query: { search, usable: 'yes', limit: CHOICES }, signal }),
    placeholderData: keepPreviousData,
    staleTime: MINUTE_MS,
  })
}

export const useCreateCoupon = () =>
  useChange((body: CouponBody) => call(createCoupon, { body: { ...body, ...buildStoreFields() } }))

export const useUpdateCoupon = () =>
  useChange(({ id, body }: { id: string; body: CouponBody }) =>
    call(updateCoupon, { params: { id }, body: { ...body, ...buildStoreFields() } }),
  )

export const useDeleteCoupon = () => useChange((id: string) => call(deleteCoupon, { params: { id } }))

/** Refetches the list after a change. A failed request may have changed something too. */
function useChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const queries = useQueryClient()
  return useMutation({ mutationFn: change, onSettled: () => queries.invalidateQueries({ queryKey: [LIST] }) })
}
