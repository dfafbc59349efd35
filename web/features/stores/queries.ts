import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import {
  connectStore,
  disconnectStore,
  examineStore,
  replaceKeys,
  saveStoreSettings,
  storeHealth,
  syncStore,
} from '../../../shared/access/stores.ts'
import { captureStatus } from '../../../shared/carts/capture-status.ts'
import { readBrand } from '../../../shared/workspace/brand-calls.ts'
import { belongsToStore, useShowStore } from '../../core/access/current-store.ts'
import { connectionQuery, meQuery, useHasPermission, useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { forgetConnection } from '../../core/session/session.ts'

export type StoreKeys = z.input<typeof connectStore.body>
export type StoreSettings = z.input<typeof saveStoreSettings.body>

const healthQuery = queryOptions({
  queryKey: ['store', 'health'],
  queryFn: ({ signal }) => call(storeHealth, { signal }),
  refetchInterval: 30_000,
})

export function useStoreHealth() {
  const store = useStore()
  const mayRead = useHasPermission('stores:read')
  return useQuery({ ...healthQuery, enabled: store !== null && mayRead })
}

/** How often the numbers of a running import are read. */
const FINDS_EVERY_MS = 3_000

export interface StoreFinds {
  counts: z.output<typeof storeHealth.reply>['counts'] | undefined
  /** Address of the store's logo. */
  logo: string | null
}

/** What the import of a store just connected has found so far. The guard does not know of the store yet. */
export function useStoreFinds(storeId: string): StoreFinds {
  const health = useQuery({
    queryKey: ['found', storeId, 'health'],
    queryFn: ({ signal }) => call(storeHealth, { query: { storeId }, signal }),
    refetchInterval: FINDS_EVERY_MS,
    gcTime: 0,
  })
  const brand = useQuery({
    queryKey: ['found', storeId, 'brand'],
    queryFn: ({ signal }) => call(readBrand, { query: { storeId }, signal }),
    refetchInterval: ({ state }) => (state.data?.proposal || state.data?.logo ? false : FINDS_EVERY_MS),
    gcTime: 0,
  })
  return {
    counts: health.data?.counts,
    logo: (brand.data?.logo ?? brand.data?.proposal?.logo)?.path ?? null,
  }
}

/** Contacts above the plan's limit on new contacts. */
export function useCaptureStatus() {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['store', storeId, 'capture-status'],
    queryFn: ({ signal }) => call(captureStatus, { signal }),
  })
}

/** Checks the store once when opened; again only on request. */
export const useDoctor = (storeId: string) =>
  useQuery({
    queryKey: ['store', storeId, 'doctor'],
    queryFn: ({ signal }) => call(examineStore, { query: { storeId }, signal }),
    staleTime: 5 * 60_000,
    refetchOnWindowFocus: false,
    retry: false,
  })

/**
 * Connects without telling the guard: the user reads the result first, then `useRefreshConnection` updates it. An
 * additional store (`isAnother`) becomes the current one, and the guard does not redirect.
 */
export function useConnectStore(isAnother: boolean) {
  const queries = useQueryClient()
  const show = useShowStore()
  return useMutation({
    mutationFn: (body: StoreKeys) => call(connectStore, { body }),
    onSuccess: ({ store }) => {
      // This cache holds the account's stores.
      void queries.invalidateQueries({ queryKey: meQuery.queryKey })
      if (isAnother) show(store)
    },
  })
}

export function useRefreshConnection() {
  const queries = useQueryClient()
  return () => queries.refetchQueries({ queryKey: connectionQuery.queryKey })
}

export function useSync() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call(syncStore),
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' }),
  })
}

/** Uses the store id, because another tab may have switched stores. */
export function useReplaceKeys(storeId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: z.input<typeof replaceKeys.body>) => call(replaceKeys, { query: { storeId }, body }),
    // Errors of the old keys are shown in many places.
    onSuccess: () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' }),
  })
}

export function useDisconnect() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call(disconnectStore),
    onSuccess: async () => {
      forgetConnection()
      await queries.refetchQueries({ queryKey: connectionQuery.queryKey })
      queries.removeQueries({ predicate: ({ queryKey }) => belongsToStore(queryKey) })
    },
  })
}

/** Treats the connection as unknown until the server confirms it. */
export function useForgetStore() {
  const queries = useQueryClient()
  return () => {
    // An answer in flight would restore what is dropped here.
    void queries.cancelQueries({ queryKey: connectionQuery.queryKey })
    forgetConnection()
    queries.setQueryData(connectionQuery.queryKey, {
      hasConnection: false,
      platform: null,
      store_url: null,
      store: null,
    })
    queries.removeQueries({ predicate: ({ queryKey }) => belongsToStore(queryKey) })
  }
}

export function useSaveSettings() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: StoreSettings) => call(saveStoreSettings, { body }),
    onSuccess: ({ store }) => {
      queries.setQueryData(connectionQuery.queryKey, (old) => old && { ...old, store })
      // A flow may be waiting for the sender and address.
      void queries.invalidateQueries({ queryKey: ['flows'] })
    },
  })
}
