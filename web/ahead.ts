import { type FirstCalls, findFirstAddresses } from './core/access/early.ts'
import { type EarlyCall, startEarlyCall } from './core/api/api.ts'
import { buildStoreFields, loadUser, readStoredToken } from './core/session/session.ts'

// Runs beside the app's first file, before it: starts a signed-in user's first calls and loads the files of the screen.
// `scripts/load-ahead.ts` builds it.

export interface AheadScreen {
  /** Of the path. */
  pattern: string
  files: string[]
  calls: FirstCalls['store']
}

/** Put around this script by the build. */
declare const AHEAD: Omit<FirstCalls, 'store'> & {
  /** The app's first file. The screen's files wait for it, because the app cannot start without it. */
  first: string
  screens: AheadScreen[]
}

/** Between this script and the app: the started calls; `null` once the app has taken them. */
export type EarlyWindow = typeof globalThis & { earlyCalls?: EarlyCall[] | null }

function start(): void {
  const token = readStoredToken()
  const screens = AHEAD.screens.filter(({ pattern }) => new RegExp(pattern).test(location.pathname))
  const page = globalThis as EarlyWindow
  if (!token || screens.length === 0) return
  if (page.earlyCalls !== null) {
    const calls = { ...AHEAD, store: screens.flatMap(({ calls }) => calls) }
    const isSubscribed = loadUser()?.hasActiveSubscription === true
    const visit = { search: location.search, isSubscribed, store: buildStoreFields() }
    page.earlyCalls = findFirstAddresses(calls, visit).map((address) => startEarlyCall(address, token))
  }
  const loadScreens = () => {
    for (const file of screens.flatMap(({ files }) => files)) preload(file)
  }
  const first = preload(AHEAD.first)
  first.onload = loadScreens
  first.onerror = loadScreens
}

function preload(file: string): HTMLLinkElement {
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.crossOrigin = ''
  link.href = `/${file}`
  document.head.append(link)
  return link
}

try {
  start()
} catch {
  // Storage may be forbidden. The app works without this script.
}
