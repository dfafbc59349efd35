import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Language, readPreferences, savePreferences } from '../../shared/preferences.ts'
import { TEST_TOKEN } from '../../shared/restore.ts'
import { call } from '../api.ts'
import type { Decision } from './PreferencesForm.tsx'

const preferencesKey = (token: string) => ['preferences', token]

export const usePreferences = (token: string) =>
  useQuery({
    queryKey: preferencesKey(token),
    queryFn: ({ signal }) => call(readPreferences, { params: { token }, signal, isAnonymous: true }),
    enabled: token !== '' && token !== TEST_TOKEN,
    refetchOnWindowFocus: false,
  })

export function useSavePreferences(token: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: Decision & { language: Language }) =>
      call(savePreferences, { params: { token }, body, isAnonymous: true }),
    onSuccess: (view) => {
      queries.setQueryData(preferencesKey(token), view)
      void queries.invalidateQueries({ queryKey: ['unsubscribe'] })
    },
  })
}
