import { Drawer } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Outlet, useLocation } from 'react-router'
import { connectionQuery, instanceQuery, meQuery, subscriptionQuery } from '../access/queries.ts'
import { useLive } from '../live/useLive.ts'
import { useStoreHealth } from '../stores/queries.ts'
import { FrameHeading } from '../ui/PageTitle.tsx'
import { Banners } from './Banners.tsx'
import { Header } from './Header.tsx'
import { Sidebar } from './Sidebar.tsx'
import { findSection } from './sections.ts'

export function Shell() {
  const [isOpen, menu] = useDisclosure(false)
  const { pathname } = useLocation()
  const section = findSection(pathname)
  const isComplete = useIsFrameReady()
  useLive()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a phone's menu closes when it has led somewhere
  useEffect(() => menu.close(), [pathname])
  return (
    <div className="shell" data-complete={isComplete}>
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <aside className="shell-side">
        <Sidebar />
      </aside>
      <div className="shell-page">
        <header className="shell-header">
          <Header section={section} isMenuOpen={isOpen} onMenu={menu.open} />
        </header>
        <Banners />
        <main id="content" tabIndex={-1} className="shell-main">
          <FrameHeading value={section.title}>
            <Outlet />
          </FrameHeading>
        </main>
      </div>
      <Drawer
        opened={isOpen}
        onClose={menu.close}
        size={280}
        title="Menu"
        classNames={{ content: 'side-drawer', header: 'side-drawer', body: 'side-drawer-body' }}
        attributes={{ header: { role: 'presentation' } }}
        closeButtonProps={{ 'aria-label': 'Close menu' }}
      >
        <Sidebar withAccount />
      </Drawer>
    </div>
  )
}

/**
 * Whether header and banners have loaded or failed. Until then the page is hidden, for 1.5 s at most, to avoid layout
 * shifts; its queries already run.
 */
function useIsFrameReady(): boolean {
  const wasComplete = useRef(false)
  const waits = [
    useQuery({ ...meQuery, notifyOnChangeProps: ['isLoading'] }).isLoading,
    useQuery({ ...instanceQuery, notifyOnChangeProps: ['isLoading'] }).isLoading,
    useQuery({ ...subscriptionQuery, enabled: false }).isLoading,
    useQuery({ ...connectionQuery, enabled: false }).isLoading,
    useStoreHealth().isLoading,
  ]
  wasComplete.current ||= !waits.includes(true)
  return wasComplete.current
}
