import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import {
  type AbandonedCustomer,
  abandonedCustomers,
  type CustomerView,
  listCustomers,
} from '../../../shared/marketing/customers.ts'
import { discountEligibility, previewDiscount, sendDiscountOffers } from '../../../shared/marketing/discount-mail.ts'
import { useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { useOnce } from '../../kits/manual-sends/send-queries.ts'
import type { PeopleFilter } from './rules.ts'

const PAGE = 100
const MINUTE_MS = 60_000

export type ListedCustomer = CustomerView & Partial<Pick<AbandonedCustomer, 'cart_value' | 'currency'>>

interface PeoplePage {
  customers: ListedCustomer[]
  next: string | null
  total: number
  /** More than `total` match. */
  isCapped: boolean
  /** No match by prefix; the newest customers were searched for the text anywhere. */
  lookedThrough?: number | undefined
}

/** B 9: the first page has 100; scrolling loads more. */
export function usePeople(filter: PeopleFilter) {
  const { search, abandonedOnly, filters, channel } = filter
  const storeId = useStore()?.id
  return useInfiniteQuery({
    queryKey: ['customers', storeId, 'to-choose', { search, abandonedOnly, filters, channel }],
    queryFn: ({ pageParam, signal }) =>
      (abandonedOnly ? fetchAbandonedPage : fetchCustomersPage)(filter, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  })
}

async function fetchAbandonedPage(
  { search, filters = {}, channel }: PeopleFilter,
  cursor: string,
  signal: AbortSignal,
): Promise<PeoplePage> {
  const entries = Object.entries({ ...filters, channel }).filter(([, value]) => value != null)
  const query = { ...Object.fromEntries(entries), search, cursor, limit: PAGE }
  const reply = await call(abandonedCustomers, { query, signal })
  if (Array.isArray(reply)) return { customers: reply, next: null, total: reply.length, isCapped: false }
  return { ...reply, isCapped: false }
}

async function fetchCustomersPage({ search }: PeopleFilter, cursor: string, signal: AbortSignal): Promise<PeoplePage> {
  const page = Number(cursor || '1')
  const reply = await call(listCustomers, { query: { search, page, limit: PAGE }, signal })
  if (Array.isArray(reply)) return { customers: reply, next: null, total: reply.length, isCapped: false }
  const { customers, pagination } = reply
  const isCapped = pagination.totalIsCapped === true
  const next = page < pagination.pages ? String(page + 1) : null
  return { customers, next, total: pagination.total, isCapped, lookedThrough: pagination.lookedThrough }
}

type Input<E extends { body: z.ZodType }> = z.input<E['body']>
export type Offer = Input<typeof sendDiscountOffers>

/** Who of these would get it now, and why the others not. Never cached, because it depends on the moment. */
export function useRecipientCheck(body: Input<typeof discountEligibility> | null) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['discount-eligibility', storeId, body],
    queryFn: ({ signal }) => call(discountEligibility, { body: body!, signal }),
    enabled: body !== null,
    placeholderData: keepPreviousData,
    gcTime: 0,
    staleTime: MINUTE_MS,
    refetchOnWindowFocus: false,
  })
}

/** Keeps the last answer while the next loads. */
export function useDiscountPreview(body: Input<typeof previewDiscount> | null) {
  return useQuery({
    queryKey: ['discount-preview', body],
    queryFn: ({ signal }) => call(previewDiscount, { body: body!, signal }),
    enabled: body !== null,
    placeholderData: keepPreviousData,
    staleTime: MINUTE_MS,
    gcTime: 0,
  })
}

export function useSendOffers() {
  const queries = useQueryClient()
  const once = useOnce()
  return useMutation({
    mutationFn: (body: Offer) => once(body, (how) => call(sendDiscountOffers, { body, ...how })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['carts'] }),
  })
}
