import type { ComponentType } from 'react'
import type { ScreenFrame, ScreenLoader } from '../shared/screens.ts'
import { LoadingPage } from './ui/Loading.tsx'

// The component of every screen in `shared/screens.ts`, each in its own chunk.

type Load = () => Promise<{ Component: ComponentType }>

/** `screen(() => import('./x.tsx'), 'X')` */
const screen =
  <K extends string>(load: () => Promise<Record<K, ComponentType>>, name: K): Load =>
  async () => ({ Component: (await load())[name] })

/** `scripts/load-ahead.ts` parses these lines. */
export const components: Record<ScreenLoader, Load> = {
  SignInPage: screen(() => import('./accounts/SignInPage.tsx'), 'SignInPage'),
  LandingRoute: screen(() => import('./site/LandingRoute.tsx'), 'LandingRoute'),
  RestorePage: screen(() => import('./restore/RestorePage.tsx'), 'RestorePage'),
  UnsubscribePage: screen(() => import('./restore/UnsubscribePage.tsx'), 'UnsubscribePage'),
  PreferencesPage: screen(() => import('./restore/PreferencesPage.tsx'), 'PreferencesPage'),
  InvitePage: screen(() => import('./accounts/InvitePage.tsx'), 'InvitePage'),
  ConfirmEmailPage: screen(() => import('./accounts/ConfirmEmailPage.tsx'), 'ConfirmEmailPage'),
  VerifyEmailPage: screen(() => import('./accounts/VerifyEmailPage.tsx'), 'VerifyEmailPage'),
  UndoEmailPage: screen(() => import('./accounts/UndoEmailPage.tsx'), 'UndoEmailPage'),
  TermsPage: screen(() => import('./site/TermsPage.tsx'), 'TermsPage'),
  PrivacyPage: screen(() => import('./site/PrivacyPage.tsx'), 'PrivacyPage'),
  HowWeTestPage: screen(() => import('./site/HowWeTestPage.tsx'), 'HowWeTestPage'),
  TestPage: screen(() => import('./site/TestPage.tsx'), 'TestPage'),
  ResetPasswordPage: screen(() => import('./accounts/ResetPasswordPage.tsx'), 'ResetPasswordPage'),
  LogoutPage: screen(() => import('./accounts/LogoutPage.tsx'), 'LogoutPage'),
  PricingPage: screen(() => import('./billing/PricingPage.tsx'), 'PricingPage'),
  BillingPage: screen(() => import('./billing/BillingPage.tsx'), 'BillingPage'),
  TestSubscriptionPage: screen(() => import('./billing/TestSubscriptionPage.tsx'), 'TestSubscriptionPage'),
  StoreSetupPage: screen(() => import('./stores/StoreSetupPage.tsx'), 'StoreSetupPage'),
  DashboardPage: screen(() => import('./dashboard/DashboardPage.tsx'), 'DashboardPage'),
  CartsPage: screen(() => import('./carts/CartsPage.tsx'), 'CartsPage'),
  CartPage: screen(() => import('./carts/CartPage.tsx'), 'CartPage'),
  CampaignsPage: screen(() => import('./campaigns/CampaignsPage.tsx'), 'CampaignsPage'),
  CampaignPage: screen(() => import('./campaigns/CampaignPage.tsx'), 'CampaignPage'),
  CustomersPage: screen(() => import('./customers/CustomersPage.tsx'), 'CustomersPage'),
  CustomerPage: screen(() => import('./customers/CustomerPage.tsx'), 'CustomerPage'),
  FlowsPage: screen(() => import('./flows/FlowsPage.tsx'), 'FlowsPage'),
  FlowPage: screen(() => import('./flows/FlowPage.tsx'), 'FlowPage'),
  LiftPage: screen(() => import('./lift/LiftPage.tsx'), 'LiftPage'),
  NotificationsPage: screen(() => import('./notifications/NotificationsPage.tsx'), 'NotificationsPage'),
  CouponsPage: screen(() => import('./coupons/CouponsPage.tsx'), 'CouponsPage'),
  AnalyticsPage: screen(() => import('./analytics/AnalyticsPage.tsx'), 'AnalyticsPage'),
  OperatorPage: screen(() => import('./operator/OperatorScreens.tsx'), 'OperatorPage'),
  OperatorAccountPage: screen(() => import('./operator/OperatorScreens.tsx'), 'OperatorAccountPage'),
  PushManagerPage: screen(() => import('./push/PushManagerPage.tsx'), 'PushManagerPage'),
  PushSetupPage: screen(() => import('./push/PushSetupPage.tsx'), 'PushSetupPage'),
  StoreTab: screen(() => import('./settings/StoreTab.tsx'), 'StoreTab'),
  CaptureScriptScreen: screen(() => import('./settings/CaptureScriptScreen.tsx'), 'CaptureScriptScreen'),
  AccountTab: screen(() => import('./settings/AccountTab.tsx'), 'AccountTab'),
  NotificationSettings: screen(() => import('./notifications/NotificationSettings.tsx'), 'NotificationSettings'),
  AppearanceTab: screen(() => import('./settings/AppearanceTab.tsx'), 'AppearanceTab'),
  RecoveryRulesTab: screen(() => import('./settings/RecoveryRulesTab.tsx'), 'RecoveryRulesTab'),
  SendingTab: screen(() => import('./settings/SendingTab.tsx'), 'SendingTab'),
  SenderScreen: screen(() => import('./settings/SendingScreens.tsx'), 'SenderScreen'),
  BrandScreen: screen(() => import('./settings/SendingScreens.tsx'), 'BrandScreen'),
  MailServerScreen: screen(() => import('./settings/SendingScreens.tsx'), 'MailServerScreen'),
  DomainScreen: screen(() => import('./settings/SendingScreens.tsx'), 'DomainScreen'),
  BouncesScreen: screen(() => import('./settings/SendingScreens.tsx'), 'BouncesScreen'),
  SmsScreen: screen(() => import('./settings/SendingScreens.tsx'), 'SmsScreen'),
  WhatsappScreen: screen(() => import('./settings/SendingScreens.tsx'), 'WhatsappScreen'),
  ConsentTab: screen(() => import('./settings/ConsentTab.tsx'), 'ConsentTab'),
  PrivacyTab: screen(() => import('./settings/PrivacyTab.tsx'), 'PrivacyTab'),
  FaqTab: screen(() => import('./settings/FaqTab.tsx'), 'FaqTab'),
  // The guard redirects from `/`.
  LoadingPage: async () => ({ Component: LoadingPage }),
}

export const frames: Record<Exclude<ScreenFrame, 'page'>, Load> = {
  shell: screen(() => import('./shell/Shell.tsx'), 'Shell'),
  settings: screen(() => import('./settings/SettingsPage.tsx'), 'SettingsPage'),
}
