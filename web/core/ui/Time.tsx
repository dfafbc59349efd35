import { useNow } from './clock.ts'
import { formatAge, formatDistance } from './format.ts'
import { formatDateTime, formatLongDateTime, useStoreZone } from './times.ts'

/** Relative past time, "2 min ago", kept up to date; exact time on hover. */
export function TimeAgo({ at }: { at: string | number }) {
  const ageMs = useNow() - new Date(at).getTime()
  return <Exactly at={at}>{formatAge(ageMs / 1_000)}</Exactly>
}

/** Relative future time, "in 2 min", or "2 min ago" if overdue. */
export function TimeUntil({ at }: { at: string | number }) {
  const now = useNow()
  return <Exactly at={at}>{formatDistance(at, now)}</Exactly>
}

export function DateTime({ at }: { at: string | number }) {
  useStoreZone()
  return <Exactly at={at}>{formatDateTime(at)}</Exactly>
}

const Exactly = ({ at, children }: { at: string | number; children: string }) => (
  <time dateTime={new Date(at).toISOString()} title={formatLongDateTime(at)}>
    {children}
  </time>
)
