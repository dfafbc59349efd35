import { CAMPAIGN_ACTIONS, type CampaignCoverage } from './campaign-actions.ts'

// Describes the campaign coverage of a long run.

export function describeCampaigns(played: readonly CampaignCoverage[]): string {
  if (played.length === 0) return 'No scenario had campaigns.'
  const sum = (of: (each: CampaignCoverage) => number) => played.reduce((total, each) => total + of(each), 0)
  const sent = sum((each) => each.sent)
  const states = [...new Set(played.flatMap((each) => Object.keys(each.states)))]
    .map((name) => [name, sum((each) => each.states[name] ?? 0)] as const)
    .sort(([, a], [, b]) => b - a)
  const rows = states.reduce((total, [, count]) => total + count, 0)
  const share = (count: number) => `${((100 * count) / played.length).toFixed(0)} %`
  const campaignActions = CAMPAIGN_ACTIONS.map(
    (action) => `${action} ${share(played.filter((each) => each.campaignActions.includes(action)).length)}`,
  )
  return [
    `${played.length} scenarios had campaigns: ${sum(({ runs }) => runs)} runs, ${rows} messages, of which ${sent} were sent (${(sent / played.length).toFixed(1)} per scenario)`,
    `and ${sum(({ held }) => held)} were held at some time; at the end ${states.map(([name, count]) => `${count} were ${name}`).join(', ')}.`,
    `Scenarios in which it happened: ${campaignActions.join(', ')}.`,
  ].join('\n')
}
