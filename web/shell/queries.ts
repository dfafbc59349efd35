import { useMutation, useQueryClient } from '@tanstack/react-query'
import { confirmLive, resetDemo } from '../../shared/instance.ts'
import { switchStore } from '../../shared/stores.ts'
import { connectionQuery, instanceQuery } from '../access/queries.ts'
import { rememberConnection } from '../access/session.ts'
import { call } from '../api.ts'
import { isOfStore } from '../stores/rules.ts'

export function useConfirmLive() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call(confirmLive),
    onSuccess: () => queries.refetchQueries({ queryKey: instanceQuery.queryKey }),
  })
}

export function useResetDemo() {
  const queries = useQueryClient()
  return useMutation({ mutationFn: () => call(resetDemo), onSuccess: () => queries.invalidateQueries() })
}

/** Everything shown of the store before is forgotten and asked again. */
export function useSwitchStore() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (storeId: string) => call(switchStore, { body: { storeId } }),
    onSuccess: ({ store }) => {
      const { platform, store_url } = store
      rememberConnection({ platform, store_url })
      queries.setQueryData(connectionQuery.queryKey, { hasConnection: true, platform, store_url, store })
      void queries.resetQueries({ predicate: ({ queryKey }) => isOfStore(queryKey) })
    },
  })
}
