import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  beginSecondFactor,
  confirmSecondFactor,
  endSecondFactor,
  readSecondFactor,
  renewRecoveryCodes,
} from '../../shared/second-factor.ts'
import { call } from '../api.ts'

const secondFactorQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: ({ signal }) => call(readSecondFactor, { signal }),
})

export const useSecondFactor = () => useQuery(secondFactorQuery)

export const useBeginSecondFactor = () =>
  useMutation({ mutationFn: (password: string) => call(beginSecondFactor, { body: { password } }) })

export const useConfirmSecondFactor = () => useChange((code: string) => call(confirmSecondFactor, { body: { code } }))

export const useEndSecondFactor = () =>
  useChange((body: { password: string; code: string }) => call(endSecondFactor, { body }))

export const useRenewRecoveryCodes = () =>
  useChange((body: { password: string; code: string }) => call(renewRecoveryCodes, { body }))

function useChange<Given, Answer>(ask: (given: Given) => Promise<Answer>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ask,
    onSettled: () => queries.invalidateQueries({ queryKey: secondFactorQuery.queryKey }),
  })
}
