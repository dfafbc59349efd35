import { useEffect, useState } from 'react'
import { formatCountdown } from './format.ts'

/** Seconds until an instant; null if it has passed or is not set. */
export function useCountdown(untilMs: number | null): number | null {
  const [now, setNow] = useState(Date.now)
  const isRunning = untilMs !== null && untilMs > now
  useEffect(() => {
    setNow(Date.now())
    if (untilMs === null || untilMs <= Date.now()) return
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [untilMs])
  return isRunning ? Math.ceil((untilMs - now) / 1_000) : null
}

export function Countdown({ seconds }: { seconds: number }) {
  return <span className="tabular">{formatCountdown(seconds)}</span>
}
