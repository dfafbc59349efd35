import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { MessagePreview } from '../../../shared/delivery/reminders.ts'
import type { BrandFields } from '../../../shared/messages/brand.ts'
import * as api from '../../../shared/workspace/brand-calls.ts'
import { call } from '../../core/api/api.ts'

export const brandQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['store', storeId, 'brand'],
    queryFn: ({ signal }): Promise<api.BrandView> => call(api.readBrand, { query: { storeId }, signal }),
  })

export const useBrand = (storeId: string) => useQuery(brandQuery(storeId))

/** The server's answer replaces the cached settings. */
function useChange<Input, View extends api.BrandView>(storeId: string, change: (input: Input) => Promise<View>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: ({ look, logo, version, proposal, canUpload }) => {
      queries.setQueryData(brandQuery(storeId).queryKey, { look, logo, version, proposal, canUpload })
      return queries.invalidateQueries({ queryKey: ['store', storeId, 'sending-states'] })
    },
  })
}

export const useSaveBrand = (storeId: string) =>
  useChange(storeId, ({ brand, version }: { brand: BrandFields; version: number }) =>
    call(api.saveBrand, { query: { storeId }, body: { ...brand, version } }),
  )

export const useUploadLogo = (storeId: string) =>
  useChange(storeId, (content: string) => call(api.uploadLogo, { query: { storeId }, body: { content } }))

export const useRemoveLogo = (storeId: string) =>
  useChange(storeId, (_: undefined) => call(api.removeLogo, { query: { storeId } }))

export const useFindLogo = (storeId: string) =>
  useChange(storeId, (_: undefined) => call(api.findLogo, { query: { storeId } }))

/** `hash` of the picture shown, to accept it; null rejects it. */
export function useAnswerProposal(storeId: string) {
  const queries = useQueryClient()
  const answer = useChange(storeId, (hash: string | null) =>
    hash === null
      ? call(api.dismissLogo, { query: { storeId } })
      : call(api.confirmLogo, { query: { storeId }, body: { hash } }),
  )
  // Another logo is proposed by now: show that one.
  const refresh = () => queries.invalidateQueries({ queryKey: brandQuery(storeId).queryKey })
  return {
    ...answer,
    say: (hash: string | null, onSuccess: () => void) => answer.mutate(hash, { onSuccess, onError: refresh }),
  }
}

/** A mail preview with saved or unsaved settings. `logo`: which logo, as the server identifies it. */
export const useBrandPreview = (storeId: string, brand: BrandFields, logo: string | null) =>
  useQuery({
    queryKey: ['store', storeId, 'brand-preview', brand, logo],
    queryFn: ({ signal }): Promise<MessagePreview> =>
      call(api.previewBrand, { query: { storeId }, body: brand, signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
