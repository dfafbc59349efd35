import { useMutation, useQuery } from '@tanstack/react-query'
import { type MessagePreview, SAMPLE_CART } from '../../../shared/delivery/reminders.ts'
import type { StepCoupon } from '../../../shared/marketing/flows.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { readBrand } from '../../../shared/workspace/brand-calls.ts'
import { uploadMailImage } from '../../../shared/workspace/mail-images.ts'
import { useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { encodeBase64 } from '../../core/ui/encodeBase64.ts'
import { useMessagePreview } from '../message-editor/queries.ts'
import type { CartChoice } from './CartChooser.tsx'

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

/** The server's preview. null: not asked for, or not there yet. */
export function useRendered(
  document: MailDocument | null,
  cart: CartChoice,
  coupon: StepCoupon | null,
): MessagePreview | null {
  const made = useMessagePreview(
    document && {
      cartId: typeof cart === 'string' ? SAMPLE_CART : cart.id,
      channel: 'email',
      design: document,
      coupon,
    },
  )
  return document ? (made.data ?? null) : null
}
