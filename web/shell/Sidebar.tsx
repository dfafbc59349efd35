import { Box, Button, Stack } from '@mantine/core'
import { IconLogout, IconMail, IconRoute, IconSettings, IconShoppingCart } from '@tabler/icons-react'
import { useState } from 'react'
import { NavLink } from 'react-router'
import { useInstance, useStanding } from '../access/queries.ts'
import { LogoutDialog } from '../accounts/LogoutDialog.tsx'
import { Logo } from '../ui/Logo.tsx'

const sections = [
  { path: '/carts', label: 'Abandoned Carts', icon: IconShoppingCart, needsStore: true },
  { path: '/flows', label: 'Flows', icon: IconRoute, needsStore: true },
  { path: '/settings', label: 'Settings', icon: IconSettings, needsStore: false },
]

export function Sidebar() {
  const isConnected = useStanding().standing?.connected ?? false
  const support = useInstance()?.supportEmail
  const [isLeaving, setLeaving] = useState(false)
  return (
    <Stack h="100%" gap="lg">
      <Box visibleFrom="sm">
        <Logo withTagline />
      </Box>
      <nav aria-label="Sections">
        <Stack gap={4}>
          {sections.map(({ path, label, icon: Icon, needsStore }) =>
            needsStore && !isConnected ? null : (
              <NavLink key={path} to={path} className="nav-link">
                <Icon size={19} stroke={1.7} aria-hidden />
                {label}
              </NavLink>
            ),
          )}
        </Stack>
      </nav>
      <Stack gap={4} mt="auto" hiddenFrom="sm">
        {support && (
          <a href={`mailto:${support}`} className="nav-link">
            <IconMail size={19} stroke={1.7} aria-hidden />
            Support
          </a>
        )}
        <Button
          variant="default"
          leftSection={<IconLogout size={17} aria-hidden />}
          justify="flex-start"
          onClick={() => setLeaving(true)}
        >
          Logout
        </Button>
      </Stack>
      <LogoutDialog opened={isLeaving} onClose={() => setLeaving(false)} />
    </Stack>
  )
}
