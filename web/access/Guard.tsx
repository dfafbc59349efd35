import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { BarePage } from '../shell/BarePage.tsx'
import { Failed } from '../ui/Failed.tsx'
import { LoadingPage } from '../ui/Loading.tsx'
import { accessSoFar } from './access.ts'
import { askAtOnce, connectionQuery, subscriptionQuery, useStanding } from './queries.ts'
import { useSession } from './session.ts'

/** Shows the route or goes where the rule says. A refresh behind never takes the page away. */
export function Guard() {
  const { pathname } = useLocation()
  const { standing, failure, retry } = useStanding()
  const { farewell, returnTo } = useSession()
  useRefreshOnNavigation(pathname)
  useAskAtOnce(standing.authenticated)
  // While a changed answer leads to a further question, the last one stands and the page stays.
  const last = useRef(standing)
  const answer = accessSoFar(pathname, standing) ?? accessSoFar(pathname, last.current)
  if (accessSoFar(pathname, standing)) last.current = standing
  if (!answer) return failure ? <NotReachable failure={failure} onRetry={retry} /> : <LoadingPage />
  // React may show a path the address has already left (a transition under way): nobody is sent away from where they no longer are.
  const isLeaving = pathname !== window.location.pathname
  if (answer.show || isLeaving) return <Outlet />
  // Whose session ended without their doing is told so (decision 2); who logged out is a visitor.
  if (answer.redirect === '/landing' && farewell === 'expired') return <Navigate to="/login" replace />
  const isBack =
    standing.authenticated && returnTo !== null && accessSoFar(returnTo.split('?')[0]!, standing)?.show === true
  return <Navigate to={isBack && pathname === '/login' ? returnTo : answer.redirect} replace />
}

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

function useRefreshOnNavigation(pathname: string) {
  const queries = useQueryClient()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what triggers it
  useEffect(() => {
    for (const { queryKey } of [subscriptionQuery, connectionQuery]) {
      void queries.refetchQueries({ queryKey, type: 'active', stale: true })
    }
  }, [pathname, queries])
}
