import type { ComponentType } from 'react'

// Every screen by its path, each a file of its own to load. A section stands in the sidebar once it stands here.

type Screen = () => Promise<{ Component: ComponentType }>

/** `screen(() => import('./x.tsx'), 'X')` */
const screen =
  <K extends string>(load: () => Promise<Record<K, ComponentType>>, name: K): Screen =>
  async () => ({ Component: (await load())[name] })

const signIn = screen(() => import('./accounts/SignInPage.tsx'), 'SignInPage')

/** Shown to everybody, whoever they are: nothing is asked about them. */
export const publicScreens: Record<string, Screen> = {
  '/landing': screen(() => import('./site/LandingRoute.tsx'), 'LandingRoute'),
  '/cart/recover': screen(() => import('./restore/RestorePage.tsx'), 'RestorePage'),
  '/unsubscribe': screen(() => import('./restore/UnsubscribePage.tsx'), 'UnsubscribePage'),
  '/preferences': screen(() => import('./restore/PreferencesPage.tsx'), 'PreferencesPage'),
  '/invite': screen(() => import('./accounts/InvitePage.tsx'), 'InvitePage'),
  '/confirm-email': screen(() => import('./accounts/ConfirmEmailPage.tsx'), 'ConfirmEmailPage'),
  '/terms': screen(() => import('./site/TermsPage.tsx'), 'TermsPage'),
  '/privacy': screen(() => import('./site/PrivacyPage.tsx'), 'PrivacyPage'),
  '/test': screen(() => import('./site/TestPage.tsx'), 'TestPage'),
}

/** Behind the guard, outside the shell. */
export const bareScreens: Record<string, Screen> = {
  '/login': signIn,
  '/register': signIn,
  '/reset-password': screen(() => import('./accounts/ResetPasswordPage.tsx'), 'ResetPasswordPage'),
  '/logout': screen(() => import('./accounts/LogoutPage.tsx'), 'LogoutPage'),
  '/pricing': screen(() => import('./billing/PricingPage.tsx'), 'PricingPage'),
  '/test-subscription': screen(() => import('./billing/TestSubscriptionPage.tsx'), 'TestSubscriptionPage'),
  '/store-setup': screen(() => import('./stores/StoreSetupPage.tsx'), 'StoreSetupPage'),
}

/** Behind the guard, inside the shell. */
export const shellScreens: Record<string, Screen> = {
  '/dashboard': screen(() => import('./dashboard/DashboardPage.tsx'), 'DashboardPage'),
  '/carts': screen(() => import('./carts/CartsPage.tsx'), 'CartsPage'),
  '/carts/:id': screen(() => import('./carts/CartPage.tsx'), 'CartPage'),
  '/flows': screen(() => import('./flows/FlowsPage.tsx'), 'FlowsPage'),
  '/flows/:flowId': screen(() => import('./flows/FlowPage.tsx'), 'FlowPage'),
  '/settings': screen(() => import('./settings/SettingsPage.tsx'), 'SettingsPage'),
}

/** Inside `/settings`: its tabs, in the order of `settings/tabs.ts`. */
export const settingsScreens: Record<string, Screen> = {
  '/settings': screen(() => import('./settings/StoreTab.tsx'), 'StoreTab'),
  '/settings/account': screen(() => import('./settings/AccountTab.tsx'), 'AccountTab'),
  '/settings/appearance': screen(() => import('./settings/AppearanceTab.tsx'), 'AppearanceTab'),
  '/settings/recovery-rules': screen(() => import('./settings/RecoveryRulesTab.tsx'), 'RecoveryRulesTab'),
  '/settings/sending': screen(() => import('./settings/SendingTab.tsx'), 'SendingTab'),
  '/settings/consent': screen(() => import('./settings/ConsentTab.tsx'), 'ConsentTab'),
  '/settings/faq': screen(() => import('./settings/FaqTab.tsx'), 'FaqTab'),
}

export const shell = screen(() => import('./shell/Shell.tsx'), 'Shell')
/** Also what the guard leaves to be shown of a path no screen answers. */
export const notFound = screen(() => import('./site/NotFoundPage.tsx'), 'NotFoundPage')
