import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Erasure, erasePerson, exportPerson, readErasure, readPerson } from '../../shared/persons.ts'
import { ApiError, call } from '../api.ts'
import { follow } from './suppression-queries.ts'

/** null: nothing is kept about the address. */
export function usePerson(address: string) {
  return useQuery({
    queryKey: ['person', address],
    queryFn: async ({ signal }) => {
      try {
        return (await call(readPerson, { params: { address }, signal })).person
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }
    },
    enabled: address !== '',
    refetchOnWindowFocus: false,
  })
}

export function useExportPerson(address: string) {
  return useMutation({
    mutationFn: (format: 'json' | 'csv') => call(exportPerson, { params: { address }, query: { format } }),
    onSuccess: ({ url }) => follow(url),
  })
}

export function useErasePerson(address: string) {
  return useMutation({
    mutationFn: async (confirmation: string) =>
      (await call(erasePerson, { params: { address }, body: { confirmation } })).erasure,
  })
}

const EVERY_MS = 1_000

/** Followed until it is done; then everything the browser remembers of the store is asked for again. */
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
