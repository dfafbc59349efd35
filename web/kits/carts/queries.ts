import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { type CartView, cartMessages, exportCarts, getCart, listAbandonedCarts } from '../../../shared/carts/carts.ts'
import { useIsStoreKnown, useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { useDownload } from '../../core/ui/Download.tsx'
import { hasOpenMessage, type ListFilter, type ListQuery, toCartList } from './rules.ts'

const FIVE_MINUTES_MS = 300_000
const SECOND_MS = 1_000
const OPEN_REFRESH_MS = 5_000
const QUIET_REFRESH_MS = 60_000

/** Cached for 5 minutes and fetched at most once a second (B 7); store changes arrive live (`web/features/live`). */
export function useCarts(query: ListQuery) {
  const storeId = useStore()?.id
  const isStoreKnown = useIsStoreKnown()
  return useQuery({
    queryKey: ['carts', storeId, query],
    enabled: isStoreKnown,
    queryFn: async ({ signal }) => {
      await waitForSlot(signal)
      return toCartList(await call(listAbandonedCarts, { query, signal }))
    },
    staleTime: FIVE_MINUTES_MS,
    gcTime: FIVE_MINUTES_MS,
    // Messages in flight settle within seconds.
    refetchInterval: ({ state }) => (state.data?.carts.some(isInFlight) ? OPEN_REFRESH_MS : FIVE_MINUTES_MS),
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
  })
}

/** Carts offered for previews: the newest, or search results. */
export const useNewestCarts = (search = '') =>
  useCarts({ page: 1, limit: 50, sort: 'timestamp', order: 'desc', ...(search && { search }) })

const isInFlight = ({ sms_status, whatsapp_status }: CartView) =>
  sms_status === 'sending' || whatsapp_status === 'sending'

let lastRequestAt = 0

/** Waits until a second has passed since the list's last request; cancelled requests do not take a slot. */
async function waitForSlot(signal: AbortSignal): Promise<void> {
  for (;;) {
    const wait = lastRequestAt + SECOND_MS - Date.now()
    if (wait <= 0) break
    await new Promise((resolve) => setTimeout(resolve, Math.min(wait, SECOND_MS)))
    signal.throwIfAborted()
  }
  lastRequestAt = Date.now()
}

export const useExportCarts = () => useDownload((filter: ListFilter) => call(exportCarts, { query: filter }))

const buildCartQuery = (id: string) =>
  queryOptions({
    queryKey: ['cart', id],
    queryFn: async ({ signal }) => {
      const { cart } = await call(getCart, { params: { id }, signal })
      return cart as CartView
    },
  })

export function useCart(id: string, isLive: boolean) {
  return useQuery({ ...buildCartQuery(id), refetchInterval: isLive ? OPEN_REFRESH_MS : QUIET_REFRESH_MS })
}

export function useCartMessages(id: string) {
  return useQuery({
    queryKey: ['cart', id, 'messages'],
    queryFn: ({ signal }) => call(cartMessages, { params: { id }, signal }),
    refetchInterval: ({ state }) => (hasOpenMessage(state.data?.messages ?? []) ? OPEN_REFRESH_MS : QUIET_REFRESH_MS),
  })
}
