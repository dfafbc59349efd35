import type { ComponentType } from 'react'
import type { ScreenFrame, ScreenLoader } from '../shared/screens.ts'
import { LoadingPage } from './core/ui/Loading.tsx'

// The component of every screen in `shared/screens.ts`, each in its own chunk.

type Load = () => Promise<{ Component: ComponentType }>

/** `screen(() => import('./x.tsx'), 'X')` */
const screen =
  <K extends string>(load: () => Promise<Record<K, ComponentType>>, name: K): Load =>
  async () => ({ Component: (await load())[name] })

/** `scripts/load-ahead.ts` parses these lines. */
export const components: Record<ScreenLoader, Load> = {
  SignInPage: screen(() => import('./features/accounts/SignInPage.tsx'), 'SignInPage'),
  LandingRoute: screen(() => import('./screens/site/LandingRoute.tsx'), 'LandingRoute'),
  ShopperDocument: screen(() => import('./screens/site/ShopperDocument.tsx'), 'ShopperDocument'),
  InvitePage: screen(() => import('./features/accounts/InvitePage.tsx'), 'InvitePage'),
  ConfirmEmailPage: screen(() => import('./features/accounts/ConfirmEmailPage.tsx'), 'ConfirmEmailPage'),
  VerifyEmailPage: screen(() => import('./features/accounts/VerifyEmailPage.tsx'), 'VerifyEmailPage'),
  UndoEmailPage: screen(() => import('./features/accounts/UndoEmailPage.tsx'), 'UndoEmailPage'),
  TermsPage: screen(() => import('./screens/site/TermsPage.tsx'), 'TermsPage'),
  PrivacyPage: screen(() => import('./screens/site/PrivacyPage.tsx'), 'PrivacyPage'),
  HowWeTestPage: screen(() => import('./screens/site/HowWeTestPage.tsx'), 'HowWeTestPage'),
  TestPage: screen(() => import('./screens/site/TestPage.tsx'), 'TestPage'),
  ResetPasswordPage: screen(() => import('./features/accounts/ResetPasswordPage.tsx'), 'ResetPasswordPage'),
  LogoutPage: screen(() => import('./features/accounts/LogoutPage.tsx'), 'LogoutPage'),
  PricingPage: screen(() => import('./features/billing/PricingPage.tsx'), 'PricingPage'),
  BillingPage: screen(() => import('./features/billing/BillingPage.tsx'), 'BillingPage'),
  TestSubscriptionPage: screen(() => import('./features/billing/TestSubscriptionPage.tsx'), 'TestSubscriptionPage'),
  StoreSetupPage: screen(() => import('./features/stores/StoreSetupPage.tsx'), 'StoreSetupPage'),
  DashboardPage: screen(() => import('./screens/dashboard/DashboardPage.tsx'), 'DashboardPage'),
  CartsPage: screen(() => import('./features/carts/CartsPage.tsx'), 'CartsPage'),
  CartPage: screen(() => import('./features/carts/CartPage.tsx'), 'CartPage'),
  CampaignsPage: screen(() => import('./features/campaigns/CampaignsPage.tsx'), 'CampaignsPage'),
  CampaignPage: screen(() => import('./features/campaigns/CampaignPage.tsx'), 'CampaignPage'),
  CustomersPage: screen(() => import('./features/customers/CustomersPage.tsx'), 'CustomersPage'),
  CustomerPage: screen(() => import('./features/customers/CustomerPage.tsx'), 'CustomerPage'),
  FlowsPage: screen(() => import('./features/flows/FlowsPage.tsx'), 'FlowsPage'),
  FlowPage: screen(() => import('./features/flows/FlowPage.tsx'), 'FlowPage'),
  LiftPage: screen(() => import('./features/lift/LiftPage.tsx'), 'LiftPage'),
  NotificationsPage: screen(() => import('./features/notifications/NotificationsPage.tsx'), 'NotificationsPage'),
  CouponsPage: screen(() => import('./features/coupons/CouponsPage.tsx'), 'CouponsPage'),
  AnalyticsPage: screen(() => import('./features/analytics/AnalyticsPage.tsx'), 'AnalyticsPage'),
  OperatorPage: screen(() => import('./features/operator/OperatorScreens.tsx'), 'OperatorPage'),
  OperatorAccountPage: screen(() => import('./features/operator/OperatorScreens.tsx'), 'OperatorAccountPage'),
  PushManagerPage: screen(() => import('./features/push/PushManagerPage.tsx'), 'PushManagerPage'),
  PushSetupPage: screen(() => import('./features/push/PushSetupPage.tsx'), 'PushSetupPage'),
  StoreTab: screen(() => import('./screens/settings/StoreTab.tsx'), 'StoreTab'),
  CaptureScriptScreen: screen(() => import('./screens/settings/CaptureScriptScreen.tsx'), 'CaptureScriptScreen'),
  AccountTab: screen(() => import('./screens/settings/AccountTab.tsx'), 'AccountTab'),
  NotificationSettings: screen(
    () => import('./features/notifications/NotificationSettings.tsx'),
    'NotificationSettings',
  ),
  AppearanceTab: screen(() => import('./screens/settings/AppearanceTab.tsx'), 'AppearanceTab'),
  RecoveryRulesTab: screen(() => import('./screens/settings/RecoveryRulesTab.tsx'), 'RecoveryRulesTab'),
  SendingTab: screen(() => import('./screens/settings/SendingTab.tsx'), 'SendingTab'),
  SenderScreen: screen(() => import('./screens/settings/SendingScreens.tsx'), 'SenderScreen'),
  BrandScreen: screen(() => import('./screens/settings/SendingScreens.tsx'), 'BrandScreen'),
  MailServerScreen: screen(() => import('./screens/settings/SendingScreens.tsx'), 'MailServerScreen'),
  DomainScreen: screen(() => import('./screens/settings/SendingScreens.tsx'), 'DomainScreen'),
  BouncesScreen: screen(() => import('./screens/settings/SendingScreens.tsx'), 'BouncesScreen'),
  SmsScreen: screen(() => import('./screens/settings/SendingScreens.tsx'), 'SmsScreen'),
  WhatsappScreen: screen(() => import('./screens/settings/SendingScreens.tsx'), 'WhatsappScreen'),
  ConsentTab: screen(() => import('./screens/settings/ConsentTab.tsx'), 'ConsentTab'),
  PrivacyTab: screen(() => import('./screens/settings/PrivacyTab.tsx'), 'PrivacyTab'),
  FaqTab: screen(() => import('./screens/settings/FaqTab.tsx'), 'FaqTab'),
  // The guard redirects from `/`.
  LoadingPage: async () => ({ Component: LoadingPage }),
}

export const frames: Record<Exclude<ScreenFrame, 'page'>, Load> = {
  shell: screen(() => import('./screens/shell/Shell.tsx'), 'Shell'),
  settings: screen(() => import('./screens/settings/SettingsPage.tsx'), 'SettingsPage'),
}
