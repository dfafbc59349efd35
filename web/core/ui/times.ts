import { useSyncExternalStore } from 'react'
import { toKnownZone, toLocal } from './zone.ts'

// The one rule for displayed times: the store's time zone, named if the browser's clock differs. Without a store, the
// browser's zone.

interface StoreClock {
  /** The store's zone. */
  zone: string
  /** The browser's zone. */
  ownZone: string
}

/** "Nov 30, 10:00 AM"; with the year if it is not the current one, and the zone if the browser's clock differs. */
export function formatStoreTime(instant: string | number, clock: StoreClock, now: number): string {
  const zone = toKnownZone(clock.zone)
  const isThisYear = toLocal(instant, zone).slice(0, 4) === toLocal(now, zone).slice(0, 4)
  return new Intl.DateTimeFormat('en-US', {
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: zone,
    ...(!isThisYear && { year: 'numeric' }),
    ...(isOtherTime(instant, clock) && { timeZoneName: 'short' }),
  }).format(new Date(instant))
}

/** "Monday, November 23, 2026 at 10:00 AM (America/New_York)": the zone only if the browser's clock differs. */
export function formatLongStoreTime(instant: string | number, clock: StoreClock): string {
  const zone = toKnownZone(clock.zone)
  const text = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeStyle: 'short', timeZone: zone }).format(
    new Date(instant),
  )
  return isOtherTime(instant, clock) ? `${text} (${zone})` : text
}

export const getBrowserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

const isOtherTime = (instant: string | number, { zone, ownZone }: StoreClock): boolean =>
  toLocal(instant, toKnownZone(zone)) !== toLocal(instant, toKnownZone(ownZone))

let storeZone: string | null = null
const listeners = new Set<() => void>()

/** null: this tab shows no store. */
export function setStoreZone(zone: string | null): void {
  if (zone === storeZone) return
  storeZone = zone
  for (const listener of listeners) listener()
}

/** Updates times already on the page. */
export const useStoreZone = (): string | null =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => storeZone,
  )

function getClock(): StoreClock {
  const ownZone = getBrowserZone()
  return { zone: storeZone ?? ownZone, ownZone }
}

/** The day in the zone, `2026-01-05`. */
export const formatIsoDay = (instant: string | number): string =>
  toLocal(instant, toKnownZone(getClock().zone)).slice(0, 10)

/** Jan 5, 3:04 PM; with the year if it is not the current one. */
export const formatDateTime = (instant: string | number, now = Date.now()): string =>
  formatStoreTime(instant, getClock(), now)

/** With seconds and zone. */
export const formatLongDateTime = (instant: string | number): string =>
  new Intl.DateTimeFormat('en-US', {
    dateStyle: 'full',
    timeStyle: 'long',
    timeZone: toKnownZone(getClock().zone),
  }).format(new Date(instant))
