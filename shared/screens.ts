import type { Permission } from './core/endpoint.ts'

// All screens of the app. The server returns 404 for other paths, and the browser's router and guard use this list.
// `web/screens.ts` has the component of each `loader`.

/**
 * Who may see a screen (A 4.1 with decisions 2, 5 and 27); `web/core/access/access.ts` redirects all others.
 * For non-operators, `operator` shows the 404 page (decision 90). `home` only redirects. `dashboard` shows itself what
 * an account without a plan lacks.
 */
export type ScreenAccess =
  | 'everybody'
  | 'home'
  | 'signed-out'
  | 'signed-in'
  | 'operator'
  | 'setup'
  | 'without-store'
  | 'dashboard'
  | 'connected'

/** The layout around it. */
export type ScreenFrame = 'page' | 'shell' | 'settings'

interface ListedScreen<Loader extends string> {
  path: string
  title: string
  /** Key of the component in `web/screens.ts`. */
  loader: Loader
  /** Permission that the member's role must have (decision 8). */
  permission?: Permission
  /** Icon of its sidebar tab in `web/screens/shell/sections.ts`; missing: no tab. */
  icon?: string
  /** Label of its settings tab; missing: no tab. */
  tab?: string
  /** Served as `web/shopper.html`, without the app. */
  isForShoppers?: true
  /** Its parameter must be a UUID; other values are not found (decision 129). */
  isUuid?: true
}

interface ScreenGroup {
  frame: ScreenFrame
  access: ScreenAccess
}

type CompleteScreen<Loader extends string> = ListedScreen<Loader> & ScreenGroup & { permission: Permission }

const buildScreens = <Loader extends string>(
  around: ScreenGroup,
  listed: readonly ListedScreen<Loader>[],
): readonly CompleteScreen<Loader>[] => listed.map((screen) => ({ permission: 'session', ...around, ...screen }))

/** Open to everyone: shopper pages, links from mails, public pages. */
const open = buildScreens({ frame: 'page', access: 'everybody' }, [
  { path: '/landing', title: 'Recoup', permission: 'public', loader: 'LandingRoute' },
  { path: '/cart/recover', title: 'Your cart', permission: 'public', loader: 'ShopperDocument', isForShoppers: true },
  { path: '/unsubscribe', title: 'Unsubscribe', permission: 'public', loader: 'ShopperDocument', isForShoppers: true },
  {
    path: '/preferences',
    title: 'Your preferences',
    permission: 'public',
    loader: 'ShopperDocument',
    isForShoppers: true,
  },
  { path: '/invite', title: 'Invitation', permission: 'public', loader: 'InvitePage' },
  { path: '/confirm-email', title: 'Confirm your email', permission: 'public', loader: 'ConfirmEmailPage' },
  { path: '/verify-email', title: 'Confirm your email', permission: 'public', loader: 'VerifyEmailPage' },
  { path: '/undo-email', title: 'Keep your email', permission: 'public', loader: 'UndoEmailPage' },
  { path: '/terms', title: 'Terms', permission: 'public', loader: 'TermsPage' },
  { path: '/privacy', title: 'Privacy', permission: 'public', loader: 'PrivacyPage' },
  { path: '/how-we-test', title: 'How we test', permission: 'public', loader: 'HowWeTestPage' },
  { path: '/test', title: 'Test', permission: 'public', loader: 'TestPage' },
])

const home = buildScreens({ frame: 'page', access: 'home' }, [
  { path: '/', title: 'Recoup', permission: 'public', loader: 'LoadingPage' },
])

const signIn = buildScreens({ frame: 'page', access: 'signed-out' }, [
  { path: '/login', title: 'Sign in', permission: 'public', loader: 'SignInPage' },
  { path: '/register', title: 'Register', permission: 'public', loader: 'SignInPage' },
  { path: '/reset-password', title: 'Reset password', permission: 'public', loader: 'ResetPasswordPage' },
])

/**
 * Payment and account deletion stay open in every state (decision 27); the test plan page replaces payment in test
 * mode.
 */
const signedIn = buildScreens({ frame: 'page', access: 'signed-in' }, [
  { path: '/logout', title: 'Logout', loader: 'LogoutPage' },
  { path: '/pricing', title: 'Pricing', loader: 'PricingPage' },
  { path: '/test-subscription', title: 'Test subscription', loader: 'TestSubscriptionPage' },
])

const setup = buildScreens({ frame: 'page', access: 'setup' }, [
  { path: '/store-setup', title: 'Connect your store', loader: 'StoreSetupPage' },
])

const dashboard = buildScreens({ frame: 'shell', access: 'dashboard' }, [
  { path: '/dashboard', title: 'Dashboard', icon: 'dashboard', permission: 'carts:read', loader: 'DashboardPage' },
])

const working = buildScreens({ frame: 'shell', access: 'connected' }, [
  { path: '/carts', title: 'Abandoned Carts', icon: 'carts', permission: 'carts:read', loader: 'CartsPage' },
  { path: '/carts/:id', title: 'Cart', permission: 'carts:read', loader: 'CartPage' },
  { path: '/flows', title: 'Flows', icon: 'flows', permission: 'flows:read', loader: 'FlowsPage' },
  { path: '/flows/lift', title: 'Lift', permission: 'flows:read', loader: 'LiftPage' },
  { path: '/flows/:flowId', title: 'Flow', permission: 'flows:read', loader: 'FlowPage' },
  {
    path: '/campaigns',
    title: 'Email Campaigns',
    icon: 'campaigns',
    permission: 'carts:read',
    loader: 'CampaignsPage',
  },
  { path: '/campaigns/:campaignId', title: 'Email Campaigns', permission: 'carts:read', loader: 'CampaignPage' },
  { path: '/customers', title: 'Customers', icon: 'customers', permission: 'carts:read', loader: 'CustomersPage' },
  { path: '/customers/:customerId', title: 'Customer', permission: 'carts:read', loader: 'CustomerPage', isUuid: true },
  {
    path: '/notifications',
    title: 'Notifications',
    icon: 'notifications',
    permission: 'carts:read',
    loader: 'NotificationsPage',
  },
  { path: '/coupons', title: 'Coupons', icon: 'coupons', permission: 'carts:read', loader: 'CouponsPage' },
  { path: '/analytics', title: 'Analytics', icon: 'analytics', permission: 'carts:read', loader: 'AnalyticsPage' },
])

