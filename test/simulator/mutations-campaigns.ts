import type { Mutation } from './mutations.ts'

// Mistakes around campaigns (decisions 41 to 47): what of them leaves, and whom their runs write to.

export const campaignMutations: readonly Mutation[] = [
  {
    name: 'whether its campaign was paused is not asked again at the hand-over',
    rule: 'Campaigns',
    file: 'server/send/deliver-sql.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: 'g.id = m.origin_id and ${isRunningCampaign}) else false end',
    after: 'g.id = m.origin_id) else false end',
    seed: 149,
  },
  {
    name: 'a run whose process ended between two pages is not gone on with',
    rule: 'Runs',
    file: 'server/campaigns/runs-sql.ts',
    before: 'from campaign_runs where planned_at is null limit',
    after: 'from campaign_runs where planned_at is null and cursor_id is null limit',
    seed: 2390,
  },
  {
    name: 'a recurring campaign forgets who has had it',
    rule: 'Runs',
    file: 'server/campaigns/plan-sql.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: ')} and not ${hasHadIt(campaignId)}`\n\nexport interface Place',
    after: ')}`\n\nexport interface Place',
    seed: 44,
  },
]
