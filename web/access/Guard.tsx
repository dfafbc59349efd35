import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { BarePage } from '../shell/BarePage.tsx'
import { NotFoundPage } from '../site/NotFoundPage.tsx'
import { Failed } from '../ui/Failed.tsx'
import { LoadingPage } from '../ui/Loading.tsx'
import { type Access, accessSoFar, type KnownAccessState } from './access.ts'
import { useIsHeldOpen } from './held.ts'
import { askAtOnce, meQuery, useAccessState, useCheck } from './queries.ts'
import { isConnectRequest, isForAnother, keptRequest } from './request.ts'
import { useScreen } from './screen.ts'
import { useSession } from './session.ts'

/** Around every screen. What is not registered is the 404 page; of a screen that is for everybody nothing is asked. */
export function Guard() {
  const screen = useScreen()
  if (!screen) return <NotFoundPage />
  if (screen.access === 'operator') return <ForOperators />
  return screen.access === 'everybody' ? <Outlet /> : <ByAccessState />
}

/** To everybody else the page is not there (decision 90). */
function ForOperators() {
  const isSignedIn = useSession().token !== null
  const me = useQuery({ ...meQuery, enabled: isSignedIn })
  if (!isSignedIn || (me.data && !me.data.operator)) return <NotFoundPage />
  if (me.data) return <Outlet />
  return me.error ? <NotReachable failure={me.error} onRetry={() => void me.refetch()} /> : <LoadingPage />
}

/** Shows the screen or goes where the rule says. A refresh behind never takes the page away. */
function ByAccessState() {
  const { pathname, search, key, state } = useLocation()
  const isRequest = isConnectRequest(pathname + search)
  const { accessState, isConnectionRemembered, failure, retry } = useAccessState()
  const isChecked = useCheck()
  const { farewell, returnTo } = useSession()
  const isHeldOpen = useIsHeldOpen()
  useAskAtOnce(accessState.authenticated)
  const isOldYes = pathname === '/store-setup' && isConnectionRemembered
  const answer = useAnswer(pathname, isChecked ? accessState : withoutOldNo(accessState, isOldYes))
  const isConfirmed = useIsConfirmed(key, isChecked && answer?.show === true)
  if (!answer) return failure && isChecked ? <NotReachable failure={failure} onRetry={retry} /> : <LoadingPage />
  // React may show a path the address has already left (a transition under way): nobody is sent away from where they no longer are.
  const isLeaving = pathname !== window.location.pathname
  const kept = pathname === '/store-setup' && !isRequest && accessState.subscribed ? keptRequest() : null
  if (kept) return <Navigate to={kept} replace />
  if (answer.show || isLeaving || (isHeldOpen && answer.redirect === '/store-setup')) return <Outlet />
  if (answer.redirect === '/dashboard' && isForAnother(pathname + search)) return <Outlet />
  if (isRequest) return accessState.authenticated ? <Outlet /> : <Navigate to="/login" replace />
  // Whose session ended without their doing is told so (decision 2), and whose account was deleted; who logged out is a visitor.
  if (answer.redirect === '/landing' && (farewell === 'expired' || farewell === 'deleted'))
    return <Navigate to="/login" replace />
  const isBack =
    accessState.authenticated &&
    returnTo !== null &&
    // Who has no plan yet chooses one first: the request is kept meanwhile.
    (isConnectRequest(returnTo)
      ? accessState.subscribed === true
      : accessSoFar(returnTo.split('?')[0]!, accessState)?.show === true)
  if (isBack && comesIn.has(pathname)) return <Navigate to={returnTo} replace />
  if (answer.redirect === '/store-setup')
    return <Navigate to="/store-setup" state={{ [FROM]: pathname + search }} replace />
  const from = !isConfirmed && pathname === '/store-setup' ? state?.[FROM] : undefined
  return <Navigate to={typeof from === 'string' ? from : answer.redirect} replace />
}

/** Of the set-up: the page that an answer without a store led away from. If the set-up's own check denies it, this leads back. */
const FROM = 'from'

/** Whether the check of this visit to the page has shown it. */
function useIsConfirmed(key: string, isShown: boolean): boolean {
  const [shown, setShown] = useState<string | null>(null)
  useEffect(() => {
    if (isShown) setShown(key)
  }, [isShown, key])
  return shown === key
}

const comesIn = new Set(['/login', '/register'])

/** While a further question decides, a page that the last answer shows stays; nobody is sent away on it. */
function useAnswer(pathname: string, known: KnownAccessState): Access | null {
  const last = useRef(known)
  const answer = accessSoFar(pathname, known)
  if (answer) {
    last.current = known
    return answer
  }
  const before = accessSoFar(pathname, last.current)
  return before?.show ? before : null
}

/**
 * What an earlier check denied may be true by now: it sends nobody away before this path's own check is over. Nor does a yes that only the
 * browser remembers, where it would take away a form.
 */
const withoutOldNo = (
  { authenticated, subscribed, connected, ended }: KnownAccessState,
  isOldYes: boolean,
): KnownAccessState => ({
  authenticated,
  subscribed: authenticated ? subscribed || null : false,
  connected: authenticated ? (!isOldYes && connected) || null : false,
  ended,
})

function NotReachable({ failure, onRetry }: { failure: Error; onRetry: () => void }) {
  return (
    <BarePage title="Not reachable">
      <Failed title="Your account could not be loaded" error={failure} onRetry={onRetry} />
    </BarePage>
  )
}

/** For who has just signed in. */
function useAskAtOnce(authenticated: boolean) {
  const queries = useQueryClient()
  useEffect(() => {
    if (authenticated) askAtOnce(queries)
  }, [authenticated, queries])
}