/** The settings tabs in order, each followed by its screens. */
const settings = buildScreens({ frame: 'settings', access: 'signed-in' }, [
  { path: '/settings', title: 'Settings', icon: 'settings', tab: 'Store', loader: 'StoreTab' },
  {
    path: '/settings/capture-script',
    title: 'Tracking script',
    permission: 'stores:read',
    loader: 'CaptureScriptScreen',
  },
  { path: '/settings/account', title: 'Account', tab: 'Account', loader: 'AccountTab' },
  {
    path: '/settings/account/notifications',
    title: 'Notifications',
    permission: 'carts:read',
    loader: 'NotificationSettings',
  },
  { path: '/settings/appearance', title: 'Appearance', tab: 'Appearance', loader: 'AppearanceTab' },
  {
    path: '/settings/recovery-rules',
    title: 'Recovery rules',
    tab: 'Recovery rules',
    permission: 'stores:read',
    loader: 'RecoveryRulesTab',
  },
  { path: '/settings/sending', title: 'Sending', tab: 'Sending', permission: 'stores:read', loader: 'SendingTab' },
  { path: '/settings/sending/sender', title: 'Sender', permission: 'stores:read', loader: 'SenderScreen' },
  { path: '/settings/sending/brand', title: 'Brand', permission: 'stores:read', loader: 'BrandScreen' },
  {
    path: '/settings/sending/mail-server',
    title: 'Mail server',
    permission: 'stores:read',
    loader: 'MailServerScreen',
  },
  { path: '/settings/sending/domain', title: 'Domain', permission: 'stores:read', loader: 'DomainScreen' },
  { path: '/settings/sending/bounces', title: 'Bounces', permission: 'stores:read', loader: 'BouncesScreen' },
  { path: '/settings/sending/sms', title: 'SMS', permission: 'stores:read', loader: 'SmsScreen' },
  { path: '/settings/sending/whatsapp', title: 'WhatsApp', permission: 'stores:read', loader: 'WhatsappScreen' },
  { path: '/settings/consent', title: 'Consent', tab: 'Consent', permission: 'stores:read', loader: 'ConsentTab' },
  { path: '/settings/privacy', title: 'Privacy', tab: 'Privacy', permission: 'stores:read', loader: 'PrivacyTab' },
  { path: '/settings/faq', title: 'FAQ', tab: 'FAQ', loader: 'FaqTab' },
])

const billing = buildScreens({ frame: 'shell', access: 'signed-in' }, [
  { path: '/billing', title: 'Billing and Subscription', loader: 'BillingPage' },
])

/** For the whole installation, so without the layout of an account. */
const operator = buildScreens({ frame: 'page', access: 'operator' }, [
  { path: '/operator', title: 'Operator', loader: 'OperatorPage' },
  { path: '/operator/:accountId', title: 'Operator', loader: 'OperatorAccountPage', isUuid: true },
])

const push = buildScreens({ frame: 'shell', access: 'without-store' }, [
  { path: '/push-notifications', title: 'Push Notification Manager', loader: 'PushManagerPage' },
  { path: '/push-setup', title: 'Push Notification Integration', loader: 'PushSetupPage' },
])

export const screens = [
  ...open,
  ...home,
  ...signIn,
  ...signedIn,
  ...setup,
  ...dashboard,
  ...working,
  ...settings,
  ...billing,
  ...operator,
  ...push,
]

export type Screen = (typeof screens)[number]
export type ScreenLoader = Screen['loader']

const fixed = new Map(screens.filter(({ path }) => !path.includes(':')).map((screen) => [screen.path, screen]))
const withParameters = screens.filter(({ path }) => path.includes(':'))

/** The screen at an address, matched as the router does: decoded, ignoring case and a trailing slash. */
export function findScreen(pathname: string): Screen | null {
  const page = normalizePath(pathname)
  const parts = page.split('/')
  return fixed.get(page) ?? withParameters.find((screen) => matchesPath(screen, parts)) ?? null
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function matchesPath({ path, isUuid }: Screen, parts: string[]): boolean {
  const isValue = (value = '') => (isUuid ? UUID.test(value) : value !== '')
  const pattern = path.split('/')
  const isPart = (part: string, index: number) => (part.startsWith(':') ? isValue(parts[index]) : part === parts[index])
  return pattern.length === parts.length && pattern.every(isPart)
}

function normalizePath(pathname: string): string {
  const plain = decodePath(pathname)
    .toLowerCase()
    .replace(/(?<!\/)\/+$/, '')
  return plain === '' ? '/' : plain
}

/** Keeps encoded slashes, and text with invalid encoding. */
function decodePath(path: string): string {
  try {
    return path
      .split('/')
      .map((part) => decodeURIComponent(part).replace(/\//g, '%2F'))
      .join('/')
  } catch {
    return path
  }
}
