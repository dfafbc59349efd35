import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { countRetention, readRetention, saveRetention } from '../../shared/retention.ts'
import { call } from '../api.ts'

const key = ['retention'] as const

export const useRetention = () =>
  useQuery({ queryKey: key, queryFn: ({ signal }) => call(readRetention, { signal }), refetchOnWindowFocus: false })

/** Counts whom a retention period would erase; asked only for valid numbers. */
export const useRetentionCount = (days: number | null) =>
  useQuery({
    queryKey: [...key, 'count', days],
    queryFn: ({ signal }) => call(countRetention, { query: { days: days! }, signal }),
    enabled: days !== null,
    refetchOnWindowFocus: false,
  })

export function useSaveRetention() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (days: number | null) => call(saveRetention, { body: { days } }),
    onSuccess: (saved) => queries.setQueryData(key, saved),
  })
}
