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

interface Section {
  path: string
  title: string
  icon: Icon
}

/** The tabs in the order of A 2.2, with Flows beside the carts they belong to. */
export const sections: Section[] = [
  { path: '/dashboard', title: 'Dashboard', icon: IconLayoutDashboard },
  { path: '/carts', title: 'Abandoned Carts', icon: IconShoppingCart },
  { path: '/flows', title: 'Flows', icon: IconRoute },
  { path: '/campaigns', title: 'Email Campaigns', icon: IconMail },
  { path: '/customers', title: 'Customers', icon: IconUsers },
  { path: '/notifications', title: 'Notifications', icon: IconBell },
  { path: '/coupons', title: 'Coupons', icon: IconTicket },
  { path: '/analytics', title: 'Analytics', icon: IconChartBar },
  { path: '/settings', title: 'Settings', icon: IconSettings },
]

/** The section of the first path segment; Dashboard where there is none (A 2.2). */
export function sectionOf(pathname: string): Section {
  const first = `/${pathname.split('/')[1] ?? ''}`.toLowerCase()
  return sections.find(({ path }) => path === first) ?? sections[0]!
}
