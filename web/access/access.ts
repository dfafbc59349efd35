// The one rule about who sees which path (A 4.1 with decisions 2, 5 and 27). Pure: screens ask nobody else.

export interface Standing {
  /** A token exists in either storage. */
  authenticated: boolean
  /** Status active or trialing, or the plan is free. */
  subscribed: boolean
  connected: boolean
}

export type Access = { show: true } | { show: false; redirect: string }

/** What is known so far; `null`: not asked yet. */
export type KnownStanding = { authenticated: boolean; subscribed: boolean | null; connected: boolean | null }

/**
 * The paths of A 2.1 that are somebody's only, and ours beside them. Everything else is for everybody: the shopper's pages
 * (`/cart/recover`, `/unsubscribe`, `/preferences`), what is public, and whatever is unknown (the 404 page).
 */
const signIn = ['/login', '/register', '/reset-password']
/** Paying, leaving and settings stay open in every state (27); the test plan page is where paying leads in test mode. */
const everySignedIn = ['/logout', '/billing', '/settings', '/pricing', '/test-subscription']
const withoutStore = ['/store-setup', '/push-notifications', '/push-setup']
const withoutSubscription = [...withoutStore, '/dashboard']
const working = ['/carts', '/flows', '/customers', '/campaigns', '/notifications', '/coupons', '/analytics']
/** Sections with a page per row, `/carts/{id}`, or per tab. */
const withRows = ['/carts', '/flows', '/campaigns', '/settings']
const guarded = [...signIn, ...everySignedIn, ...withoutSubscription, ...working]

/** What to do with a path for someone of this standing. */
export function access(path: string, standing: Standing): Access {
  const page = pageOf(path)
  if (page === '/') return to(homeOf(standing))
  if (!guarded.includes(page)) return show
  if (!standing.authenticated) return accessOfVisitor(page)
  if (signIn.includes(page)) return to(homeOf(standing))
  if (everySignedIn.includes(page)) return show
  if (!standing.subscribed) return withoutSubscription.includes(page) ? show : to('/pricing')
  if (!standing.connected) return withoutStore.includes(page) ? show : to('/store-setup')
  return page === '/store-setup' ? to('/dashboard') : show
}

/** The answer as soon as what is not known yet cannot change it; else `null`. */
export function accessSoFar(path: string, { authenticated, subscribed, connected }: KnownStanding): Access | null {
  const [first, ...others] = options(subscribed).flatMap((isSubscribed) =>
    options(connected).map((isConnected) =>
      access(path, { authenticated, subscribed: isSubscribed, connected: isConnected }),
    ),
  )
  return others.every((other) => isSame(first!, other)) ? first! : null
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

function accessOfVisitor(page: string): Access {
  if (signIn.includes(page)) return show
  return to(page === '/pricing' ? '/login' : '/landing')
}

/** The page a path means to the router, which reads it decoded, in any case and with or without a slash at its end. */
function pageOf(path: string): string {
  const plain = decoded(path).toLowerCase().replace(/\/+$/, '')
  if (plain === '') return '/'
  const section = /^(\/[^/]+)\/[^/]+$/.exec(plain)?.[1]
  return section && withRows.includes(section) ? section : plain
}

/** As the router decodes it: an encoded slash separates nothing, and what is no valid encoding stays as it is. */
function decoded(path: string): string {
  try {
    return path
      .split('/')
      .map((part) => decodeURIComponent(part).replace(/\//g, '%2F'))
      .join('/')
  } catch {
    return path
  }
}

const show: Access = { show: true }
const to = (redirect: string): Access => ({ show: false, redirect })
const options = (known: boolean | null) => (known === null ? [true, false] : [known])
const isSame = (one: Access, other: Access) => (one.show ? other.show : !other.show && one.redirect === other.redirect)
