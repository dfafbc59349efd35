import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ConsentChannel } from '../../shared/consent.ts'
import { type boxLanguages, consentBoxCounts, consentBoxes, saveBoxText } from '../../shared/consent-box.ts'
import { useStore } from '../access/queries.ts'
import { call } from '../api.ts'

export function useConsentBoxes() {
  const storeId = useStore()?.id
  return useQuery({ queryKey: ['consent-boxes', storeId], queryFn: ({ signal }) => call(consentBoxes, { signal }) })
}

export function useConsentBoxCounts() {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['consent-box-counts', storeId],
    queryFn: ({ signal }) => call(consentBoxCounts, { signal }),
  })
}

export function useSaveBoxText() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (text: { channel: ConsentChannel; language?: (typeof boxLanguages)[number]; words: string }) =>
      call(saveBoxText, { body: text }),
    // Do not wait for the counts: the text field would miss that its text was saved.
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['consent-box-counts'] })
      return queries.invalidateQueries({ queryKey: ['consent-boxes'] })
    },
  })
}
