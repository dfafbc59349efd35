import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { countAudience } from '../../../shared/marketing/audience.ts'
import {
  type CampaignView,
  createCampaign,
  deleteCampaign,
  listCampaigns,
  listCampaignTemplates,
  pauseCampaign,
  playCampaign,
  readCampaign,
  saveCampaign,
  sendCampaignNow,
  sendToAbandonedCarts,
} from '../../../shared/marketing/campaigns.ts'
import { useIsStoreKnown, useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { deletions } from '../../core/api/deletions.ts'
import { useOnce } from '../../kits/manual-sends/send-queries.ts'
import type { CampaignAction, CampaignFilter } from './rules.ts'

const LIST = 'campaigns'
const COUNTS_REFRESH_MS = 15_000
const MINUTE_MS = 60_000

type BodyInput<E extends { body: z.ZodType }> = z.input<E['body']>
export type CampaignBody = BodyInput<typeof createCampaign>
export type QuickSend = BodyInput<typeof sendToAbandonedCarts>
export type CountBody = BodyInput<typeof countAudience>

export type CampaignQuery = CampaignFilter & { page: number; limit: number }

/** Store changes arrive live (`web/features/live`); counts of a running send are polled. */
export function useCampaigns({ search = '', status, page, limit }: CampaignQuery) {
  const storeId = useStore()?.id
  const isStoreKnown = useIsStoreKnown()
  const query = { search, page, limit, ...(status && { status }) }
  return useQuery({
    queryKey: [LIST, storeId, 'list', query],
    enabled: isStoreKnown,
    queryFn: ({ signal }) => call(listCampaigns, { query, signal }),
    staleTime: COUNTS_REFRESH_MS,
    refetchInterval: COUNTS_REFRESH_MS,
    placeholderData: keepPreviousData,
  })
}

export function useCampaign(id: string) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: [LIST, storeId, 'one', id],
    queryFn: async ({ signal }) => (await call(readCampaign, { params: { id }, signal })).campaign,
    refetchInterval: COUNTS_REFRESH_MS,
  })
}

export function useTemplates() {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['campaign-templates', storeId],
    queryFn: ({ signal }) => call(listCampaignTemplates, { signal }),
    staleTime: MINUTE_MS,
    refetchOnWindowFocus: false,
  })
}

/**
 * How many customers it would reach now; null means not asked. Keeps the last answer while the next loads. `isFresh`:
 * count again on mount.
 */
export function useAudienceCount(body: CountBody | null, { isFresh = false } = {}) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['audience-count', storeId, body],
    queryFn: ({ signal }) => call(countAudience, { body: body!, signal }),
    enabled: body !== null,
    placeholderData: keepPreviousData,
    gcTime: 0,
    staleTime: isFresh ? 0 : MINUTE_MS,
    refetchOnWindowFocus: false,
  })
}

/** Repeated submits of the same dialog create one campaign (D9). */
export function useCreateCampaign() {
  const once = useOnce()
  return useChange([LIST], async (body: CampaignBody) => {
    await deletions.finishAll()
    return once(body, (how) => call(createCampaign, { body, ...how }))
  })
}

export const useSaveCampaign = (id: string) =>
  useChange([LIST], (body: CampaignBody) => call(saveCampaign, { params: { id }, body }))

export function useSendToAll() {
  const once = useOnce()
  return useChange([LIST], (body: QuickSend) => once(body, (how) => call(sendToAbandonedCarts, { body, ...how })))
}

export interface CampaignCommand {
  action: CampaignAction
  campaign: CampaignView
}

/** Mutations behind a row's buttons. */
export function useCampaignAction() {
  const once = useOnce()
  return useChange(
    [LIST],
    async ({ action, campaign: { id, platform, storeId } }: CampaignCommand): Promise<unknown> => {
      const params = { id }
      if (action === 'play') return call(playCampaign, { params })
      if (action === 'pause') return call(pauseCampaign, { params })
      if (action === 'cancel') return call(saveCampaign, { params, body: { status: 'cancelled' } })
      if (action === 'delete') return call(deleteCampaign, { params })
      if (action === 'send_now') return once({ action, id }, (how) => call(sendCampaignNow, { params, ...how }))
      const body = { campaignId: id, platform, storeId }
      return once({ action, id }, (how) => call(sendToAbandonedCarts, { body, ...how }))
    },
  )
}

/** A failed request may have changed something too. */
function useChange<Input, Output>(keys: string[], change: (input: Input) => Promise<Output>) {
  const queries = useQueryClient()
  const outdate = () => Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })))
  return useMutation({ mutationFn: change, onSettled: outdate })
}
