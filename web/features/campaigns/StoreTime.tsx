import { useStore } from '../../core/access/queries.ts'
import { formatLongStoreTime, formatStoreTime, getBrowserZone } from '../../core/ui/times.ts'

/** Shows an instant in the store's time zone, like the schedule. */
export function StoreTime({ at }: { at: string | number }) {
  const clock = useStoreClock()
  return (
    <time dateTime={new Date(at).toISOString()} title={formatLongStoreTime(at, clock)}>
      {formatStoreTime(at, clock, Date.now())}
    </time>
  )
}

export function useStoreClock() {
  const zone = useStore()?.timeZone ?? 'UTC'
  return { zone, ownZone: getBrowserZone() }
}
