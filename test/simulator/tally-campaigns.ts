import { CAMPAIGN_ACTIONS, type CampaignCoverage } from './campaign-actions.ts'

// Describes the campaign coverage of a long run.

export function describeCampaigns(played: readonly CampaignCoverage[]): string {
  if (played.length === 0) return 'No history had campaigns.'
  const sum = (of: (each: CampaignCoverage) => number) => played.reduce((total, each) => total + of(each), 0)
  const left = sum((each) => each.left)
  const states = [...new Set(played.flatMap((each) => Object.keys(each.states)))]
    .map((name) => [name, sum((each) => each.states[name] ?? 0)] as const)
    .sort(([, a], [, b]) => b - a)
  const rows = states.reduce((total, [, count]) => total + count, 0)
  const share = (count: number) => `${((100 * count) / played.length).toFixed(0)} %`
  const campaignActions = CAMPAIGN_ACTIONS.map(
    (deed) => `${deed} ${share(played.filter((each) => each.campaignActions.includes(deed)).length)}`,
  )
  return [
    `${played.length} histories had campaigns: ${sum(({ runs }) => runs)} runs, ${rows} messages, of which ${left} left (${(left / played.length).toFixed(1)} a history)`,
    `and ${sum(({ held }) => held)} were held at some time; at the end ${states.map(([name, count]) => `${count} were ${name}`).join(', ')}.`,
    `Histories in which it happened: ${campaignActions.join(', ')}.`,
  ].join('\n')
}
