import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type StoreView, switchStore } from '../../../shared/access/stores.ts'
import { call } from '../api/api.ts'
import { rememberConnection } from '../session/session.ts'
import { connectionQuery } from './queries.ts'

export function useSwitchStore() {
  const show = useShowStore()
  return useMutation({
    mutationFn: (storeId: string) => call(switchStore, { body: { storeId } }),
    onSuccess: ({ store }) => show(store),
  })
}

/** Drops and refetches everything about the previous store. */
export function useShowStore() {
  const queries = useQueryClient()
  return (store: StoreView) => {
    const { platform, store_url } = store
    // Answers in flight belong to the previous store.
    void queries.cancelQueries({ queryKey: connectionQuery.queryKey })
    rememberConnection({ platform, store_url })
    queries.setQueryData(connectionQuery.queryKey, { hasConnection: true, platform, store_url, store })
    void queries.resetQueries({ predicate: ({ queryKey }) => belongsToStore(queryKey) })
  }
}

// Pure. Which cached answers belong to the current store.

/** Keys about the user, the account or the server; all others belong to a store. */
const OF_NO_STORE = [
  'me',
  'subscription',
  'connection',
  'instance',
  'team',
  'accounts',
  'sessions',
  'invitation',
  'channels',
  'sending-budget',
]

/** Whether answers under this key are dropped when the store changes. */
export const belongsToStore = ([noun]: readonly unknown[]): boolean => !OF_NO_STORE.includes(String(noun))
