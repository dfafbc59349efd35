import { useSyncExternalStore } from 'react'
import { DEFAULT_PLATFORM, type PlatformName, platformNames } from '../../shared/platforms.ts'
import { dropRequest, isConnectRequest, keepRequest } from './request.ts'

// Who this browser is signed in as, in the storage keys of A 3. The token lies in local storage when "Remember me" was ticked and in
// session storage otherwise (decision 25).

export type Farewell = 'expired' | 'left' | 'deleted'

export interface StoredUser {
  id: string
  name: string
  email: string
  subscriptionStatus: string | null
  hasActiveSubscription: boolean
}

export interface StoredConnection {
  platform: PlatformName
  store_url: string
}

interface Session {
  token: string | null
  /** Why the last session ended, for the sign-in screen. */
  farewell: Farewell | null
  /** Where an expired session was, to go back to after signing in again. */
  returnTo: string | null
}

const CONNECTION_KEYS = [
  'isConnected',
  'storeUrl',
  'platform',
  'store_connection',
  ...Object.keys(platformNames).map((name) => `${name}_connection`),
]

let current: Session | null = null
/**
 * The store this tab shows. Other tabs share the storage and may show another store. `askedFor`: the platform that the address named when
 * the server answered with this store.
 */
let shown: (StoredConnection & { askedFor?: string | null }) | null = null
const listeners = new Set<() => void>()

export const useSession = () => useSyncExternalStore(onSessionChange, session)

export function session(): Session {
  current ??= openSession()
  return current
}

/** Who comes with a request is led back to it once they have signed in. */
function openSession(): Session {
  const [token, address] = [storedToken(), location.pathname + location.search]
  const isRequest = isConnectRequest(address)
  if (isRequest) keepRequest(address)
  return { token, farewell: null, returnTo: token === null && isRequest ? address : null }
}

export function startSession(token: string, isRemembered: boolean) {
  const { returnTo } = session()
  localStorage.removeItem('token')
  sessionStorage.removeItem('token')
  ;(isRemembered ? localStorage : sessionStorage).setItem('token', token)
  change({ token, farewell: null, returnTo })
}

/**
 * Before the token is revoked: no other tab goes on with it, and none takes its end for an expiry. This tab keeps it in mind until
 * `endSession`.
 */
export function withdrawToken() {
  // An operator's own, while this tab looks at an account.
  if (sessionStorage.getItem(OWN_TOKEN) === null) localStorage.removeItem('token')
  sessionStorage.removeItem('token')
}

/** An operator's look at an account, in this tab alone: their own session stays in mind, and goes on in the others. */
export function startView(token: string) {
  sessionStorage.setItem(OWN_TOKEN, sessionStorage.getItem('token') ?? '')
  sessionStorage.setItem('token', token)
  localStorage.removeItem('user')
  forgetConnection()
  location.assign('/')
}

export const isViewing = () => sessionStorage.getItem(OWN_TOKEN) !== null

/** Back to where operators look from. False: this tab looks at no account. */
export function endView(): boolean {
  const own = sessionStorage.getItem(OWN_TOKEN)
  if (own === null) return false
  sessionStorage.removeItem(OWN_TOKEN)
  if (own) sessionStorage.setItem('token', own)
  else sessionStorage.removeItem('token')
  localStorage.removeItem('user')
  forgetConnection()
  location.assign('/operator')
  return true
}

const OWN_TOKEN = 'own-token'

/** Forgets token, user and connection (A 4.2). */
export function endSession(reason: Farewell) {
  if (endView()) return
  const kept = storedToken()
  const isOwn = kept === session().token
  // What this tab had is over, but meanwhile somebody signed in in another one: theirs is not to be thrown away.
  if (kept !== null && !isOwn) return location.reload()
  const farewell = isOwn ? reason : 'left'
  const returnTo = farewell === 'expired' ? location.pathname + location.search : null
  if (farewell !== 'expired') dropRequest()
  withdrawToken()
  localStorage.removeItem('user')
  forgetConnection()
  change({ token: null, farewell, returnTo })
}

export function rememberUser(user: StoredUser) {
  const { id, name, email, subscriptionStatus, hasActiveSubscription } = user
  localStorage.setItem('user', JSON.stringify({ id, name, email, subscriptionStatus, hasActiveSubscription }))
}

export const storedUser = () => readJson<StoredUser>('user')

export function rememberConnection({ platform, store_url }: StoredConnection) {
  forgetConnection()
  shown = { platform, store_url, askedFor: namedPlatform() }
  localStorage.setItem('isConnected', 'true')
  localStorage.setItem('platform', platform)
  localStorage.setItem('storeUrl', store_url)
  const connection = JSON.stringify({ platform, store_url })
  localStorage.setItem('store_connection', connection)
  localStorage.setItem(`${platform}_connection`, connection)
}

export function forgetConnection() {
  shown = null
  for (const key of CONNECTION_KEYS) localStorage.removeItem(key)
}

export const storedConnection = () =>
  localStorage.getItem('isConnected') === 'true' ? readJson<StoredConnection>('store_connection') : null

/** A tab that has shown no store yet begins with the one that the browser showed last. */
function shownStore(): typeof shown {
  shown ??= storedConnection()
  return shown
}

/** B 1: the address, else the stored platform (of the store this tab shows), else the stored connection, else the default. */
export function chosenPlatform(): string {
  const named = namedPlatform() ?? shownStore()?.platform
  const stored = () => localStorage.getItem('platform') ?? readJson<StoredConnection>('store_connection')?.platform
  return named ?? stored() ?? DEFAULT_PLATFORM
}

const namedPlatform = () => new URLSearchParams(location.search).get('platform')

export interface StoreFields {
  platform: string
  storeId?: string
}

/** What calls name their store by (A 7, B 7). An address that names another platform leaves the choice to the server, until it has answered. */
export function storeFields(): StoreFields {
  const [platform, store] = [chosenPlatform(), shownStore()]
  const isShown = store !== null && (store.platform === platform || store.askedFor === platform)
  return { platform, ...(isShown && { storeId: store.store_url }) }
}

function change(next: Session) {
  current = next
  for (const listener of listeners) listener()
}

/** Returns what ends the watching. */
export function onSessionChange(listener: () => void) {
  if (listeners.size === 0) {
    addEventListener('storage', onStorage)
    addEventListener('pageshow', catchUp)
  }
  listeners.add(listener)
  // Nobody told this tab of what other tabs did while it was loading, nor while the browser kept it for going back.
  catchUp()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    removeEventListener('storage', onStorage)
    removeEventListener('pageshow', catchUp)
  }
}

/** `null`: everything was cleared. */
function onStorage({ key }: StorageEvent) {
  if (key === 'token' || key === null) catchUp()
}

/** Signing out in one tab signs out in all of them. */
function catchUp() {
  const token = storedToken()
  if (token === session().token) return
  // Somebody signed in there: nothing of whoever was here before may stay on the screen.
  if (token) location.reload()
  else change({ token, farewell: 'left', returnTo: null })
}

const storedToken = () => sessionStorage.getItem('token') ?? localStorage.getItem('token')

/** null for what is missing or was written by something else. */
function readJson<T>(key: string): T | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as T | null
  } catch {
    return null
  }
}
