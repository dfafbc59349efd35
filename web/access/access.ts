// The one rule about who sees which path (A 4.1 with decisions 2, 5 and 27). Pure: screens ask nobody else.

export interface Standing {
  /** A token exists in either storage. */
  authenticated: boolean
  /** Status active or trialing, or the plan is free. */
  subscribed: boolean
  connected: boolean
}

export type Access = { show: true } | { show: false; redirect: string }

/** First path segments of A 2.1 that are somebody's only. The rest is for everybody: the shopper's
 * pages (`/cart/recover`, `/unsubscribe`), what is public, and the 404 page. */
const guarded = [
  'dashboard carts flows customers campaigns notifications coupons analytics settings push-notifications push-setup',
  'login register reset-password test-subscription pricing billing store-setup logout',
]
  .join(' ')
  .split(' ')

const signIn = ['login', 'register', 'reset-password']
/** Paying, leaving and settings stay open in every state (27); the test plan page is where paying leads in test mode. */
const everySignedIn = ['logout', 'billing', 'settings', 'pricing', 'test-subscription']
const withoutSubscription = ['store-setup', 'push-notifications', 'push-setup', 'dashboard']
const withoutStore = ['store-setup', 'push-notifications', 'push-setup']

/** What to do with a path for someone of this standing. */
export function access(path: string, standing: Standing): Access {
  if (path === '/') return to(homeOf(standing))
  const section = path.split('/')[1] ?? ''
  if (!guarded.includes(section)) return show
  if (!standing.authenticated) return accessOfVisitor(section)
  if (signIn.includes(section)) return to(homeOf(standing))
  if (everySignedIn.includes(section)) return show
  if (!standing.subscribed) return withoutSubscription.includes(section) ? show : to('/pricing')
  if (!standing.connected) return withoutStore.includes(section) ? show : to('/store-setup')
  return section === 'store-setup' ? to('/dashboard') : show
}

/** Where `/` leads. */
export function homeOf({ authenticated, subscribed, connected }: Standing): string {
  if (!authenticated) return '/landing'
  if (!subscribed) return '/pricing'
  return connected ? '/dashboard' : '/store-setup'
}

/** Decision 5: the free plan is a subscription like any other. */
export function isSubscribed(plan: string | null, status: string | null): boolean {
  return plan === 'free' || status === 'active' || status === 'trialing'
}

function accessOfVisitor(section: string): Access {
  if (signIn.includes(section)) return show
  return to(section === 'pricing' ? '/login' : '/landing')
}

const show: Access = { show: true }
const to = (redirect: string): Access => ({ show: false, redirect })
