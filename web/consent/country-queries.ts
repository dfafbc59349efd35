import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { type ConsentTable, consentTable, endRelaxation, relaxRule, setSmsConfirmation } from '../../shared/consent.ts'
import { useStore } from '../access/queries.ts'
import { call } from '../api.ts'

const tableKey = (storeId: string | undefined) => ['consent-table', storeId]

export function useConsentTable() {
  const storeId = useStore()?.id
  return useQuery({ queryKey: tableKey(storeId), queryFn: ({ signal }) => call(consentTable, { signal }) })
}

function useAgain() {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: ['consent-table'] })
}

export function useRelax() {
  const onSettled = useAgain()
  return useMutation({
    mutationFn: (body: z.input<typeof relaxRule.body>) => call(relaxRule, { body }),
    onSettled,
  })
}

export function useEndRelaxation() {
  const onSettled = useAgain()
  return useMutation({
    mutationFn: (relaxationId: string) => call(endRelaxation, { params: { relaxationId } }),
    onSettled,
  })
}

export function useSmsConfirmation() {
  const onSettled = useAgain()
  return useMutation({
    mutationFn: (mode: ConsentTable['smsConfirmation']) => call(setSmsConfirmation, { body: { mode } }),
    onSettled,
  })
}
