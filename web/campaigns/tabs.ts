import type { CampaignView } from '../../shared/campaigns.ts'
import { type StepName, steps } from './rules.ts'

// Chooses the first tab of a campaign's page. Pure.

export type Tab = StepName | 'report'
export const tabs: readonly Tab[] = [...steps, 'report']

/** A campaign with sent messages opens with its report. */
export const chooseFirstTab = ({ counts }: Pick<CampaignView, 'counts'>): Tab =>
  counts.planned > 0 ? 'report' : 'details'

/** Changes do not affect messages already sent. */
export const hasSentMessages = ({ status, counts }: Pick<CampaignView, 'status' | 'counts'>): boolean =>
  ['sent', 'completed'].includes(status) && counts.planned > 0
