import { AppShell, Box } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect } from 'react'
import { Outlet, useLocation } from 'react-router'
import { Banners } from './Banners.tsx'
import { Header } from './Header.tsx'
import { Sidebar } from './Sidebar.tsx'

export function Shell() {
  const [isOpen, menu] = useDisclosure(false)
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a phone's menu closes when it has led somewhere
  useEffect(() => menu.close(), [pathname])
  return (
    <AppShell
      header={{ height: 60 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <AppShell.Header>
        <Header isMenuOpen={isOpen} onMenu={menu.toggle} />
      </AppShell.Header>
      <AppShell.Navbar p="md">
        <Sidebar />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} style={{ outline: 'none' }}>
        <Box
          mx={{ base: 'calc(var(--mantine-spacing-md) * -1)', sm: 'calc(var(--mantine-spacing-xl) * -1)' }}
          mt={{ base: 'calc(var(--mantine-spacing-md) * -1)', sm: 'calc(var(--mantine-spacing-xl) * -1)' }}
          mb="lg"
        >
          <Banners />
        </Box>
        <Box maw={1280} mx="auto">
          <Outlet />
        </Box>
      </AppShell.Main>
    </AppShell>
  )
}
