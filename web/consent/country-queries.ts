import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import {
  type ConsentTable,
  consentTable,
  endConsentOverride,
  overrideRule,
  setSmsConfirmation,
} from '../../shared/consent.ts'
import { useStore } from '../access/queries.ts'
import { call } from '../api.ts'

const tableKey = (storeId: string | undefined) => ['consent-table', storeId]

export function useConsentTable() {
  const storeId = useStore()?.id
  return useQuery({ queryKey: tableKey(storeId), queryFn: ({ signal }) => call(consentTable, { signal }) })
}

function useRefetchTable() {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: ['consent-table'] })
}

export function useOverrideRule() {
  const onSettled = useRefetchTable()
  return useMutation({
    mutationFn: (body: z.input<typeof overrideRule.body>) => call(overrideRule, { body }),
    onSettled,
  })
}

export function useEndConsentOverride() {
  const onSettled = useRefetchTable()
  return useMutation({
    mutationFn: (overrideId: string) => call(endConsentOverride, { params: { overrideId } }),
    onSettled,
  })
}

export function useSmsConfirmation() {
  const onSettled = useRefetchTable()
  return useMutation({
    mutationFn: (mode: ConsentTable['smsConfirmation']) => call(setSmsConfirmation, { body: { mode } }),
    onSettled,
  })
}
