import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { createAudience, deleteAudience, findProducts, listAudiences } from '../../../shared/marketing/audience.ts'
import { useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'

const LIST = 'audiences'
const MINUTE_MS = 60_000

export function useAudiences(isEnabled: boolean) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: [LIST, storeId],
    queryFn: ({ signal }) => call(listAudiences, { signal }),
    enabled: isEnabled,
    staleTime: MINUTE_MS,
  })
}

export const useSaveAudience = () =>
  useChange((body: z.input<typeof createAudience.body>) => call(createAudience, { body }))

export const useDeleteAudience = () => useChange((id: string) => call(deleteAudience, { params: { id } }))

/** Keeps the last answer while the next one loads. */
export function useProducts(search: string, isEnabled: boolean) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['products', storeId, search],
    queryFn: async ({ signal }) => (await call(findProducts, { query: { search }, signal })).products,
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    staleTime: MINUTE_MS,
    refetchOnWindowFocus: false,
  })
}

/** A failed request may have changed something too. */
function useChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const queries = useQueryClient()
  return useMutation({ mutationFn: change, onSettled: () => queries.invalidateQueries({ queryKey: [LIST] }) })
}
