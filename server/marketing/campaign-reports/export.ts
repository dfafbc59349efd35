import { z } from 'zod'
import { type CampaignRecipient, exportCampaignRecipients } from '../../../shared/marketing/campaign-report.ts'
import { type CsvColumn, csvFile, storeDownload } from '../../access/http/public.ts'
import { pagesOfRecipients } from './recipients.ts'

/** Exports the recipients of a campaign as CSV. */
export const recipientsDownload = storeDownload({
  name: 'campaign-recipients',
  path: '/api/campaigns/recipients/file',
  permission: exportCampaignRecipients.permission,
  limit: { name: 'campaigns-export', points: 30, windowS: 3_600 },
  what: z.object({ id: z.guid(), query: exportCampaignRecipients.query }),
  read: async (deps, store, { id, query }) =>
    csvFile(deps, 'campaign', { columns, pages: pagesOfRecipients(store, id, query), show: (row) => row }),
})

const columns: readonly CsvColumn<CampaignRecipient>[] = [
  ['Customer', ({ customer }) => customer],
  ['To', ({ to }) => to],
  ['Run', ({ run }) => run],
  ['State', ({ state }) => state],
  ['Reason', ({ reason }) => reason],
  ['Why', ({ explanation }) => explanation],
  ['Due', ({ dueAt }) => dueAt],
  ['Sent', ({ sentAt }) => sentAt],
  ['Held until', ({ heldUntil }) => heldUntil],
]
