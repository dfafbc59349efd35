import { useEffect, useRef } from 'react'

/** On a phone a row of tabs scrolls sideways; the tab one is on is always in sight. */
export function useTabInSight(here: string) {
  const row = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tab is what triggers it
  useEffect(() => {
    const tabs = row.current!
    // At once, and again when the window is turned or made narrow.
    const watching = new ResizeObserver(() => {
      const current = tabs.querySelector<HTMLElement>('[aria-current]')
      if (current) tabs.scrollLeft = current.offsetLeft - (tabs.clientWidth - current.offsetWidth) / 2
    })
    watching.observe(tabs)
    return () => watching.disconnect()
  }, [here])
  return row
}
