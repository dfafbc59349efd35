import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import type { FlowStep } from '../../shared/flows.ts'
import { previewMessage } from '../../shared/message-preview.ts'
import { cartEligibility, SAMPLE_CART } from '../../shared/reminders.ts'
import { useStore } from '../access/queries.ts'
import { call } from '../api.ts'
import { useCarts } from '../carts/queries.ts'
import { cartToShow } from './preview-cart.ts'

export type PreviewOf = z.input<typeof previewMessage.body>

/** A question that is not asked any more is ended, on the server too. The last answer stays while the next is on its way. */
export const useWordsPreview = (body: PreviewOf | null) =>
  useQuery({
    queryKey: ['words-preview', body],
    queryFn: ({ signal }) => call(previewMessage, { body: body!, signal }),
    enabled: body !== null,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    gcTime: 0,
  })

/** The carts a preview is offered for. */
export const NEWEST = { page: 1, limit: 50, sort: 'timestamp', order: 'desc' } as const

/** The cart a step is shown for until one is chosen: a cart that could get it, or the sample cart. Stays once it is found. */
export function usePreviewCart(step: FlowStep['channel']): string | null {
  const channel = step === 'push' ? 'email' : step
  const storeId = useStore()?.id
  const [kept, keep] = useState<Partial<Record<string, string>>>({})
  const listed = useCarts(NEWEST)
  const carts = listed.data?.carts
  const cartIds = carts?.map(({ id }) => id) ?? []
  const eligibility = useQuery({
    queryKey: ['carts', storeId, 'preview', channel, cartIds],
    queryFn: ({ signal }) => call(cartEligibility, { body: { channel, cartIds }, signal }),
    enabled: cartIds.length > 0 && !kept[channel],
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  })
  const isNone = carts?.length === 0 || listed.error || eligibility.error
  const found = carts && eligibility.data ? cartToShow(carts, channel, eligibility.data) : isNone ? SAMPLE_CART : null
  if (found && !kept[channel]) keep({ ...kept, [channel]: found })
  return kept[channel] ?? found
}
