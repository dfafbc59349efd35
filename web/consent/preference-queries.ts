import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type Language,
  type OwnWording,
  readPreferenceWording,
  savePreferenceWording,
} from '../../shared/preferences.ts'
import { useStore } from '../access/queries.ts'
import { call } from '../api.ts'

const wordingKey = (storeId: string | undefined) => ['preference-wording', storeId]

export function useWording() {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: wordingKey(storeId),
    queryFn: ({ signal }) => call(readPreferenceWording, { signal }),
    refetchOnWindowFocus: false,
  })
}

export function useSaveWording() {
  const queries = useQueryClient()
  const storeId = useStore()?.id
  return useMutation({
    mutationFn: (body: { wordings: Record<Language, OwnWording>; version: string }) =>
      call(savePreferenceWording, { body }),
    onSuccess: (saved) => queries.setQueryData(wordingKey(storeId), saved),
  })
}
