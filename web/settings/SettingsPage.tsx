import './settings.css'
import { Link, Outlet, useLocation } from 'react-router'
import { useTabInSight } from '../ui/useTabInSight.ts'
import { findTab, findTitle, settingsTabs } from './tabs.ts'

/** Frame of the tabs of A 2.8. Each tab has its own address, so it can be linked, reloaded and Back works. */
export function SettingsPage() {
  const { pathname } = useLocation()
  const here = findTab(pathname)
  return (
    <>
      <title>{`${findTitle(pathname)} · Settings · Recoup`}</title>
      <Tabs here={here.path} />
      <div className="settings">
        <Outlet />
      </div>
    </>
  )
}

function Tabs({ here }: { here: string }) {
  const row = useTabInSight(here)
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
