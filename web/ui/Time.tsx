import { useNow } from './clock.ts'
import { formatDateTime, formatDistance, formatLongDateTime } from './format.ts'

/** "2 min ago", kept up to date; the exact time on hover. */
export function TimeAgo({ at }: { at: string | number }) {
  const now = useNow()
  return (
    <time dateTime={new Date(at).toISOString()} title={formatLongDateTime(at)}>
      {formatDistance(at, now)}
    </time>
  )
}

export function DateTime({ at }: { at: string | number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatLongDateTime(at)}>
      {formatDateTime(at)}
    </time>
  )
}
