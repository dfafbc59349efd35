/** The tabs in their order. Each has a file of its own (`screens.ts`), and the first is what `/settings` shows. */
export const settingsTabs = [
  { path: '/settings', title: 'Store' },
  { path: '/settings/account', title: 'Account' },
  { path: '/settings/appearance', title: 'Appearance' },
  { path: '/settings/recovery-rules', title: 'Recovery rules' },
  { path: '/settings/sending', title: 'Sending' },
  { path: '/settings/consent', title: 'Consent' },
  { path: '/settings/faq', title: 'FAQ' },
] as const

export const tabOf = (pathname: string) =>
  settingsTabs.find(({ path }) => path === pathname.toLowerCase().replace(/\/+$/, '')) ?? settingsTabs[0]
