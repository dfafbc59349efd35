import type { CampaignReport } from '../../../shared/marketing/campaign-report.ts'
import type { CampaignSchedule } from '../../../shared/marketing/campaigns.ts'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { formatStoreTime } from '../../core/ui/times.ts'

// Counts of sent and held-back messages of a campaign. Pure.

type CampaignCounts = Pick<CampaignReport, 'counts' | 'held'>
type StoreClock = Parameters<typeof formatStoreTime>[1]

/**
 * "10 got it or will within minutes, 5 are held back, the first until Nov 24, 3:04 PM." null if there is nothing to
 * report yet.
 */
export function describeSent(
  { counts: { sent, inFlight, waiting }, held }: CampaignCounts,
  { delay, spreadHours }: Pick<CampaignSchedule, 'delay' | 'spreadHours'>,
  clock: StoreClock,
): string | null {
  const count = sent + inFlight + waiting
  if (count === 0 && !held) return null
  const isSoon = delay === 0 && spreadHours === null
  const some = `${formatCounted(count, 'person', 'people')} got it or will ${isSoon ? 'within minutes' : 'by its schedule'}`
  return held ? `${some}, ${describeHeld(held, clock)}` : `${some}.`
}

function describeHeld(
  { count, firstUntil, explanation }: NonNullable<CampaignReport['held']>,
  clock: StoreClock,
): string {
  const first = count === 1 ? 'until' : 'the first until'
  const verb = count === 1 ? 'is' : 'are'
  return `${formatCount(count)} ${verb} held back, ${first} ${formatStoreTime(firstUntil, clock, Date.now())}. ${explanation}`.trim()
}
