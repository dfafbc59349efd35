import { Anchor, Burger, Button, Group, Text } from '@mantine/core'
import { IconLogout, IconMail } from '@tabler/icons-react'
import { useState } from 'react'
import { useInstance, useStore } from '../access/queries.ts'
import { LogoutDialog } from '../accounts/LogoutDialog.tsx'
import { SyncState } from './SyncState.tsx'

export function Header({ isMenuOpen, onMenu }: { isMenuOpen: boolean; onMenu: () => void }) {
  const store = useStore()
  const support = useInstance()?.supportEmail
  const [isLeaving, setLeaving] = useState(false)
  return (
    <Group h="100%" px="md" gap="md" wrap="nowrap" justify="space-between">
      <Group gap="sm" wrap="nowrap" miw={0}>
        <Burger
          opened={isMenuOpen}
          onClick={onMenu}
          hiddenFrom="sm"
          size="sm"
          aria-label={isMenuOpen ? 'Close menu' : 'Open menu'}
          aria-expanded={isMenuOpen}
        />
        <Text fw={600} truncate>
          {store?.name ?? 'Recoup'}
        </Text>
      </Group>
      <Group gap="md" wrap="nowrap">
        {store && <SyncState />}
        {support && (
          <Anchor href={`mailto:${support}`} fz="sm" visibleFrom="sm">
            <Group gap={6} wrap="nowrap">
              <IconMail size={16} aria-hidden />
              Support
            </Group>
          </Anchor>
        )}
        <Button
          variant="subtle"
          size="compact-sm"
          visibleFrom="sm"
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={() => setLeaving(true)}
        >
          Logout
        </Button>
      </Group>
      <LogoutDialog opened={isLeaving} onClose={() => setLeaving(false)} />
    </Group>
  )
}
