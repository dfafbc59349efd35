import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { PlanKey } from '../../../shared/billing/billing.ts'
import {
  adjustCredits,
  createOperatorAccount,
  listOperatorAccounts,
  listOperatorActions,
  readOperatorAccount,
  readOperatorHealth,
  resolveOperatorProblem,
  resumeAccount,
  setOperatorPlan,
  suspendAccount,
  viewAccount,
} from '../../../shared/workspace/operator.ts'
import { call } from '../../core/api/api.ts'
import { startView } from '../../core/session/session.ts'
import { useOnce } from '../../core/ui/useOnce.ts'
import type { AccountsQuery } from './rules.ts'

const REFETCH_MS = 30_000

export const useOperatorAccounts = ({ search = '', show, page, limit }: AccountsQuery) =>
  useQuery({
    queryKey: ['operator', 'accounts', { search, show, page, limit }],
    queryFn: ({ signal }) =>
      call(listOperatorAccounts, { query: { search, show: show || 'all', page, limit }, signal }),
    placeholderData: keepPreviousData,
  })

export const useOperatorAccount = (accountId: string) =>
  useQuery({
    queryKey: ['operator', 'account', accountId],
    queryFn: ({ signal }) => call(readOperatorAccount, { params: { accountId }, signal }),
  })

export const useOperatorHealth = () =>
  useQuery({
    queryKey: ['operator', 'health'],
    queryFn: ({ signal }) => call(readOperatorHealth, { signal }),
    refetchInterval: REFETCH_MS,
  })

export const useOperatorActions = ({ page, limit }: { page: number; limit: number }) =>
  useQuery({
    queryKey: ['operator', 'actions', { page, limit }],
    queryFn: ({ signal }) => call(listOperatorActions, { query: { page, limit }, signal }),
    placeholderData: keepPreviousData,
  })

export const useSetPlan = (accountId: string) =>
  useOperatorChange((body: { planKey: PlanKey; isUnlimited: boolean; note: string }) =>
    call(setOperatorPlan, { params: { accountId }, body }),
  )
export const useAdjustCredits = (accountId: string) =>
  useOperatorChange((body: { cents: number; reason: string }) => call(adjustCredits, { params: { accountId }, body }))
export const useSuspend = (accountId: string) =>
  useOperatorChange((reason: string) => call(suspendAccount, { params: { accountId }, body: { reason } }))
export const useResume = (accountId: string) =>
  useOperatorChange((note: string) => call(resumeAccount, { params: { accountId }, body: { note } }))
export const useResolve = () =>
  useOperatorChange(({ problemId, note }: { problemId: string; note: string }) =>
    call(resolveOperatorProblem, { params: { problemId }, body: { note } }),
  )

export const useCreateAccount = () =>
  useOperatorChange((body: { email: string; name: string; planKey: PlanKey | null; isUnlimited: boolean }) =>
    call(createOperatorAccount, { body }),
  )

/** Opens the account in this tab. */
export const useView = (accountId: string) =>
  useMutation({
    mutationFn: (storeId: string | null) => call(viewAccount, { params: { accountId }, body: { storeId } }),
    onSuccess: ({ token }) => startView(token),
  })

function useOperatorChange<Input, Output>(ask: (input: Input) => Promise<Output>) {
  const queries = useQueryClient()
  return useOnce({
    mutationFn: ask,
    onSettled: () => queries.invalidateQueries({ queryKey: ['operator'] }),
  })
}
