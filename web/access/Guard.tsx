import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { BarePage } from '../shell/BarePage.tsx'
import { Failed } from '../ui/Failed.tsx'
import { LoadingPage } from '../ui/Loading.tsx'
import { access } from './access.ts'
import { connectionQuery, subscriptionQuery, useStanding } from './queries.ts'
import { useSession } from './session.ts'

/** Shows the route or goes where the rule says. A refresh behind never takes the page away. */
export function Guard() {
  const { pathname } = useLocation()
  const { standing, failure, retry } = useStanding()
  const { farewell, returnTo } = useSession()
  useRefreshOnNavigation(pathname)
  if (!standing && failure) {
    return (
      <BarePage title="Not reachable">
        <Failed title="Your account could not be loaded" error={failure} onRetry={retry} />
      </BarePage>
    )
  }
  if (!standing) return <LoadingPage />
  const answer = access(pathname, standing)
  if (answer.show) return <Outlet />
  if (answer.redirect === '/landing' && farewell) return <Navigate to="/login" replace />
  const isBack = standing.authenticated && returnTo !== null && access(returnTo.split('?')[0]!, standing).show
  return <Navigate to={isBack && pathname === '/login' ? returnTo : answer.redirect} replace />
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
