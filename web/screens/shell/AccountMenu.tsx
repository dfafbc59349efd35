import { Menu, UnstyledButton } from '@mantine/core'
import { Link } from 'react-router'
import type { User } from '../../../shared/access/auth.ts'
import { listAccountPages } from './account-pages.ts'

export function AccountMenu({ initials, user }: { initials: string; user: User }) {
  return (
    <Menu position="bottom-end" width={240} shadow="md" withInitialFocusPlaceholder={false} withinPortal={false}>
      <Menu.Target>
        <UnstyledButton className="account-mark" aria-label={`Account menu: ${user.name || user.email}`}>
          {initials}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <span className="store-name">{user.name}</span>
          <span className="store-platform">{user.email}</span>
        </Menu.Label>
        {listAccountPages(user).map(({ to, label, icon: Icon }) => (
          <Menu.Item key={to} component={Link} to={to} leftSection={<Icon size={16} stroke={1.8} aria-hidden />}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
