import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import {
  addTestCredits,
  buyCredits,
  type CreditPack,
  checkCredits,
  listCreditEntries,
  readCredits,
} from '../../shared/credits.ts'
import { ApiError, call } from '../api.ts'
import { useOnce } from '../ui/useOnce.ts'

export const useCredits = () =>
  useQuery({
    queryKey: ['billing', 'credits'],
    queryFn: ({ signal }) => call(readCredits, { signal }),
    staleTime: 0,
  })

const PAGE = 10

export const useCreditEntries = (page: number) =>
  useQuery({
    queryKey: ['billing', 'credit-entries', page],
    queryFn: ({ signal }) => call(listCreditEntries, { query: { page, limit: PAGE }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** Asks once per checkout session, then refetches everything the purchase changes. */
export function useCheckedCredits(id: string | null) {
  const queries = useQueryClient()
  return useQuery({
    queryKey: ['credit-checkout', id],
    queryFn: async ({ signal }) => {
      const answer = await call(checkCredits, { query: { session_id: id ?? '' }, signal })
      await queries.invalidateQueries({ queryKey: ['billing'] })
      return answer
    },
    enabled: id !== null,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: false,
  })
}

/** Opens the payment page of the pack. Busy from the press until the page is left or restored by the browser's Back. */
export function useBuyCredits() {
  const [isLeaving, setLeaving] = useState(false)
  const buying = useOnce({
    mutationFn: async (pack: CreditPack) => {
      const { url } = await call(buyCredits, { body: { pack } })
      if (!url) throw new ApiError(502, { error: '', code: 'internal' })
      setLeaving(true)
      location.assign(url)
    },
  })
  useEffect(() => {
    const stay = (event: PageTransitionEvent) => event.persisted && setLeaving(false)
    addEventListener('pageshow', stay)
    return () => removeEventListener('pageshow', stay)
  }, [])
  return { error: buying.error, isBusy: buying.isPending || isLeaving, buy: buying.mutate }
}

export function useAddTestCredits() {
  const queries = useQueryClient()
  return useOnce({
    mutationFn: (pack: CreditPack) => call(addTestCredits, { body: { pack } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['billing'] }),
  })
}
