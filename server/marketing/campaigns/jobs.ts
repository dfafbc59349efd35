import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

const campaignPayload = z.object({ storeId: z.uuid(), campaignId: z.uuid() })

/** Creates the rows of runs that have begun, page by page. Key: the campaign. */
export const planRunsJob = job('campaigns.plan', campaignPayload, 'one')
/** Applies a cancellation or edit to open messages: closes them or updates their due times. Key: the campaign. */
export const followJob = job('campaigns.follow', campaignPayload, 'one')
