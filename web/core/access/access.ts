import { findScreen, type Screen } from '../../../shared/screens.ts'

// The only rule that decides who sees which path (A 4.1 with decisions 2, 5 and 27). Pure.

export interface AccessState {
  /** Whether either storage holds a token. */
  authenticated: boolean
  /** As the server answers (A 4.1, decision 121). */
  subscribed: boolean
  connected: boolean
  /** No store is connected, but a disconnected store's data is still readable (decision 27). */
  ended?: boolean | undefined
}

export type Access = { show: true } | { show: false; redirect: string }

/** Answers known so far; `null` means not asked yet. */
export type KnownAccessState = Pick<AccessState, 'authenticated' | 'ended'> & {
  subscribed: boolean | null
  connected: boolean | null
}

/**
 * Returns the redirect target for a path, or nothing if the path may be shown. Unlisted paths are shown: they render
 * the 404 page.
 */
export function access(path: string, accessState: AccessState): Access {
  const screen = findScreen(path)
  return screen ? decideScreenAccess(screen, accessState) : show
}

function decideScreenAccess({ path, access }: Screen, accessState: AccessState): Access {
  const { authenticated, subscribed, connected, ended } = accessState
  if (access === 'everybody') return show
  if (access === 'home') return redirectTo(findHomePath(accessState))
  if (access === 'signed-out') return authenticated ? redirectTo(findHomePath(accessState)) : show
  if (!authenticated) return redirectTo(path === '/pricing' ? '/login' : '/landing')
  // Guard checks operator access separately.
  if (access === 'operator') return show
  if (access === 'signed-in' || access === 'without-store') return show
  if (access === 'setup') return subscribed && connected ? redirectTo('/dashboard') : show
  if (!subscribed) return access === 'dashboard' ? show : redirectTo('/pricing')
  return connected || (ended && path === '/notifications') ? show : redirectTo('/store-setup')
}

/** Returns the answer once pending questions cannot change it, otherwise `null`. */
export function decideEarly(
  path: string,
  { authenticated, subscribed, connected, ended }: KnownAccessState,
): Access | null {
  const [first, ...others] = options(subscribed).flatMap((isSubscribed) =>
    options(connected).map((isConnected) =>
      access(path, { authenticated, subscribed: isSubscribed, connected: isConnected, ended }),
    ),
  )
  return others.every((other) => isSame(first!, other)) ? first! : null
}

/** Target of `/`. */
export function findHomePath({ authenticated, subscribed, connected }: AccessState): string {
  if (!authenticated) return '/landing'
  if (!subscribed) return '/pricing'
  return connected ? '/dashboard' : '/store-setup'
}

const show: Access = { show: true }
const redirectTo = (redirect: string): Access => ({ show: false, redirect })
const options = (known: boolean | null) => (known === null ? [true, false] : [known])
const isSame = (one: Access, other: Access) => (one.show ? other.show : !other.show && one.redirect === other.redirect)
