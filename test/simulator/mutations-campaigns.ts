import type { Mutation } from './mutations.ts'

// Mistakes around campaigns (decisions 41 to 47): what of them leaves, and whom their runs write to.

export const campaignMutations: readonly Mutation[] = [
  {
    name: 'whether its campaign was paused is not asked again at the send',
    rule: 'Campaigns',
    file: 'server/delivery/send/fragments.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: 'g.id = m.origin_id and ${isRunningCampaign}) else false end',
    after: 'g.id = m.origin_id) else false end',
    seed: 64,
  },
  {
    name: 'a run whose process ended between two pages is not gone on with',
    rule: 'Runs',
    file: 'server/marketing/campaigns/runs-sql.ts',
    before: 'where r.planned_at is null limit',
    after: 'where r.planned_at is null and r.cursor_id is null limit',
    seed: 34,
  },
  {
    name: 'what a pause held is not looked at again when it is over',
    rule: 'Runs',
    file: 'server/delivery/send/send-due.ts',
    before: 'const isWoken = await wakeRequestedMessages(store, deps.now())',
    after: 'const isWoken = false && (await wakeRequestedMessages(store, deps.now()))',
    seed: 69,
  },
  {
    name: 'a recurring campaign forgets who has had it',
    rule: 'Runs',
    file: 'server/marketing/campaigns/plan-sql.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
    before: ')} and not ${hasReceivedForCart(campaignId)}`\n\nexport interface Place',
    after: ')}`\n\nexport interface Place',
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
    name: 'what failed is sent again however often somebody asks',
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
    name: 'what is open of a campaign that was deleted stays open',
    rule: 'Campaigns',
    file: 'server/marketing/campaigns/steps.ts',
    before: '  await deps.jobs.enqueue(tx.db, followJob, { storeId: tx.storeId, campaignId: id }, id)\n',
    after: '',
    seed: 43,
  },
  {
    name: 'the report gives each run the figures of all',
    rule: 'Report',
    file: 'server/marketing/campaign-reports/report.ts',
    before: 'countParts(states.filter((each) => each.run === run))',
    after: 'countParts(states)',
    seed: 24,
  },
  {
    name: 'a campaign whose mails bounce goes on',
    rule: 'Guard',
    file: 'server/marketing/campaigns/rules.ts',
    before: "  if (bounced >= bounces.least && bounced / accepted > bounces.share) return 'bounces'\n",
    after: '',
    seed: 1278,
  },
]
