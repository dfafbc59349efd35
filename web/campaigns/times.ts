import type { Frequency } from '../../shared/campaigns.ts'
import { knownZone, localOf } from '../coupons/zone.ts'

// Times of a campaign as the clocks of its store show them. Pure.

interface Where {
  /** The store's. */
  zone: string
  /** The browser's. */
  ownZone: string
}

/** "Nov 30, 10:00 AM", with the year when it is not this one, and the zone where the browser's clocks show another time. */
export function storeTime(instant: string | number, where: Where, now: number): string {
  const zone = knownZone(where.zone)
  const isThisYear = localOf(instant, zone).slice(0, 4) === localOf(now, zone).slice(0, 4)
  return new Intl.DateTimeFormat('en-US', {
    ...{ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZone: zone },
    ...(!isThisYear && { year: 'numeric' }),
    ...(isOtherTime(instant, where) && { timeZoneName: 'short' }),
  }).format(new Date(instant))
}

/** "Monday, November 23, 2026 at 10:00 AM (America/New_York)": the zone where the browser's clocks show another time. */
export function longStoreTime(instant: string | number, where: Where): string {
  const zone = knownZone(where.zone)
  const text = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeStyle: 'short', timeZone: zone }).format(
    new Date(instant),
  )
  return isOtherTime(instant, where) ? `${text} (${zone})` : text
}

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

const isOtherTime = (instant: string | number, { zone, ownZone }: Where): boolean =>
  localOf(instant, knownZone(zone)) !== localOf(instant, knownZone(ownZone))

export const frequencyNames: Record<Frequency, string> = {
  once: 'Once',
  daily: 'Daily',
  weekly: 'Weekly',
  monthly: 'Monthly',
}
