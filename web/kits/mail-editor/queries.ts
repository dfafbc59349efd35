import { useMutation, useQuery } from '@tanstack/react-query'
import { readBrand } from '../../../shared/workspace/brand-calls.ts'
import { uploadMailImage } from '../../../shared/workspace/mail-images.ts'
import { useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { encodeBase64 } from '../../core/ui/encodeBase64.ts'

/** The brand kit, as the settings read it. */
export function useBrandKit() {
  const storeId = useStore()?.id ?? ''
  return useQuery({
    queryKey: ['store', storeId, 'brand'],
    queryFn: ({ signal }) => call(readBrand, { query: { storeId }, signal }),
    enabled: storeId !== '',
  })
}

export function useUploadImage() {
  const storeId = useStore()?.id ?? ''
  return useMutation({
    mutationFn: async (file: File) =>
      call(uploadMailImage, { query: { storeId }, body: { content: await encodeBase64(file) } }),
  })
}
