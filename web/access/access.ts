import { type Screen, screenOf } from '../../shared/screens.ts'

// The one rule about who sees which path (A 4.1 with decisions 2, 5 and 27). Pure: screens ask nobody else.

export interface AccessState {
  /** A token exists in either storage. */
  authenticated: boolean
  /** As the server answers (A 4.1, decision 121). */
  subscribed: boolean
  connected: boolean
  /** No store is connected, and one was until a while ago: what happened to it can be read (decision 27). */
  ended?: boolean | undefined
}

export type Access = { show: true } | { show: false; redirect: string }

/** What is known so far; `null`: not asked yet. */
export type KnownAccessState = Pick<AccessState, 'authenticated' | 'ended'> & {
  subscribed: boolean | null
  connected: boolean | null
}

/** Where someone of this standing is led from a path, if anywhere. An unlisted path is shown: all there is to see is the 404 page. */
export function access(path: string, accessState: AccessState): Access {
  const screen = screenOf(path)
  return screen ? accessTo(screen, accessState) : show
}

function accessTo({ path, access }: Screen, accessState: AccessState): Access {
  const { authenticated, subscribed, connected, ended } = accessState
  if (access === 'everybody') return show
  if (access === 'home') return to(homeOf(accessState))
  if (access === 'signed-out') return authenticated ? to(homeOf(accessState)) : show
  if (!authenticated) return to(path === '/pricing' ? '/login' : '/landing')
  // Whether it is there for whoever asks, the guard knows.
  if (access === 'operator') return show
  if (access === 'signed-in' || access === 'without-store') return show
  if (access === 'setup') return subscribed && connected ? to('/dashboard') : show
  if (!subscribed) return access === 'dashboard' ? show : to('/pricing')
  return connected || (ended && path === '/notifications') ? show : to('/store-setup')
}

/** The answer as soon as what is not known yet cannot change it; else `null`. */
export function accessSoFar(
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

/** Where `/` leads. */
export function homeOf({ authenticated, subscribed, connected }: AccessState): string {
  if (!authenticated) return '/landing'
  if (!subscribed) return '/pricing'
  return connected ? '/dashboard' : '/store-setup'
}

const show: Access = { show: true }
const to = (redirect: string): Access => ({ show: false, redirect })
const options = (known: boolean | null) => (known === null ? [true, false] : [known])
const isSame = (one: Access, other: Access) => (one.show ? other.show : !other.show && one.redirect === other.redirect)
