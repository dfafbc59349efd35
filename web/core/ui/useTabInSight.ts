import { useEffect, useRef } from 'react'

/** On phones a row of tabs scrolls sideways; scrolls the current tab into view. */
export function useTabInSight(here: string) {
  const row = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tab is what triggers it
  useEffect(() => {
    const tabs = row.current!
    // Immediately, and after the window is rotated or narrowed.
    const watching = new ResizeObserver(() => {
      const current = tabs.querySelector<HTMLElement>('[aria-current]')
      if (current) tabs.scrollLeft = current.offsetLeft - (tabs.clientWidth - current.offsetWidth) / 2
    })
    watching.observe(tabs)
    return () => watching.disconnect()
  }, [here])
  return row
}
