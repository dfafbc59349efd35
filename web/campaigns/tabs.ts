import type { CampaignView } from '../../shared/campaigns.ts'
import { type StepName, steps } from './rules.ts'

// What of a campaign's page is shown first. Pure.

export type Tab = StepName | 'report'
export const tabs: readonly Tab[] = [...steps, 'report']

/** Of what has been sent one wants to know what became of it. */
export const firstTabOf = ({ counts }: Pick<CampaignView, 'counts'>): Tab => (counts.planned > 0 ? 'report' : 'details')

/** A change of it reaches nothing that has left. */
export const isSentAlready = ({ status, counts }: Pick<CampaignView, 'status' | 'counts'>): boolean =>
  ['sent', 'completed'].includes(status) && counts.planned > 0
