import { useEffect, useState } from 'react'

/** The current time, updated at an interval while the page is visible. */
export function useNow(everyMs = 15_000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now())
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
