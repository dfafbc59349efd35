import {
  type Icon,
  IconBell,
  IconChartBar,
  IconLayoutDashboard,
  IconMail,
  IconRoute,
  IconSettings,
  IconShoppingCart,
  IconTicket,
  IconUsers,
} from '@tabler/icons-react'
import type { Permission } from '../../../shared/core/endpoint.ts'
import { screens } from '../../../shared/screens.ts'

interface Section {
  path: string
  title: string
  icon: Icon
  permission: Permission
}

const icons: Record<string, Icon> = {
  dashboard: IconLayoutDashboard,
  carts: IconShoppingCart,
  flows: IconRoute,
  campaigns: IconMail,
  customers: IconUsers,
  notifications: IconBell,
  coupons: IconTicket,
  analytics: IconChartBar,
  settings: IconSettings,
}

/** The tabs in the order of A 2.2, with Flows next to Carts. */
export const sections: Section[] = screens.flatMap(({ path, title, icon, permission }) =>
  icon ? [{ path, title, icon: icons[icon]!, permission }] : [],
)

/** Section of the first path segment; Dashboard by default (A 2.2). */
export function findSection(pathname: string): Section {
  const first = `/${pathname.split('/')[1] ?? ''}`.toLowerCase()
  return sections.find(({ path }) => path === first) ?? sections[0]!
}
