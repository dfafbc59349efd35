import type { Mutation } from './mutations.ts'

// Mistakes in campaigns (decisions 41 to 47): sends, and recipients of runs.

export const campaignMutations: readonly Mutation[] = [
  {
    name: 'a campaign’s pause is not checked again at the send',
    rule: 'Campaigns',
    file: 'server/delivery/send/fragments.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: 'g.id = m.origin_id and ${isRunningCampaign}) else false end',
    after: 'g.id = m.origin_id) else false end',
    seed: 64,
  },
  {
    name: 'a run is not continued after its process died between two pages',
    rule: 'Runs',
    file: 'server/marketing/campaigns/runs.ts',
    before: 'where r.planned_at is null limit',
    after: 'where r.planned_at is null and r.cursor_id is null limit',
    seed: 34,
  },
  {
    name: 'messages held by a pause are not checked again after it',
    rule: 'Runs',
    file: 'server/delivery/send/send-due.ts',
    before: 'const isWoken = await wakeRequestedMessages(store, deps.now())',
    after: 'const isWoken = false && (await wakeRequestedMessages(store, deps.now()))',
    seed: 69,
  },
  {
    name: 'a recurring campaign forgets its earlier recipients',
    rule: 'Runs',
    file: 'server/marketing/campaigns/plan-sql.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: 'startedAt })} and not ${hasReceivedForCart(campaignId)}`',
    after: 'startedAt })}`',
    seed: 40,
  },
  {
    name: 'a month has thirty days',
    rule: 'Runs',
    file: 'server/marketing/campaigns/rules.ts',
    before: 'const at = toDate(first.add({ [unit]: count }), zone)',
    after: "const at = toDate(first.add(unit === 'months' ? { days: 30 * count } : { [unit]: count }), zone)",
    seed: 40,
  },
  {
    name: 'failed messages are retried any number of times',
    rule: 'Runs',
    file: 'server/marketing/campaigns/fragments.ts',
    before: 'and h.origin_id = m.origin_id and h.step > m.step offset 0) end)`',
    after: 'and h.origin_id = m.origin_id and h.step > m.step and false offset 0) end)`',
    seed: 111,
  },
  {
    name: 'a saved audience loses its largest amount',
    rule: 'Runs',
    file: 'server/marketing/audiences/filters.ts',
    before: '...(maxMinor === undefined ? {} : { maxCartValue: amount(maxMinor) }),',
    after: '',
    seed: 287,
  },
  {
    name: 'open messages of a deleted campaign stay open',
    rule: 'Campaigns',
    file: 'server/marketing/campaigns/steps.ts',
    before: '  await deps.jobs.enqueue(tx.db, followJob, { storeId: tx.storeId, campaignId: id }, id)\n',
    after: '',
    seed: 43,
  },
  {
    name: 'the report shows the figures of all runs for each run',
    rule: 'Report',
    file: 'server/marketing/campaign-reports/report.ts',
    before: 'countParts(states.filter((each) => each.run === run))',
    after: 'countParts(states)',
    seed: 24,
  },
  {
    name: 'a campaign is not paused when its mails bounce',
    rule: 'Guard',
    file: 'server/marketing/campaigns/rules.ts',
    before: "  if (bounced >= bounces.min && bounced / accepted > bounces.share) return 'bounces'\n",
    after: '',
    seed: 1278,
  },
]
