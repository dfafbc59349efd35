import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  dropHeld,
  exportCampaignRecipients,
  listCampaignRecipients,
  type RecipientState,
  readCampaignReport,
  retryCampaign,
} from '../../shared/campaign-report.ts'
import { useStore } from '../access/queries.ts'
import { call } from '../api.ts'
import { useDownload } from '../ui/Download.tsx'

const REFRESH_MS = 15_000

/** null: no report to load. */
export function useReport(id: string | null) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['campaigns', storeId, 'report', id],
    queryFn: async ({ signal }) => (await call(readCampaignReport, { params: { id: id! }, signal })).report,
    enabled: id !== null,
    refetchInterval: REFRESH_MS,
  })
}

export interface RecipientQuery {
  page: number
  state: RecipientState | null
  run: number | null
}

export function useRecipients(id: string, { page, state, run }: RecipientQuery) {
  const storeId = useStore()?.id
  const query = { page, limit: 50, ...(state && { state }), ...(run && { run }) }
  return useQuery({
    queryKey: ['campaigns', storeId, 'recipients', id, query],
    queryFn: ({ signal }) => call(listCampaignRecipients, { params: { id }, query, signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  })
}

export const useExportRecipients = (id: string) =>
  useDownload(({ state, run }: Pick<RecipientQuery, 'state' | 'run'>) =>
    call(exportCampaignRecipients, { params: { id }, query: { ...(state && { state }), ...(run && { run }) } }),
  )

export function useDropHeld(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call(dropHeld, { params: { id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['campaigns'] }),
  })
}

export function useRetryFailed(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call(retryCampaign, { params: { id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['campaigns'] }),
  })
}
