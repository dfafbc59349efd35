import { useQuery } from '@tanstack/react-query'
import { readCampaignReport } from '../../../shared/marketing/campaign-report.ts'
import { useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'

export const REFRESH_MS = 15_000

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
