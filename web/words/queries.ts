import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import { previewCampaign } from '../../shared/campaign-preview.ts'
import { call } from '../api.ts'

export type PreviewOf = z.input<typeof previewCampaign.body>

/** A question that is not asked any more is ended, on the server too. The last answer stays while the next is on its way. */
export const useWordsPreview = (body: PreviewOf | null) =>
  useQuery({
    queryKey: ['words-preview', body],
    queryFn: ({ signal }) => call(previewCampaign, { body: body!, signal }),
    enabled: body !== null,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    gcTime: 0,
  })
