// What other rooms use.

export { isRetryable } from './fragments.ts'
export { guardCampaigns } from './guard.ts'
export { followJob, planRunsJob } from './jobs.ts'
export { MAX_RETRIED, retryFailed } from './retry.ts'
export { campaignRoutes } from './routes.ts'
export { followCampaign, followZones, planRuns, runCampaigns } from './runs.ts'
export { cancelHeldMessages } from './steps.ts'
