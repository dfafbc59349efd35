import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { type Access, decideEarly, type KnownAccessState } from '../../core/access/access.ts'
import { useHasOpenForm } from '../../core/access/open-forms.ts'
import { meQuery, prefetchAccess, useAccessState, useConnectionCheck } from '../../core/access/queries.ts'
import { useScreen } from '../../core/access/screen.ts'
import { isConnectRequest, isForAnother, loadRequest } from '../../core/session/request.ts'
import { useSession } from '../../core/session/session.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingPage } from '../../core/ui/Loading.tsx'
import { BarePage } from '../../kits/page/BarePage.tsx'
import { NotFoundPage } from '../../kits/page/NotFoundPage.tsx'

/**
 * Wraps every screen and applies the access rule. Unregistered paths get the 404 page; public screens need no answers.
 */
export function Guard() {
  const screen = useScreen()
  if (!screen) return <NotFoundPage />
  if (screen.access === 'operator') return <OperatorGuard />
  return screen.access === 'everybody' ? <Outlet /> : <AccessGuard />
}

/** Non-operators get the 404 page instead (decision 90). */
function OperatorGuard() {
  const isSignedIn = useSession().token !== null
  const me = useQuery({ ...meQuery, enabled: isSignedIn })
  if (!isSignedIn || (me.data && !me.data.operator)) return <NotFoundPage />
  if (me.data) return <Outlet />
  return me.error ? <GuardFailed failure={me.error} onRetry={() => void me.refetch()} /> : <LoadingPage />
}

/** Shows the screen or redirects, by the access rule. A background refresh never removes the page. */
function AccessGuard() {
  const { pathname, search, key, state } = useLocation()
  const isRequest = isConnectRequest(pathname + search)
  const { accessState, isConnectionRemembered, failure, retry } = useAccessState()
  const isChecked = useConnectionCheck()
  const { farewell, returnTo } = useSession()
  const isHeldOpen = useHasOpenForm()
  usePrefetchAccess(accessState.authenticated)
  const isOldYes = pathname === '/store-setup' && isConnectionRemembered
  const answer = useAnswer(pathname, isChecked ? accessState : ignoreOldDenial(accessState, isOldYes))
  const isConfirmed = useIsConfirmed(key, isChecked && answer?.show === true)
  if (!answer) return failure && isChecked ? <GuardFailed failure={failure} onRetry={retry} /> : <LoadingPage />
  // During a transition React may still render a path the address has left. Do not redirect for it.
  const isNavigating = pathname !== window.location.pathname
  const savedRequest = pathname === '/store-setup' && !isRequest && accessState.subscribed ? loadRequest() : null
  if (savedRequest) return <Navigate to={savedRequest} replace />
  if (answer.show || isNavigating || (isHeldOpen && answer.redirect === '/store-setup')) return <Outlet />
  if (answer.redirect === '/dashboard' && isForAnother(pathname + search)) return <Outlet />
  if (isRequest) return accessState.authenticated ? <Outlet /> : <Navigate to="/login" replace />
  // Explain an expired session (decision 2) or a deleted account. After an ordinary logout, show the public page.
  if (answer.redirect === '/landing' && (farewell === 'expired' || farewell === 'deleted'))
    return <Navigate to="/login" replace />
  const isBack =
    accessState.authenticated &&
    returnTo !== null &&
    // A user without a plan chooses one first; keep the connect request meanwhile.
    (isConnectRequest(returnTo)
      ? accessState.subscribed === true
      : decideEarly(returnTo.split('?')[0]!, accessState)?.show === true)
  if (isBack && signInPaths.has(pathname)) return <Navigate to={returnTo} replace />
  if (answer.redirect === '/store-setup')
    return <Navigate to="/store-setup" state={{ [FROM]: pathname + search }} replace />
  const from = !isConfirmed && pathname === '/store-setup' ? state?.[FROM] : undefined
  return <Navigate to={typeof from === 'string' ? from : answer.redirect} replace />
}

/**
 * During set-up: the page that redirected here because no store was connected. If the set-up check denies that, go back
 * to it.
 */
const FROM = 'from'

/** Whether this visit's connection check has shown the page. */
function useIsConfirmed(key: string, isPageVisible: boolean): boolean {
  const [confirmedKey, setConfirmedKey] = useState<string | null>(null)
  useEffect(() => {
    if (isPageVisible) setConfirmedKey(key)
  }, [isPageVisible, key])
  return confirmedKey === key
}

const signInPaths = new Set(['/login', '/register'])

/** Keeps the page that the last answer allows while another question is pending; redirects wait for that question. */
function useAnswer(pathname: string, known: KnownAccessState): Access | null {
  const last = useRef(known)
  const answer = decideEarly(pathname, known)
  if (answer) {
    last.current = known
    return answer
  }
  const before = decideEarly(pathname, last.current)
  return before?.show ? before : null
}

/**
 * An earlier "no" may be outdated, so it redirects only after this path's own check. A remembered "yes" must not remove
 * a form either.
 */
const ignoreOldDenial = (
  { authenticated, subscribed, connected, ended }: KnownAccessState,
  isOldYes: boolean,
): KnownAccessState => ({
  authenticated,
  subscribed: authenticated ? subscribed || null : false,
  connected: authenticated ? (!isOldYes && connected) || null : false,
  ended,
})

function GuardFailed({ failure, onRetry }: { failure: Error; onRetry: () => void }) {
  return (
    <BarePage title="Not reachable">
      <Failed title="Your account could not be loaded" error={failure} onRetry={onRetry} />
    </BarePage>
  )
}

/** Loads the access data as soon as the user is signed in. */
function usePrefetchAccess(authenticated: boolean) {
  const queries = useQueryClient()
  useEffect(() => {
    if (authenticated) prefetchAccess(queries)
  }, [authenticated, queries])
}
