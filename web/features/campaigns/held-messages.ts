import type { CampaignReport } from '../../../shared/marketing/campaign-report.ts'
import type { CampaignSchedule } from '../../../shared/marketing/campaigns.ts'
import { formatCount } from '../../core/ui/format.ts'
import { formatStoreTime } from '../../core/ui/times.ts'

// Counts of sent and held-back messages of a campaign. Pure.

type CampaignCounts = Pick<CampaignReport, 'counts' | 'held'>
type StoreClock = Parameters<typeof formatStoreTime>[1]

/**
 * "10 sent or on the way, 5 on hold, the first until Nov 24, 3:04 PM." null if there is nothing to
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
  const some = `${formatCount(count)} ${isSoon ? 'sent or on the way' : 'sent or scheduled'}`
  return held ? `${some}, ${describeHeld(held, clock)}` : `${some}.`
}

function describeHeld(
  { count, firstUntil, explanation }: NonNullable<CampaignReport['held']>,
  clock: StoreClock,
): string {
  const first = count === 1 ? 'until' : 'the first until'
  return `${formatCount(count)} on hold, ${first} ${formatStoreTime(firstUntil, clock, Date.now())}. ${explanation}`.trim()
}
