import { useSyncExternalStore } from 'react'
import { DEFAULT_PLATFORM, type PlatformName, platformNames } from '../../../shared/platforms/platforms.ts'
import { dropRequest, isConnectRequest, storeRequest } from './request.ts'

// The browser's session, in the storage keys of A 3. "Remember me" puts the token in local storage, otherwise it is in
// session storage (decision 25).

export type SessionEnd = 'expired' | 'left' | 'deleted'

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
  farewell: SessionEnd | null
  /** Address of the expired session, restored after signing in again. */
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
 * The store of this tab; other tabs share the storage and may show another store. `requestedPlatform`: the platform
 * in the address when the server returned this store.
 */
let currentStore: (StoredConnection & { requestedPlatform?: string | null }) | null = null
const listeners = new Set<() => void>()

export const useSession = () => useSyncExternalStore(onSessionChange, session)

export function session(): Session {
  current ??= openSession()
  return current
}

/** A user who arrives with a connect request returns to it after signing in. */
function openSession(): Session {
  const [token, address] = [readStoredToken(), location.pathname + location.search]
  const isRequest = isConnectRequest(address)
  if (isRequest) storeRequest(address)
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
 * Called before the token is revoked, so no other tab uses it or reports an expired session. This tab keeps the token
 * in memory until `endSession`.
 */
export function removeToken() {
  // The operator's own session while this tab views an account.
  if (sessionStorage.getItem(OWN_TOKEN) === null) localStorage.removeItem('token')
  sessionStorage.removeItem('token')
}

/**
 * Starts an operator's view of an account in this tab only. The operator's own session stays in memory and continues
 * in other tabs.
 */
export function startView(token: string) {
  sessionStorage.setItem(OWN_TOKEN, sessionStorage.getItem('token') ?? '')
  sessionStorage.setItem('token', token)
  localStorage.removeItem('user')
  forgetConnection()
  location.assign('/')
}

export const isViewing = () => sessionStorage.getItem(OWN_TOKEN) !== null

/** Returns to the operator's session. False if this tab views no account. */
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
export function endSession(reason: SessionEnd) {
  if (endView()) return
  const token = readStoredToken()
  const isOwn = token === session().token
  // This tab's session ended, but another tab has signed in since. Keep that session.
  if (token !== null && !isOwn) return location.reload()
  const farewell = isOwn ? reason : 'left'
  const returnTo = farewell === 'expired' ? location.pathname + location.search : null
  if (farewell !== 'expired') dropRequest()
  removeToken()
  localStorage.removeItem('user')
  forgetConnection()
  change({ token: null, farewell, returnTo })
}

export function rememberUser(user: StoredUser) {
  const { id, name, email, subscriptionStatus, hasActiveSubscription } = user
  localStorage.setItem('user', JSON.stringify({ id, name, email, subscriptionStatus, hasActiveSubscription }))
}

export const loadUser = () => readJson<StoredUser>('user')

export function rememberConnection({ platform, store_url }: StoredConnection) {
  forgetConnection()
  currentStore = { platform, store_url, requestedPlatform: readAddressPlatform() }
  localStorage.setItem('isConnected', 'true')
  localStorage.setItem('platform', platform)
  localStorage.setItem('storeUrl', store_url)
  const connection = JSON.stringify({ platform, store_url })
  localStorage.setItem('store_connection', connection)
  localStorage.setItem(`${platform}_connection`, connection)
}

export function forgetConnection() {
  currentStore = null
  for (const key of CONNECTION_KEYS) localStorage.removeItem(key)
}

export const loadConnection = () =>
  localStorage.getItem('isConnected') === 'true' ? readJson<StoredConnection>('store_connection') : null

/** A new tab starts with the store the browser showed last. */
function loadCurrentStore(): typeof currentStore {
  currentStore ??= loadConnection()
  return currentStore
}

/** B 1: platform from the address, else of this tab's stored store, else of the stored connection, else the default. */
export function findPlatform(): string {
  const named = readAddressPlatform() ?? loadCurrentStore()?.platform
  const readStoredPlatform = () =>
    localStorage.getItem('platform') ?? readJson<StoredConnection>('store_connection')?.platform
  return named ?? readStoredPlatform() ?? DEFAULT_PLATFORM
}

const readAddressPlatform = () => new URLSearchParams(location.search).get('platform')

export interface StoreFields {
  platform: string
  storeId?: string
}

/**
 * Identifies the store in API calls (A 7, B 7). If the address names another platform, the server chooses the store
 * until it has answered.
 */
export function buildStoreFields(): StoreFields {
  const [platform, store] = [findPlatform(), loadCurrentStore()]
  const isSelected = store !== null && (store.platform === platform || store.requestedPlatform === platform)
  return { platform, ...(isSelected && { storeId: store.store_url }) }
}

function change(next: Session) {
  current = next
  for (const listener of listeners) listener()
}

/** Returns an unsubscribe function. */
export function onSessionChange(listener: () => void) {
  if (listeners.size === 0) {
    addEventListener('storage', onStorage)
    addEventListener('pageshow', checkForLogout)
  }
  listeners.add(listener)
  // Storage events are missed while this tab loads and while it rests in the back/forward cache.
  checkForLogout()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    removeEventListener('storage', onStorage)
    removeEventListener('pageshow', checkForLogout)
  }
}

/** `null` means the whole storage was cleared. */
function onStorage({ key }: StorageEvent) {
  if (key === 'token' || key === null) checkForLogout()
}

/** Signing out in one tab signs out all tabs. */
function checkForLogout() {
  const token = readStoredToken()
  if (token === session().token) return
  // Another user signed in there: remove the previous user's data from the screen.
  if (token) location.reload()
  else change({ token, farewell: 'left', returnTo: null })
}

export const readStoredToken = () => sessionStorage.getItem('token') ?? localStorage.getItem('token')

/** Returns null for missing or foreign values. */
function readJson<T>(key: string): T | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as T | null
  } catch {
    return null
  }
}
