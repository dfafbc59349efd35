import { useMutation, useQueryClient } from '@tanstack/react-query'
import { confirmLive, resetDemo } from '../../shared/instance.ts'
import { instanceQuery } from '../access/queries.ts'
import { call } from '../api.ts'

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
