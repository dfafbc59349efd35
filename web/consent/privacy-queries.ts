import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type Erasure,
  eraseDataSubject,
  exportDataSubject,
  readDataSubject,
  readErasure,
} from '../../shared/privacy.ts'
import { ApiError, call } from '../api.ts'
import { useDownload } from '../ui/Download.tsx'

/** null: nothing is stored about the address. */
export function useDataSubject(address: string) {
  return useQuery({
    queryKey: ['person', address],
    queryFn: async ({ signal }) => {
      try {
        return (await call(readDataSubject, { params: { address }, signal })).person
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }
    },
    enabled: address !== '',
    refetchOnWindowFocus: false,
  })
}

export const useExportDataSubject = (address: string) =>
  useDownload((format: 'json' | 'csv') => call(exportDataSubject, { params: { address }, query: { format } }))

export function useEraseDataSubject(address: string) {
  return useMutation({
    mutationFn: async (confirmation: string) =>
      (await call(eraseDataSubject, { params: { address }, body: { confirmation } })).erasure,
  })
}

const EVERY_MS = 1_000

/** Polls until the erasure is done, then refetches everything about the store. */
export function useErasure(started: Erasure) {
  const queries = useQueryClient()
  return useQuery({
    queryKey: ['erasure', started.id],
    queryFn: async ({ signal }) => {
      const { erasure } = await call(readErasure, { params: { erasureId: started.id }, signal })
      if (erasure.finishedAt) {
        void queries.invalidateQueries({
          predicate: ({ queryKey }) => queryKey[0] !== 'erasure' && queryKey[0] !== 'person',
        })
      }
      return erasure
    },
    initialData: started,
    refetchInterval: ({ state }) => (state.data?.finishedAt ? false : EVERY_MS),
  })
}
