import { type Icon, IconCreditCard, IconShieldCog, IconUserCircle } from '@tabler/icons-react'
import type { User } from '../../../shared/access/auth.ts'
import { hasPermission } from '../../../shared/access/roles.ts'

interface AccountPage {
  to: string
  label: string
  icon: Icon
}

/** Pages of the user and the account that are no tab, as this member may see them. */
export function listAccountPages({ role, operator }: Pick<User, 'role' | 'operator'>): AccountPage[] {
  const pages: (AccountPage | false)[] = [
    { to: '/settings/account', label: 'Account', icon: IconUserCircle },
    hasPermission(role, 'billing:read') && { to: '/billing', label: 'Plan and billing', icon: IconCreditCard },
    operator !== null && { to: '/operator', label: 'Operator', icon: IconShieldCog },
  ]
  return pages.filter((page) => page !== false)
}
