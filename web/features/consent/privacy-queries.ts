import { useQuery } from '@tanstack/react-query'
import { readDataSubject } from '../../../shared/workspace/privacy.ts'
import { ApiError, call } from '../../core/api/api.ts'

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
