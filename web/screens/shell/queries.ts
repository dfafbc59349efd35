import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { pauseSending, readSendingPause, resumeSending } from '../../../shared/delivery/sending.ts'
import { resendVerification } from '../../../shared/workspace/account.ts'
import { confirmLive, resetDemo } from '../../../shared/workspace/instance.ts'
import { instanceQuery, useHasPermission, useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { isOutdatedBy } from '../../features/live/rules.ts'

const pauseQuery = queryOptions({
  queryKey: ['store', 'pause'],
  queryFn: ({ signal }) => call(readSendingPause, { signal }),
  // The number of waiting messages grows while paused.
  refetchInterval: ({ state }) => (state.data?.pause ? 15_000 : false),
})

export function useSendingPause() {
  const store = useStore()
  const mayRead = useHasPermission('stores:read')
  return useQuery({ ...pauseQuery, enabled: store !== null && mayRead })
}

export function useChangePause(to: 'pause' | 'resume') {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call(to === 'pause' ? pauseSending : resumeSending),
    onSuccess: (answer) => {
      queries.setQueryData(pauseQuery.queryKey, answer)
      void queries.invalidateQueries({ predicate: ({ queryKey }) => isOutdatedBy(['messages'], queryKey) })
    },
  })
}

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

export const useResendVerification = () => useMutation({ mutationFn: () => call(resendVerification) })
