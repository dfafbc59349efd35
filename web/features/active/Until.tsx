import { Countdown, useCountdown } from '../../core/ui/Countdown.tsx'
import { formatMinutes } from '../../core/ui/format.ts'
import { formatDateTime } from '../../core/ui/times.ts'

const BY_THE_SECOND_S = 600
const HOUR_S = 3_600
const MINUTE_S = 60

/** Time left until an instant of the server's clock; counts seconds in the last ten minutes. */
export function Until({ at, aheadMs }: { at: string; aheadMs: number }) {
  const seconds = useCountdown(Date.parse(at) - aheadMs)
  if (seconds === null) return <span>any moment now</span>
  if (seconds <= BY_THE_SECOND_S) {
    return (
      <span>
        in <Countdown seconds={seconds} />
      </span>
    )
  }
  if (seconds <= HOUR_S) return <span>in {formatMinutes(Math.ceil(seconds / MINUTE_S))}</span>
  return <time dateTime={at}>{formatDateTime(at)}</time>
}
