import '../../core/ui/tabs.css'
import './settings.css'
import { Link, Outlet, useLocation } from 'react-router'
import { findScreen, type Screen, screens } from '../../../shared/screens.ts'
import { productName } from '../../core/ui/brand.ts'
import { useTabInSight } from '../../core/ui/useTabInSight.ts'

/** Frame of the tabs of A 2.8. Each tab has its own address, so it can be linked, reloaded and Back works. */
export function SettingsPage() {
  const { pathname } = useLocation()
  const here = findTab(pathname)
  return (
    <>
      <title>{`${findTitle(pathname)} · Settings · ${productName}`}</title>
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

interface SettingsTab {
  path: string
  title: string
}

/** The tabs in order; `/settings` shows the first. */
const settingsTabs: readonly SettingsTab[] = screens.flatMap(({ path, tab }) => (tab ? [{ path, title: tab }] : []))

/** A screen below a tab, such as `/settings/sending/domain`, belongs to it; any other path to the first. */
function findTab(pathname: string): SettingsTab {
  const here = getPath(findScreen(pathname))
  return (
    settingsTabs.find(({ path }) => path === here) ??
    settingsTabs.slice(1).find(({ path }) => here.startsWith(`${path}/`)) ??
    settingsTabs[0]!
  )
}

function findTitle(pathname: string): string {
  const screen = findScreen(pathname)
  return screen && !screen.tab ? screen.title : findTab(pathname).title
}

const getPath = (screen: Screen | null) => screen?.path ?? ''
