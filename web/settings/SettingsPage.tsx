import './settings.css'
import { useEffect, useRef } from 'react'
import { Link, Outlet, useLocation } from 'react-router'
import { settingsTabs, tabOf, titleOf } from './tabs.ts'

/** The frame around the tabs of A 2.8: each is a page of its own address, so that it can be linked, reloaded and gone back to. */
export function SettingsPage() {
  const { pathname } = useLocation()
  const here = tabOf(pathname)
  return (
    <>
      <title>{`${titleOf(pathname)} · Settings · Recoup`}</title>
      <Tabs here={here.path} />
      <div className="settings">
        <Outlet />
      </div>
    </>
  )
}

/** On a phone the row scrolls sideways; the tab one is on is always in sight. */
function Tabs({ here }: { here: string }) {
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
  return (
    <nav ref={row} className="tabs" aria-label="Settings">
      {settingsTabs.map(({ path, title }) => (
        <Link key={path} to={path} className="tab" aria-current={path === here ? 'page' : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  )
}
