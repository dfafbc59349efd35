import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

const ofCampaign = z.object({ storeId: z.uuid(), campaignId: z.uuid() })

/** Makes the rows of what has begun, page by page. Key: the campaign. */
export const planRunsJob = job('campaigns.plan', ofCampaign, 'one')
/** What is open of a campaign follows what was changed: closed with it, or due at another time. Key: the campaign. */
export const followJob = job('campaigns.follow', ofCampaign, 'one')
